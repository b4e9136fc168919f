"""Statements of a service, and the handlers that consist of them."""

import ast
from collections.abc import Callable, Iterator
from functools import partial

from seriatim.frontends.protocol import ApproximationKind
from seriatim.frontends.python.annotations import literal
from seriatim.frontends.python.builder import Calling, Catching, Finalizer, Loop
from seriatim.frontends.python.calls import Calls
from seriatim.frontends.python.domains import Unbounded
from seriatim.frontends.python.expressions import UNBOUNDED_HINT, negated
from seriatim.frontends.python.places import Refused, written
from seriatim.frontends.python.state import (
    Cell,
    Condition,
    External,
    Instance,
    Keyed,
    Lock,
    Semaphore,
    Variable,
)
from seriatim.frontends.python.values import Composite, Reference, Scalar, Value
from seriatim.program.syntax import Expression, Read
from seriatim.source import Span

MAX_UNROLLED = 64
"""Rounds of a loop over known things."""


class Statements(Calls):
    """Executes statements."""

    def execute_body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.is_dead:
                return
            self.execute(statement)

    def execute(self, node: ast.stmt) -> None:
        """Executes a statement; what is refused in it is noted, and the next one follows."""
        outer = getattr(self, "statement", node)
        self.statement = node
        try:
            self.perform(node)
        except Refused as refused:
            self.refusals.append(refused)
        except Unbounded:
            message = f"in {written(node)}, integers without bounds meet other values"
            self.refusals.append(Refused("SER924", message, node, UNBOUNDED_HINT))
        self.statement = outer

    def perform(self, node: ast.stmt) -> None:
        mark = self.module.mark(node)
        if mark is not None and mark.word == "ignore":
            sentence = f"{written(node)} leaves the state alone"
            self.assume(ApproximationKind.ASSUMPTION, sentence, self.places(node), "# ser: ignore")
            self.demand_ignorable(node)
            return
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Global() | ast.Import() | ast.ImportFrom():
                return
            case ast.Expr(value=value):
                self.evaluate(value)
            case ast.Assign(targets=targets, value=value):
                self.assign_all(targets, value)
            case ast.AnnAssign(value=given):
                if given is not None:
                    self.assign_all([node.target], given)
            case ast.AugAssign():
                self.augment(node)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.delete(target)
            case ast.Return(value=returned):
                found = self.none(self.places(node)) if returned is None else self.evaluate(returned)
                self.return_value(found, returned or node)
            case _:
                self.control(node)

    def control(self, node: ast.stmt) -> None:
        """Statements that decide what is executed."""
        match node:
            case ast.If(test=test):
                self.choose(
                    self.condition(test),
                    lambda: self.execute_body(node.body),
                    lambda: self.execute_body(node.orelse),
                    self.places(test),
                )
            case ast.While():
                self.loop(node)
            case ast.For():
                self.unroll(node)
            case ast.AsyncWith():
                self.within(node.items, node)
            case ast.Try():
                self.attempt(node)
            case ast.Raise():
                self.throw(node)
            case ast.Break() | ast.Continue():
                self.leave_loop(node)
            case ast.Assert(test=test):
                span = self.places(test)
                fails = negated(self.condition(test), span)
                self.choose(fails, lambda: self.raise_name("AssertionError", span), lambda: None, span)
            case _:
                self.refuse_statement(node)

    def refuse_statement(self, node: ast.stmt) -> None:
        remedies: dict[type[ast.stmt], str] = {
            ast.With: "use `async with` and an asyncio.Lock; threading.Lock blocks the event loop",
            ast.AsyncFor: "loop over range(…) or a tuple, or move the loop into a call marked # ser: opaque",
            ast.Match: "use if and elif",
            ast.FunctionDef: "move the function out of the handler",
            ast.AsyncFunctionDef: "move the coroutine out of the handler",
            ast.Nonlocal: "keep shared values in attributes",
        }
        hint = remedies.get(type(node), "write it with if, while, try and async with")
        raise Refused("SER923", f"{written(node)} ({type(node).__name__}) is not translated", node, hint)

    def demand_ignorable(self, node: ast.stmt) -> None:
        """What is ignored may neither pause, nor decide where to go on, nor set a variable that is used."""
        for part in ast.walk(node):
            if isinstance(
                part, ast.Await | ast.AsyncFor | ast.AsyncWith | ast.Return | ast.Raise | ast.Break
            ):
                hint = "mark what is awaited # ser: opaque instead"
                raise Refused("SER926", f"{written(node)} does more than `ignore` allows", node, hint)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.names.bound[part.id] = Reference(External(part.id))

    # Assignments

    def assign_all(self, targets: list[ast.expr], value: ast.expr) -> None:
        found = self.evaluate(value)
        if len(targets) > 1 and isinstance(found, Scalar):
            found = self.keep(found, self.places(value))
        for target in targets:
            self.assign(target, found, value)

    def assign(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        span = (
            self.places(target).to(self.places(node)) if getattr(node, "lineno", 0) else self.places(target)
        )
        match target:
            case ast.Name(id=name) if name in self.names.locals:
                if isinstance(value, Reference) and isinstance(value.item, External):
                    self.names.bound[name] = value
                elif name in self.names.bound:
                    raise Refused(
                        "SER923",
                        f"`{name}` holds an unknown object, then something else",
                        target,
                        "use two names",
                    )
                else:
                    self.assign_local(name, value, span)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                self.unpack(elements, value, target, node)
            case ast.Subscript(value=base, slice=index):
                keyed, key = self.kept_operands([base, index], value)
                if not (isinstance(keyed, Reference) and isinstance(keyed.item, Keyed)):
                    raise Refused(
                        "SER923",
                        f"{written(target)} is not translated",
                        target,
                        "only state with known keys has entries",
                    )
                self.store(keyed.item, self.to_scalar(key, index), self.to_scalar(value, node), target)
            case _:
                self.write_cell(self.cell_at(target), self.to_scalar(value, node), span)

    def kept_operands(self, nodes: list[ast.expr], _: Value) -> list[Value]:
        return self.operands(nodes)

    def cell_at(self, target: ast.expr) -> Cell:
        """The variable of the state that a target means."""
        item: object = None
        if isinstance(target, ast.Name):
            item = self.root.members.get(target.id)
        elif isinstance(target, ast.Attribute):
            base = self.evaluate(target.value)
            if isinstance(base, Reference) and isinstance(base.item, Instance):
                item = base.item.members.get(target.attr)
        if isinstance(item, Variable):
            return item.cell
        hint = "set it in __init__ with a constant; containers and locks keep their place"
        raise Refused(
            "SER923", f"{written(target)} is no variable of the state that can be assigned to", target, hint
        )

    def unpack(self, targets: list[ast.expr], value: Value, target: ast.expr, node: ast.AST) -> None:
        if not isinstance(value, Composite) or not value.is_sequence or len(value.parts) != len(targets):
            hint = "unpack tuples of the same length that are written out"
            raise Refused("SER923", f"{written(target)} cannot be unpacked from this", target, hint)
        span = self.places(target)
        parts = [self.keep(part, span) if isinstance(part, Scalar) else part for part in value.parts]
        for each, part in zip(targets, parts, strict=True):
            self.assign(each, part, node)

    def augment(self, node: ast.AugAssign) -> None:
        """Python reads the target first, then evaluates the value, then writes."""
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        for part in ast.walk(load):
            ast.copy_location(part, node.target)
        if isinstance(node.target, ast.Subscript) and any(
            isinstance(each, ast.Await | ast.Call) for each in ast.walk(node.target)
        ):
            raise Refused("SER923", f"{written(node.target)} has effects", node, "compute the key before")
        old, new = self.operands([load, node.value])
        value = self.computed(
            node.op,
            self.to_scalar(old, node.target),
            self.to_scalar(new, node.value),
            node,
            node.target,
            node.value,
        )
        self.assign(node.target, value, node.value)

    def delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript):
            base, key = self.operands([target.value, target.slice])
            if isinstance(base, Reference) and isinstance(base.item, Keyed) and base.item.kind == "dict":
                span, found = self.places(target), self.to_scalar(key, target.slice)
                found = self.keep(found, span)
                there = self.contains(base.item, found, span)
                keyed = base.item
                self.choose(negated(there, span), lambda: self.missing(keyed, span), lambda: None, span)
                self.remove(keyed, found, target)
                return
        raise Refused(
            "SER923",
            f"`del` of {written(target)} is not translated",
            target,
            "delete keys of dictionaries alone",
        )

    # Results

    def return_value(self, value: Value, node: ast.AST) -> None:
        span = self.places(node)
        for surrounding in reversed(self.surroundings):
            if isinstance(surrounding, Calling):
                kept = self.kept_result(value, surrounding, node, span)
                self.leave(surrounding)
                self.note_result(surrounding, kept, node)
                self.jump(surrounding.after, span)
                return
        if any(isinstance(each, Finalizer) for each in self.surroundings):
            value = self.kept_value(value, span)
        self.leave(None)
        self.answer_with(self.part_of_answer(value, node), span)

    def kept_value(self, value: Value, span: Span) -> Value:
        if isinstance(value, Composite):
            return value.with_leaves(iter([self.keep(leaf, span) for leaf in value.leaves()]))
        return self.keep(value, span) if isinstance(value, Scalar) else value

    def kept_result(self, value: Value, calling: Calling, node: ast.AST, span: Span) -> Value:
        """The result of an inlined call, in locals of its own."""
        match value:
            case Scalar():
                self.set_local(calling.result, value, span)
                return Scalar(
                    Read(calling.result, span), self.inference.read(f"local {self.owner} {calling.result}")
                )
            case Composite():
                slots: list[Scalar] = []
                for index, leaf in enumerate(value.leaves()):
                    name = f"{calling.result}#{index}"
                    self.set_local(name, leaf, span)
                    slots.append(Scalar(Read(name, span), self.inference.read(f"local {self.owner} {name}")))
                return value.with_leaves(iter(slots))
            case Reference():
                return value
            case _:
                raise Refused(
                    "SER923", f"{written(node)} is no value that can be returned", node, "return values"
                )

    def note_result(self, calling: Calling, value: Value, node: ast.AST) -> None:
        old = calling.value
        if old is None:
            calling.value = value
            return
        is_same = (
            (isinstance(old, Scalar) and isinstance(value, Scalar))
            or (isinstance(old, Composite) and isinstance(value, Composite) and old.shape == value.shape)
            or old == value
        )
        if not is_same:
            hint = "let all returns of it have one shape"
            raise Refused(
                "SER923", f"`{calling.function.name}` returns values of different shapes", node, hint
            )

    def part_of_answer(self, value: Value, node: ast.AST) -> Scalar | Composite:
        match value:
            case Scalar() | Composite():
                return value
            case Reference(item=Keyed() as keyed):
                return self.snapshot(keyed, node)
            case _:
                return self.to_scalar(value, node)

    def snapshot(self, keyed: Keyed, node: ast.AST) -> Composite:
        """A container as an answer: all of its entries."""
        span = self.places(node)
        cells = [self.cell_of(keyed, key, node) for key in keyed.keys]
        values = [self.read_cell(cell, span) for cell in cells]
        names = [keyed.key_domain.name(key, self.atoms) for key in keyed.keys]
        opening, closing = ("[", "]") if keyed.kind == "list" else ("{", "}")
        before = [f"{name}: " if keyed.kind != "list" else "" for name in names]
        pieces = (
            [opening + before[0], *(f", {each}" for each in before[1:]), closing]
            if names
            else [opening + closing]
        )
        return Composite(tuple(pieces), tuple(values))

    # Loops

    def loop(self, node: ast.While) -> None:
        if node.orelse:
            raise Refused("SER923", "`while … else` is not translated", node, "use a flag")
        around = Loop(self.target(), self.target())
        is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)

        def body() -> None:
            self.execute_body(node.body)
            self.land(around.again)

        self.surroundings.append(around)
        self.repeat(lambda: self.condition(node.test), body, self.places(node.test))
        self.surroundings.pop()
        if is_endless:
            self.is_dead = True
        self.land(around.after)

    def unroll(self, node: ast.For) -> None:
        """A loop over known things, round by round."""
        if node.orelse:
            raise Refused("SER923", "`for … else` is not translated", node, "use a flag")
        rounds = self.rounds(node.iter)
        if len(rounds) > MAX_UNROLLED:
            raise Refused(
                "SER923", f"{written(node.iter)} has more than {MAX_UNROLLED} rounds", node, "use fewer"
            )
        around = Loop(self.target(), self.target())
        self.surroundings.append(around)
        for value in rounds:
            if self.is_dead:
                break
            around_again = self.target()
            self.surroundings[-1] = around = Loop(around.after, around_again)
            self.next_round(node, value())
            self.execute_body(node.body)
            self.land(around_again)
        self.surroundings.pop()
        self.land(around.after)

    def next_round(self, node: ast.For, value: Value) -> None:
        """Gives the variable of a loop its value; a constant needs no variable."""
        target = node.target
        if isinstance(target, ast.Name) and isinstance(value, Scalar) and value.known is not None:
            stores = [name for name in self.names.stored if name == target.id]
            if len(stores) == 1:
                self.names.bound[target.id] = value
                return
        self.assign(target, value, node.iter)

    def rounds(self, node: ast.expr) -> list[Callable[[], Value]]:
        """The values of the variable of a loop."""
        span = self.places(node)
        match node:
            case ast.Call(func=ast.Name(id="range"), args=arguments, keywords=[]):
                numbers = [self.scalar(each).known for each in arguments]
                if all(number is not None for number in numbers):
                    found = range(*(number for number in numbers if number is not None))
                    return [partial(self.number, each, span) for each in found]
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                values = self.operands(elements)
                return [partial(_given, each) for each in values]
            case ast.Name() | ast.Attribute():
                value = self.evaluate(node)
                if isinstance(value, Composite) and value.is_sequence:
                    return [partial(_given, each) for each in value.parts]
                if isinstance(value, Reference) and isinstance(value.item, Keyed):
                    return list(self.entries(value.item, span, node))
        hint = "loop over range(…) with constants, a tuple that is written out, or a list of the state"
        raise Refused("SER923", f"how often {written(node)} goes on is not known", node, hint)

    def entries(self, keyed: Keyed, span: Span, node: ast.AST) -> Iterator[Callable[[], Value]]:
        for key in keyed.keys:
            if keyed.kind == "list":
                cell = self.cell_of(keyed, key, node)
                yield partial(self.read_cell, cell, span)
            else:
                hint = "loop over the keys that are written out: for key in ('a', 'b')"
                raise Refused("SER923", f"the order of {keyed.name} depends on the run", node, hint)

    def leave_loop(self, node: ast.Break | ast.Continue) -> None:
        around = next(each for each in reversed(self.surroundings) if isinstance(each, Loop))
        self.leave(around)
        self.jump(around.after if isinstance(node, ast.Break) else around.again, self.places(node))

    # Blocks

    def within(self, items: list[ast.withitem], node: ast.AsyncWith) -> None:
        """`async with`: whatever the block does, it is left properly."""
        if not items:
            self.execute_body(node.body)
            return
        item, *others = items
        span = self.places(item.context_expr)
        mark = self.module.mark(node)
        context = item.context_expr
        if isinstance(context, ast.Call) and mark is not None and mark.is_opaque:
            self.refuse_block(item, node)
            return
        value = self.evaluate(context)
        if not (isinstance(value, Reference) and isinstance(value.item, Lock | Semaphore | Condition)):
            hint = "use a lock of the service, or mark the line # ser: opaque if it leaves the state alone"
            raise Refused("SER925", f"`async with {written(context)[1:-1]}` is not known", context, hint)
        held = value.item.lock if isinstance(value.item, Condition) else value.item
        self.acquire(held.cell, span, isinstance(held, Semaphore))
        self.guarded(held, lambda: self.within(others, node), span)

    def guarded(self, held: Lock | Semaphore, body: Callable[[], None], span: Span) -> None:
        """A block that holds a lock."""
        name = held.cell.name

        def give_back() -> None:
            outer = self.held
            self.held = [each for each in self.held if each != name]
            self.release(held, span, is_certain=True)
            self.held = outer

        outer_held = self.held
        self.held = [*self.held, name]
        self.surroundings.append(Finalizer(give_back))
        body()
        self.surroundings.pop()
        self.held = outer_held
        if not self.is_dead:
            self.release(held, span, is_certain=True)

    def refuse_block(self, item: ast.withitem, node: ast.AsyncWith) -> None:
        """A block that begins and ends outside of the file."""
        raise Refused(
            "SER923",
            f"`async with {written(item.context_expr)[1:-1]}` of something outside is not translated",
            node,
            "put the block into a coroutine of its own and mark the await of it # ser: opaque",
        )

    def attempt(self, node: ast.Try) -> None:
        """`try`, with `except`, `else` and `finally`."""
        if node.finalbody:
            self.finally_(node)
        else:
            self.catch(node)

    def finally_(self, node: ast.Try) -> None:
        if any(
            isinstance(each, ast.Return | ast.Break | ast.Continue)
            for part in node.finalbody
            for each in ast.walk(part)
        ):
            raise Refused(
                "SER923",
                "a `finally` that leaves its function or loop is not translated",
                node,
                "leave it before",
            )
        self.surroundings.append(Finalizer(lambda: self.execute_body(node.finalbody)))
        self.catch(node)
        self.surroundings.pop()
        if not self.is_dead:
            self.execute_body(node.finalbody)

    def catch(self, node: ast.Try) -> None:
        if not node.handlers:
            self.execute_body(node.body)
            return
        clauses = [(self.caught(handler), self.target()) for handler in node.handlers]
        catching = Catching(tuple(clauses), self.temporary("exception"))
        after = self.target()
        span = self.places(node)
        self.surroundings.append(catching)
        self.execute_body(node.body)
        self.surroundings.pop()
        if not self.is_dead:
            self.execute_body(node.orelse)
        if not self.is_dead:
            self.jump(after, span)
        for handler, (_, target) in zip(node.handlers, clauses, strict=True):
            if not target.is_used:
                continue
            self.land(target)
            self.handling.append(catching.exception)
            if handler.name is not None:
                self.names.bound[handler.name] = Reference(External(handler.name))
            self.execute_body(handler.body)
            self.handling.pop()
            if not self.is_dead:
                self.jump(after, span)
        self.land(after)

    def caught(self, handler: ast.ExceptHandler) -> tuple[str, ...] | None:
        """The names of the exceptions of a clause; None for all."""
        match handler.type:
            case None:
                return None
            case ast.Tuple(elts=elements):
                return tuple(self.module.full_name(each) for each in elements)
            case name:
                return (self.module.full_name(name),)

    handling: list[str]
    """The locals that keep the exceptions that are being handled."""

    def throw(self, node: ast.Raise) -> None:
        span = self.places(node)
        match node.exc:
            case None:
                hint = "raise an exception by its name"
                raise Refused(
                    "SER923", "`raise` of the exception that is handled is not translated", node, hint
                )
            case ast.Call(func=func, args=arguments, keywords=keywords):
                given = [*arguments, *(each.value for each in keywords)]
                self.demand_quiet(given)
                constants = [literal(each) for each in given]
                name = self.module.full_name(func)
                if all(each is not ... for each in constants):
                    text = f"{name.rpartition('.')[2]}({', '.join(map(repr, constants))})"
                else:
                    text = name.rpartition(".")[2]
                    sentence = f"of {text}, only the class is observed, not its arguments"
                    self.assume(ApproximationKind.ASSUMPTION, sentence, span)
                self.raise_name(name, span, text)
            case ast.Name() | ast.Attribute():
                name = self.module.full_name(node.exc)
                self.raise_name(name, span)
            case _:
                raise Refused(
                    "SER923", f"{written(node)} is not translated", node, "raise an exception by its name"
                )

    def demand_quiet(self, nodes: list[ast.expr]) -> None:
        for node in nodes:
            for part in ast.walk(node):
                if isinstance(part, ast.Await | ast.NamedExpr):
                    raise Refused("SER923", f"{written(node)} has effects", node, "use a line of its own")

    # Handlers

    def answer_with(self, value: Scalar | Composite, span: Span) -> None:
        """Ends the request with an answer."""
        if isinstance(value, Scalar):
            self.inference.assign(f"answer {self.handler}", value.domain)
            self.answer(value.code, span)
            return
        shape = value.shape
        self.shapes.setdefault(shape, value)
        leaves = list(value.leaves())
        for index, leaf in enumerate(leaves):
            self.inference.assign(f"answer {self.handler} {shape} {index}", leaf.domain)
        self.answer(self.coded(shape, leaves, span), span)

    handler: str
    """The function, whatever its arguments."""
    shapes: dict[str, Composite]
    """Of its answers."""

    def coded(self, shape: str, leaves: list[Scalar], span: Span) -> Expression:
        raise NotImplementedError


def _given(value: Value) -> Value:
    return value
