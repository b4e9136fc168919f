"""Global states of asynchronous programs in the words of the program, and what changes between two."""

from collections.abc import Iterator

from seriatim.actions.interpreter import Instances, Interpreter
from seriatim.actions.syntax import BoolType, Collection, CollectionKind, EnumType, MajorityType, ValueType
from seriatim.actions.values import GlobalState, Instance

_BRACKETS = {CollectionKind.SET: ("{", "}"), CollectionKind.BAG: ("{", "}"), CollectionKind.QUEUE: ("[", "]")}


def value_text(value: object, type_: ValueType | Collection) -> str:
    match type_:
        case EnumType(members=members):
            assert isinstance(value, int)
            return members[value]
        case BoolType():
            return "true" if value else "false"
        case MajorityType():
            assert isinstance(value, tuple)
            return "{" + ", ".join(map(str, value)) + "}"
        case Collection(kind=kind, message=parts):
            assert isinstance(value, tuple)
            opening, closing = _BRACKETS[kind]
            return opening + ", ".join(_message(each, parts) for each in value) + closing
        case _:
            return str(value)


def _message(message: tuple[object, ...], types: tuple[ValueType, ...]) -> str:
    parts = [value_text(part, type_) for part, type_ in zip(message, types, strict=True)]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def cells(state: GlobalState, interpreter: Interpreter) -> Iterator[tuple[str, str]]:
    """The value of each cell of a state, by name."""
    for variable, value in zip(interpreter.program.variables, state, strict=True):
        if not variable.ranges:
            yield variable.name, value_text(value, variable.type)
            continue
        assert isinstance(value, tuple)
        shape = interpreter.layout.shapes[variable.name]
        for indices, element in zip(shape.indices(), value, strict=True):
            name = variable.name + "".join(f"[{index}]" for index in indices)
            yield name, value_text(element, variable.type)


def state_text(state: GlobalState, interpreter: Interpreter) -> str:
    return ", ".join(f"{name} = {value}" for name, value in cells(state, interpreter)) or "no globals"


def change_text(before: GlobalState, after: GlobalState, interpreter: Interpreter) -> str:
    """The cells that differ."""
    pairs = zip(cells(before, interpreter), cells(after, interpreter), strict=True)
    changed = [f"{name}: {old} -> {new}" for (name, old), (_, new) in pairs if old != new]
    return ", ".join(changed) or "nothing changes"


def instance_text(instance: Instance, interpreter: Interpreter) -> str:
    name, values = instance
    known = {action.name: action for action in interpreter.program.actions}
    if name not in known:
        return name
    types = [argument.type for argument in known[name].arguments]
    if len(types) != len(values):
        return name
    return f"{name}({', '.join(value_text(v, t) for v, t in zip(values, types, strict=True))})"


def pending_text(pending: Instances, interpreter: Interpreter) -> str:
    return ", ".join(instance_text(each, interpreter) for each in pending) or "nothing"
