"""Calls that are not known: marked, ignored, or refused."""

import ast
from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

from seriatim.frontends.protocol import ApproximationKind
from seriatim.frontends.python.domains import Atom
from seriatim.frontends.python.marks import Mark
from seriatim.frontends.python.places import Refused, written
from seriatim.frontends.python.state import External
from seriatim.frontends.python.surroundings import Gate
from seriatim.frontends.python.time_limits import TimeLimits
from seriatim.frontends.python.values import Reference, Scalar, Value
from seriatim.program.syntax import Assign, Choice, Number, Read
from seriatim.source import Span

SPECIAL = {
    "asyncio.gather": "await it at once: results = await asyncio.gather(…)",
    "asyncio.TaskGroup": "write async with asyncio.TaskGroup() as group:",
    "asyncio.wait": "await the coroutines one after the other, or mark the line # ser: opaque",
    "asyncio.shield": "await the coroutine itself",
    "asyncio.to_thread": "mark the line # ser: opaque, if the thread leaves the state alone",
}
"""What is known, but not translated, and what to do about it."""


PURE = frozenset(("len", "min", "max", "abs", "bool", "int", "str", "range", "sorted", "list"))
"""Functions that change nothing."""


MAKERS = ("uuid", "secrets", "object", "os.urandom")
"""What answers something new each time."""


def likely(name: str) -> str:
    """The answers of a call that its mark probably names."""
    return "new(2)" if name.startswith(MAKERS) else "0..1"


class OpaqueCalls(TimeLimits):
    """Evaluates calls of what is outside of the file."""

    @abstractmethod
    def is_unknown(self, node: ast.Call) -> bool: ...

    def ignored(self, name: str, node: ast.Call) -> Scalar:
        self.demand_quiet([*node.args, *(each.value for each in node.keywords)])
        self.assume(
            ApproximationKind.ASSUMPTION, f"`{name}` leaves the state alone", self.places(node), "it logs"
        )
        return self.none(self.places(node))

    def demand_quiet(self, nodes: Sequence[ast.expr]) -> None:
        """What is not translated may not contain anything that pauses or changes the state."""
        for node in nodes:
            for part in ast.walk(node):
                has_effects = isinstance(part, ast.Call) and self.has_effects(part)
                if isinstance(part, ast.Await | ast.NamedExpr) or has_effects:
                    raise Refused("SER923", f"{written(part)} has effects", part, "use a separate line")

    def has_effects(self, node: ast.Call) -> bool:
        """Whether a call is one of the file, or changes a part of the state."""
        return not self.is_unknown(node) and self.module.full_name(node.func) not in PURE

    def unknown(self, name: str, node: ast.Call, is_awaited: bool, follows: bool = False) -> Value:
        special = SPECIAL.get(name)
        if special is not None:
            raise Refused("SER923", f"`{name}` is not translated", node, special)
        if is_awaited:
            message = f"`await {name}(…)` is outside of this file"
            hint = "say what it can answer: # ser: opaque -> 0..1, or # ser: opaque if the answer is not used"
        else:
            message = f"`{name}(…)` is not known to leave the state alone"
            hint = f"mark its line # ser: ignore, or # ser: opaque -> {likely(name)} if its answer is used"
        mark = self.module.mark(self.statement)
        if mark is not None and mark.is_opaque:
            hint = "a mark is about one call: write this one in a line of its own, with a mark of its own"
        raise Refused("SER925", message, node, hint, follows)

    def opaque(self, node: ast.Call, mark: Mark, is_awaited: bool) -> Value:
        """A call that may do anything but touch the state, and may answer any of some values."""
        span, name = self.places(node), ast.unparse(node.func)
        self.demand_quiet([*node.args, *(each.value for each in node.keywords)])
        approval = f"# ser: {mark.text}"
        self.assume(ApproximationKind.ASSUMPTION, f"`{name}` leaves the state alone", span, approval)
        slot = f"#gate {node.lineno}:{node.col_offset}{self.of_task}"
        texts = () if mark.answers is None else tuple(mark.answers.texts())
        raised = tuple(f"raise {each}" for each in mark.raises)
        self.gates[node.lineno, node.col_offset] = Gate(
            span, slot, (*(texts or ("None",)), *raised), is_awaited
        )
        if is_awaited:
            self.suspend(span, f"awaits {name}")
        for exception in mark.raises:
            self.choose(Choice(span), partial(self.fail, slot, exception, span), lambda: None, span)
        if mark.answers is None:
            return Reference(External(name))
        if mark.answers.size() > 1:
            sentence = f"`{name}` may answer any of {mark.answers}, whatever it has answered before"
            self.assume(ApproximationKind.ENVIRONMENT, sentence, span, approval)
        value = self.any_of(mark.answers, span)
        self.emit(Assign(slot, value.code, span))
        return Scalar(Read(slot, span), mark.answers)

    def await_request(self, node: ast.expr) -> None:
        """A part of the request that may not have come yet, such as its body."""
        span, name = self.places(node), ast.unparse(node)
        self.gates[node.lineno, node.col_offset] = Gate(span, "", ("None",))
        self.assume(ApproximationKind.ASSUMPTION, f"`{name}` leaves the state alone", span, "# ser: …")
        self.suspend(span, f"awaits {name}")

    def fail(self, slot: str, exception: str, span: Span) -> None:
        """An opaque call raises an exception; the slot of its answer tells so."""
        code = self.atoms.code(Atom(f"raise {exception}"))
        self.emit(Assign(slot, Number(code, span), span))
        self.raise_name(exception, span)
