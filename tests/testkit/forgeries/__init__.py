"""Evidence and inputs that somebody has changed: checkers have to refuse them."""
