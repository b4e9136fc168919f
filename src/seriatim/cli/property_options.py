"""The options for the question: a property and its parameters."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from seriatim.frontends.reading import InputFile, load
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.syntax import Program
from seriatim.properties.all import ALL, PROPERTIES
from seriatim.properties.property import (
    BARRIERS,
    MAX_BARRIERS,
    OBSERVE,
    PENDING,
    SPECIFICATION,
    Property,
    QuestionParameter,
)
from seriatim.properties.serializable import Serializability
from seriatim.properties.statement import Observed, specification_of
from seriatim.source import Diagnostic, SourceText

if TYPE_CHECKING:
    from seriatim.program.specification import Specification

Function = TypeVar("Function", bound=Callable[..., Any])


class LateHelp(click.Option):
    """An option whose help lists properties. It loads them only when the help is shown."""

    def __init__(self, *arguments: Any, complete: Callable[[str], str], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.complete = complete

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        found = super().get_help_record(ctx)
        return None if found is None else (found[0], self.complete(found[1]))


def _naming_all(text: str) -> str:
    return text.replace("PROPERTIES", ", ".join(PROPERTIES))


def _of(parameter: QuestionParameter) -> dict[str, Any]:
    """Details of an option that sets a parameter: its help names the properties first."""

    def complete(text: str) -> str:
        return f"For {' and '.join(f'`{asked.name}`' for asked in _takers(parameter))}: {text}"

    return {"cls": LateHelp, "complete": complete}


def property_options(command: Function) -> Function:
    """Adds --property and an option for each parameter of a property."""
    options = (
        click.option(
            "--property",
            "properties",
            cls=LateHelp,
            complete=_naming_all,
            metavar="NAME,…",
            default="",
            show_default="serializable; of threads: safe",
            callback=_named,
            help="What to ask, one question or several: PROPERTIES.",
        ),
        click.option(
            "--observe",
            **_of(OBSERVE),
            metavar="responses|all|X,Y",
            help="what to compare besides answers: nothing, or final values of globals; an array means its"
            " elements; for .py, `calls`: what requests ask of the outside."
            "  [default: responses]",
        ),
        click.option(
            "--barriers",
            **_of(BARRIERS),
            type=click.IntRange(0, MAX_BARRIERS),
            metavar="K",
            help="how many moments of time orders respect.  [default: 1]",
        ),
        click.option(
            "--spec",
            **_of(SPECIFICATION),
            metavar="FILE",
            help="the specification, `spec { … }` or a program that runs serially.",
        ),
        click.option(
            "--pending",
            **_of(PENDING),
            is_flag=True,
            default=None,
            help="runs may end with requests in flight.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _takers(parameter: QuestionParameter) -> list[type[Property]]:
    return [asked for asked in ALL if parameter in asked.takes]


def _named(_: click.Context, __: click.Parameter, given: str) -> tuple[str, ...]:
    """The names in a list, each one once."""
    if not given:
        return ()  # The default question of each input.
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",")))
    for name in names:
        if name not in PROPERTIES:
            known = ", ".join(repr(each) for each in PROPERTIES)
            raise click.BadParameter(f"{name!r} is not one of {known}.")
    return names


@dataclass(frozen=True, slots=True)
class AskedProperties:
    """Options: the question."""

    properties: tuple[str, ...]
    observe: str | None
    barriers: int | None
    spec: str | None
    pending: bool | None


def _kinds(names: tuple[str, ...]) -> Iterator[type[Property]]:
    if not names:
        yield Serializability
        return
    yield from (PROPERTIES[name] for name in names)


def asked_properties(asked: AskedProperties) -> tuple[Property, ...]:
    """The properties that the options ask about. Raises `BadInput` if the specification is wrong."""
    kinds = list(_kinds(asked.properties))
    given = {
        OBSERVE: asked.observe,
        BARRIERS: asked.barriers,
        SPECIFICATION: asked.spec,
        PENDING: asked.pending,
    }
    for parameter, value in given.items():
        if value is not None and not any(parameter in kind.takes for kind in kinds):
            wanted = " or ".join(f"--property {each.name}" for each in _takers(parameter))
            raise click.UsageError(f"--{parameter.option} belongs to {wanted}.")
    for kind in kinds:
        if asked.spec is None and SPECIFICATION in kind.takes:
            raise click.UsageError(f"--property {kind.name} needs --spec FILE.")
    values: dict[QuestionParameter, object] = {
        OBSERVE: None if asked.observe is None else observed(asked.observe),
        BARRIERS: asked.barriers,
        SPECIFICATION: None if asked.spec is None else specification(asked.spec),
        PENDING: asked.pending,
    }
    return tuple(
        kind(**{key.attribute: values[key] for key in kind.takes if values[key] is not None})
        for kind in kinds
    )


def observed(given: str) -> Observed:
    if given == "responses":
        return ()
    if given == "all":
        return "all"
    names = tuple(sorted({name.strip() for name in given.split(",")} - {""}))
    if not names:
        raise click.UsageError("--observe needs `responses`, `all`, or names of globals.")
    return names


def specification_warnings(asked: Property) -> tuple[SourceText, tuple[Diagnostic, ...]]:
    """Warnings about the specification, if there is one."""
    allowed = specification_of(asked.states())
    if allowed is not None and not isinstance(allowed.meaning, Program):
        return allowed.source, allowed.meaning.warnings
    return SourceText("", ""), ()


def specification(file: str) -> "Specification":
    return load(InputFile.from_argument(file), read_specification)[1]
