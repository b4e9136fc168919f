"""What engines explore: systems that unfold, and what is derived from them."""
