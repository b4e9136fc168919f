"""Queues that are filled at the start: `put_nowait` of constants, one by one or in a loop over known things.

Claim: the items are those of the real queue when the first request comes, in the same order. The statements
are executed here as Python does, one after the other and round by round; whatever is no constant, leaves
the capacity or is none of these statements is refused.
"""

import ast
from dataclasses import replace

from seriatim.frontends.python.domains import integers
from seriatim.frontends.python.initial_values import MAX_KEYS, InitialValues
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Fixed, Item, Queue

Items = dict[str, Item]

FILL = "use put_nowait of constants, one by one or in a loop: for i in range(3): {}.put_nowait(i)"


class Filling(InitialValues):
    """Executes statements that fill queues."""

    def fill(self, node: ast.stmt, members: Items, known: Items, owner: str) -> bool:
        """Fills queues among the members of an owner, `self` or the module; whether a statement does that.

        Raises `Refused` if it does, but not in a way that is known.
        """
        if not any(_queue(part, members, owner) for part in ast.walk(node)):
            return False
        self._fill(node, members, known, owner)
        return True

    def _fill(self, node: ast.stmt, members: Items, known: Items, owner: str) -> None:
        match node:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(attr="put_nowait"), args=[given], keywords=[]) as call
            ):
                if name := _queue(call, members, owner):
                    queue = members[name]
                    assert isinstance(queue, Queue)
                    members[name] = self._with(queue, given, known, node)
                    return
            case ast.For(target=ast.Name(id=variable), orelse=[]):
                for value in self._rounds(node.iter, known):
                    known[variable] = value
                    for statement in node.body:
                        self._fill(statement, members, known, owner)
                return
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
        hint = FILL.format(f"{owner}.pool" if owner else "pool")
        raise Refused(
            "SER923", f"{quote_code(node)} fills a queue in a way that is not translated", node, hint
        )

    def _with(self, queue: Queue, given: ast.expr, known: Items, node: ast.stmt) -> Queue:
        """A queue with one more item."""
        name, length = queue.length.name.removesuffix(".qsize"), queue.length.initial
        value = self._evaluate_constant(given, known)
        if not isinstance(value, Fixed):
            hint = "put numbers into it, and keep the objects in a list beside it, self.items[number];"
            hint += " mark what is done with those # ser: opaque"
            message = f"{quote_code(given)}, which {name} has at the start, is no constant"
            raise Refused("SER923", message, node, hint)
        if length == len(queue.cells):
            hint = "give it a larger maxsize, or put fewer items into it"
            if not queue.is_bounded:
                hint = f"allow more at the line of the queue: # ser: at most {length + 1}, or put fewer in"
            message = f"{name} has room for {length} items, and gets more at the start"
            raise Refused("SER928", message, node, hint)
        kept = [(cell.initial, cell.start) for cell in queue.cells]
        place = 0 if queue.is_last_first else length
        items = [*kept[:place], (value.value, value.domain), *kept[place:-1]]
        cells = tuple(
            replace(cell, initial=initial, start=start)
            for cell, (initial, start) in zip(queue.cells, items, strict=True)
        )
        more = replace(queue.length, initial=length + 1, start=integers(length + 1, length + 1))
        return replace(queue, cells=cells, length=more)

    def _rounds(self, node: ast.expr, known: Items) -> list[Fixed]:
        """What the variable of a loop gets."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[_, *_] as given, keywords=[]) if len(given) <= 3:
                bounds = [self._evaluate_constant(each, known) for each in given]
                numbers = [each.value for each in bounds if isinstance(each, Fixed) and _is_number(each)]
                if len(numbers) == len(given) and numbers[2:] != [0]:
                    found = range(*numbers)
                    if len(found) > MAX_KEYS:
                        message = f"{quote_code(node)} has more than {MAX_KEYS} rounds"
                        raise Refused("SER924", message, node, "most races show with few: range(2)")
                    return [Fixed(number, integers(number, number)) for number in found]
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                values = [self._evaluate_constant(each, known) for each in elements]
                if all(isinstance(each, Fixed) for each in values):
                    return [each for each in values if isinstance(each, Fixed)]
        hint = "write range(3), or a tuple of constants; give a parameter that it comes from a default"
        raise Refused("SER923", f"it is not known how often {quote_code(node)} repeats", node, hint)


def _is_number(value: Fixed) -> bool:
    return value.domain.has_numbers


def _queue(node: ast.AST, members: Items, owner: str) -> str:
    """The name of the queue into which a call puts something; empty if it does not."""
    match node:
        case ast.Call(func=ast.Attribute(value=target, attr="put_nowait" | "put")):
            match target:
                case ast.Attribute(value=ast.Name(id=base), attr=name) if owner and base == owner:
                    pass
                case ast.Name(id=name) if not owner:
                    pass
                case _:
                    return ""
            return name if isinstance(members.get(name), Queue) else ""
        case _:
            return ""
