"""Decisions of runs of the real code, so that all runs can be tried."""

from random import Random


class Choices:
    """Decisions of one run: prescribed ones first, then always the first possibility. Enumerates all runs."""

    def __init__(self) -> None:
        self.prescribed: list[int] = []
        self.made: list[tuple[int, int]] = []
        """(chosen, out of how many)."""

    def pick(self, count: int) -> int:
        place = len(self.made)
        chosen = self.prescribed[place] if place < len(self.prescribed) else 0
        self.made.append((chosen, count))
        return chosen

    def advance(self) -> bool:
        """Prescribes the next run; whether there is one."""
        made = self.made
        while made and made[-1][0] + 1 == made[-1][1]:
            made.pop()
        if not made:
            return False
        self.prescribed = [chosen for chosen, _ in made]
        self.prescribed[-1] += 1
        self.made = []
        return True


class RandomChoices(Choices):
    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = Random(seed)

    def pick(self, count: int) -> int:
        return self.random.randrange(count)
