"""Transition systems with an invariant, and the script that asks whether it is one and refutes something.

The script has three kinds of questions, those of the paper's section 4.1, step 5. Each is answered `unsat`
if all is well:

- initiation: the initial state breaks the invariant;
- consecution, for each step: a state satisfies the invariant and allows the step, and what follows breaks it;
- refutation: a state satisfies the invariant and is wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.export.smt_lib.terms import Term, application, comment, conjunction

STATE = "invariant"


@dataclass(frozen=True, slots=True)
class DeclaredVariable:
    name: str
    meaning: str
    initial: int


@dataclass(frozen=True, slots=True)
class ScriptDefinition:
    """A function over integers, `(name (parameters) sort body)`."""

    meaning: str
    name: str
    parameters: tuple[str, ...]
    sort: str
    body: Term


@dataclass(frozen=True, slots=True)
class ScriptPart:
    """A conjunct of the invariant."""

    meaning: str
    term: Term


@dataclass(frozen=True, slots=True)
class ScriptStep:
    meaning: str
    guard: Term
    changes: dict[str, Term]
    """The next values of the variables that change, by name."""


@dataclass(frozen=True, slots=True)
class System:
    about: tuple[str, ...]
    """Sentences for the reader."""
    variables: tuple[DeclaredVariable, ...]
    definitions: tuple[ScriptDefinition, ...]
    invariant: tuple[ScriptPart, ...]
    steps: tuple[ScriptStep, ...]
    wrong: Term
    """What the invariant excludes."""
    wrong_means: str


def script(system: System) -> str:
    return "".join(line + "\n" for line in _lines(system))


def _lines(system: System) -> Iterator[str]:
    names = tuple(variable.name for variable in system.variables)
    yield from map(comment, system.about)
    yield comment("")
    yield comment("Every answer must be unsat:  z3 FILE,  or  cvc5 --incremental FILE")
    yield "(set-logic QF_LIA)"
    for variable in system.variables:
        yield ""
        yield comment(variable.meaning)
        yield f"(declare-const {variable.name} Int)"
    for definition in system.definitions:
        yield ""
        yield from _definition(definition)
    yield ""
    parts = [f"    {comment(part.meaning)}\n    {part.term}" for part in system.invariant]
    body = "\n".join(("(and", *parts, "    true)"))
    yield from _definition(ScriptDefinition("The invariant.", STATE, names, "Bool", body))
    holds = application(STATE, names)
    initial = application(STATE, (str(variable.initial) for variable in system.variables))
    yield from _question("initiation", "The initial state satisfies the invariant.", [f"(not {initial})"])
    for index, step in enumerate(system.steps, 1):
        following = application(STATE, (step.changes.get(name, name) for name in names))
        terms = [holds, step.guard, f"(not {following})"]
        yield from _question(f"consecution {index} of {len(system.steps)}", step.meaning, terms)
    yield from _question("refutation", system.wrong_means, [holds, system.wrong])


def _definition(definition: ScriptDefinition) -> Iterator[str]:
    yield comment(definition.meaning)
    parameters = " ".join(f"({parameter} Int)" for parameter in definition.parameters)
    yield f"(define-fun {definition.name} ({parameters}) {definition.sort}"
    yield f"  {definition.body})"


def _question(name: str, meaning: str, terms: list[Term]) -> Iterator[str]:
    yield ""
    yield comment(f"{name}: {meaning}")
    yield "(push 1)"
    yield f"(assert {conjunction(terms)})"
    yield "(check-sat)"
    yield "(pop 1)"
