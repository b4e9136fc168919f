"""Values at the start: constants, dictionaries, sets and lists."""

import ast
from abc import abstractmethod
from collections.abc import Iterator

from seriatim.frontends.python.annotations import literal, read_annotation
from seriatim.frontends.python.domains import (
    ABSENT,
    BOOLEANS,
    Atom,
    Atoms,
    Domain,
    atomic,
    constant,
    integers,
    join,
    join_all,
)
from seriatim.frontends.python.marks import Mark
from seriatim.frontends.python.module import Module
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Cell, External, Fixed, Item, Keyed, Variable

MAX_KEYS = 64
"""Entries of one dictionary, set or list."""


def _kind_of(value: ast.expr | None, shape: tuple[str, list[ast.expr]] | None, module: Module) -> str | None:
    match value:
        case ast.Dict():
            return "dict"
        case ast.Set():
            return "set"
        case ast.List() | ast.BinOp(left=ast.List()):
            return "list"
        case ast.Call(func=ast.Name(id="dict" | "set" | "list" as kind), args=[], keywords=[]):
            return kind
        case None if shape is not None and shape[0] in ("dict", "set", "list"):
            return shape[0]
        case _:
            del module
            return None


def _assignments(node: ast.stmt) -> Iterator[tuple[str, ast.expr | None, ast.expr | None]]:
    """(name, annotation, value) of the variables that a statement assigns to."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, None, value
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
            yield name, annotation, value


class InitialValues:
    """Reads constants and containers."""

    module: Module
    atoms: Atoms

    @abstractmethod
    def _make(
        self,
        path: str,
        call: ast.Call,
        annotation: ast.expr | None,
        node: ast.stmt,
        mark: Mark | None,
        members: dict[str, Item],
    ) -> Item | None: ...

    def cell(
        self, name: str, family: str, initial: int, scope: Domain | None, node: ast.stmt, domain: Domain
    ) -> Cell:
        """Raises `Refused` if it starts outside of its scope."""
        if scope is not None and not scope.has_numbers and not scope.atoms:
            scope = None
        if scope is not None and not (scope.has_numbers and scope.low is None and scope.high is None):
            if initial not in (*scope.values(self.atoms),):
                raise Refused(
                    "SER928",
                    f"{name} starts with {domain.name(initial, self.atoms)}, which is not in {scope}",
                    node,
                    "widen its range, or start with a value in it: most races show with small numbers",
                )
            return Cell(name, initial, family, scope, node.lineno, domain)
        return Cell(name, initial, family, None, node.lineno, domain)

    def _evaluate_constant(self, value: ast.expr, known: dict[str, Item]) -> Fixed | External | None:
        """The value of a constant expression."""
        if isinstance(value, ast.Name) and value.id in known:
            found = known[value.id]
            return found if isinstance(found, Fixed | External) else None
        if isinstance(value, ast.Name) and value.id not in self.module.assigned:
            found_values = [
                given
                for node in self.module.tree.body
                for name, _, given in _assignments(node)
                if name == value.id and given is not None
            ]
            if len(found_values) == 1:  # Of several, it is not known which one counts here.
                return self._evaluate_constant(found_values[0], {})
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            of_class = known.get(f"{value.value.id}.{value.attr}")
            if isinstance(of_class, Fixed):
                return of_class
            members = self.module.enumerations.get(value.value.id, ())
            if value.attr in members:
                atom = Atom(f"{value.value.id}.{value.attr}")
                return Fixed(self.atoms.code(atom), atomic(atom))
        known_constant = constant(literal(value))
        if known_constant is None:
            return None
        domain, found_value = known_constant
        number = found_value if isinstance(found_value, int) else self.atoms.code(found_value)
        return Fixed(number, domain)

    def _make_keyed(
        self,
        path: str,
        shape: tuple[str, list[ast.expr]] | None,
        value: ast.expr | None,
        node: ast.stmt,
        mark: Mark | None,
    ) -> Keyed | None:
        kind = _kind_of(value, shape, self.module)
        if kind is None:
            return None
        keys, values = self._read_entries(kind, value, node)
        key_domain = None if mark is None else mark.keys
        value_scope = None if mark is None else mark.values
        inner = shape[1] if shape is not None else []
        if key_domain is None and kind in ("dict", "set") and inner:
            key_domain = read_annotation(inner[0], self.module.enumerations)
        if value_scope is None and inner and kind != "set":
            value_scope = read_annotation(inner[-1], self.module.enumerations)
        written_keys = join_all(domain for _, domain in keys)
        if key_domain is None or not key_domain.is_finite:
            if not keys and kind == "list":
                hint = "write its items out: [0, 0, 0]; for what grows, use a dict, a set or asyncio.Queue"
                message = f"{path} has no items, and a list keeps its length here"
                raise Refused("SER924", message, node, hint)
            if not keys:
                raise Refused(
                    "SER924",
                    f"the keys of {path} are not known to be finitely many",
                    node,
                    "say which ones to look at: # ser: keys {'a', 'b'}, or dict[Literal['a', 'b'], …]",
                )
            key_domain = written_keys
        key_domain = join(key_domain, written_keys)
        codes = key_domain.values(self.atoms)
        if len(codes) > MAX_KEYS:
            raise Refused(
                "SER924", f"{path} has more than {MAX_KEYS} keys", node, "look at fewer: # ser: keys 0..2"
            )
        given = dict(zip((code for code, _ in keys), values, strict=True))
        entries = {
            code: self._entry(kind, path, code, key_domain, value_scope, given.get(code), node)
            for code in codes
        }
        return Keyed(kind, path, codes, key_domain, entries)

    def _entry(
        self,
        kind: str,
        path: str,
        code: int,
        keys: Domain,
        scope: Domain | None,
        value: ast.expr | None,
        node: ast.stmt,
    ) -> Item:
        name, family = f"{path}[{keys.name(code, self.atoms)}]", f"{path}[]"
        if kind == "set":
            there = int(value is not None)
            start = Domain(True, there, there, is_boolean=True)
            return Variable(Cell(name, there, family, BOOLEANS, node.lineno, start))
        if value is None:
            given = scope if scope is not None and scope.is_finite else None
            allowed = None if given is None else join(given, atomic(ABSENT))
            return Variable(Cell(name, self.atoms.code(ABSENT), family, allowed, node.lineno, atomic(ABSENT)))
        if isinstance(value, ast.Call):
            made = self._make(name, value, None, node, None, {})
            if made is not None:
                return made
        fixed = self._evaluate_constant(value, {})
        if not isinstance(fixed, Fixed):
            hint = "write a constant, such as 1; if its parts matter, make it an object of a dataclass"
            raise Refused("SER923", f"the value {quote_code(value)} in {path} is not known", value, hint)
        if scope is not None and kind == "dict" and scope.is_finite:
            scope = join(scope, atomic(ABSENT))
        return Variable(self.cell(name, family, fixed.value, scope, node, fixed.domain))

    def _read_entries(
        self, kind: str, value: ast.expr | None, node: ast.stmt
    ) -> tuple[list[tuple[int, Domain]], list[ast.expr]]:
        """The keys that are written out, and what stands at them."""
        match value:
            case ast.Dict(keys=keys, values=values):
                return [self._key(key, node) for key in keys], list(values)
            case ast.Set(elts=elements):
                return [self._key(key, node) for key in elements], list(elements)
            case ast.List(elts=elements):
                return [(index, integers(index, index)) for index in range(len(elements))], list(elements)
            case ast.BinOp(left=ast.List(elts=[element]), op=ast.Mult(), right=times):
                found = self._evaluate_constant(times, {})
                count = found.value if isinstance(found, Fixed) else 0
                return [(index, integers(index, index)) for index in range(count)], [element] * count
            case _:
                del kind
                return [], []

    def _key(self, key: ast.expr | None, node: ast.stmt) -> tuple[int, Domain]:
        found = None if key is None else self._evaluate_constant(key, {})
        if not isinstance(found, Fixed):
            raise Refused(
                "SER923", f"a key of {quote_code(node)} is not a constant", key or node, "write it out"
            )
        return found.value, found.domain
