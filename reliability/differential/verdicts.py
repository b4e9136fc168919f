"""No method contradicts another one, or what enumeration finds."""

from collections.abc import Iterator

from differential.contradiction import Contradiction
from differential.facts import Enumerated, Facts
from seriatim.budget import Deadline, OutOfBudget
from seriatim.deciding.pipeline import decide
from seriatim.explain.retracing import retrace
from seriatim.frontends.network_json.format import read_system
from seriatim.method import Method, Minimality
from seriatim.program.semantics import Configuration, faults
from seriatim.program.syntax import Program
from seriatim.program.system_printer import write_system
from seriatim.result import Faulty, Holds, Refused, Result, Undecided, Violated
from seriatim.systems.from_program import network_system
from seriatim.systems.limits import LimitReached
from seriatim.systems.run import replays
from testkit.oracles.brute_force import outcome_of


def verdicts(facts: Facts) -> Iterator[Contradiction]:
    said: dict[bool, Method] = {}
    for method in Method:
        decision = facts.decision(method)
        if isinstance(decision.answer, Refused):
            yield Contradiction(f"the checker refuses evidence of {method}", decision.answer.complaint)
        if facts.enumerated is not None:
            yield from against_enumeration(facts, method, decision, facts.enumerated)
        answer = facts.says(method)
        if answer is None:
            continue
        said.setdefault(answer, method)
        if len(said) == 2:
            yield Contradiction(
                "methods contradict one another",
                f"{said[True]} says serializable, {said[False]} says not serializable",
            )
            return
    if isinstance(facts.content, Program):
        yield from as_a_system(facts, facts.content)


def against_enumeration(
    facts: Facts, method: Method, decision: Result, known: Enumerated
) -> Iterator[Contradiction]:
    fewest = known.fewest()
    match decision.answer:
        case Holds() if fewest is not None:
            yield Contradiction(
                f"{method} proves what enumeration refutes",
                f"of {fewest} requests, no serial order has one of {violations(known)}",
            )
        case Holds() if makes_mistake(facts, known):
            yield Contradiction(f"{method} proves a program that can make a mistake", "")
        case Violated(certificate=certificate, minimality=minimality):
            run, origin = retrace(certificate.evidence, facts.content, facts.effort.limits, Deadline())
            outcome = outcome_of(run, origin)
            if not replays(run, origin):
                yield Contradiction(f"{method} shows what is no run", str(outcome))
            if len(outcome) <= known.requests and outcome not in known.interleaved - known.serial:
                yield Contradiction(f"{method} shows a run that is no violation", str(outcome))
            if minimality is Minimality.PROVED and fewest is not None and fewest < len(outcome):
                yield Contradiction(f"{method} calls a run minimal that is not", f"{fewest} requests suffice")
        case Undecided(clean_up_to=clean) if fewest is not None and clean >= fewest:
            yield Contradiction(
                f"{method} overlooks a violation",
                f"none with up to {clean} requests, it says, and there is one with {fewest}",
            )
        case Faulty() if not has_mistakes(facts):
            yield Contradiction(f"{method} blames a program that makes no mistake", "")


def violations(known: Enumerated) -> str:
    return ", ".join(map(str, sorted(known.interleaved - known.serial, key=len)[:3]))


def has_mistakes(facts: Facts) -> bool:
    return facts.content.can_fail


def makes_mistake(facts: Facts, known: Enumerated) -> bool:
    """Whether a few requests can come to a mistake of the program."""
    program = facts.interpreted
    if program is None or not has_mistakes(facts):
        return False
    places = {(local, global_) for global_, flight, _ in known.states for _, local in flight}
    return any(
        faults(Configuration(*program.locals.items[local], program.globals.items[global_]))
        for local, global_ in places
    )


def as_a_system(facts: Facts, program: Program) -> Iterator[Contradiction]:
    """The network system of a program, written and read again, has the verdict of the program."""
    expected = facts.says(Method.AUTO)
    if expected is None:
        return
    try:
        deadline = Deadline(facts.effort.seconds)
        system = read_system(write_system(network_system(program, facts.effort.limits, deadline)))
    except (LimitReached, OutOfBudget):
        return
    verdict = decide(system, facts.options(Method.AUTO)).answer
    if isinstance(verdict, Refused):
        yield Contradiction("the checker refuses evidence about the network system", verdict.complaint)
    if isinstance(verdict, Violated if expected else Holds):
        yield Contradiction("the network system of a program has another verdict", write_system(system))
