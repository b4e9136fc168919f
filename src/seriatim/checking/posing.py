"""What a certificate has to show, by the statement that it is about.

- *Serializability*: outcomes of complete runs, with final values if these are observed, are those of serial
  runs (`seriatim.checking.observed`).
- *Strict serializability, linearizability*: outcomes with intervals are those of a specification in time
  (`seriatim.checking.intervals`). Evidence by commits needs no intervals. Claim: if each request takes effect
  in one of its own steps, and the order of these is allowed, then that order respects every precedence: who
  was answered before another one began has also taken effect before. If that is shown of all runs and not
  only of complete ones, it explains runs with requests in flight, too: who has taken effect counts as
  answered, the others as not begun.
- That no handler yields, or that requests can be pulled together (`reduction`), shows all of this: the serial
  run has the same final values, and the requests in the order of steps that they took themselves.
"""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, assert_never

from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed, AskedOfRuns, Completion, SerialRuns, WrittenSpecification
from seriatim.checking.context import Context
from seriatim.checking.intervals import AllowedInTime, TimedReference
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.observed import ObservedReference
from seriatim.checking.reference import BigSteps, ProgramReference, Reference, State
from seriatim.program.inputs import Input
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Program
from seriatim.properties.derived import array_of, observation, observer
from seriatim.properties.statement import FinalValues, Observed, Outcomes, Time

if TYPE_CHECKING:
    from seriatim.program.specification import Specification

NO_SERIAL_ORDER = "no serial order has the outcome"
NOT_IN_TIME = "nothing that is allowed has, in an order that respects time, the outcome"


@dataclass(frozen=True, slots=True)
class Demand:
    """What evidence of each kind has to show."""

    runs: AskedOfRuns
    """What makes a run a violation."""
    committing: Reference[Any]
    """The system whose requests commit."""
    effects: Allowed
    """The allowed orders of commits."""
    in_all_runs: bool
    """Whether commits are about all runs, or only about complete ones."""
    counted: Reference[Any]
    """The system whose outcomes are counted."""
    words: Allowed
    """The allowed outcomes."""
    is_serial: bool
    """Whether serial runs of the input are what is allowed."""


Evidence = TypeVar("Evidence", covariant=True)


@dataclass(frozen=True, slots=True)
class Task(Generic[Evidence]):
    """Evidence to check, with what it is about."""

    evidence: Evidence
    content: Input
    reference: Reference[Any]
    program: ProgramReference | None
    """The reference of the input, if it is a program."""
    asked: Demand
    """The demand on outcomes; other questions do not use it."""
    context: Context

    def needs_program(self) -> ProgramReference:
        """The reference of the input. Raises `DoesNotFollow` if the input is not a program."""
        needs_program(self.content)
        assert self.program is not None, "a program has a reference"
        return self.program


def needs_program(content: Input) -> Program:
    """The input, if it is a program; otherwise raises `DoesNotFollow`."""
    if not isinstance(content, Program):
        raise DoesNotFollow("the input is a network system, without variables", "the input is a program")
    return content


def demand(
    statement: Outcomes, reference: Reference[State], big_steps: BigSteps, allowance: Allowance
) -> Demand:
    """Says what has to be shown. A specification that is a program is executed by `big_steps`."""
    match statement.seen:
        case None:
            serial = SerialRuns(reference, allowance)
            runs = AskedOfRuns(serial, NO_SERIAL_ORDER, lambda _: Counter())
            return Demand(runs, reference, serial, False, reference, serial, is_serial=True)
        case FinalValues(observed=observed):
            watched = ObservedReference(reference, observed)
            serial = SerialRuns(watched, allowance)
            runs = AskedOfRuns(serial, NO_SERIAL_ORDER, partial(final_values, reference.requests, observed))
            return Demand(runs, watched, serial, False, watched, serial, is_serial=True)
        case Time(barriers=barriers, pending=pending):
            is_serial = statement.allowed is None
            allowed = (
                SerialRuns(reference, allowance)
                if statement.allowed is None
                else allow_specification(statement.allowed, big_steps, allowance)
            )
            words = AllowedInTime(allowed, barriers, pending)
            timed = TimedReference(reference, barriers, pending)
            runs = AskedOfRuns(words, NOT_IN_TIME, None, barriers, pending)
            return Demand(runs, reference, allowed, pending, timed, words, is_serial)
        case _:
            assert_never(statement.seen)


def allow_specification(specification: "Specification", big_steps: BigSteps, allowance: Allowance) -> Allowed:
    meaning = specification.meaning
    if isinstance(meaning, Program):
        return SerialRuns(
            ProgramReference(meaning, big_steps, check_stop=allowance.deadline.check), allowance
        )
    return WrittenSpecification(meaning)


def final_values(requests: tuple[str, ...], observed: Observed, final: GlobalState) -> Counter[Completion]:
    """Returns what an observer sees at the end."""
    seen = observation(final, None if observed == "all" else frozenset(observed))
    return Counter(((observer(requests), seen),))


def check_observed(observed: Observed, initial: GlobalState) -> Obligation:
    """Checks that variables that are observed are variables of the input."""
    names = () if isinstance(initial, str) else tuple(name for name, _ in initial)
    known = {*names, *map(array_of, names)}
    missing = [] if observed == "all" else sorted(set(observed) - known)
    return Obligation(
        "what is observed are variables of the input",
        not missing,
        f"unknown: {', '.join(missing)}" if missing else "all of them exist",
    )
