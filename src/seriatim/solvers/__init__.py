"""Solvers that others have written, each behind a small interface of ours; nothing else imports them."""
