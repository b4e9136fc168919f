"""Thread programs in their own language, `.conc`: tokens, parser, steps, layout."""
