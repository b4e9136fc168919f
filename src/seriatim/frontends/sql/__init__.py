"""SQL files: a reader, the isolation levels, and the network system of the transactions."""
