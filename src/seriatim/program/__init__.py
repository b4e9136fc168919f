"""The core language, which all front ends produce: its syntax and its reference semantics."""
