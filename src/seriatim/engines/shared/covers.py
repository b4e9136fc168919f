"""Linear sets inside Ser, found one by one: covers of outcomes that are known to be serial."""

from seriatim.arithmetic.linear_sets import Membership, Vector, membership
from seriatim.arithmetic.solvers.smt import NoSolution, Unknown
from seriatim.budget import Deadline
from seriatim.engines.shared.serial_flows import SerialFlows
from seriatim.engines.shared.serial_walks import SerialCover
from seriatim.systems.automaton import Automaton

MAX_WORK = 20_000_000
"""How much work, as z3 counts it, one question may take."""


class Covers:
    """The covers so far, of outcomes over some completions; engines that cover outcomes add to them."""

    def __init__(self, specification: Automaton, completions: tuple[int, ...]) -> None:
        self.completions = completions
        self.serial = SerialFlows(specification, completions, MAX_WORK)
        self.found: list[SerialCover] = []
        self.members: list[Membership] = []
        """The membership test of each cover."""

    def around(self, outcome: Vector, deadline: Deadline) -> int | NoSolution | Unknown:
        """The number of a cover that contains an outcome, a new one if need be; none if it is not serial."""
        for number, member in enumerate(self.members):
            if member.holds(outcome):
                return number
        flow = self.serial.flow(outcome, deadline)
        if isinstance(flow, NoSolution | Unknown):
            return flow
        cover = self.serial.cover(flow)
        self.found.append(cover)
        self.members.append(membership(cover.linear_set(self.completions)))
        return len(self.found) - 1
