"""Logs of transactions: which isolation levels they show, decided with evidence."""
