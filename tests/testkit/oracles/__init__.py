"""The slow, obvious answer: brute force, a second implementation, or the real system."""
