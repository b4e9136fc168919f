"""Dictionaries, sets and lists with known keys: an entry is a variable of the model."""

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from seriatim.frontends.python.bounds import negate
from seriatim.frontends.python.core_code import every, some, within
from seriatim.frontends.python.domains import ABSENT, integers, join_all
from seriatim.frontends.python.expressions import Expressions
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Cell, Keyed, Variable, cells_of
from seriatim.frontends.python.values import Reference, Scalar, Value
from seriatim.program.syntax import Binary, Expression, Fault, If, Number, Operator
from seriatim.source import Span

LISTS = "indices alone; for what grows and shrinks, a dict, a set or asyncio.Queue"
NO_KEY = {"dict": "KeyError", "set": "KeyError", "list": "IndexError"}


class Containers(Expressions):
    """What can be done with entries."""

    def at_key(self, keyed: Keyed, key: Scalar, node: ast.expr) -> Value:
        """The value at a key; without one, an exception is raised."""
        span = self.places(node)
        code = self._normalize(keyed, key)
        if code is not None:
            entry = keyed.entries.get(code)
            if entry is None:
                self.missing(keyed, span)
                return self.none(span)
            if not isinstance(entry, Variable):
                return Reference(entry)
            return self.present(keyed, self.read_cell(entry.cell, span), span)
        return self.present(keyed, self.select(keyed, key, node), span)

    def _normalize(self, keyed: Keyed, key: Scalar) -> int | None:
        known = key.known
        if known is not None and keyed.kind == "list" and known < 0:
            return known + len(keyed.keys)
        return known

    def select(self, keyed: Keyed, key: Scalar, node: ast.AST) -> Scalar:
        """The entry at a key that is found out at run time; absent if the key is missing."""
        span = self.places(node)
        self.demand_from_zero(keyed, key, node)
        cells = {code: self.cell_of(keyed, code, node) for code in keyed.keys if self.possible(key, code)}
        key = self.keep(key, span)
        domains = [self.domain_of(cell) for cell in cells.values()]
        found: Expression = Number(self.atoms.code(ABSENT), span)
        is_covered = within(key.domain, keyed.key_domain)
        for index, (code, cell) in enumerate(reversed(cells.items())):
            read: Expression = self.read_cell(cell, span).code
            test = Binary(Operator.EQUAL, key.code, Number(code, span), span)
            found = read if index == 0 and is_covered else If(test, read, found, span)
        domain = join_all(domains)
        if not is_covered:
            domain = replace(domain, atoms=domain.atoms | {ABSENT})
        return Scalar(found, domain)

    def demand_from_zero(self, keyed: Keyed, key: Scalar, node: ast.AST) -> None:
        """An index that is found out at run time may not count from the end of a list."""
        low = key.domain.low
        if keyed.kind == "list" and key.domain.has_numbers and (low is None or low < 0):
            hint = "bound the index: # ser: 0..3 where it is set, or use a dict"
            raise Refused("SER923", f"an index of {keyed.name} may be negative", node, hint)

    def possible(self, key: Scalar, code: int) -> bool:
        """Whether a key can have a code."""
        domain = key.domain
        if any(self.atoms.code(atom) == code for atom in domain.in_order()):
            return True
        low, high = domain.low, domain.high
        return domain.has_numbers and (low is None or low <= code) and (high is None or code <= high)

    def cell_of(self, keyed: Keyed, code: int, node: ast.AST) -> Cell:
        entry = keyed.entries[code]
        if not isinstance(entry, Variable):
            hint = "look objects up by parameters with known values"
            raise Refused("SER923", f"which object {quote_code(node)} is depends on the run", node, hint)
        return entry.cell

    def present(self, keyed: Keyed, value: Scalar, span: Span) -> Scalar:
        """The value, after an exception if it is missing."""
        if ABSENT not in value.domain.atoms:
            return value
        value = self.keep(value, span)
        absent = Binary(Operator.EQUAL, value.code, Number(self.atoms.code(ABSENT), span), span)
        self.choose(absent, lambda: self.missing(keyed, span), lambda: None, span)
        return Scalar(value.code, replace(value.domain, atoms=value.domain.atoms - {ABSENT}))

    def missing(self, keyed: Keyed, span: Span) -> None:
        self.raise_name(NO_KEY[keyed.kind], span)

    def contains(self, keyed: Keyed, key: Scalar, span: Span) -> Expression:
        """Whether a key is in it."""
        if keyed.kind == "list":
            hint = "use a set, or compare with the elements one by one"
            raise Refused("SER923", f"`in` {keyed.name}, a list, is not translated", span.line, hint)
        if key.known is not None:
            entry = keyed.entries.get(key.known)
            return Number(0, span) if entry is None else self.is_there(keyed, entry, span)
        key = self.keep(key, span)
        tests = [
            every([Binary(Operator.EQUAL, key.code, Number(code, span), span), there], span)
            for code, entry in keyed.entries.items()
            if self.possible(key, code)
            for there in (self.is_there(keyed, entry, span),)
            if not (isinstance(there, Number) and there.value == 0)
        ]
        return some(tests, span)

    def is_there(self, keyed: Keyed, entry: object, span: Span) -> Expression:
        if not isinstance(entry, Variable):
            return Number(1, span)
        value = self.read_cell(entry.cell, span)
        if keyed.kind == "set":
            return value.code
        if ABSENT not in value.domain.atoms:
            return Number(1, span)
        return Binary(Operator.UNEQUAL, value.code, Number(self.atoms.code(ABSENT), span), span)

    def refuse_key(self, keyed: Keyed, span: Span) -> None:
        """What assigning to a key does that there is no entry for."""
        if keyed.kind == "list":
            self.missing(keyed, span)
        else:
            self.emit(Fault("SER804", f"{keyed.name} gets a key outside {keyed.key_domain}", span))

    def store(self, keyed: Keyed, key: Scalar, value: Scalar, node: ast.AST) -> None:
        """`d[key] = value`; of a set, whether the key is in it. A key outside of the scope is a fault."""
        span = self.places(node)
        known = self._normalize(keyed, key)
        if known is not None:
            if known in keyed.entries:
                self.write_cell(self.cell_of(keyed, known, node), value, span)
            else:
                self.refuse_key(keyed, span)
            return
        self.demand_from_zero(keyed, key, node)
        key, value = self.keep(key, span), self.keep(value, span)
        codes = [code for code in keyed.keys if self.possible(key, code)]

        def write(index: int) -> None:
            if index == len(codes):
                if not within(key.domain, keyed.key_domain):
                    self.refuse_key(keyed, span)
                return
            test = Binary(Operator.EQUAL, key.code, Number(codes[index], span), span)
            cell = self.cell_of(keyed, codes[index], node)
            if index == len(codes) - 1 and within(key.domain, keyed.key_domain):
                self.write_cell(cell, value, span)
                return
            self.choose(test, lambda: self.write_cell(cell, value, span), lambda: write(index + 1), span)

        write(0)

    def remove(self, keyed: Keyed, key: Scalar, node: ast.AST) -> None:
        """Takes a key away, whether it is there or not."""
        span = self.places(node)
        gone = self.boolean(Number(0, span)) if keyed.kind == "set" else self.atom(ABSENT, span)
        if key.known is not None and key.known not in keyed.entries:
            return
        if key.known is None:
            key = self.keep(key, span)
            for code in keyed.keys:
                if self.possible(key, code):
                    test = Binary(Operator.EQUAL, key.code, Number(code, span), span)
                    cell = self.cell_of(keyed, code, node)
                    self.choose(test, partial(self.write_cell, cell, gone, span), lambda: None, span)
            return
        self.write_cell(self.cell_of(keyed, key.known, node), gone, span)

    def length(self, keyed: Keyed, span: Span) -> Scalar:
        """How many entries there are."""
        if keyed.kind == "list":
            return self.number(len(keyed.keys), span)
        total: Expression | None = None
        surely = 0
        for entry in keyed.entries.values():
            there = self.is_there(keyed, entry, span)
            if isinstance(there, Number):
                surely += there.value
            else:
                total = there if total is None else Binary(Operator.ADD, total, there, span)
        if total is None:
            return self.number(surely, span)
        if surely:
            total = Binary(Operator.ADD, total, Number(surely, span), span)
        return Scalar(total, integers(surely, len(keyed.keys)))

    # Methods

    def container_method(self, keyed: Keyed, name: str, node: ast.Call) -> Value:
        """A call of a method of a dictionary, a set or a list."""
        span = self.places(node)
        methods: dict[tuple[str, str], Callable[[list[Value]], Value]] = {
            ("dict", "get"): lambda given: self._get(keyed, given, node),
            ("dict", "pop"): lambda given: self._pop(keyed, given, node),
            ("dict", "setdefault"): lambda given: self._setdefault(keyed, given, node),
            ("dict", "clear"): lambda _: self._clear(keyed, node),
            ("set", "add"): lambda given: self._add(keyed, given, node),
            ("set", "discard"): lambda given: self._discard(keyed, given, node),
            ("set", "remove"): lambda given: self._remove(keyed, given, node),
            ("set", "clear"): lambda _: self._clear(keyed, node),
        }
        if (keyed.kind, name) == ("dict", "update"):
            return self._update(keyed, node)
        method = methods.get((keyed.kind, name))
        if method is None or node.keywords:
            more = {"dict": ("update",)}.get(keyed.kind, ())
            known = (
                ", ".join(sorted([*more, *(each for kind, each in methods if kind == keyed.kind)])) or LISTS
            )
            hint = f"of a {keyed.kind}, use {known}"
            raise Refused(
                "SER923", f"`{name}` of {keyed.name}, a {keyed.kind}, is not translated", node, hint
            )
        del span
        return method(self.operands(node.args))

    def _key(self, given: list[Value], node: ast.Call, most: int) -> Scalar:
        if not 1 <= len(given) <= most:
            raise Refused(
                "SER923",
                f"{quote_code(node)} has other arguments than expected",
                node,
                "see the Python manual",
            )
        return self.to_scalar(given[0], node.args[0])

    def _get(self, keyed: Keyed, given: list[Value], node: ast.Call) -> Scalar:
        span, key = self.places(node), self._key(given, node, 2)
        default = self.to_scalar(given[1], node.args[1]) if len(given) == 2 else self.none(span)
        value = self._look_up(keyed, key, node)
        if ABSENT not in value.domain.atoms:
            return value
        value = self.keep(value, span)
        absent = Binary(Operator.EQUAL, value.code, Number(self.atoms.code(ABSENT), span), span)
        there = Scalar(value.code, replace(value.domain, atoms=value.domain.atoms - {ABSENT}))
        if there.domain.is_empty:
            return default
        return self.either(absent, lambda: default, lambda: there, span)

    def _look_up(self, keyed: Keyed, key: Scalar, node: ast.Call) -> Scalar:
        span = self.places(node)
        if key.known is None:
            return self.select(keyed, key, node)
        if key.known not in keyed.entries:
            return self.atom(ABSENT, span)
        return self.read_cell(self.cell_of(keyed, key.known, node), span)

    def _pop(self, keyed: Keyed, given: list[Value], node: ast.Call) -> Scalar:
        span, key = self.places(node), self.keep(self._key(given, node, 2), self.places(node))
        if len(given) == 2:
            value = self.keep(self._get(keyed, given, node), span)
        else:
            value = self.keep(self.present(keyed, self._look_up(keyed, key, node), span), span)
        self.remove(keyed, key, node)
        return value

    def _setdefault(self, keyed: Keyed, given: list[Value], node: ast.Call) -> Scalar:
        span, key = self.places(node), self.keep(self._key(given, node, 2), self.places(node))
        default = self.to_scalar(given[1], node.args[1]) if len(given) == 2 else self.none(span)
        there = self.contains(keyed, key, span)
        self.choose(negate(there, span), lambda: self.store(keyed, key, default, node), lambda: None, span)
        return self.present(keyed, self._look_up(keyed, key, node), span)

    def _update(self, keyed: Keyed, node: ast.Call) -> Scalar:
        """`d.update({'a': 1}, b=2)`: all is evaluated first, then stored in order."""
        pairs: list[tuple[ast.expr, ast.expr]] = []
        for given in node.args:
            if not isinstance(given, ast.Dict) or len(node.args) > 1 or None in given.keys:
                hint = "write the keys out: d.update({'a': 1}), or d['a'] = 1"
                raise Refused("SER923", f"{quote_code(node)} is not translated", node, hint)
            pairs += [(key, value) for key, value in zip(given.keys, given.values, strict=True) if key]
        for each in node.keywords:
            if each.arg is None:
                hint = "write the keys out: d.update({'a': 1}), or d['a'] = 1"
                raise Refused("SER923", f"{quote_code(node)} is not translated", node, hint)
            pairs.append((ast.copy_location(ast.Constant(each.arg), node), each.value))
        parts = [part for pair in pairs for part in pair]
        values = [
            self.to_scalar(value, part) for value, part in zip(self.operands(parts), parts, strict=True)
        ]
        kept = [self.keep(value, self.places(node)) for value in values]
        for key, value in zip(kept[::2], kept[1::2], strict=True):
            self.store(keyed, key, value, node)
        return self.none(self.places(node))

    def _clear(self, keyed: Keyed, node: ast.Call) -> Scalar:
        span = self.places(node)
        gone = self.boolean(Number(0, span)) if keyed.kind == "set" else self.atom(ABSENT, span)
        for cell in (cell for entry in keyed.entries.values() for cell in cells_of(entry)):
            self.write_cell(cell, gone, span)
        return self.none(span)

    def _add(self, keyed: Keyed, given: list[Value], node: ast.Call) -> Scalar:
        span = self.places(node)
        self.store(keyed, self._key(given, node, 1), self.boolean(Number(1, span)), node)
        return self.none(span)

    def _discard(self, keyed: Keyed, given: list[Value], node: ast.Call) -> Scalar:
        self.remove(keyed, self._key(given, node, 1), node)
        return self.none(self.places(node))

    def _remove(self, keyed: Keyed, given: list[Value], node: ast.Call) -> Scalar:
        span, key = self.places(node), self.keep(self._key(given, node, 1), self.places(node))
        there = self.contains(keyed, key, span)
        self.choose(negate(there, span), lambda: self.missing(keyed, span), lambda: None, span)
        self.remove(keyed, key, node)
        return self.none(span)
