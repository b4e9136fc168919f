"""A family, by its name on a command line."""

import argparse

from families import FAMILIES, Family


def family_named(name: str) -> Family:
    family = FAMILIES.get(name)
    if family is None:
        raise argparse.ArgumentTypeError(f"there is no family {name!r}; there are {', '.join(FAMILIES)}")
    return family
