"""The state at the start: what `__init__`, the class and the module assign, as items with cells."""

import ast
from collections.abc import Iterator

from seriatim.frontends.python.annotations import container, literal, read_annotation
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
from seriatim.frontends.python.places import Refused, written
from seriatim.frontends.python.state import (
    Cell,
    Condition,
    Event,
    External,
    Fixed,
    Instance,
    Item,
    Keyed,
    Lock,
    Queue,
    Semaphore,
    Variable,
)

MAX_KEYS = 64
"""Entries of one dictionary, set or list."""


class InitialState:
    """Reads what things are at the start."""

    def __init__(self, module: Module, atoms: Atoms) -> None:
        self.module = module
        self.atoms = atoms

    # Objects and modules

    def of_module(self) -> Instance:
        """The variables of the module."""
        members: dict[str, Item] = {}
        for node in self.module.tree.body:
            for name, annotation, value in _assignments(node):
                path = f"{self.module.name}.{name}"
                members[name] = self.item(path, name, annotation, value, node, {})
        return Instance(self.module.name, "", members)

    def of_class(self, cls: str, path: str, call: ast.Call | None = None) -> Instance:
        """An object of a class, made by a call of it; without one, its parameters are unknown objects."""
        members: dict[str, Item] = {}
        known: dict[str, Item] = {}
        node = self.module.classes[cls]
        if self.module.is_dataclass(cls):
            self._fields(cls, path, call, members)
            return Instance(path, cls, members)
        for statement in node.body:
            for name, annotation, value in _assignments(statement):
                members[name] = self.item(f"{path}.{name}", name, annotation, value, statement, {})
        init = self.module.methods(cls).get("__init__")
        if init is not None:
            known = self._parameters(init, path, call)
            for statement in init.body:
                self._initialize(statement, path, members, known)
        return Instance(path, cls, members)

    def _fields(self, cls: str, path: str, call: ast.Call | None, members: dict[str, Item]) -> None:
        """The fields of a dataclass."""
        given = list(call.args) if call is not None else []
        named = {each.arg: each.value for each in call.keywords} if call is not None else {}
        for statement in self.module.classes[cls].body:
            for name, annotation, default in _assignments(statement):
                value = given.pop(0) if given else named.get(name, default)
                members[name] = self.item(f"{path}.{name}", name, annotation, value, statement, {})

    def _parameters(
        self, init: ast.FunctionDef | ast.AsyncFunctionDef, path: str, call: ast.Call | None
    ) -> dict[str, Item]:
        arguments = init.args.args[1:] + init.args.kwonlyargs
        given = list(call.args) if call is not None else []
        named = {each.arg: each.value for each in call.keywords} if call is not None else {}
        defaults: dict[str, ast.expr] = {}
        plain = init.args.args[1:]
        for argument, default in zip(reversed(plain), reversed(init.args.defaults), strict=False):
            defaults[argument.arg] = default
        for argument, kw_default in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True):
            if kw_default is not None:
                defaults[argument.arg] = kw_default
        known: dict[str, Item] = {}
        for argument in arguments:
            value = given.pop(0) if given else named.get(argument.arg, defaults.get(argument.arg))
            found = None if value is None else self._fixed(value, {})
            known[argument.arg] = External(f"{path}.{argument.arg}") if found is None else found
        return known

    def _initialize(
        self, node: ast.stmt, path: str, members: dict[str, Item], known: dict[str, Item]
    ) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case ast.Expr(value=ast.Call(func=func)) if ast.unparse(func).startswith(
                ("super()", "logging.", "logger.")
            ):
                return
            case ast.Assign() | ast.AnnAssign():
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                single = not isinstance(node, ast.Assign) or len(node.targets) == 1
                if single and isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                    annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
                    name = target.attr
                    members[name] = self.item(
                        f"{path}.{name}", name, annotation, node.value, node, known, members
                    )
                    return
                if single and isinstance(target, ast.Name) and node.value is not None:
                    found = self._fixed(node.value, known)
                    known[target.id] = External(target.id) if found is None else found
                    return
            case _:
                pass
        mark = self.module.mark(node)
        if mark is not None and mark.word == "ignore":
            return
        raise Refused(
            "SER923",
            f"{written(node)} in __init__ is more than an attribute that gets a value",
            node,
            "assign attributes one by one; if this changes no state, mark it # ser: ignore",
        )

    # Items

    def item(
        self,
        path: str,
        name: str,
        annotation: ast.expr | None,
        value: ast.expr | None,
        node: ast.stmt,
        known: dict[str, Item],
        members: dict[str, Item] | None = None,
    ) -> Item:
        """What a variable holds at the start, and later."""
        mark = self.module.mark(node, path, name)
        if isinstance(value, ast.Call):
            made = self._made(path, value, annotation, node, mark, members or {})
            if made is not None:
                return made
        shape = container(annotation)
        keyed = self._keyed(path, shape, value, node, mark)
        if keyed is not None:
            return keyed
        scope = None if mark is None or mark.values is None else mark.values
        if scope is None:
            scope = read_annotation(annotation, self.module.enumerations)
        fixed = None if value is None else self._fixed(value, known)
        if isinstance(fixed, External) or (fixed is None and mark is None):
            return External(path)
        if fixed is None:
            assert mark is not None
            if mark.values is None:
                return External(path)
            return Variable(self._chosen_cell(path, mark.values, node))
        if name not in self.module.assigned and (mark is None or mark.values is None):
            return fixed
        return Variable(self.cell(path, path, fixed.value, scope, node, fixed.domain))

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
                    "widen its range",
                )
            return Cell(name, initial, family, scope, node.lineno, domain)
        return Cell(name, initial, family, None, node.lineno, domain)

    def _chosen_cell(self, path: str, values: Domain, node: ast.stmt) -> Cell:
        raise Refused(
            "SER923",
            f"{path} starts with a value that is not known: {written(node)}",
            node,
            f"write a constant, one of {values}",
        )

    def _fixed(self, value: ast.expr, known: dict[str, Item]) -> Fixed | External | None:
        """The value of a constant expression."""
        if isinstance(value, ast.Name) and value.id in known:
            found = known[value.id]
            return found if isinstance(found, Fixed | External) else None
        if isinstance(value, ast.Name):
            for node in self.module.tree.body:
                for name, _, given in _assignments(node):
                    if name == value.id and given is not None and name not in self.module.assigned:
                        return self._fixed(given, {})
        if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
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

    def _made(
        self,
        path: str,
        call: ast.Call,
        annotation: ast.expr | None,
        node: ast.stmt,
        mark: Mark | None,
        members: dict[str, Item],
    ) -> Item | None:
        """What a call makes, if it is known."""
        name = self.module.full_name(call.func)
        line = node.lineno
        match name:
            case "asyncio.Lock":
                return Lock(hidden(path, line))
            case "asyncio.Semaphore" | "asyncio.BoundedSemaphore":
                count = self._count(call, 1)
                bound = count if name.endswith("BoundedSemaphore") else None
                return Semaphore(hidden(path, line, count), bound)
            case "asyncio.Event":
                return Event(hidden(path, line), hidden(f"{path}.turn", line))
            case "asyncio.Condition":
                lock = self._condition_lock(path, call, line, members)
                return Condition(lock, hidden(f"{path}.turn", line))
            case "asyncio.Queue":
                return self._queue(path, call, node, mark)
            case "dataclasses.field" | "field":
                return self._field(path, call, annotation, node, mark)
            case _ if name in self.module.classes and not self.module.is_exception(name):
                return self.of_class(name, path, call)
            case _:
                return None

    def _condition_lock(self, path: str, call: ast.Call, line: int, members: dict[str, Item]) -> Lock:
        if call.args:
            given = call.args[0]
            shared = members.get(given.attr) if isinstance(given, ast.Attribute) else None
            if not isinstance(shared, Lock):
                raise Refused(
                    "SER923", f"the lock of {path} is not known", call, "give it an asyncio.Lock attribute"
                )
            return shared
        return Lock(hidden(f"{path}.lock", line))

    def _field(
        self, path: str, call: ast.Call, annotation: ast.expr | None, node: ast.stmt, mark: Mark | None
    ) -> Item:
        """`field(default=…)`, `field(default_factory=…)` of a dataclass."""
        given = {each.arg: each.value for each in call.keywords}
        name = path.rpartition(".")[2]
        if "default" in given:
            return self.item(path, name, annotation, given["default"], node, {})
        factory = given.get("default_factory")
        match factory:
            case ast.Name() | ast.Attribute():
                made = ast.copy_location(ast.Call(factory, [], []), call)
                return self.item(path, name, annotation, made, node, {})
            case ast.Lambda(body=body):
                return self.item(path, name, annotation, body, node, {})
            case _:
                del mark
                return External(path)

    def _count(self, call: ast.Call, default: int) -> int:
        given = [*call.args, *(each.value for each in call.keywords)]
        if not given:
            return default
        found = self._fixed(given[0], {})
        if not isinstance(found, Fixed) or not found.domain.has_numbers or found.value < 0:
            raise Refused(
                "SER923", f"{written(call)} needs a number that is written out", call, "write a constant"
            )
        return found.value

    def _queue(self, path: str, call: ast.Call, node: ast.stmt, mark: Mark | None) -> Queue:
        size = self._count(call, 0)
        limit = size or (0 if mark is None or mark.at_most is None else mark.at_most)
        if limit == 0:
            raise Refused(
                "SER924",
                f"{path} can hold any number of items",
                node,
                "give it a maxsize, or say how many to look at: # ser: at most 3",
            )
        line = node.lineno
        absent = self.atoms.code(ABSENT)
        items = tuple(
            Cell(f"{path}[{index}]", absent, f"{path}[]", None, line, atomic(ABSENT))
            for index in range(limit)
        )
        length = Cell(f"{path}.qsize", 0, path, integers(0, limit), line, integers(0, 0))
        return Queue(items, length, size > 0)

    # Containers

    def _keyed(
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
        keys, values = self._written(kind, value, node)
        key_domain = None if mark is None else mark.keys
        value_scope = None if mark is None else mark.values
        inner = shape[1] if shape is not None else []
        if key_domain is None and kind in ("dict", "set") and inner:
            key_domain = read_annotation(inner[0], self.module.enumerations)
        if value_scope is None and inner and kind != "set":
            value_scope = read_annotation(inner[-1], self.module.enumerations)
        written_keys = join_all(domain for _, domain in keys)
        if key_domain is None or not key_domain.is_finite:
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
            made = self._made(name, value, None, node, None, {})
            if made is not None:
                return made
        fixed = self._fixed(value, {})
        if not isinstance(fixed, Fixed):
            raise Refused(
                "SER923", f"the value {written(value)} in {path} is not known", value, "write a constant"
            )
        if scope is not None and kind == "dict" and scope.is_finite:
            scope = join(scope, atomic(ABSENT))
        return Variable(self.cell(name, family, fixed.value, scope, node, fixed.domain))

    def _written(
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
                found = self._fixed(times, {})
                count = found.value if isinstance(found, Fixed) else 0
                return [(index, integers(index, index)) for index in range(count)], [element] * count
            case _:
                del kind
                return [], []

    def _key(self, key: ast.expr | None, node: ast.stmt) -> tuple[int, Domain]:
        found = None if key is None else self._fixed(key, {})
        if not isinstance(found, Fixed):
            raise Refused(
                "SER923", f"a key of {written(node)} is not a constant", key or node, "write it out"
            )
        return found.value, found.domain


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


def hidden(name: str, line: int, start: int = 0) -> Cell:
    """A variable that only its own operations change: of a lock, an event, a condition."""
    return Cell(name, start, name, None, line, integers(start, start), is_observable=False)
