"""An account of a log, as data: what was found, and why, in sentences and on time lines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated

from seriatim.codec import Key, PlainData


@dataclass(frozen=True, slots=True)
class Bar:
    """An entry of a log on a time line."""

    line: int
    """The line of the entry in the log."""
    lane: Annotated[str, Key("process")]
    """The process of the entry; empty if the log names none."""
    text: str
    start: int
    """When it began, among all moments on the time line: the first one is 0."""
    end: int | None
    """When it ended; None if it never did."""


@dataclass(frozen=True, slots=True)
class Reason:
    title: str
    lines: tuple[str, ...] = ()
    bars: Annotated[tuple[Bar, ...], Key("entries")] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A few words of a verdict, such as `NOT serializable`."""

    text: str
    holds: bool | None
    """None if it is undecided."""


@dataclass(frozen=True, slots=True)
class Account:
    size: str
    """What the log contains, or what was compared."""
    findings: tuple[Finding, ...]
    reasons: tuple[Reason, ...]
    facts: PlainData = field(default_factory=dict)
    """What JSON says besides: plain data."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry that a time line shows, with its times as the log has them."""

    line: int
    lane: str
    text: str
    start: int | Decimal | None
    end: int | Decimal | None


def draw_bars(entries: Sequence[Shown]) -> tuple[Bar, ...]:
    """Bars whose moments are numbered in order; entries without times come one after the other."""
    if any(each.start is None for each in entries):
        return tuple(Bar(e.line, e.lane, e.text, 2 * at, 2 * at + 1) for at, e in enumerate(entries))
    moments = {m for each in entries for m in (each.start, each.end) if m is not None}
    rank: dict[int | Decimal | None, int] = {moment: at for at, moment in enumerate(sorted(moments))}
    bars = [Bar(e.line, e.lane, e.text, rank[e.start], rank.get(e.end)) for e in entries]
    return tuple(sorted(bars, key=lambda bar: (bar.start, bar.line)))
