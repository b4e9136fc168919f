"""A timeline as a table: a column for each request, time runs down, context switches are ruled off.

Where the columns would become too narrow to read, the requests share one and each turn has a heading.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap

from seriatim.explain.names import visible
from seriatim.explain.timeline import Change, Moment, ShownTurn, Timeline
from seriatim.report.text_look import MARGIN, Style, TextLook
from seriatim.text_width import columns, fit, printable

NARROWEST = 24
"""A column with less room than this is not worth having."""

MAX_MOMENTS = 12
"""A turn with more moments than this is shown without those in the middle that change no global."""

Part = tuple[str, Style]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a column: where, what, and with which effect."""

    line: str
    code: str
    effects: tuple[Part, ...]
    wraps: bool = False
    """Whether code that is too long goes on in the next line."""

    def effect_width(self) -> int:
        return sum(columns(text) for text, _ in self.effects) + 2 * max(0, len(self.effects) - 1)


@dataclass(frozen=True, slots=True)
class Column:
    """How the entries of a request are laid out: line number, code, effects."""

    width: int
    gutter: int
    effects_at: int
    """Where effects begin; those of code that reaches further stand on the next line."""

    def lines(self, entry: Entry, look: TextLook) -> list[str]:
        """The entry, each line painted and padded to the width of the column."""
        number = f"{entry.line:>{self.gutter}}{'  ' if self.gutter else ''}"
        if entry.wraps:
            return self._wrap(entry, number, look)
        code = fit(entry.code, self.width - columns(number), look.symbols.ellipsis)
        first: list[Part] = [(number, Style.FAINT), (code, Style.PLAIN)]
        used = columns(number) + columns(code)
        room = self.width - self.effects_at
        if entry.effect_width() <= room:
            effects = [_space(entry.effects)] if entry.effects else []
        else:
            effects = [[(fit(text, room, look.symbols.ellipsis), style)] for text, style in entry.effects]
        if effects and used + 2 <= self.effects_at:
            first += [(" " * (self.effects_at - used), Style.PLAIN), *effects.pop(0)]
        indentation: Part = (" " * self.effects_at, Style.PLAIN)
        return [self._pad(parts, look) for parts in (first, *([indentation, *line] for line in effects))]

    def _wrap(self, entry: Entry, number: str, look: TextLook) -> list[str]:
        """A statement and its effects, on as many lines as they need."""
        room = max(1, self.width - columns(number))
        blank = " " * columns(number)
        told = [
            [(number if place == 0 else blank, Style.FAINT), (text, Style.PLAIN)]
            for place, text in enumerate(wrap(entry.code, room) or [""])
        ]
        for text, style in entry.effects:
            told += [[(f"{blank}  ", Style.PLAIN), (line, style)] for line in wrap(text, max(1, room - 2))]
        return [self._pad(parts, look) for parts in told]

    def _pad(self, parts: list[Part], look: TextLook) -> str:
        used = sum(columns(text) for text, _ in parts)
        painted = "".join(look.paint(text, style) for text, style in parts)
        return painted + " " * (self.width - used)


def _space(effects: Iterable[Part]) -> list[Part]:
    spaced: list[Part] = []
    for effect in effects:
        if spaced:
            spaced.append(("  ", Style.PLAIN))
        spaced.append(effect)
    return spaced


def run_table(shown: Timeline, look: TextLook) -> str:
    """Lines of text, each with its line break."""
    told = [(turn, entries(turn, look)) for turn in shown.turns]
    gutter = max((len(entry.line) for _, found in told for entry in found), default=0)
    headings = [f"request {each}" if shown.actor == "request" else each for each in shown.headings()]
    available = look.width - len(MARGIN) - 3 * (len(headings) - 1)
    if len(headings) > 1 and available // len(headings) < NARROWEST:
        return _one_column(told, headings, gutter, look)
    own = [
        [entry for turn, found in told if turn.request == n for entry in found]
        for n in range(1, len(headings) + 1)
    ]
    widths = [columns(heading) for heading in headings]
    wishes = [column(*needs, gutter, look.width).width for needs in zip(own, widths, strict=True)]
    layouts = [
        column(found, width, gutter, share)
        for found, width, share in zip(own, widths, shares(wishes, available), strict=True)
    ]
    return _side_by_side(told, headings, layouts, look)


def shares(wishes: list[int], available: int) -> list[int]:
    """How wide each column may be; columns that need more share the unused room evenly."""
    given = [0] * len(wishes)
    modest_first = sorted(range(len(wishes)), key=lambda index: wishes[index])
    for done, index in enumerate(modest_first):
        given[index] = min(wishes[index], available // (len(wishes) - done))
        available -= given[index]
    return given


def column(found: list[Entry], heading: int, gutter: int, available: int) -> Column:
    """The layout of a column with these entries: as wide as they need, if there is room."""
    number = gutter + 2 if gutter else 0
    code = number + max(columns(entry.code) for entry in found)
    effects = max(entry.effect_width() for entry in found)
    if code + 2 + effects <= available:
        return Column(max(heading, code + 2 + effects), gutter, code + 2)
    if effects > available // 2:
        effects = max(columns(text) for entry in found for text, _ in entry.effects)
    return Column(available, gutter, max(number + 2, available - effects))


def _side_by_side(
    told: list[tuple[ShownTurn, list[Entry]]], headings: list[str], layouts: list[Column], look: TextLook
) -> str:
    bar = look.paint(f" {look.symbols.bar} ", Style.FAINT)
    blanks = [" " * layout.width for layout in layouts]

    def row(cells: list[str]) -> str:
        return MARGIN + bar.join(cells).rstrip()

    titles = [
        look.paint(fit(heading, layout.width, look.symbols.ellipsis), Style.STRONG)
        + " " * (layout.width - columns(fit(heading, layout.width, look.symbols.ellipsis)))
        for heading, layout in zip(headings, layouts, strict=True)
    ]
    rows = [row(titles), _rule(layouts, "", look)]
    for turn, found in told:
        if turn.follows_barrier:
            rows.append(_rule(layouts, " barrier ", look))
        elif turn.is_switch:
            rows.append(_rule(layouts, " switch ", look))
        own = turn.request - 1
        rows.extend(
            row([*blanks[:own], line, *blanks[own + 1 :]])
            for entry in found
            for line in layouts[own].lines(entry, look)
        )
    return "".join(line + "\n" for line in rows)


def _rule(layouts: list[Column], label: str, look: TextLook) -> str:
    symbol = look.symbols.rule
    parts = [symbol * layout.width for layout in layouts]
    line = f"{symbol}{look.symbols.crossing}{symbol}".join(parts)
    if label:
        line = line[:2] + label + line[2 + len(label) :]
    return MARGIN + look.paint(line, Style.FAINT)


def _one_column(
    told: list[tuple[ShownTurn, list[Entry]]], headings: list[str], gutter: int, look: TextLook
) -> str:
    layout = column([entry for _, found in told for entry in found], 0, gutter, look.width - 2 * len(MARGIN))
    rows: list[str] = []
    previous = 0
    for turn, found in told:
        if turn.follows_barrier:
            rows.append(MARGIN + look.paint("barrier", Style.FAINT))
        if turn.request != previous:
            takes_over = "switch to " if turn.is_switch else ""
            rows.append(MARGIN + look.paint(takes_over + headings[turn.request - 1], Style.STRONG))
        previous = turn.request
        rows.extend(2 * MARGIN + line.rstrip() for entry in found for line in layout.lines(entry, look))
    return "".join(line + "\n" for line in rows)


# Entries


def entries(turn: ShownTurn, look: TextLook) -> list[Entry]:
    """The lines about a turn, its end last."""
    moments = turn.moments or (Moment(None, ("",)),)
    kept = [_kept(moment, index, len(moments)) for index, moment in enumerate(moments)]
    found: list[Entry] = []
    skipped = 0
    for moment, is_kept in zip(moments, kept, strict=True):
        if not is_kept:
            skipped += 1
            continue
        if skipped:
            found.append(Entry("", f"{look.symbols.ellipsis} {skipped} more line{'s' * (skipped > 1)}", ()))
            skipped = 0
        found.append(_entry(moment, look))
    last = found.pop()
    return [*found, Entry(last.line, last.code, (*last.effects, *_end(turn, look)), last.wraps)]


def _kept(moment: Moment, index: int, count: int) -> bool:
    if count <= MAX_MOMENTS or any(change.is_shared for change in moment.changes):
        return True
    return index < MAX_MOMENTS // 2 or index >= count - MAX_MOMENTS // 2


def _entry(moment: Moment, look: TextLook) -> Entry:
    code = f" {look.symbols.ellipsis} ".join(moment.pieces)
    if moment.result is not None:
        came_back = (
            ((f"{look.symbols.arrow} {visible(moment.result)}", Style.CHANGE),) if moment.result else ()
        )
        return Entry("" if moment.line is None else str(moment.line), printable(code), came_back, wraps=True)
    effects = tuple(_effect(change, look) for change in moment.changes)
    if moment.line is None:  # This is the name of a state.
        return Entry("", visible(code), effects)
    return Entry(str(moment.line), printable(code), effects)


def _effect(change: Change, look: TextLook) -> Part:
    if not change.is_shared:
        return f"{change.name} = {change.show(change.new)}", Style.PLAIN
    old, new = change.show(change.old), change.show(change.new)
    if old == new:
        return f"{change.name}: still {new}", Style.CHANGE
    return f"{change.name}: {old} {look.symbols.arrow} {new}", Style.CHANGE


def _end(turn: ShownTurn, look: TextLook) -> list[Part]:
    """How a turn ends; for a network system also what it changed, since that has no place of its own."""
    arrow = look.symbols.arrow
    parts: list[Part] = []
    if turn.moments and turn.moments[-1].result is not None:
        return (
            [(f"{arrow} answers {visible(turn.response)}", Style.STRONG)] if turn.response is not None else []
        )
    if isinstance(turn.after, str) and turn.before != turn.after:
        parts.append((f"{visible(str(turn.before))} {arrow} {visible(turn.after)}", Style.CHANGE))
    if turn.response is not None:
        parts.append((f"{arrow} answers {visible(turn.response)}", Style.STRONG))
    elif turn.fails:
        parts.append((f"{arrow} fails", Style.BAD))
    elif turn.pauses_at is not None:
        parts.append((f"pauses at {visible(turn.pauses_at)}", Style.FAINT))
    elif turn.pauses:
        parts.append(("pauses", Style.FAINT))
    return [*parts, *((f"[{note}]", Style.BAD) for note in turn.notes)]
