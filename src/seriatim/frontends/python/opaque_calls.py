"""Calls that are not known: marked, ignored, or refused."""

import ast
from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

from seriatim.frontends.protocol import ApproximationKind
from seriatim.frontends.python.completeness import CHANGING, first_change
from seriatim.frontends.python.domains import Atom
from seriatim.frontends.python.marks import Mark
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import External, Instance, Item, Keyed, Queue
from seriatim.frontends.python.surroundings import Gate
from seriatim.frontends.python.time_limits import TimeLimits
from seriatim.frontends.python.values import Callee, Reference, Scalar, Value
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


PURE = frozenset(("len", "min", "max", "abs", "bool", "int", "str", "range", "sorted", "list", "isinstance"))
"""Functions that change nothing."""


MAKERS = ("uuid", "secrets", "object", "os.urandom")
"""What answers something new each time."""


PRIMITIVES = frozenset(
    f"asyncio.{name}"
    for name in (
        *("Lock", "Semaphore", "BoundedSemaphore", "Event", "Condition", "Barrier", "Future"),
        *("Queue", "LifoQueue", "PriorityQueue"),
    )
)
PRIMITIVES_HINT = (
    "make it in __init__ or at the top of the module; for one of each key, write them out:"
    " {'a': asyncio.Lock(), 'b': asyncio.Lock()}"
)


CLOCKS = frozenset(
    (
        *(f"time.{name}" for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter")),
        *(f"datetime.datetime.{name}" for name in ("now", "utcnow", "today")),
        *("datetime.now", "datetime.utcnow", "datetime.today", "datetime.date.today"),
    )
)


CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""What may evaluate its parts, or not."""


CHANGING_FUNCTIONS = frozenset(
    (
        *(f"heapq.{name}" for name in ("heappush", "heappop", "heapify", "heapreplace", "heappushpop")),
        *("bisect.insort", "bisect.insort_left", "bisect.insort_right", "random.shuffle"),
        *("next", "setattr", "delattr"),
    )
)
"""Functions that change what they are given."""


def likely(name: str) -> str:
    """The answers of a call that its mark probably names."""
    return "new(2)" if name.startswith(MAKERS) else "0..1"


class OpaqueCalls(TimeLimits):
    """Evaluates calls of what is outside of the file."""

    @abstractmethod
    def is_unknown(self, node: ast.Call) -> bool: ...

    @abstractmethod
    def find_method(self, node: ast.Call) -> tuple[Item, str] | None: ...

    state_names: frozenset[str]
    """What parts of the state are called."""

    def demand_harmless(self, node: ast.AST) -> None:
        """A mark cannot deny what the text says: that a call changes the state."""
        for part in ast.walk(node):
            if not isinstance(part, ast.Call):
                continue
            changed = self.change_by(part)
            if changed is not None:
                hint = "leave the mark out; what is not translated, put into a function that changes no state"
                message = (
                    f"{quote_code(part)} changes the state ({quote_code(changed)}), whatever its mark says"
                )
                raise Refused("SER926", message, part, hint)

    def change_by(self, node: ast.Call) -> ast.AST | None:
        """What a call surely changes of the state, as far as the text of the file tells."""
        method = self.find_method(node)
        if method is not None:
            return node.func if method[1] in CHANGING else None
        if self.module.full_name(node.func) in CHANGING_FUNCTIONS:
            shared = (each for each in node.args if self.is_shared(each))
            return next(shared, None)
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in CHANGING and self.module.of_class(func.value):
            return func
        try:
            with self.probe():
                callee = self.evaluate(node.func)
        except Refused:
            return None
        if isinstance(callee, Callee):
            return first_change(self.module, callee.function, self.state_names)
        return None

    def is_shared(self, node: ast.expr) -> bool:
        """Whether an expression is a part of the state that can be changed through it."""
        try:
            with self.probe():
                value = self.evaluate(node)
        except Refused:
            return False
        return isinstance(value, Reference) and isinstance(value.item, Keyed | Queue | Instance)

    def is_state(self, node: ast.expr) -> bool:
        """The same, also for what was refused where it is set."""
        is_own = isinstance(node, ast.Attribute) and ast.unparse(node.value) == self.names.self_name
        return self.is_shared(node) or (is_own and bool(self.names.self_name))

    def ignore_call(self, name: str, node: ast.Call) -> Scalar:
        self.demand_quiet([*node.args, *(each.value for each in node.keywords)])
        self.assume(
            ApproximationKind.ASSUMPTION, f"`{name}` leaves the state alone", self.places(node), "it logs"
        )
        return self.none(self.places(node))

    def demand_quiet(self, nodes: Sequence[ast.expr], is_gate: bool = False) -> None:
        """What is not translated may not contain anything that pauses or changes the state.

        Arguments of a call that stands for something outside are not evaluated at all, so they may not raise.
        """
        for node in nodes:
            for part in ast.walk(node):
                has_effects = isinstance(part, ast.Call) and self.has_effects(part)
                if (
                    isinstance(part, ast.Await | ast.NamedExpr)
                    or has_effects
                    or self.has_hidden_effects(part)
                ):
                    raise Refused("SER923", f"{quote_code(part)} has effects", part, "use a separate line")
            self.evaluate_entries(node, is_certain=not is_gate)

    def has_hidden_effects(self, node: ast.AST) -> bool:
        """Whether an attribute is a property that changes the state."""
        if not isinstance(node, ast.Attribute):
            return False
        functions = [self.module.methods(cls).get(node.attr) for cls in self.module.classes]
        return any(
            first_change(self.module, each, self.state_names) is not None
            for each in functions
            if each is not None and each.decorator_list and not self.module.lends(each)
        )

    def may_raise(self, node: ast.expr) -> bool:
        before = self.raises
        with self.probe():
            self.evaluate(node)
        return self.raises > before

    def evaluate_entries(self, node: ast.AST, is_certain: bool = True) -> None:
        """Entries of the state that what is not translated looks up: those that are not there raise."""
        if isinstance(node, ast.Subscript) and self.is_shared(node.value):
            if is_certain:
                self.evaluate(node)
            elif self.may_raise(node):
                hint = f"look it up before, in a line of its own: value = {ast.unparse(node)}"
                raise Refused("SER923", f"{quote_code(node)} may raise an exception here", node, hint)
            return
        is_certain = is_certain and not isinstance(node, CONDITIONAL)
        for part in ast.iter_child_nodes(node):
            self.evaluate_entries(part, is_certain)

    def has_effects(self, node: ast.Call) -> bool:
        """Whether a call is one of the file, or changes a part of the state."""
        return not self.is_unknown(node) and self.module.full_name(node.func) not in PURE

    def unknown(self, name: str, node: ast.Call, is_awaited: bool, follows: bool = False) -> Value:
        special = SPECIAL.get(name)
        if special is not None:
            raise Refused("SER923", f"`{name}` is not translated", node, special)
        if name in CHANGING_FUNCTIONS and any(self.is_state(each) for each in node.args):
            hint = (
                "write it out with operations that are translated, or keep the items in a dict or a set with"
            )
            hint += " known keys, or in an asyncio.Queue"
            raise Refused("SER923", f"{quote_code(node)} changes the state", node, hint)
        if name in PRIMITIVES:
            message = (
                f"{quote_code(node)} is made while a request runs: only what there is from the start is state"
            )
            raise Refused("SER923", message, node, PRIMITIVES_HINT)
        if is_awaited:
            message = f"`await {name}(…)` is outside of this file"
            hint = (
                "say what it can answer: # ser: opaque -> 0..1, # ser: opaque -> new(2) for a new object such"
            )
            hint += " as a token, or # ser: opaque if the answer is not used"
        else:
            message = f"`{name}(…)` is not known to leave the state alone"
            hint = f"mark its line # ser: ignore, or # ser: opaque -> {likely(name)} if its answer is used"
            if name in CLOCKS:
                message = f"`{name}(…)` is a clock, whose values are not known"
                hint = (
                    "look at what is decided by it: put that into a function of its own, and say what it can"
                )
                hint += (
                    " answer where it is called: if self._is_late():  # ser: opaque -> bool; or mark its line"
                )
                hint += " # ser: opaque -> 0..1, then it may also go back"
        given = next((each for each in node.args if self.is_shared(each)), None)
        if given is not None:
            hint = f"if it only reads {quote_code(given)}: {hint}; if it changes it, write that out with"
            hint += " operations that are translated"
        mark = self.module.mark(self.statement)
        if mark is not None and mark.is_opaque:
            hint = "a mark is about one call: write this one in a line of its own, with a mark of its own"
        raise Refused("SER925", message, node, hint, follows)

    def opaque(self, node: ast.Call, mark: Mark, is_awaited: bool) -> Value:
        """A call that may do anything but touch the state, and may answer any of some values."""
        span, name = self.places(node), ast.unparse(node.func)
        self.demand_quiet([*node.args, *(each.value for each in node.keywords)], is_gate=True)
        self.demand_harmless(node)
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
