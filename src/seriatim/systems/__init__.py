"""Systems that engines explore: unfoldings of inputs, and systems derived from them."""
