"""Exceptions: who catches them, and requests that end with them."""

import ast
import builtins
from abc import abstractmethod

from seriatim.frontends.protocol import Approximation, ApproximationKind
from seriatim.frontends.python.places import Refused
from seriatim.frontends.python.primitives import Primitives
from seriatim.frontends.python.surroundings import Catching, Raised, Timed
from seriatim.frontends.python.values import Composite, Scalar
from seriatim.source import Span


class Exceptions(Primitives):
    """Raises exceptions."""

    statement: ast.stmt
    """The one that is executed, for its mark."""
    approximations: dict[Approximation, None]

    def is_exception_name(self, name: str) -> bool:
        plain = name.rpartition(".")[2]
        found = getattr(builtins, plain, None)
        if isinstance(found, type) and issubclass(found, BaseException):
            return True
        return self.module.is_exception(plain) or plain.endswith(("Error", "Exception"))

    def raise_name(self, exception: str, span: Span, text: str = "") -> None:
        """Raises an exception: to the `except` that catches it, or out of the handler as its answer."""
        plain = exception.rpartition(".")[2]
        self.raise_up(Raised(plain, text or plain), span)

    def raise_up(self, raised: Raised, span: Span) -> None:
        self.raises += 1
        for surrounding in reversed(self.surroundings):
            if isinstance(surrounding, Timed) and (surrounding.is_task or surrounding.number == raised.limit):
                self.leave_limit(surrounding, raised, span)
                return
            if not isinstance(surrounding, Catching):
                continue
            for names, target in surrounding.clauses:
                if names is None or any(self.is_caught(raised.name, name) for name in names):
                    self.leave(surrounding)
                    value = self.atom(raised.atom, span)
                    self.set_local(surrounding.exception, value, span)
                    assert value.known is not None
                    surrounding.raised[value.known] = raised
                    self.jump(target, span)
                    return
        self.leave(None)
        self.answer_with(self.atom(raised.atom, span), span)

    @abstractmethod
    def leave_limit(self, timed: Timed, raised: Raised, span: Span) -> None: ...

    def assume(self, kind: ApproximationKind, sentence: str, span: Span, approval: str = "") -> None:
        self.approximations[Approximation(kind, sentence, span, approval)] = None

    @abstractmethod
    def answer_with(self, value: Scalar | Composite, span: Span) -> None: ...

    def is_caught(self, raised: str, caught: str) -> bool:
        """Whether an exception is of a class, by the classes of Python and of the file."""
        caught = caught.rpartition(".")[2]
        bases = self.bases(raised)
        if caught in bases:
            return True
        known = all(self.is_builtin(name) or name in self.module.classes for name in bases)
        if known or caught in self.module.classes:
            return False
        if self.is_builtin(caught):
            return False
        raise Refused(
            "SER923",
            f"whether `except {caught}` catches {raised} is not known",
            self.statement,
            "name exceptions of Python, or of this file",
        )

    def is_builtin(self, name: str) -> bool:
        return isinstance(getattr(builtins, name, None), type) or name in (
            "CancelledError",
            "QueueFull",
            "QueueEmpty",
        )

    def bases(self, name: str) -> tuple[str, ...]:
        """An exception and what it is one of."""
        found = getattr(builtins, name, None)
        if isinstance(found, type):
            return tuple(each.__name__ for each in found.__mro__)
        if name == "CancelledError":
            return (name, "BaseException")
        if name in self.module.classes:
            inner = [
                base
                for each in self.module.classes[name].bases
                for base in self.bases(self.module.full_name(each).rpartition(".")[2])
            ]
            return (name, *inner)
        return (name, "Exception", "BaseException")
