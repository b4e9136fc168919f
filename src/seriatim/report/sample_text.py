"""Sample runs, for people and for machines: what happened, or why no run is complete."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from seriatim.explain.interleaving import Interleaving
from seriatim.explain.nearest import nearest_serial
from seriatim.explain.next_steps import Completion
from seriatim.report.contradiction_text import ordered
from seriatim.report.look import Look, Style
from seriatim.report.run_table import MARGIN
from seriatim.report.verdict_json import VERSION, run_json
from seriatim.report.verdict_text import counted, paragraphs, run_text, sizes
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.random_run import Stuck, TooLong
from seriatim.systems.run import Run


@dataclass(frozen=True, slots=True)
class Sample:
    """A random run, and how to get it again."""

    result: Run | Stuck | TooLong
    seed: int
    serial: bool

    @property
    def run(self) -> Run:
        return self.result if isinstance(self.result, Run) else self.result.run

    @property
    def never_begun(self) -> int:
        """How many requests were asked for and are not in the run."""
        return len(self.result.never_begun) if isinstance(self.result, Stuck) else 0


def sample_text(sample: Sample, origin: Origin, source: SourceText, look: Look, seed_is_news: bool) -> str:
    kind = "a serial run" if sample.serial else "a random run"
    headline = f"{look.paint(source.name, Style.STRONG)}: {kind} ({sizes(sample.run, sample.never_begun)})\n"
    story = "\n" + run_text(sample.run, origin, source, look) if sample.run.turns else ""
    remarks = [_problem(sample.result), "" if sample.serial else _serial_order(sample.result, origin)]
    if seed_is_news:
        remarks.append(f"--seed={sample.seed} to reproduce")
    rest = paragraphs(remarks, look)
    return headline + story + ("\n" + rest if rest else "")


def _serial_order(result: Run | Stuck | TooLong, origin: Origin) -> str:
    """Which one-at-a-time order explains the answers of a complete run."""
    nearest = nearest_serial(result.outcome(), origin) if isinstance(result, Run) else None
    if nearest is None:
        return ""
    if nearest.changed or not nearest.orders:
        return "No one-at-a-time order gives these answers."
    return explained_by(nearest.orders[0])


def explained_by(order: Sequence[Completion]) -> str:
    return f"One at a time, the same answers come from: {ordered(order)}"


def interleaving_text(found: Interleaving | None, source: SourceText, look: Look) -> str:
    """What a serializable input may do, and what explains it, after a blank line; empty if there is none."""
    if found is None:
        return ""
    story = run_text(found.run, found.origin, source, look)
    return f"\n{MARGIN}For example:\n\n{story}{paragraphs([explained_by(found.order)], look)}"


def _problem(result: Run | Stuck | TooLong) -> str:
    match result:
        case Run():
            return ""
        case Stuck(waiting=waiting, never_begun=never_begun):
            parts = []
            if waiting:
                numbers = ", ".join(str(number + 1) for number in waiting)
                parts.append(f"{'request' if len(waiting) == 1 else 'requests'} {numbers}")
            if never_begun:
                parts.append(
                    f"{counted(len(never_begun), 'request')} not begun yet ({', '.join(never_begun)})"
                )
            return f"STUCK: nobody can move any more. For ever waiting: {' and '.join(parts)}."
        case TooLong(run=run):
            return f"TOO LONG: after {counted(len(run.turns), 'step')} some requests are still in flight."
        case _:
            assert_never(result)


def sample_json(sample: Sample, origin: Origin, source: SourceText) -> dict[str, Any]:
    header = {"version": VERSION, "file": source.name, "seed": sample.seed, "serial": sample.serial}
    match sample.result:
        case Run():
            ending: dict[str, Any] = {"result": "complete"}
        case Stuck(waiting=waiting, never_begun=never_begun):
            numbers = [number + 1 for number in waiting]
            ending = {"result": "stuck", "waiting": numbers, "never_begun": list(never_begun)}
        case TooLong():
            ending = {"result": "too_long"}
        case _:
            assert_never(sample.result)
    return header | ending | run_json(sample.run, origin, source)
