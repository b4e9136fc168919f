"""Scopes: the values of fields, and the number and width of the cells of registers.

A scope is a comment in the program, such as `// ser: hdr.x in 0..1`, or a line of the file of `--scope`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from seriatim.frontends.p4.choosing import Choices
from seriatim.frontends.p4.code import Apply, Hash, ReadCell, Register, WriteCell, steps
from seriatim.frontends.p4.instances import COLOUR, COLOURS
from seriatim.frontends.p4.kinds import Bits, Bool, Simple
from seriatim.frontends.p4.passes import INSTANCE
from seriatim.frontends.p4.refusal import MARK, quote_name, refuse
from seriatim.frontends.p4.switch import Switch
from seriatim.frontends.p4.syntax import Mark
from seriatim.source import Diagnostic, InputError, Span, quote

MAX_VALUES = 64
"""The most values in one scope."""

_PART = re.compile(
    r"""\s*(?: in \s+ (?P<low>\w+) \s*\.\.\s* (?P<high>\w+)
             | in \s* \{ (?P<listed>[^}]*) \}
             | cells \s+ (?P<cells>\w+)
             | width \s+ (?P<width>\w+) )""",
    re.VERBOSE,
)

HOW = "write `// ser: hdr.x in 0..1`, `// ser: hdr.x in {0, 6}` or `// ser: r cells 2 width 2`"


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope that the user wrote."""

    values: tuple[int, ...] | None
    cells: int | None
    width: int | None
    span: Span | None
    text: str


class Scopes:
    """All scopes of a program."""

    def __init__(self, switch: Switch, choices: Choices) -> None:
        self.switch = switch
        self.choices = choices
        """What is chosen where nothing is written."""
        self.fields: dict[str, Scope] = {}
        """The scopes of header fields, metadata, data of actions and hashes, by path."""
        self.registers: dict[str, Scope] = {}
        self.known: dict[str, Register] = {
            step.register.name: step.register
            for step in steps(switch.code)
            if isinstance(step, ReadCell | WriteCell)
        }
        self.data: dict[str, Simple] = {}
        self.hashes: dict[str, list[Hash]] = {}
        for step in steps(switch.code):
            if isinstance(step, Apply):
                self.data |= {path: kind for each in step.table.choices for path, kind in each.data}
            elif isinstance(step, Hash):
                for name in (step.path, f"hash@{step.span.line}"):
                    self.hashes.setdefault(name, []).append(step)

    def of(self, path: str, kind: Simple) -> tuple[int, ...] | None:
        """The possible values of a path that packets bring along; None if they need a scope."""
        found = self.fields.get(path)
        if found is not None and found.values is not None:
            return found.values
        if path == INSTANCE:
            return self.switch.passes.instance_types
        if path.startswith(f"{COLOUR}."):
            return tuple(each for each in COLOURS if not isinstance(kind, Bits) or each <= kind.high)
        return all_values(kind)

    def only(self, path: str) -> int | None:
        """The value of a path whose scope has only one; None for other paths."""
        found = self.fields.get(path)
        return found.values[0] if found is not None and found.values and len(found.values) == 1 else None

    def register(self, register: Register) -> Scope:
        found = self.registers.get(register.name) or Scope(None, None, None, None, "")
        width = self.choices.widths.get(register.name)
        return found if width is None else replace(found, width=width)

    def is_narrow(self, name: str) -> bool:
        """Whether a scope leaves out values that the type has."""
        if name in self.choices.values or name in self.choices.widths:
            return True
        found = self.fields.get(name) or self.registers.get(name)
        if found is None:
            return False
        kind = self.switch.kinds.get(name) or self.data.get(name)
        is_all = isinstance(kind, Bits) and found.values is not None and len(found.values) == 1 << kind.width
        return not is_all and (found.values is not None or found.width is not None)

    # --- reading ------------------------------------------------------------------------------------------

    def read(self, marks: Iterable[Mark]) -> None:
        """Reads scopes; raises `InputError` with all errors."""
        wrong: list[Diagnostic] = []
        for mark in marks:
            try:
                self._take(mark)
            except InputError as error:
                wrong += error.diagnostics
        if wrong:
            raise InputError(wrong)

    def _take(self, mark: Mark) -> None:
        name, _, rest = mark.text.strip().partition(" ")
        found = Scope(None, None, None, mark.span if mark.span.line else None, mark.text.strip())
        place = 0
        while rest[place:].strip():
            part = _PART.match(rest, place)
            if part is None:
                raise refuse(MARK, f"cannot read {quote(mark.text)}", found.span, HOW)
            found = _extend(found, part)
            place = part.end()
        if found.values is None and found.cells is None and found.width is None:
            raise refuse(MARK, f"{quote(mark.text)} says nothing about {quote(name)}", found.span, HOW)
        self._keep(name, found)

    def _keep(self, name: str, found: Scope) -> None:
        register = self._register(name)
        if register is not None:
            self._keep_register(register, found)
            return
        if found.cells is not None or found.width is not None:
            known = ", ".join(each.rpartition(".")[2] for each in self.known) or "none"
            message = f"there is no register {quote(name)} that packets read or write"
            raise refuse(MARK, message, found.span, f"registers: {known}")
        for path, kind in self._resolve(name, found):
            for value in found.values or ():
                if isinstance(kind, Bits) and not kind.low <= value <= kind.high:
                    raise refuse(MARK, f"{value} is not a value of {kind}", found.span)
                if isinstance(kind, Bool) and value not in (0, 1):
                    raise refuse(MARK, f"{value} is not a value of bool", found.span)
            self.fields[path] = found

    def _keep_register(self, register: Register, found: Scope) -> None:
        if found.cells is not None and not 0 < found.cells <= register.size:
            message = f"register {quote_name(register.name)} has {register.size} cells"
            raise refuse(MARK, message, found.span, "the scope may have at most that many")
        if found.width is not None and not 0 < found.width <= min(register.kind.width, 6):
            hint = f"use at most {min(register.kind.width, 6)}: every value is explored"
            raise refuse(MARK, f"a width of {found.width} is not possible", found.span, hint)
        if found.width is not None and found.values is not None:
            hint = "`width 2` counts modulo 4; `in 0..3` makes other values a fault"
            raise refuse(MARK, "a register has a width or values, not both", found.span, hint)
        if found.values is not None and 0 not in found.values:
            raise refuse(MARK, "registers start as 0, which is not in the scope", found.span)
        before = self.registers.get(register.name)
        if before is not None:
            found = replace(
                found,
                cells=found.cells or before.cells,
                width=found.width or before.width,
                values=found.values or before.values,
            )
        self.registers[register.name] = found

    def _register(self, name: str) -> Register | None:
        return next(
            (each for key, each in self.known.items() if key == name or key.rpartition(".")[2] == name), None
        )

    def _resolve(self, name: str, found: Scope) -> list[tuple[str, Simple]]:
        """The paths that a name means: a field, data of actions, or targets of hashes."""
        root, dot, rest = name.partition(".")
        path = f"{self.switch.names.get(root, root)}{dot}{rest}"
        if path in self.switch.kinds:
            return [(path, self.switch.kinds[path])]
        data = [(key, kind) for key, kind in self.data.items() if _ends_with(key, name)]
        if data:
            return data
        hashes = [each for key, every in self.hashes.items() if _ends_with(key, name) for each in every]
        if hashes:
            return [(f"hash@{each.span.line}", each.kind) for each in hashes]
        from difflib import get_close_matches  # Rarely needed: most names are right.

        near = get_close_matches(path, [*self.switch.kinds, *self.data, *self.known], 3)
        hint = f"did you mean {', '.join(map(quote_name, near))}?" if near else HOW
        raise refuse(
            MARK, f"no field, register or data of an action is called {quote(name)}", found.span, hint
        )


def _ends_with(key: str, name: str) -> bool:
    plain = key.partition("~")[0]
    return plain == name or plain.endswith(f".{name}")


def _extend(found: Scope, part: re.Match[str]) -> Scope:
    try:
        if part["cells"] is not None:
            return replace(found, cells=int(part["cells"], 0))
        if part["width"] is not None:
            return replace(found, width=int(part["width"], 0))
        if part["listed"] is not None:
            values = tuple(sorted({int(each, 0) for each in part["listed"].split(",")}))
        else:
            low, high = int(part["low"], 0), int(part["high"], 0)
            if low > high:
                raise refuse(MARK, f"{low}..{high} is empty", found.span, HOW)
            values = tuple(range(low, min(high, low + MAX_VALUES) + 1))
    except ValueError:
        raise refuse(MARK, f"cannot read {quote(found.text)}", found.span, HOW) from None
    if len(values) > MAX_VALUES:
        hint = "a few values that the program tells apart are enough"
        raise refuse(MARK, f"a scope has at most {MAX_VALUES} values", found.span, hint)
    return replace(found, values=values)


def all_values(kind: Simple) -> tuple[int, ...] | None:
    """All values of a small type."""
    match kind:
        case Bits(width=1):
            return (0, 1)
        case Bool():
            return (0, 1)
        case _:
            return None


def read_marks(text: str) -> list[Mark]:
    """Reads the lines of a file of scopes; `//` and `#` begin comments."""
    found: list[Mark] = []
    for line in text.splitlines():
        mark = re.sub(r"^\s*//\s*ser:", "", line)
        mark = re.split(r"//|#", mark)[0].strip()
        if mark:
            found.append(Mark(mark))
    return found
