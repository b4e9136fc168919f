"""Time never stands in the way of a serial order."""
