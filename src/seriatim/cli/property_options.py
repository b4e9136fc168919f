"""The options that say what is asked: a property, and its parameters."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from seriatim.frontends.reading import InputFile, load
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.specification import Specification, SpecificationAutomaton
from seriatim.properties.all import ALL, PROPERTIES
from seriatim.properties.parameters import BARRIERS, MAX_BARRIERS, OBSERVE, PENDING, SPECIFICATION, Parameter
from seriatim.properties.property import Property
from seriatim.properties.statement import Observed, specification_of
from seriatim.source import Diagnostic, SourceText

Function = TypeVar("Function", bound=Callable[..., Any])


def property_options(command: Function) -> Function:
    """Adds --property and an option for each parameter of a property."""
    options = (
        click.option(
            "--property",
            "property_name",
            type=click.Choice(tuple(PROPERTIES)),
            default="serializable",
            show_default=True,
            help="What to ask.",
        ),
        click.option(
            "--observe",
            metavar="responses|all|X,Y",
            help=f"{_of(OBSERVE)}: what counts beside responses: nothing, or final values of globals."
            "  [default: responses]",
        ),
        click.option(
            "--barriers",
            type=click.IntRange(0, MAX_BARRIERS),
            metavar="K",
            help=f"{_of(BARRIERS)}: how many moments of time orders respect.  [default: 1]",
        ),
        click.option(
            "--spec",
            metavar="FILE",
            help=f"{_of(SPECIFICATION)}: the specification, `spec {{ … }}` or a program that runs serially.",
        ),
        click.option(
            "--pending",
            is_flag=True,
            default=None,
            help=f"{_of(PENDING)}: runs may end with requests in flight.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _of(parameter: Parameter) -> str:
    return f"Of {' and '.join(f'`{asked.name}`' for asked in _takers(parameter))}"


def _takers(parameter: Parameter) -> list[type[Property]]:
    return [asked for asked in ALL if parameter in asked.takes]


def asked_property(
    property_name: str, observe: str | None, barriers: int | None, spec: str | None, pending: bool | None
) -> Property:
    """What the options ask; raises `BadInput` if there is something wrong with the specification."""
    asked = PROPERTIES[property_name]
    given = {OBSERVE: observe, BARRIERS: barriers, SPECIFICATION: spec, PENDING: pending}
    for parameter, value in given.items():
        if value is not None and parameter not in asked.takes:
            wanted = " or ".join(f"--property {each.name}" for each in _takers(parameter))
            raise click.UsageError(f"--{parameter.option} belongs to {wanted}.")
    if spec is None and SPECIFICATION in asked.takes:
        raise click.UsageError(f"--property {property_name} needs --spec FILE.")
    values: dict[Parameter, object] = {
        OBSERVE: None if observe is None else observed(observe),
        BARRIERS: barriers,
        SPECIFICATION: None if spec is None else specification(spec),
        PENDING: pending,
    }
    return asked(**{key.attribute: value for key, value in values.items() if value is not None})


def observed(given: str) -> Observed:
    if given == "responses":
        return ()
    if given == "all":
        return "all"
    names = tuple(sorted({name.strip() for name in given.split(",")} - {""}))
    if not names:
        raise click.UsageError("--observe needs `responses`, `all`, or names of globals.")
    return names


def doubtful(asked: Property) -> tuple[SourceText, tuple[Diagnostic, ...]]:
    """What is surely a mistake in the specification, if there is one; nobody has to take it for an error."""
    allowed = specification_of(asked.states())
    if allowed is not None and isinstance(allowed.meaning, SpecificationAutomaton):
        return allowed.source, allowed.meaning.warnings
    return SourceText("", ""), ()


def specification(file: str) -> Specification:
    return load(InputFile.named(file), read_specification)[1]
