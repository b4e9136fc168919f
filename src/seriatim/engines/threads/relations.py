"""Relations between variables that every step keeps, out of many that may hold (Houdini).

A *candidate* compares two arguments of a predicate, or one with a constant of the program; or it says which
value something has where two arguments are equal. Each predicate begins with all its candidates, and with
*false*: nobody is there yet. A rule that does not keep a candidate of its head removes it, until every rule
keeps all that is left.

Claim: what is left satisfies all rules, and contains every choice of candidates that does. For such a choice
is never touched: as long as it is part of what is left, each rule derives it from its own part of the
premises. So if *false* goes from the query, no choice of candidates proves anything, and the search ends.
What a solver does not know counts as not kept; where it says that something follows, the checker asks again.

A ticket lock needs such formulas: tickets of two threads differ, lie between what is served and what comes
next, and nobody is inside if it is the turn of someone who still waits. A solver for Horn clauses generalizes
from single runs, and goes on for ever with larger and larger tickets.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from itertools import combinations

from seriatim.arithmetic.solvers.questions import Questions
from seriatim.arithmetic.solvers.scripts import refute
from seriatim.budget import Deadline
from seriatim.certificate.thread_predicates import Predicate
from seriatim.engines.threads.predicates import FALSE_QUERY, Atom, PredicateClauses, Rule, TooMany
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import ThreadProgram, Type, actions, expressions, is_boolean
from seriatim.program.threads.values import constants_in
from seriatim.terms.expressions import (
    FALSE,
    Apply,
    Constant,
    Expression,
    Variable,
    apply,
    subexpressions,
    substitute,
    variables,
)
from seriatim.terms.smt import quote, smt

MAX_CONSTANTS = 6
MAX_CANDIDATES = 400
"""Of one predicate."""
MAX_QUESTIONS = 3_000
"""To a solver, for one program."""


def find_relations(clauses: PredicateClauses, deadline: Deadline) -> tuple[Predicate, ...] | None:
    """Formulas that satisfy all clauses; None if no candidates do. Raises `TooMany`."""
    houdini = Houdini(clauses, deadline)
    return houdini.predicates() if houdini.keeps_all() else None


class Houdini:
    def __init__(self, clauses: PredicateClauses, deadline: Deadline) -> None:
        self.clauses = clauses
        self.deadline = deadline
        words = _Words(clauses.program)
        self.parameters: dict[str, tuple[str, ...]] = {FALSE_QUERY: ()}
        self.left: dict[str, list[Expression]] = {FALSE_QUERY: [FALSE]}
        for key, name in clauses.keys.items():
            arguments = clauses.arguments(key)
            self.parameters[name] = tuple(argument for argument, _ in arguments)
            self.left[name] = [FALSE, *words.candidates(arguments)]
            if len(self.left[name]) > MAX_CANDIDATES:
                raise TooMany("a state has too many variables to compare all of them")
        self.users: dict[str, list[int]] = defaultdict(list)
        """Rules by the relations that they use."""
        for number, rule in enumerate(clauses.rules):
            for relation in {each.relation: None for each in rule.premises}:
                self.users[relation].append(number)
        declared = (f"(declare-const {quote(name)} {kind})" for name, kind in clauses.scenes.sorts.items())
        self.questions = 0
        self.asked = Questions()
        self.declarations = "\n".join(declared)

    def keeps_all(self) -> bool:
        """Removes candidates that some rule does not keep, until every rule keeps all that are left. Returns
        whether it still follows that no step fails."""
        rules = self.clauses.rules
        pending = dict.fromkeys(number for number, rule in enumerate(rules) if not rule.premises)
        while pending:
            number = next(iter(pending))
            del pending[number]
            if self.remove(rules[number]):
                changed = rules[number].head.relation
                if changed == FALSE_QUERY:
                    return False
                pending |= dict.fromkeys(self.users[changed])
        return True

    def remove(self, rule: Rule) -> bool:
        """Removes what a rule does not keep; whether there was something."""
        if any(self.left[each.relation][:1] == [FALSE] for each in rule.premises):
            return False
        premises = [self.instances(each) for each in rule.premises]
        known = {text for each in premises for text in each.values()}
        claimed = self.instances(rule.head)
        unsure = [fact for fact, text in claimed.items() if text not in known]
        told = [each[fact] for each in premises for fact in tidy(each)] + list(map(smt, rule.conditions))
        dropped: set[Expression] = set()
        while unsure:
            wrong = self.not_kept(told, [claimed[fact] for fact in unsure])
            if not any(wrong):
                break
            dropped |= {fact for fact, is_wrong in zip(unsure, wrong, strict=True) if is_wrong}
            unsure = [fact for fact in unsure if fact not in dropped]
        self.left[rule.head.relation] = [fact for fact in claimed if fact not in dropped]
        return bool(dropped)

    def instances(self, atom: Atom) -> dict[Expression, str]:
        """Returns what is left of an atom's relation, as text about its values."""
        values = dict(zip(self.parameters[atom.relation], atom.values, strict=True))
        return {fact: smt(substitute(fact, values)) for fact in self.left[atom.relation]}

    def not_kept(self, known: list[str], claims: list[str]) -> tuple[bool, ...]:
        """Of each claim, whether it is false in a case in which some claim is; of none, if all follow."""
        self.questions += 1
        if self.questions > MAX_QUESTIONS:
            raise TooMany(f"more than {MAX_QUESTIONS:,} questions about relations between variables")
        flags = [f"claim {number}" for number in range(len(claims))]
        lines = [self.declarations, *(f"(assert {each})" for each in known)]
        lines += [
            f"(declare-const {quote(flag)} Bool) (assert (= {quote(flag)} {claim}))"
            for flag, claim in zip(flags, claims, strict=True)
        ]
        lines.append(f"(assert (not (and true {' '.join(map(quote, flags))})))")
        found = refute("\n".join(lines), flags, self.deadline, self.asked)
        return (True,) * len(claims) if found is None else found

    def predicates(self) -> tuple[Predicate, ...]:
        return tuple(
            Predicate(place, spots, conjunction(tuple(tidy(self.left[name]))))
            for (place, spots), name in self.clauses.keys.items()
            if FALSE not in self.left[name]
        )


class _Words:
    """What candidates are made of."""

    def __init__(self, program: ThreadProgram) -> None:
        found = {int(value) for value in program.initial.values()}
        self.tested: set[str] = set()
        """Variables that the program compares with constants."""
        for _, _, action in actions(program):
            for expression in expressions(action):
                found |= constants_in(expression)
                for each in subexpressions(expression):
                    if isinstance(each, Apply) and isinstance(each.arguments[-1], Constant):
                        self.tested |= variables(each.arguments[0])
        self.constants = sorted(found, key=lambda value: (abs(value), value))[:MAX_CONSTANTS]

    def candidates(self, arguments: list[tuple[str, Type]]) -> list[Expression]:
        numbers = [Variable(name) for name, type_ in arguments if not is_boolean(type_)]
        truths = [Variable(name) for name, type_ in arguments if is_boolean(type_)]
        found: list[Expression] = [*truths, *(apply("!", each) for each in truths)]
        for number in numbers:
            for constant in self.constants:
                found += [apply(operator, number, Constant(constant)) for operator in ("<=", ">=", "!=")]
        pairs = list(combinations(numbers, 2))
        found += [Apply(operator, pair) for pair in pairs for operator in ("<=", ">=", "!=")]
        values: list[Expression] = [*truths, *(apply("!", each) for each in truths)]
        for number in numbers:
            if number.name.partition(".")[2] in self.tested:
                values += [apply("==", number, Constant(constant)) for constant in self.constants]
        for pair in pairs:
            names = {each.name for each in pair}
            found += [apply("||", Apply("!=", pair), each) for each in values if not variables(each) & names]
        return found


def tidy(facts: Iterable[Expression]) -> list[Expression]:
    """Without what follows from others at sight."""
    known = dict.fromkeys(facts)
    return [fact for fact in known if not is_implied(fact, known)]


def is_implied(fact: Expression, known: Collection[Expression]) -> bool:
    match fact:
        case Apply(op="||", arguments=(other, holds)):
            if other in known or holds in known:
                return True
            return isinstance(holds, Apply) and all(
                Apply(operator, holds.arguments) in known for operator in ("<=", ">=")
            )
        case _:
            return False
