"""The waist of the house: core syntax and its reference semantics."""
