"""The page: what it may ask, who answers, and the server of `ser play`"""
