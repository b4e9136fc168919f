"""Families of programs that grow with a parameter; `FAMILIES` lists them."""

from families.arguments import ARGUMENTS
from families.counters import COUNTERS
from families.family import Family
from families.locking import LOCKING
from families.networks import NETWORKS
from families.packing import PACKING
from families.transactions import TRANSACTIONS

__all__ = ["FAMILIES", "Family"]

FAMILIES: dict[str, Family] = {
    family.name: family for family in (*ARGUMENTS, *COUNTERS, *LOCKING, *NETWORKS, *PACKING, *TRANSACTIONS)
}
"""By name. The name of a broken variant is that of the sound one and `_broken`."""
