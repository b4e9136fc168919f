"""Do proofs of the example protocols depend on names or on a solver's seed?

python reliability/shaking.py [PROTOCOL …] [--solver cvc5]

Each protocol is proved for all sizes as it is, and then six times with other names for everything that it
declares and with another seed each time. With --solver cvc5 its conditions are asked of cvc5 instead, once.
"""

import re
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from random import Random
from time import process_time

from seriatim.actions.syntax import ActionProgram
from seriatim.arithmetic.instances import instantiate
from seriatim.arithmetic.smt_text import script
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import SolverAnswer, ask
from seriatim.arithmetic.terms import Term, negate
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.assumptions import Condition
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import follows_from_instances
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.outcome import Proved
from seriatim.source import SourceText

PROTOCOLS = Path(__file__).parents[1] / "examples" / "protocols"
SEEDS = range(1, 7)


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def read(text: str) -> ActionProgram:
    return parse(SourceText("shaken.actions", text))


def declared(program: ActionProgram) -> set[str]:
    """The names that a program gives to what it declares; `main` has to stay."""
    found = {size.name for size in program.sizes} | {each.name for each in program.variables}
    found |= {action.name for action in program.actions}
    for enum in program.enums:
        found |= {enum.name, *enum.members}
    found |= {family.name for family in program.families}
    return found - {"main"}


def renamed(text: str, seed: int) -> str:
    random = Random(seed)
    names = sorted(declared(read(text)))
    others = [f"{random.choice('abkqxyz')}{random.randrange(10**6)}_{at}" for at in range(len(names))]
    random.shuffle(others)
    table = dict(zip(names, others, strict=True))
    return re.sub(r"\b[A-Za-z_]\w*\b", lambda found: table.get(found[0], found[0]), text)


def prove(text: str) -> Proved | None:
    outcome = Decision(read(text), Settings(), read_proof, Deadline(600)).decide()
    return outcome if isinstance(outcome, Proved) else None


def shake(name: str) -> bool:
    text = (PROTOCOLS / f"{name}.actions").read_text("utf-8")
    begun = process_time()
    if prove(text) is None:
        say(f"{name:20} not proved\n")
        return False
    say(f"{name:20} proved in {process_time() - begun:5.1f} s")
    stable = 0
    for seed in SEEDS:
        other = renamed(text, seed)
        found = prove(other)
        if found is not None:
            conditions = Conditions(read(other), found.proof).all()
            lost = [each for each in conditions if not holds(each, seed, Deadline(600))]
            stable += not lost
            say(f" [seed {seed}: {lost[0].name}]" if lost else "")
        say(".")
    say(f" {stable} of {len(SEEDS)}, {process_time() - begun:.0f} s in all\n")
    return stable == len(SEEDS)


def holds(condition: Condition, seed: int, deadline: Deadline) -> bool:
    """Whether z3 proves a condition, or instances of it, with this seed."""
    for goal in goals_of(condition):
        whole = [*condition.hypotheses, negate(goal)]
        for asked in chain([whole], instantiate(whole)):
            if ask(script(asked), SolverName.Z3, deadline, seed) is SolverAnswer.UNSATISFIABLE:
                return True
    return condition.is_trivial


def goals_of(condition: Condition) -> list[Term]:
    return [condition.goal, *(() if condition.weaker is None else (condition.weaker(),))]


def confirm(name: str) -> bool:
    """What cvc5 says about each condition, given a few seconds."""
    text = (PROTOCOLS / f"{name}.actions").read_text("utf-8")
    found = prove(text)
    assert found is not None
    counts: Counter[str] = Counter()
    begun = process_time()
    deadline = Deadline(3_000)
    for condition in Conditions(read(text), found.proof).all():
        if condition.is_trivial:
            counts["trivial"] += 1
            continue
        answer = "open"
        for goal in goals_of(condition):
            said = ask(script([*condition.hypotheses, negate(goal)]), SolverName.CVC5, deadline)
            if said is SolverAnswer.UNSATISFIABLE:
                answer = "confirmed"
            elif follows_from_instances(condition, goal, SolverName.CVC5, deadline):
                answer = "confirmed by instances"
            if answer != "open":
                break
        counts[answer] += 1
    listed = ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
    say(f"{name:20} cvc5: {listed}; {process_time() - begun:.0f} s\n")
    return not counts["open"]


def main(arguments: list[str]) -> int:
    other = "--solver" in arguments
    chosen = [each for each in arguments if each not in ("--solver", "cvc5")]
    names = chosen or sorted(p.stem for p in PROTOCOLS.glob("*.actions") if "broken" not in p.stem)
    found = [confirm(name) if other else shake(name) for name in names]
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
