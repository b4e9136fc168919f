"""C programs as gcc compiles them: run under chosen schedules, and compared with verdicts."""
