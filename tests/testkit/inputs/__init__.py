"""Inputs written by hand that several tests are about, and short ways to write more."""
