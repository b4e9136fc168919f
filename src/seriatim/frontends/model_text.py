"""Writes translations as programs that people can read and check: `ser check --emit-model`.

The text parses to a program with the same runs. Names become identifiers, as comments say, and a fault
becomes an assignment that leaves a range.
"""

import re
from collections.abc import Iterable, Sequence

from seriatim.frontends.protocol import Translation
from seriatim.frontends.ser import keywords
from seriatim.program.changing import transform
from seriatim.program.expression_printer import Style
from seriatim.program.network_system import NetworkSystem
from seriatim.program.printer import print_program
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import (
    Assign,
    Expression,
    Fault,
    Handler,
    InitialValue,
    Number,
    Program,
    Read,
    UnboundedHandler,
    global_names,
    is_global,
    walk,
)
from seriatim.program.system_printer import write_system

OUT_OF_SCOPE = "OUT_OF_SCOPE"

_RESERVED = keywords.ALL | {"true", "false"}


def model_text(translation: Translation, source_name: str) -> str:
    """The model of a source as text."""
    content = translation.content
    if isinstance(content, NetworkSystem):
        return write_system(content)
    with deep_recursion():
        return _program_text(content, translation, source_name)


def _program_text(program: Program, translation: Translation, source_name: str) -> str:
    requests = program.unbounded_handlers or program.handlers
    variables = dict.fromkeys(global_names(program))
    for request in requests:
        variables |= {part.name: None for part in walk(request.body) if isinstance(part, Read | Assign)}
        variables |= dict.fromkeys(_parameters(request))
    names = identifiers(variables, taken=(OUT_OF_SCOPE,))
    handlers = identifiers(request.name for request in requests)
    printed = Program(
        tuple(InitialValue(names[each.name], each.value) for each in program.initial_values),
        tuple(
            Handler(
                handlers[each.name] + _write_parameters([names[name] for name in _parameters(each)]),
                transform(each.body, lambda part: _rename(part, names)),
            )
            for each in requests
        ),
    )
    lines = [f"// The model of {source_name}."]
    for old, new in (*names.items(), *handlers.items()):
        if old != new and not old.startswith("#"):
            lines.append(f"// {new}: {old}")
    lines += [f"// assumed: {each.sentence}" for each in translation.approximations]
    if program.can_fail:
        lines += ["", f"{OUT_OF_SCOPE} in 0..0 := 0"]
    return "\n".join(lines) + "\n" + print_program(printed, Style.BRACES)


def _parameters(request: Handler | UnboundedHandler) -> tuple[str, ...]:
    return request.parameters if isinstance(request, UnboundedHandler) else ()


def _write_parameters(parameters: Sequence[str]) -> str:
    return f"({', '.join(f'{name}: int' for name in parameters)})" if parameters else ""


def identifiers(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """A different identifier of the language for each name; names that are identifiers stay unchanged."""
    used = set(taken)
    chosen: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"\W+", "_", name.replace("#", "t")).strip("_") or "t"
        if is_global(name):
            plain = plain[0].upper() + plain[1:] if plain[0].isalpha() else f"G{plain}"
        elif plain[0].isupper() or plain[0].isdigit():
            plain = f"_{plain}"
        base, number = plain, 2
        while plain in used or plain in _RESERVED:
            plain = f"{base}_{number}"
            number += 1
        used.add(plain)
        chosen[name] = plain
    return chosen


def _rename(part: Expression, names: dict[str, str]) -> Expression:
    match part:
        case Read(name=name, span=span):
            return Read(names[name], span)
        case Assign(name=name, value=value, span=span):
            return Assign(names[name], value, span)
        case Fault(span=span):
            return Assign(OUT_OF_SCOPE, Number(1, span), span)
        case _:
            return part
