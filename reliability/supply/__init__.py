"""What a release is made of: which distributions, under which licences, with which hashes."""
