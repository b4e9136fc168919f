"""SQL files: their reader, the isolation levels, and the network system of their transactions."""
