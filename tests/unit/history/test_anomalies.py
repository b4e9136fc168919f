"""The names of anomalies, their counts, and names of levels that others use."""

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.transactions import Level
from seriatim.explain.logged_transactions import account_of_transactions
from seriatim.history.transactions.anomalies import count_anomalies
from seriatim.history.transactions.decide import decide_levels
from seriatim.history.transactions.names import ALIASES, NOT_DECIDED, cycle_name, find_level
from seriatim.history.transactions.observe import Observed
from seriatim.source import InputError
from testkit.inputs.transaction_texts import log_of


@pytest.mark.parametrize(
    ("texts", "timed", "expected"),
    [
        (["ry ax1", "rx ay1"], False, {"G2-item": 1}),
        (["ax0", "rx0 ax1", "rx0 ax2", "rx012"], False, {"lost-update": 1, "G-single": 1}),
        (["rx9"], False, {"garbage-read": 1}),
        (["ax1 ay1", "ax2 ay2", "rx12 ry21"], False, {"G0": 1}),
        (["ax1 ry1", "ay1 rx1"], False, {"G1c": 1}),
        (["ax1", "ax2", "rx12", "rx21"], False, {"incompatible-order": 1}),
        (["p:ax1", "p:rx"], True, {"G-single-process": 1, "G-single-realtime": 1}),
        (["ax1", "rx1"], True, {}),
    ],
)
def test_anomalies_are_named_and_counted(texts: list[str], timed: bool, expected: dict[str, int]) -> None:
    found = count_anomalies(Observed(log_of(*texts, timed=timed)), Deadline(60))
    assert {name: found.get(name) for name in expected} == expected
    assert bool(found) == bool(expected)


@pytest.mark.parametrize(
    ("whys", "name"),
    [
        ("ww ww", "G0"),
        ("ww wr", "G1c"),
        ("wr so", "G1c-process"),
        ("rw ww", "G-single"),
        ("rw rt", "G-single-realtime"),
        ("rw wr rw wr", "G-nonadjacent"),
        ("rw rw wr", "G2-item"),
        ("rw wr rw", "G2-item"),
        ("rw rw so", "G2-item-process"),
        ("ww seen", ""),
        ("", ""),
    ],
)
def test_names_of_cycles(whys: str, name: str) -> None:
    assert cycle_name(whys.split()) == name


def test_levels_have_the_names_that_others_use() -> None:
    assert find_level("PL-CS") is Level.CURSOR_STABILITY
    assert find_level("MAV") is Level.MONOTONIC_ATOMIC_VIEW
    assert find_level("PL-2.99") is Level.SERIALIZABLE
    assert find_level("Strong Session Snapshot Isolation") is Level.SESSION_SNAPSHOT
    assert not ALIASES.keys() & NOT_DECIDED.keys()
    with pytest.raises(InputError, match="not decided"):
        find_level("PL-3U")


def test_what_did_not_commit_is_counted_apart() -> None:
    log = log_of("ax1", "!ax2", "?ax3")
    verdicts = decide_levels(log, [Level.SERIALIZABLE], Deadline(60))
    size = account_of_transactions(log, verdicts, lists_all=False, anomalies={}).size
    assert size == "3 transactions (appends to lists), 1 known to have committed"
