"""The state at the start: what `__init__`, the class and the module assign, as items with cells."""

import ast

from seriatim.frontends.python.annotations import container, read_annotation
from seriatim.frontends.python.app_state import Definition, definitions
from seriatim.frontends.python.completeness import starts_something
from seriatim.frontends.python.domains import ABSENT, Atom, Atoms, Domain, atomic, integers
from seriatim.frontends.python.filling import Filling
from seriatim.frontends.python.initial_values import _assignments
from seriatim.frontends.python.marks import Mark
from seriatim.frontends.python.module import Module
from seriatim.frontends.python.places import Refused, quote_code
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

DEFINITIONS = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
    *(ast.Assign, ast.AnnAssign, ast.Pass),
)
"""Statements in the body of a class that are read, or change nothing."""


class InitialState(Filling):
    """Reads what things are at the start."""

    def __init__(self, module: Module, atoms: Atoms) -> None:
        self.module = module
        self.atoms = atoms
        self.refusals: list[Refused] = []
        self.known: dict[str, Item] = {}
        """What names mean in the constructor that is being read."""

    # Objects and modules

    def of_module(self) -> Instance:
        """The variables of the module."""
        members: dict[str, Item] = {}
        for node in self.module.tree.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._fill_or_refuse(node, members, {}, "")
            for name, annotation, value in _assignments(node):
                path = f"{self.module.name}.{name}"
                if value is not None and self.module.is_registering(value):
                    members[name] = External(path)
                    continue
                members[name] = self.item_or_refusal(path, name, annotation, value, node, {})
        return Instance(self.module.name, "", members | self._application())

    def _fill_or_refuse(
        self, node: ast.stmt, members: dict[str, Item], known: dict[str, Item], owner: str
    ) -> None:
        """Fills queues, if a statement outside of functions does."""
        try:
            if self.fill(node, members, known, owner):
                self.module.filling.add(id(node))
        except Refused as refused:
            self.module.filling.add(id(node))
            self.refusals.append(refused)

    def _application(self) -> dict[str, Item]:
        """The application of a web framework, if the file keeps state in it."""
        found = definitions(self.module)
        if not found:
            return {}
        app, holder = found[0].app, found[0].holder
        path = f"{self.module.name}.{app}"
        if holder:
            inner = {each.name: self._make_held(each, f"{path}.{holder}.{each.name}") for each in found}
            return {app: Instance(path, "", {holder: Instance(f"{path}.{holder}", "", inner)})}
        keys = [Atom(repr(each.name), bool(each.name)) for each in found]
        entries = {
            self.atoms.code(key): self._make_held(each, f"{path}[{key.text}]")
            for key, each in zip(keys, found, strict=True)
        }
        return {app: Keyed("dict", path, tuple(entries), atomic(*keys), entries)}

    def _make_held(self, given: Definition, path: str) -> Item:
        """What an application holds; it may be replaced at any time, unlike other constants."""
        item = self.item_or_refusal(path, given.name, given.annotation, given.value, given.statement, {})
        if isinstance(item, Fixed):
            return Variable(self.cell(path, path, item.value, None, given.statement, item.domain))
        return item

    def of_class(self, cls: str, path: str, call: ast.Call | None = None) -> Instance:
        """An object of a class, made by a call of it; without one, its parameters are unknown objects."""
        members: dict[str, Item] = {}
        known: dict[str, Item] = {}
        node = self.module.classes[cls]
        if self.module.is_dataclass(cls):
            self._fields(cls, path, call, members)
            return Instance(path, cls, members)
        for statement in node.body:
            self._refuse_unread(statement)
            for name, annotation, value in _assignments(statement):
                members[name] = self.item_or_refusal(f"{path}.{name}", name, annotation, value, statement, {})
        init = self.module.methods(cls).get("__init__")
        if init is not None:
            known = self._parameters(init, path, call) | {
                f"{owner}.{name}": member for owner in ("self", cls) for name, member in members.items()
            }
            outer, self.known = self.known, known
            for statement in init.body:
                try:
                    self._initialize(statement, path, members, known)
                except Refused as refused:
                    self.refusals.append(refused)
            self.known = outer
        return Instance(path, cls, members)

    def _refuse_unread(self, node: ast.stmt) -> None:
        """A statement in the body of a class that is neither a definition nor one assignment."""
        mark = self.module.mark(node)
        is_ignored = mark is not None and mark.word == "ignore"
        if is_ignored or isinstance(node, DEFINITIONS) or ast.unparse(node).startswith("if TYPE_CHECKING:"):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        hint = "give attributes their values in __init__, one by one; fill queues there, too"
        message = f"{quote_code(node)} in the body of a class is more than a definition"
        self.refusals.append(Refused("SER923", message, node, hint))

    def _fields(self, cls: str, path: str, call: ast.Call | None, members: dict[str, Item]) -> None:
        """The fields of a dataclass."""
        given = list(call.args) if call is not None else []
        named = {each.arg: each.value for each in call.keywords} if call is not None else {}
        for statement in self.module.classes[cls].body:
            self._refuse_unread(statement)
            for name, annotation, default in _assignments(statement):
                value = given.pop(0) if given else named.get(name, default)
                members[name] = self.item_or_refusal(f"{path}.{name}", name, annotation, value, statement, {})

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
            found = None if value is None else self._evaluate_constant(value, {})
            known[argument.arg] = External(f"{path}.{argument.arg}") if found is None else found
        return known

    def _initialize(
        self, node: ast.stmt, path: str, members: dict[str, Item], known: dict[str, Item]
    ) -> None:
        if self.fill(node, members, known, "self"):
            return
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
                    members[name] = self.item_or_refusal(
                        f"{path}.{name}", name, annotation, node.value, node, known, members
                    )
                    known[f"self.{name}"] = members[name]
                    return
                if single and isinstance(target, ast.Name) and node.value is not None:
                    found = self._evaluate_constant(node.value, known)
                    known[target.id] = External(target.id) if found is None else found
                    return
            case _:
                pass
        mark = self.module.mark(node)
        if mark is not None and mark.word == "ignore":
            return
        if starts_something(node):
            self._refuse_company(node)
        raise Refused(
            "SER923",
            f"{quote_code(node)} in __init__ is more than an attribute that gets a value",
            node,
            "assign attributes one by one; if this changes no state, mark it # ser: ignore",
        )

    # Items

    def item_or_refusal(
        self,
        path: str,
        name: str,
        annotation: ast.expr | None,
        value: ast.expr | None,
        node: ast.stmt,
        known: dict[str, Item],
        members: dict[str, Item] | None = None,
    ) -> Item:
        """What a variable holds; if that is refused, something unknown: the rest is looked at, too."""
        try:
            return self.item(path, name, annotation, value, node, known, members)
        except Refused as refused:
            if refused.code in ("SER923", "SER924") and not self.module.is_mentioned(name):
                return External(path)  # Nobody looks at it.
            self.refusals.append(refused)
            return External(path, is_refused=True)

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
        """Reads the declaration of a variable or attribute: which kind of state it is, and how it starts."""
        mark = self.module.mark(node, path, name)
        is_ignored = mark is not None and mark.word == "ignore"
        if value is not None and not is_ignored and starts_something(value):
            self._refuse_company(value)
        if isinstance(value, ast.Call):
            made = self._make(path, value, annotation, node, mark, members or {})
            if made is not None:
                return made
        shape = container(annotation)
        keyed = self._make_keyed(path, shape, value, node, mark)
        if keyed is not None:
            return keyed
        scope = None if mark is None or mark.values is None else mark.values
        if scope is None:
            scope = read_annotation(annotation, self.module.enumerations)
        fixed = None if value is None else self._evaluate_constant(value, known)
        if fixed is None or isinstance(fixed, External):
            if mark is not None and mark.values is not None:
                self._refuse_start(path, mark.values, node)
            return External(path, start=value)
        if name not in self.module.assigned and (mark is None or mark.values is None):
            return fixed
        return Variable(self.cell(path, path, fixed.value, scope, node, fixed.domain))

    def _refuse_company(self, node: ast.AST) -> None:
        hint = "start it elsewhere; if it never changes the state, mark the line # ser: ignore"
        raise Refused("SER925", f"{quote_code(node)} may change the state while requests run", node, hint)

    def _refuse_start(self, path: str, values: Domain, node: ast.stmt) -> None:
        raise Refused(
            "SER923",
            f"{path} starts with a value that is not known: {quote_code(node)}",
            node,
            f"write a constant, one of {values}, or give the parameter that it comes from a default",
        )

    def _make(
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
            case "asyncio.Queue" | "asyncio.LifoQueue":
                return self._queue(path, call, node, mark)
            case "asyncio.PriorityQueue" | "asyncio.Barrier":
                hint = "use asyncio.Queue if the order does not matter, or a dict or a set with known keys"
                raise Refused("SER923", f"{quote_code(call)} is not translated", call, hint)
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
        found = self._evaluate_constant(given[0], self.known)
        if not isinstance(found, Fixed) or not found.domain.has_numbers or found.value < 0:
            hint = "write a constant, or give the parameter that it comes from a default"
            raise Refused("SER923", f"{quote_code(call)} needs a number that is written out", call, hint)
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
        is_last_first = self.module.full_name(call.func).endswith("LifoQueue")
        return Queue(items, length, size > 0, is_last_first)


def hidden(name: str, line: int, start: int = 0) -> Cell:
    """A variable that only its own operations change: of a lock, an event, a condition."""
    return Cell(name, start, name, None, line, integers(start, start), is_observable=False)
