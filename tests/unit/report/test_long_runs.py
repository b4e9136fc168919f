"""A run of 427 turns in every format: told folded, with the numbers of all of it."""

import json
from xml.etree import ElementTree

import pytest

from seriatim.budget import Deadline
from seriatim.engines.stage import Unexplained
from seriatim.explain.causes import explain_cause
from seriatim.explain.telling import show_run, tell_run
from seriatim.explain.timeline import Timeline
from seriatim.explain.why import NothingExplains
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.report.html.run import run_html
from seriatim.report.itf import MAX_TURNS, itf
from seriatim.report.replay_text import step_text
from seriatim.report.run_json import run_json
from seriatim.report.sequence import sequence_mermaid, sequence_svg
from seriatim.report.sequence_dot import sequence_dot
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import timeline_text
from seriatim.report.why_text import why_texts
from seriatim.source import InputError, SourceText
from seriatim.systems.limits import Limits
from seriatim.systems.posing import pose
from seriatim.systems.unfolding import INITIAL_GLOBAL
from testkit.inputs.long_runs import packing_run, packing_text
from testkit.samples import deep

SOURCE = SourceText("packing.json", packing_text(4, 3))
UNFOLDING, RUN = packing_run(4, 3)
REPEATED = (81, 27, 18, 12, 8, 16)
"""How often: all parcels arrive; those of each kind are packed, three by three; what is left is delivered."""


@pytest.fixture(scope="module")
def shown() -> Timeline:
    return tell_run(RUN, UNFOLDING, SOURCE)


def test_loops_are_found(shown: Timeline) -> None:
    assert tuple(loop.times for loop in shown.loops) == REPEATED
    assert len(shown.turns) == 1 + 4 * 5 + 1 + 5
    assert shown.handlers() == ("parcel0", "next", "parcel1", "parcel2", "parcel3", "parcel4")


def test_its_outcome_is_that_of_the_whole_run(shown: Timeline) -> None:
    whole = tell_run(RUN, UNFOLDING, SOURCE, long=1_000)
    assert not whole.is_folded
    assert len(whole.turns) == 427
    assert shown.outcome() == whole.outcome()


def test_what_is_listed_follows_from_state_to_state(shown: Timeline) -> None:
    state = UNFOLDING.global_state(INITIAL_GLOBAL)
    for turn in shown.turns:
        assert turn.before == state
        state = turn.after


def test_text(shown: Timeline) -> None:
    text = timeline_text(shown, TextLook())
    assert [f"repeat {times} times" in text for times in REPEATED] == [True] * 6
    assert "parcel4/delivered ×16" in text


def test_json() -> None:
    found = run_json(show_run(RUN, UNFOLDING, SOURCE))
    assert (found["requests"], found["steps"], len(found["trace"])) == (216, 427, 27)
    assert found["loops"][:2] == [
        {"first": 1, "last": 1, "times": 81},
        {"first": 3, "last": 7, "times": 27},
    ]


def test_html(shown: Timeline) -> None:
    table = ElementTree.fromstring(run_html(shown))
    repeated = [row[0].text for row in table.iter("tr") if "repeat" in row.get("class", "")]
    assert repeated == [f"repeat {times} times" for times in REPEATED]
    assert len(list(table.iter("tr"))) == 2 + len(shown.turns) + len(REPEATED)


def test_mermaid(shown: Timeline) -> None:
    lines = [line.strip() for line in sequence_mermaid(shown).splitlines()]
    assert [line for line in lines if line.startswith("loop")] == [f"loop repeat {n} times" for n in REPEATED]
    assert lines.count("end") == len(REPEATED)


def test_svg(shown: Timeline) -> None:
    root = ElementTree.fromstring(sequence_svg(shown, "packing"))
    texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [text for text in texts if text.startswith("repeat")] == [f"repeat {n} times" for n in REPEATED]


def test_dot(shown: Timeline) -> None:
    text = sequence_dot(shown)
    assert [f"repeat {times} times:" in text for times in REPEATED] == [True] * 6


def test_step_by_step(shown: Timeline) -> None:
    assert step_text(shown, 1, TextLook()).startswith("step 1 of 27: a new parcel0, steps 1 to 1 81 times\n")
    assert step_text(shown, 2, TextLook()).startswith("step 2 of 27: a new next\n")


def test_nobody_has_to_wait_for_an_argument_about_thousands_of_requests() -> None:
    unfolding, run = packing_run(3, 6)
    problem = pose(SERIALIZABILITY.states(), unfolding, Limits(), Deadline())
    why = explain_cause(run, Unexplained(problem, run.outcome()), unfolding, Deadline())
    assert why == NothingExplains(None, None)
    assert "none of them does" in "".join(why_texts(why, SERIALIZABILITY, TextLook(), ""))


@deep
def test_a_trace_lists_all_of_it_or_nothing() -> None:
    states = json.loads(itf(tell_run(RUN, UNFOLDING, SOURCE, long=MAX_TURNS), "packing"))["states"]
    assert len(states) == 428
    unfolding, run = packing_run(3, 6)
    with pytest.raises(InputError, match="more than 1,000 turns"):
        itf(tell_run(run, unfolding, SOURCE, long=MAX_TURNS), "packing")
