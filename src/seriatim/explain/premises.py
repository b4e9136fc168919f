"""Sentences that say what a failed premise of a proof by one order means."""

from seriatim.checking.sequentialization.premises import Premise

SENTENCES = {
    Premise.ABSTRACTION: "the abstraction of {action} lacks something that {action} can do",
    Premise.INITIAL: "what is claimed does not hold after main",
    Premise.ORDER: "executing {action} next, in this order, leaves what is claimed",
    Premise.END: "when everything is executed in this order, the result is not as claimed",
    Premise.ALWAYS: "a fact stated with `always` does not always hold",
    Premise.KEEPS_GATE: "{other} can destroy what {action} relies on",
    Premise.NO_REPAIR: "{action} can repair a failure of {other}, so that executing it early hides that",
    Premise.COMMUTES: "{action} after {other} can have an effect that it cannot have before {other}",
    Premise.NOT_BLOCKED: "{action} can be blocked where it should be executed next",
    Premise.COOPERATION: "executing {action} again and again may never end",
    Premise.SATISFIABLE: "what is assumed holds in no run that was tried",
}


def tell(premise: Premise, action: str, other: str | None) -> str:
    """Says what a failed premise means."""
    return SENTENCES[premise].format(action=action, other=other or "another action")
