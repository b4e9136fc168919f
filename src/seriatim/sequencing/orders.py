"""Finds orders by trial: permutations of actions, by name or by index, that work at small sizes."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from seriatim.actions.configurations import TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import MAIN, ActionProgram, Order, Proof
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.assumptions import reachable_actions
from seriatim.checking.sequentialization.finite import check_at
from seriatim.sequencing.small import MAX_SMALL, small_sizes
from seriatim.terms.expressions import NOWHERE


def lacks_order(proof: Proof | None) -> bool:
    """Whether a program does not say in which order its actions come."""
    return proof is None or (proof.order.span == NOWHERE and not proof.keys and bool(proof.actions))


def candidates(program: ActionProgram) -> Iterator[Order]:
    """All orders to try; of each permutation, by name first."""
    names = [name for name in reachable_actions(program) if name != MAIN]
    indexed = all(program.action(name).arguments for name in names)
    for chosen in permutations(names):
        yield Order(chosen)
        if indexed:
            yield Order(chosen, by_index=True)


def change_order(program: ActionProgram, order: Order) -> Proof:
    """Puts another order into the user's proof, and drops the keys, which would override it."""
    given = program.proof or Proof(order.names, order)
    return replace(given, actions=order.names, order=order, keys=())


def find_orders(program: ActionProgram, deadline: Deadline, terminating: bool) -> tuple[list[Order], int]:
    """Finds orders that work at size 2 and then at size 3, and counts those tried."""
    tried = 0
    working = list(candidates(program))
    for value in (2, 3):
        interpreter = Interpreter(program, small_sizes(program, value))
        still: list[Order] = []
        for order in working:
            tried += 1
            try:
                report = check_at(interpreter, change_order(program, order), MAX_SMALL, deadline, terminating)
            except TooLarge:
                continue
            if not report.findings:
                still.append(order)
        if value == 3 and not still:
            break  # size 3 may be too large; an order that works at size 2 is still worth a proof
        working = still
    return working, tried
