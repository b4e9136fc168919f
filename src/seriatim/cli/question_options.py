"""The options that say what is asked: a property, and its parameters."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from seriatim.frontends.reading import InputFile, load
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.specification import Specification, SpecificationAutomaton
from seriatim.properties.question import (
    MAX_BARRIERS,
    ConflictSerializability,
    Linearizability,
    Observed,
    Question,
    Serializability,
    StaticLinearizability,
    StrictSerializability,
)
from seriatim.source import Diagnostic, SourceText

Function = TypeVar("Function", bound=Callable[..., Any])

OFFERED = ("serializable", "conflict-serializable", "strict", "linearizable", "static-linearizable")
"""The properties that can be decided."""

PARAMETERS = {
    "observe": ("serializable",),
    "barriers": ("strict", "linearizable"),
    "spec": ("linearizable", "static-linearizable"),
    "pending": ("linearizable",),
}
"""Which properties have each of these options."""


def question_options(command: Function) -> Function:
    """Adds --property, --observe, --barriers, --spec and --pending."""
    options = (
        click.option(
            "--property",
            "property_name",
            type=click.Choice(OFFERED),
            default="serializable",
            show_default=True,
            help="What to ask.",
        ),
        click.option(
            "--observe",
            metavar="responses|all|X,Y",
            help="Of `serializable`: what counts beside responses: nothing, or final values of globals."
            "  [default: responses]",
        ),
        click.option(
            "--barriers",
            type=click.IntRange(0, MAX_BARRIERS),
            metavar="K",
            help="Of `strict` and `linearizable`: how many moments of time orders respect.  [default: 1]",
        ),
        click.option(
            "--spec",
            metavar="FILE",
            help="Of `linearizable` and `static-linearizable`: the specification, `spec { … }` or a program"
            " that runs serially.",
        ),
        click.option(
            "--pending",
            is_flag=True,
            help="Of `linearizable`: runs may end with requests in flight.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def question(
    property_name: str, observe: str | None, barriers: int | None, spec: str | None, pending: bool
) -> Question:
    """What the options ask; raises `BadInput` if there is something wrong with the specification."""
    given = {"observe": observe, "barriers": barriers, "spec": spec, "pending": pending or None}
    for name, value in given.items():
        if value is not None and property_name not in PARAMETERS[name]:
            wanted = " or ".join(f"--property {each}" for each in PARAMETERS[name])
            raise click.UsageError(f"--{name} belongs to {wanted}.")
    count = 1 if barriers is None else barriers
    match property_name:
        case "conflict-serializable":
            return ConflictSerializability()
        case "strict":
            return StrictSerializability(count)
        case "linearizable":
            return Linearizability(specification(spec, property_name), count, pending)
        case "static-linearizable":
            return StaticLinearizability(specification(spec, property_name))
        case _:
            return Serializability(observed(observe))


def observed(given: str | None) -> Observed:
    if given is None or given == "responses":
        return ()
    if given == "all":
        return "all"
    names = tuple(sorted({name.strip() for name in given.split(",")} - {""}))
    if not names:
        raise click.UsageError("--observe needs `responses`, `all`, or names of globals.")
    return names


def doubtful(question: Question) -> tuple[SourceText, tuple[Diagnostic, ...]]:
    """What is surely a mistake in the specification, if there is one; nobody has to take it for an error."""
    if isinstance(question, Linearizability | StaticLinearizability):
        specification = question.specification
        if isinstance(specification.meaning, SpecificationAutomaton):
            return specification.source, specification.meaning.warnings
    return SourceText("", ""), ()


def specification(file: str | None, property_name: str) -> Specification:
    if file is None:
        raise click.UsageError(f"--property {property_name} needs --spec FILE.")
    return load(InputFile.named(file), read_specification)[1]
