"""Which values variables can have, found by translating again and again until nothing new comes up.

Claim: when a round finds nothing new, the domains of that round contain every value that a run can assign.
For a round computes, from domains that contain what is read, domains that contain what is assigned, and
joins them; at the fixpoint both are the same. Bounds of integers that still move after some rounds are
given up. Where numbers could then be taken for codes of other values, a domain stays as it is, and its key is
among `mixed`: then there is no translation.
"""

from seriatim.frontends.python.domains import NOTHING, Domain, Unbounded, demand_apart, join, widen

PATIENT_ROUNDS = 4
"""Before bounds are given up."""

MAX_ROUNDS = 30


class Inference:
    """The domains of variables, of results, of parts of answers: by keys that translation chooses."""

    def __init__(self) -> None:
        self.known: dict[str, Domain] = {}
        self.found: dict[str, Domain] = {}
        self.rounds = 0
        self.mixed: set[str] = set()
        """Where integers without bounds meet other values."""

    def read(self, key: str) -> Domain:
        return self.known.get(key, NOTHING)

    def assign(self, key: str, domain: Domain) -> None:
        """Raises `Unbounded` where a number could be taken for something else."""
        self.found[key] = join(self.found.get(key, NOTHING), domain)

    def advance(self) -> bool:
        """Begins another round; whether there is anything new in the one that ends."""
        self.rounds += 1
        is_new = False
        for key, domain in self.found.items():
            old = self.known.get(key, NOTHING)
            try:
                new = self._grown(old, domain)
            except Unbounded:
                self.mixed.add(key)
                continue
            if new != old:
                is_new = True
                self.known[key] = new
        self.found = {}
        if self.rounds > MAX_ROUNDS:
            raise RuntimeError("domains do not settle")
        return is_new

    def _grown(self, old: Domain, found: Domain) -> Domain:
        new = join(old, found)
        if self.rounds > PATIENT_ROUNDS and not old.is_empty:
            new = widen(old, new)
            demand_apart(new)
        return new
