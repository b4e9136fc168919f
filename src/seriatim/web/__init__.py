"""The page: its questions, their answers, and the server of `ser play`."""
