"""The front end of asyncio services written in Python."""
