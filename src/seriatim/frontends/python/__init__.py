"""Services in Python as they are: the user's own code, run on the real asyncio in processes of its own."""
