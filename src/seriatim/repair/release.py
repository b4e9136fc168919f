"""Statements of a handler under a lock, as a tree and as a text: every way out gives the lock back.

Claim: every way out of the region executes `unlock` once. Ways out are the end of its last statement, and any
`return` in it, which stands as a statement. A value that depends on shared variables is kept first, so that
nobody changes it between `unlock` and the answer.
"""

from seriatim.frontends.ser.returns import always_returns
from seriatim.frontends.ser.surface import Element, For, Lock, Marked, Surface, Unlock
from seriatim.program.syntax import Assign, If, Read, Return, Sequence, While, sequence
from seriatim.repair.edit import Edit, Offsets
from seriatim.repair.handlers import Region, Written, has_return, statements, with_block


class NoCandidate(Exception):
    """The change cannot be made here."""


class Release:
    """Puts a lock around a region of a handler."""

    def __init__(self, written: Written, offsets: Offsets, target: Read | Element, answer: str) -> None:
        self.written = written
        self.offsets = offsets
        self.target = target
        self.answer = answer
        self.edits: list[Edit] = []
        self.is_layout = False

    def lock_region(self, region: Region) -> Surface:
        """The body of the handler with the lock; the edits that write it so are added."""
        block = region.block
        items = block.items
        first = statements(region.request)[0]
        self.is_layout = self.offsets.uses_layout(region.request.span, first.span)
        body: list[Surface] = [*items[: region.first], Lock(self.target)]
        self.before(items[region.first], f"lock({self.target_text})")
        at_end = region.last == len(items) - 1
        for number, item in enumerate(region.inside, start=region.first):
            is_last = at_end and number == region.last
            body += self.release(item, is_tail=is_last and block.is_tail)
            if is_last and not block.is_tail:
                body += self.after(item)
        if not at_end:
            self.before(items[region.last + 1], self.unlock_text)
            body.append(Unlock(self.target))
        return with_block(region.request.body, block.body, sequence(*body, *items[region.last + 1 :]))

    @property
    def target_text(self) -> str:
        if isinstance(self.target, Read):
            return self.target.name
        index = self.target.index
        shown = index.name if isinstance(index, Read) else self.offsets.text_of(index.span)
        return f"{self.target.name}[{shown}]"

    @property
    def unlock_text(self) -> str:
        return f"unlock({self.target_text})"

    def release(self, part: Surface, is_tail: bool) -> list[Surface]:
        """Returns what comes in place of a statement; of the last one, the value is that of the handler."""
        match part:
            case Return(value=value):
                if has_return(value):
                    raise NoCandidate
                return self.give_back(part, value)
            case Sequence(items=items):
                return [
                    new
                    for number, item in enumerate(items)
                    for new in self.release(item, is_tail and number == len(items) - 1)
                ]
            case If(condition=condition, then=then, otherwise=otherwise) if has_return(part) or is_tail:
                if has_return(condition):
                    raise NoCandidate
                if is_tail and otherwise is None and not always_returns(then):
                    raise NoCandidate  # Its value is that of `then`, or 0: no place is left for `unlock`.
                has_value = is_tail and otherwise is not None
                new_then = sequence(*self.release(then, has_value))
                new_otherwise = None if otherwise is None else sequence(*self.release(otherwise, has_value))
                changed: Surface = If(condition, new_then, new_otherwise, part.span)
                return [changed, *self.after(part)] if is_tail and otherwise is None else [changed]
            case While(condition=condition, body=body) if has_return(part) or is_tail:
                if has_return(condition):
                    raise NoCandidate
                loop: Surface = While(condition, sequence(*self.release(body, False)), part.span)
                return [loop, *self.after(part)] if is_tail else [loop]
            case For(variable=variable, body=body) if has_return(part) or is_tail:
                each: Surface = For(variable, sequence(*self.release(body, False)), part.span)
                return [each, *self.after(part)] if is_tail else [each]
            case _ if has_return(part) or (is_tail and isinstance(part, Marked)):
                raise NoCandidate
            case _ if is_tail:
                return self.give_back(part, part)
            case _:
                return [part]

    def give_back(self, part: Surface, value: Surface) -> list[Surface]:
        """A statement that ends the handler with a value."""
        unlock = Unlock(self.target)
        if not self.written.globals_of(value) and not self.written.yields(value):
            self.before(part, self.unlock_text)
            return [unlock, part]
        begin, end = self.offsets.of(part.span)
        returned = Return(Read(self.answer)) if isinstance(part, Return) else Read(self.answer)
        words = f"return {self.answer}" if isinstance(part, Return) else self.answer
        start = self.offsets.of(value.span)[0] if isinstance(part, Return) else begin
        closing = self.offsets.insert(begin, self.is_layout, "", self.unlock_text) + words
        self.edits += [Edit(begin, start, f"{self.answer} := "), Edit(end, end, closing)]
        return [Assign(self.answer, value), unlock, returned]

    def before(self, part: Surface, statement: str) -> None:
        begin = self.offsets.of(part.span)[0]
        self.edits.append(Edit(begin, begin, self.offsets.insert(begin, self.is_layout, statement)))

    def after(self, part: Surface) -> list[Surface]:
        """Gives the lock back after a statement whose value is 0, as that of `unlock` is, or nobody's
        concern."""
        begin, end = self.offsets.of(part.span)
        closing = self.offsets.insert(begin, self.is_layout, "", self.unlock_text)
        self.edits.append(Edit(end, end, closing.rstrip("; \n\t")))
        return [Unlock(self.target)]
