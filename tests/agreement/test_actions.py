"""Flags, by which compiled programs tell what they touch, are the accesses of the reference semantics."""

from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.program.actions import actions
from seriatim.program.semantics import Store, initial_configuration, store
from seriatim.program.syntax import Program, global_names
from seriatim.systems.actions import READ_FLAG, WRITE_FLAG, ProgramActions, with_flags
from seriatim.systems.limits import Limits
from seriatim.systems.source_map import configuration, global_store
from testkit.generators.locked_steps import random_locked_steps
from testkit.generators.programs import ProgramMaker

MAX_PLACES = 60


def program(seed: int) -> Program:
    random = Random(seed)
    return random_locked_steps(random) if seed % 2 else ProgramMaker(random).program()


def flagged(names: tuple[str, ...], flag: str, values: Store) -> frozenset[str]:
    return frozenset(name for name in names if flag + name in dict(values))


def told(names: tuple[str, ...], values: Store) -> tuple[Store, frozenset[str], frozenset[str]]:
    """The globals without flags, and what the flags say is read and written."""
    return unflagged(values), flagged(names, READ_FLAG, values), flagged(names, WRITE_FLAG, values)


def unflagged(values: Store) -> Store:
    return tuple(pair for pair in values if not pair[0].startswith((READ_FLAG, WRITE_FLAG)))


@pytest.mark.parametrize("seed", range(30))
def test_first_steps_set_the_flags_of_what_they_touch(seed: int) -> None:
    """With flags, a program has the same first steps as without, and the flags say what they touch."""
    plain = program(seed)
    names = global_names(plain)
    for handler, with_them in zip(plain.handlers, with_flags(plain).handlers, strict=True):
        for x in range(2):
            globals_ = store({"X": x, "Y": 1 - x})
            ends = actions(initial_configuration(with_them, globals_))
            found = {told(names, end.globals) for end, _ in ends}
            assert found == {
                (end.globals, accesses.reads, accesses.writes)
                for end, accesses in actions(initial_configuration(handler, globals_))
            }


@pytest.mark.parametrize("seed", range(30))
def test_compiled_flags_are_the_accesses_of_the_reference_semantics(seed: int) -> None:
    """In all places that a search from the start comes to first."""
    system = ProgramActions(program(seed), Limits(max_states=2_000), Deadline(20))
    unfolding = system.flagged
    pending = [(start, 0) for start in unfolding.starts]
    seen = set(pending)
    for local, global_ in pending:
        if len(seen) > MAX_PLACES:
            break
        compiled = {
            (target < 0, global_store(unfolding, after)) for target, after in unfolding.moves(local, global_)
        }
        for end, accesses in actions(configuration(unfolding, local, global_)):
            reads = flagged(system.variables, READ_FLAG, end.globals)
            writes = flagged(system.variables, WRITE_FLAG, end.globals)
            own = {name for name in accesses.writes if not name.startswith((READ_FLAG, WRITE_FLAG))}
            assert writes == own
            # What was assigned is read again, for the value of the assignment.
            assert reads <= accesses.reads <= reads | writes
            changes_nothing = end.globals == global_store(unfolding, global_)
            assert changes_nothing or any(after == end.globals for _, after in compiled)
        for action, way in system.paths(local, system._globals[global_]):
            following = (way[-1], system._flagged_globals[action.after])
            if way[-1] >= 0 and following not in seen:
                seen.add(following)
                pending.append(following)
