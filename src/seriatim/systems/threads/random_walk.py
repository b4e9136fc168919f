"""A random run of a program with threads: any step that is possible, until none is or one fails."""

from dataclasses import dataclass
from random import Random

from seriatim.program.threads.runs import ThreadRun
from seriatim.systems.threads.finite import FiniteSystem, Move, Token, without_id
from seriatim.systems.threads.runs import TokenStep, thread_run

MAX_THREADS = 6
"""At a time; a fork beyond waits."""


@dataclass(frozen=True, slots=True)
class RandomWalk:
    run: ThreadRun
    fails: bool
    is_stuck: bool
    """Whether no step was possible any more."""


def random_walk(system: FiniteSystem, seed: int, steps: int) -> RandomWalk:
    random = Random(seed)
    globals_, main = system.start
    threads: list[Token] = [main]
    taken: list[TokenStep] = []
    while len(taken) < steps:
        choices: list[tuple[int, Move, int | None]] = []
        for number, token in enumerate(threads):
            moves = system.moves(token, globals_)
            choices += [(number, move, None) for move in moves]
            choices += [
                (number, move, other)
                for other, partner in enumerate(threads)
                if other != number
                for move in system.joins(token, globals_, partner)
            ]
        allowed = [each for each in choices if each[1].spawned is None or len(threads) < MAX_THREADS]
        if not allowed:
            return RandomWalk(thread_run(system, taken), False, not choices)
        number, move, other = random.choice(allowed)
        taken.append((threads[number], move, None if other is None else threads[other]))
        if move.failure is not None:
            return RandomWalk(thread_run(system, taken), True, False)
        gone = {number, other}
        threads = [token for index, token in enumerate(threads) if index not in gone]
        threads += [token for token in (move.token,) if token is not None]
        if move.spawned is not None:
            if system.forgets:
                threads = [without_id(token, move.spawned.id) for token in threads]
            threads.append(move.spawned)
        globals_ = move.globals
    return RandomWalk(thread_run(system, taken), False, False)
