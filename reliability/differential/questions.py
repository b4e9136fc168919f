"""Answers to the other questions agree with their definitions and with one another, can be proved, and
told."""

from collections.abc import Iterator
from itertools import product
from random import Random

from differential.asked import Asked, asked
from differential.certificates import certificates_of, forged, rechecked
from differential.contradiction import Contradiction
from differential.definitions import Known, known
from differential.facts import Facts
from differential.implications import implies, proves_more
from differential.reports import told
from differential.verdicts import has_mistakes, makes_mistake
from seriatim.method import Method, Minimality
from seriatim.properties.property import Property
from seriatim.result import Faulty, Holds, Refused, Result, Undecided, Violated

SAMPLE = 3
"""Of what is asked: whose certificates are forged, and which answers are told."""


def questions(facts: Facts) -> Iterator[Contradiction]:
    everything = list(asked(facts))
    defined: dict[Property, Known | None] = {}
    for question, method in everything:
        decision = facts.decision(method, question)
        if question not in defined:
            defined[question] = known(question, facts)
        yield from against_definition(facts, question, method, decision, defined[question])
    yield from against_one_another(facts, everything)
    genuine = certificates_of(facts.decision(method, question) for question, method in everything)
    for certificate in genuine:
        yield from rechecked(certificate, facts)
    for question, method in Random(facts.subject.number).sample(everything, SAMPLE):
        answer = truth(facts, question, defined[question])
        if answer is not None:
            yield from forged(facts, question, answer, genuine)
        yield from told(facts, method, question)


def against_definition(
    facts: Facts, question: Property, method: Method, decision: Result, found: Known | None
) -> Iterator[Contradiction]:
    """What brute force knows about runs of a few requests."""
    name = question.name
    fewest = None if found is None else found.fewest
    match decision.answer:
        case Refused(report=report):
            yield Contradiction(f"the checker refuses evidence about {name}", report.complaint)
        case Holds() if fewest is not None:
            yield Contradiction(f"{name} is proved, and refuted by definition", f"{question} by {method}")
        case Holds() if facts.enumerated is not None and makes_mistake(facts, facts.enumerated):
            yield Contradiction(f"{name} is proved of a program that can make a mistake", str(question))
        case Violated(run=run, minimality=minimality):
            own = run.requests
            if found is not None and own <= found.requests and (fewest is None or fewest > own):
                yield Contradiction(f"{name} is refuted by what is no violation", f"{question} by {method}")
            if minimality is Minimality.PROVED and fewest is not None and fewest < own:
                yield Contradiction(f"a run against {name} is not minimal", f"{fewest} suffice: {question}")
        case Undecided(clean_up_to=clean) if fewest is not None and clean >= fewest:
            yield Contradiction(
                f"a violation of {name} is overlooked", f"{fewest} requests, not {clean}: {question}"
            )
        case Faulty() if not has_mistakes(facts):
            yield Contradiction(f"a program that makes no mistake is blamed, asked for {name}", "")


def against_one_another(facts: Facts, everything: list[Asked]) -> Iterator[Contradiction]:
    """What follows from one answer, no other answer denies."""
    for (stronger, by), (weaker, denied_by) in product(everything, repeat=2):
        if not (facts.says(by, stronger) is True and facts.says(denied_by, weaker) is False):
            continue
        proof = facts.decision(by, stronger).answer
        if implies(stronger, weaker, facts.content) or (
            isinstance(proof, Holds) and proves_more(proof.certificate, weaker)
        ):
            names = stronger.name, weaker.name
            yield Contradiction(
                "{} is proved, {} refuted".format(*names), f"{stronger} by {by}; {weaker} by {denied_by}"
            )


def truth(facts: Facts, question: Property, found: Known | None) -> bool | None:
    """By definition, or by a certificate that was accepted."""
    if found is not None and found.fewest is not None:
        return False
    return facts.says(Method.AUTO, question)
