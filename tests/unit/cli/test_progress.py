"""Progress: what is said, and that decisions do not depend on who watches."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from seriatim import budget
from seriatim.budget import Deadline
from seriatim.cli import progress
from seriatim.cli.progress import progress_text
from seriatim.cli.terminal import Terminal
from seriatim.cli.watch import fingerprint
from seriatim.deciding.pipeline import Options, decide
from seriatim.engines.portfolio import conclude
from seriatim.engines.schedules.outcomes import OUTCOMES
from seriatim.engines.stage import Progress, Task
from seriatim.frontends.ser.parser import parse
from seriatim.method import Method
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.text_look import TextLook
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import pose

UNBOUNDED = parse("request incr { x := X; yield; if (X == x) { X := x + 1 }; 0 }")


def test_what_is_known_is_said() -> None:
    assert progress_text(Progress("search", 0, 0)) == "search"
    assert progress_text(Progress("cover", 0, 1), "thread") == "cover, no violation with up to 1 thread"
    assert (
        progress_text(Progress("search", 1234, 5))
        == "search, 1,234 states, no violation with up to 5 requests"
    )
    assert (
        progress_text(Progress("state-equation", 0, 0, questions=1))
        == "state-equation, 1 question to the solver"
    )


def test_questions_to_the_solver_are_counted() -> None:
    deadline = Deadline()
    system = parse("request half { X := 1 - X; yield; X := 1 - X; X }")
    origin = unfold(system, Limits(), deadline)
    problem = pose(SERIALIZABILITY.states(), origin, Limits(), deadline)
    conclude(OUTCOMES, Task(problem, Limits(), deadline, Method.STATE_EQUATION))
    assert deadline.questions > 0


@dataclass(frozen=True, slots=True)
class Recording(Terminal):
    """Keeps what is said to standard error."""

    texts: list[str] = field(default_factory=list)

    def warn(self, text: str) -> None:
        self.texts.append(text)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_line_is_for_terminals_and_goes_away(is_terminal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    recording = Recording(TextLook(), TextLook(width=30))
    with progress.progress_line("a.ser", recording) as observer:
        if observer is not None:
            observer(Progress("search", 1_000_000, 5))
    shown = ["\r\033[Ka.ser: search, 1,000,000 sta…", "\r\033[K"] if is_terminal else []
    assert recording.texts == shown


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    recording = Recording(TextLook(), TextLook())
    with progress.progress_line("a.ser", recording) as observer:
        assert observer is not None
        observer(Progress("search", 1, 1))
    assert recording.texts == []


def test_an_observer_hears_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "PULSE_EVERY", 0.0)
    options = Options(Limits(2_000, 50), timeout=None)
    heard: list[Progress] = []
    watched = decide(UNBOUNDED, options, heard.append)
    assert watched.answer == decide(UNBOUNDED, options).answer
    assert {one.stage for one in heard} >= {"search", "closure"}
    assert max(one.states for one in heard) > 0


def test_a_change_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.ser"
    before = fingerprint([str(tmp_path)])
    path.write_text("request a { 1 }")
    created = fingerprint([str(tmp_path)])
    path.write_text("request a { 12 }")
    assert len({before, created, fingerprint([str(tmp_path)])}) == 3
    assert fingerprint([str(path)]) == fingerprint([str(path)])
