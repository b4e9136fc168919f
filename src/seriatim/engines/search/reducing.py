"""Reductions as a stage: makes the smaller system for further searches."""

from dataclasses import replace

from seriatim.engines.stage import Facts, Task, once
from seriatim.method import Method
from seriatim.reductions.prepass import prepass
from seriatim.systems.posing import OutcomeProblem


def reduce(task: Task[OutcomeProblem]) -> Facts:
    """A smaller system with the same outcomes, if there is one."""
    facts = task.facts
    assert facts.system is not None, "the stage needs it"
    reduced = prepass(facts.system, task.deadline)
    requests = task.problem.origin.requests
    own = [number for number in reduced.system.one_step_requests() if number < len(requests)]
    single_steps = tuple(requests[request] for request in own)
    is_smaller = len(reduced.system.table) < len(facts.system.table)
    return replace(facts, single_steps=single_steps, reduced=reduced if is_smaller else facts.reduced)


REDUCE = once("reduction", Method.SEARCH, reduce, needs=lambda task: task.facts.system is not None)
