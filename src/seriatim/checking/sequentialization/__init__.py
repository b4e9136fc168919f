"""What a proof by one order has to show, for given sizes and for all."""
