"""Attributes: of the state, of objects of the file, of classes; properties are executed."""

import ast
from abc import abstractmethod
from dataclasses import replace

from seriatim.frontends.python.annotations import literal
from seriatim.frontends.python.conditions import Conditions
from seriatim.frontends.python.domains import Atom
from seriatim.frontends.python.module import Function
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import External, Fixed, Instance, Item, Keyed, Queue, Variable
from seriatim.frontends.python.values import Callee, Composite, Named, Reference, Scalar, Value
from seriatim.program.syntax import Number
from seriatim.source import Span

OF_PRIMITIVES = frozenset(
    (
        "acquire",
        "release",
        "locked",
        "wait",
        "set",
        "clear",
        "is_set",
        "notify",
        "notify_all",
        "put",
        "task_done",
    )
)
"""Methods that most likely belong to a lock, an event or a queue."""


def make_call(node: ast.Attribute) -> ast.Call:
    """The call that a property stands for."""
    return ast.copy_location(ast.Call(node, [], []), node)


class Attributes(Conditions):
    """Evaluates attributes."""

    @abstractmethod
    def inline(self, callee: Callee, node: ast.Call) -> Value: ...

    @abstractmethod
    def constant(self, node: ast.expr, span: Span) -> Scalar: ...

    @property
    @abstractmethod
    def application(self) -> Keyed | Instance | None: ...

    def read_item(self, item: Item, span: Span) -> Value:
        """What a part of the state stands for."""
        match item:
            case Variable(cell=cell):
                return self.read_cell(cell, span)
            case Fixed(value=value, domain=domain):
                return Scalar(Number(value, span), domain)
            case _:
                return Reference(item)

    def attribute(self, node: ast.Attribute) -> Value:
        span = self.places(node)
        full = self.module.full_name(node)
        owner, _, member = full.rpartition(".")
        if owner in self.module.doubtful_enumerations:
            hint = (
                "derive it from Enum only, with a different constant for each member; one that derives from"
            )
            hint += " str as well must not share its strings with the rest of the file"
            raise Refused("SER923", f"members of `{owner}` may equal other values", node, hint)
        if owner in self.module.enumerations and member in self.module.enumerations[owner]:
            return self.atom(Atom(f"{owner}.{member}"), span)
        if (value := self.module.of_class(node)) is not None:
            return self.class_attribute(node, value)
        base = self.evaluate(node.value)
        match base:
            case Reference(item=Instance() as instance):
                return self.member(instance, node, span)
            case Reference(item=External(is_parameter=True)) if node.attr == "app" and self.application:
                return Reference(self.application)
            case Reference(item=External() as external):
                return Reference(replace(external, name=f"{external.name}.{node.attr}", start=None))
            case Named(name=name):
                return Named(f"{name}.{node.attr}")
            case Reference(item=Queue(cells=cells, is_bounded=is_bounded)) if node.attr == "maxsize":
                return self.number(len(cells) if is_bounded else 0, span)
            case Reference():
                return Named(f"{ast.unparse(node.value)}.{node.attr}")
            case Scalar() | Composite():
                hint = "use f-strings and operators; or mark its line # ser: opaque if it leaves the state"
                hint += " alone, or # ser: opaque -> 0..1 if its answer is used"
                if isinstance(node.value, ast.Subscript | ast.Name) and node.attr in OF_PRIMITIVES:
                    hint = (
                        "locks, events and queues are followed if there is one from the start for each key:"
                    )
                    hint += " {'a': asyncio.Lock(), 'b': asyncio.Lock()}"
                raise Refused("SER923", f"the method {quote_code(node)} is not translated", node, hint)
            case _:
                hint = "only objects of classes in this file are followed"
                raise Refused("SER923", f"the attribute {quote_code(node)} is not translated", node, hint)

    def member(self, instance: Instance, node: ast.Attribute, span: Span) -> Value:
        """An attribute of an object of the file."""
        if node.attr in instance.members:
            return self.read_item(instance.members[node.attr], span)
        methods = self.module.methods(instance.cls)
        if node.attr in methods:
            if self.module.is_property(methods[node.attr]):
                return self.inline(Callee(methods[node.attr], instance), make_call(node))
            self.demand_no_property(methods[node.attr], node)
            return Callee(methods[node.attr], instance)
        hint = "set it in __init__"
        raise Refused("SER923", f"{instance.name} has no attribute `{node.attr}` at the start", node, hint)

    def class_attribute(self, node: ast.Attribute, value: ast.expr) -> Value:
        """`Limits.most`: a constant, if nobody assigns to it."""
        if node.attr not in self.module.assigned and literal(value) is not ...:
            return self.constant(value, self.places(node))
        cls = ast.unparse(node.value)
        is_own = self.names.owner is not None and self.names.owner.cls == cls
        hint = f"write {self.names.self_name}.{node.attr}" if is_own else "make it a variable of the module"
        message = f"{quote_code(node)} is state of the class, which all its objects share"
        raise Refused("SER923", message, node, hint)

    def demand_no_property(self, function: Function, node: ast.AST) -> None:
        """An attribute that looks like a method, but is a call in disguise."""
        for decorator in function.decorator_list:
            if self.module.full_name(decorator).rpartition(".")[2] in (
                "property",
                "cached_property",
                "setter",
            ):
                hint = "make it a plain @property without a setter, or a method that is called"
                raise Refused("SER923", f"{quote_code(node)} is a call in disguise", node, hint)
