"""Requests that differ in their arguments alone are told once, and nothing is said of the wrong ones."""

from seriatim.explain.explanation import CommitStep, MoreStates, Reduced, Uninterrupted
from seriatim.report.families import join_families


def commit(handler: str, answer: str, begins: str = "its start") -> CommitStep:
    return CommitStep(handler, begins, "its answer", (2,), (answer,))


def test_the_same_about_all_of_a_family_is_told_once() -> None:
    reasons = [commit(f"inc({i}, {v})", str(v)) for i in range(3) for v in range(8)]
    assert join_families(reasons) == (
        CommitStep("inc(…)", "its start", "its answer", (2,), tuple(map(str, range(8)))),
    )


def test_those_about_which_something_else_is_said_are_named() -> None:
    reasons = [commit("inc(0)", "0"), commit("inc(1)", "1"), commit("inc(2)", "2", "the pause in line 2")]
    assert [step.handler for step in join_families(reasons) if isinstance(step, CommitStep)] == [
        "inc(0), inc(1)",
        "inc(2)",
    ]


def test_other_reasons_stay() -> None:
    reasons = (
        Uninterrupted("get", 3),
        Reduced("set", None),
        Reduced("put", None),
        commit("inc(0)", "0"),
        MoreStates(2),
    )
    assert join_families(reasons) == reasons
