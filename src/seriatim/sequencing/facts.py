"""Facts of a proof that small runs refute; found before any solver is asked."""

from seriatim.actions.meaning import Failed
from seriatim.actions.syntax import Fact, Proof, When
from seriatim.checking.sequentialization.finite import Finding, Prefix
from seriatim.checking.sequentialization.premises import Premise
from seriatim.sequencing.outcome import NotProved, Reachability
from seriatim.sequencing.small import Execution, Small

MANY = 50
"""How many configurations are looked at before a proof is tried; all of them where it fails."""


def find_false_fact(small: Small, proof: Proof, most: int | None = None) -> NotProved | None:
    """Finds a fact of the proof (a line `always` or `when`) that a small run, which executes actions in the
    order of the proof, makes false. `most` is how many configurations to look at, evenly spread."""
    prefixes = small.report.prefixes
    step = 1 if most is None else max(1, len(prefixes) // most)
    for prefix in prefixes[::step]:
        facts: list[Fact | When] = [*proof.lasting, *(each for each in proof.when if applies(each, prefix))]
        for fact in facts:
            if not holds(small, fact, prefix):
                premise = Premise.ALWAYS if isinstance(fact, Fact) else Premise.ORDER
                where = prefix.state, prefix.pending
                action = prefix.next or ("the end", ())
                detail = f"line {fact.span.line} is false here"
                finding = Finding(premise, action, None, where, detail=detail, line=fact.span.line)
                return NotProved("", finding, small.sizes, small.interpreter, (), Reachability.REACHABLE)
    return None


def applies(when: When, prefix: Prefix) -> bool:
    """Whether a line `when` is about the action that comes next."""
    return when.action == (None if prefix.next is None else prefix.next[0])


def holds(small: Small | Execution, fact: Fact | When, prefix: Prefix) -> bool:
    """Whether a fact holds in a configuration of the order; false if it reads a missing element."""
    arguments = {}
    if isinstance(fact, When) and prefix.next is not None:
        arguments = dict(zip(fact.arguments, prefix.next[1], strict=True))
    try:
        return small.interpreter.holds(
            fact.condition, prefix.state, prefix.initial, prefix.pending, arguments
        )
    except Failed:
        return False
