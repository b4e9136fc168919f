"""What the functions of a symbolic state of an asynchronous program are at a concrete state."""

from typing import Any

from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import Collection, CollectionKind, Global
from seriatim.actions.values import GlobalState, Shape
from testkit.oracles.term_values import Function


def meaning(state: GlobalState, interpreter: Interpreter) -> dict[str, int | bool | Function]:
    """What the functions of a symbolic state are at a concrete one; outside of arrays everything is 0."""
    found: dict[str, int | bool | Function] = dict(interpreter.layout.sizes.parameters)
    for variable, content in zip(interpreter.program.variables, state, strict=True):
        shape = interpreter.layout.shapes[variable.name]

        def cell(
            *places: int, variable: Global = variable, content: Any = content, shape: Shape = shape
        ) -> int:
            arity = len(variable.ranges)
            position = shape.position(places[:arity])
            if position is None:
                return 0
            element = content[position] if arity else content
            return int(element.count(places[arity:]) if isinstance(variable.type, Collection) else element)

        def size(*places: int, content: Any = content, shape: Shape = shape) -> int:
            position = shape.position(places)
            return 0 if position is None else len(content[position])

        if isinstance(variable.type, Collection) and variable.type.kind is CollectionKind.QUEUE:
            found |= _queue(variable, content, shape)
        elif isinstance(variable.type, Collection):
            found[f"size of {variable.name}@t"] = size if variable.ranges else len(_messages(content))
        is_plain = not variable.ranges and not isinstance(variable.type, Collection)
        for name in (variable.name, f"{variable.name}@t"):
            found[name] = _number(content) if is_plain else cell
    return found


def _queue(variable: Global, content: Any, shape: Shape) -> dict[str, int | bool | Function]:
    """A queue begins at position 1; outside of its ends everything is 7."""
    arity = len(variable.ranges)

    def messages(places: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        position = shape.position(places)
        return () if position is None else content[position] if arity else content

    def tail(*places: int) -> int:
        return 1 + len(messages(places))

    def part(number: int) -> Function:
        def data(*places: int) -> int:
            there, at = messages(places[:arity]), places[arity] - 1
            return there[at][number] if 0 <= at < len(there) else 7

        return data

    assert isinstance(variable.type, Collection)
    found: dict[str, int | bool | Function] = {
        f"{variable.name} part {number}@t": part(number) for number in range(len(variable.type.message))
    }
    found[f"{variable.name} head@t"] = (lambda *_: 1) if arity else 1
    found[f"{variable.name} tail@t"] = tail if arity else tail()
    return found


def _messages(content: object) -> tuple[object, ...]:
    assert isinstance(content, tuple)
    return content


def _number(content: object) -> int:
    assert isinstance(content, int)
    return content
