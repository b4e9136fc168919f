"""Solvers of linear arithmetic and clauses; nothing else imports one."""
