"""Claims for the kernel: certificates in the format of the checker that is proved (`proofs/`)."""
