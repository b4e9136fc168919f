"""The process that runs a user's own code: reads what to do from standard input, writes what came of it.

It is started with `-P`, so that no file beside the user's, such as their `token.py`, is taken for a module of
the library; their folder is searched last.
"""

import importlib
import io
import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import permutations
from typing import Any

from seriatim.frontends.python.choices import Choices, RandomChoices
from seriatim.frontends.python.request_parts import Extent
from seriatim.frontends.python.stage import RELATIVES, Action, Performance, Place, prepare, show
from seriatim.frontends.python.strangers import allow_strangers, exception_names

Json = dict[str, Any]

Look = Callable[[Performance], list[Any]]

MAX_RUNS = 20_000
"""Serial or interleaved runs that are tried."""

MAX_TURNS = 500
"""Turns of one request, after which it is said to have no end."""

SHORT_RUNS = 2_000
"""Runs that are tried if some have no end."""


class Endless(Exception):
    """A request takes more turns than it may."""


class Company:
    """A service and the requests that are to be made."""

    def __init__(self, told: Json) -> None:
        self.told = told
        places: dict[Place, bool] = {(line, column): awaited for line, column, awaited, _ in told["gates"]}
        self.values = {(line, column): values for line, column, _, values in told["gates"]}
        records: dict[Place, str] = {(line, column): name for line, column, name in told["records"]}
        parts: dict[Extent, str] = {
            (line, column, end_line, end): text for line, column, end_line, end, text in told["parts"]
        }
        self.code = prepare(told["text"], told["file"], places, records, parts)
        self.requests: list[Json] = told["requests"]
        self.names: dict[str, list[str]] = {}
        """How a user would write outcomes."""
        self.most_turns = MAX_TURNS
        """How many a request may take; runs with more are given up."""
        self.taken: dict[int, int] = {}
        """Turns of each request of the present run."""

    def performance(self, choices: Choices) -> Performance:
        def answer(place: Place) -> str:
            values = self.values[place]
            return str(values[choices.pick(len(values))] if len(values) > 1 else values[0])

        return Performance(self.code, self.told["module"], self.told["service"], self.told["app"], answer)

    def begin(self, performance: Performance, number: int) -> None:
        request = self.requests[number]
        performance.begin(number, request["function"], [(name, text) for name, text in request["arguments"]])

    def outcome(self, performance: Performance) -> list[str | None]:
        answers = [
            performance.outcome(number) if number in performance.begun else None
            for number in range(len(self.requests))
        ]
        if None in answers:
            return answers
        observed = self.told["observed"]
        outcome = [*answers, *(performance.look(expression) for expression in observed)]
        self.names[json.dumps(outcome)] = [
            *(str(performance.show_answer(number)) for number in range(len(self.requests))),
            *(performance.look(expression, show) for expression in observed),
        ]
        return outcome

    # All at a time

    def serial(self, order: tuple[int, ...], choices: Choices) -> list[str | None]:
        """One request after the other."""
        performance = self.performance(choices)
        self.taken = {}
        try:
            for number in order:
                self.begin(performance, number)
                while self.options(performance, number):
                    self.count_turn(number)
                    self.take_turn(performance, number, choices)
            return self.outcome(performance)
        finally:
            performance.close()

    def count_turn(self, number: int) -> None:
        """Raises `Endless` if a request takes more turns than it may."""
        self.taken[number] = self.taken.get(number, 0) + 1
        if self.taken[number] > self.most_turns:
            raise Endless

    def serial_outcomes(self) -> list[list[str | None]] | None:
        """What one-at-a-time orders give; None if there are too many to try, or some have no end."""
        try:
            return self.serial_within(MAX_RUNS, is_cut=False)
        except Endless:
            return None

    def short_outcomes(self, most_turns: int) -> list[list[str | None]] | None:
        """What one-at-a-time orders give where no request takes more turns than that; None if too many."""
        self.most_turns = most_turns
        try:
            return self.serial_within(SHORT_RUNS, is_cut=True)
        finally:
            self.most_turns = MAX_TURNS

    def serial_within(self, most: int, *, is_cut: bool) -> list[list[str | None]] | None:
        """The same for a number of runs; those with too many turns are left out, or raise `Endless`."""
        found: dict[str, list[str | None]] = {}
        runs = 0
        for order in permutations(range(len(self.requests))):
            choices = Choices()
            while True:
                try:
                    outcome = self.serial(order, choices)
                except Endless:
                    if not is_cut:
                        raise
                    outcome = [None]
                runs += 1
                if None not in outcome:
                    found[json.dumps(outcome)] = outcome
                if runs > most:
                    return None
                if not choices.advance():
                    break
        return list(found.values())

    def options(self, performance: Performance, number: int) -> list[Action]:
        """What a request can do, or what can be done to it."""
        interruptions = performance.interruptions(number)
        return performance.options(number) + [
            each for each in interruptions if each[0] != "cancel" or self.may_cancel(performance, number)
        ]

    def may_cancel(self, performance: Performance, number: int) -> bool:
        can_be = number in performance.waiting and not performance.loop.tasks[number][0].done()
        return bool(self.told["cancel"]) and can_be

    def take_turn(self, performance: Performance, number: int, choices: Choices) -> None:
        """A request goes on or is interrupted, as choices say, until one of its tasks has run."""
        options = self.options(performance, number)
        is_alone, is_interrupted = len(performance.loop.tasks[number]) == 1, False
        while options:
            action = options[choices.pick(len(options))]
            if performance.act(number, action):
                return
            is_interrupted = is_interrupted or action[0] in ("cancel", "limit")
            options = performance.options(number)
            if is_alone and is_interrupted:
                options = options[:1]
            elif not is_alone and not is_interrupted:
                options = self.options(performance, number)

    def interleave(self, choices: Choices, log: list[Json] | None = None) -> list[str | None]:
        """Requests take turns as choices say."""
        performance = self.performance(choices)
        self.taken = {}
        try:
            while able := self.able(performance, choices):
                number = able[choices.pick(len(able))]
                self.count_turn(number)
                if number not in performance.begun:
                    self.begin(performance, number)
                    performance.go_on(number)
                else:
                    self.take_turn(performance, number, choices)
                if log is not None:
                    log.append(self.tell_turn(performance, number))
            return self.outcome(performance)
        finally:
            performance.close()

    def able(self, performance: Performance, _: Choices) -> list[int]:
        """The requests that can take a turn."""
        return [
            number
            for number in range(len(self.requests))
            if number not in performance.begun or self.options(performance, number)
        ]

    def tell_turn(self, performance: Performance, number: int) -> Json:
        return {
            "request": number,
            "answer": performance.outcome(number),
            "shown": performance.show_answer(number),
            "lines": performance.lines(number),
            "state": [performance.look(expression) for expression in self.told["state"]],
        }

    def explore(self, most: int) -> tuple[list[list[str | None]], bool]:
        """The outcomes of all interleavings, and whether these were all."""
        found: dict[str, list[str | None]] = {}
        choices = Choices()
        is_all = True
        for _ in range(most):
            try:
                outcome = self.interleave(choices)
            except Endless:
                outcome, is_all = [None], False
            if None not in outcome:
                found[json.dumps(outcome)] = outcome
            if not choices.advance():
                return list(found.values()), is_all
        return list(found.values()), False

    # A given run

    def follow(self, turns: list[Json], at_end: Look) -> tuple[list[Any], list[Json]]:
        """Requests take turns as the model did, and calls answer as they did there; then somebody looks."""
        waiting: dict[int, list[list[Any]]] = {}
        current = -1

        def answer(place: Place) -> str:
            mine = waiting.get(current, [])
            for index, (line, column, text) in enumerate(mine):
                if (line, column) == place:
                    del mine[index]
                    return str(text)
            return str(self.values[place][0])

        performance = Performance(
            self.code, self.told["module"], self.told["service"], self.told["app"], answer
        )
        log: list[Json] = []
        try:
            for turn in turns:
                current = turn["request"]
                waiting.setdefault(current, []).extend(turn["values"])
                if current not in performance.begun:
                    self.begin(performance, current)
                self.follow_turn(performance, current, turn)
                log.append(self.tell_turn(performance, current))
            return at_end(performance), log
        finally:
            performance.close()

    def waiting(self, performance: Performance) -> list[Any]:
        """The requests that still wait, and in which lines, when nobody can go on."""
        self.taken = {}
        while able := [number for number in sorted(performance.begun) if performance.options(number)]:
            self.count_turn(able[0])
            performance.go_on(able[0])
        left = [number for number in sorted(performance.begun) if not performance.is_over(number)]
        return [[number, performance.lines(number)] for number in left]

    def follow_turn(self, performance: Performance, number: int, turn: Json) -> None:
        """One turn of the model; the real request may be further on already, or have to catch up."""
        if any(kind != "cancel" for kind, _ in turn["actions"]):  # It has tasks.
            for kind, member in turn["actions"]:
                if kind == "cancel" or (kind, member) in performance.options(number):
                    performance.act(number, (kind, member))
            return
        if turn["limit"]:
            first, last = turn["limit"]
            lines = performance.loop.lines
            limits = [lines[handle] for handle in performance.loop.limits(number)]
            fitting = [index for index, line in enumerate(limits) if first <= line <= last]
            if fitting:
                performance.act(number, ("limit", fitting[-1]))
        if turn["cancel"]:
            performance.act(number, ("cancel", 0))
        gates = [place for (owner, _), (_, place) in performance.gates.items() if owner == number]
        if not gates or turn["from"] in map(list, gates) or turn["ends"] or turn["cancel"] or turn["limit"]:
            performance.go_on(number)
        for _ in range(MAX_TURNS):
            if not turn["ends"] or not performance.options(number):
                return
            performance.go_on(number)


def answer(told: Json) -> Json:
    """What came of a task."""
    company = Company(told)
    match told["task"]:
        case "confirm":
            outcome, log = company.follow(told["turns"], company.outcome)
            return confirmation(company, told, outcome) | {"outcome": outcome, "log": log}
        case "stuck":
            try:
                waiting, log = company.follow(told["turns"], company.waiting)
            except Endless:  # Somebody always goes on, and may help the others.
                waiting, log = [], []
            return {"waiting": waiting, "log": log}
        case "random":
            all_requests = company.requests
            runs = []
            for seed, numbers in enumerate(told["runs"]):
                company.requests = [all_requests[number] for number in numbers]
                log = []
                with suppress(Endless):
                    company.interleave(RandomChoices(seed), log)
                runs.append(log)
            return {"runs": runs}
        case "explore":
            outcomes, is_all = company.explore(told["most_runs"])
            serial = company.serial_outcomes()
            return {"outcomes": outcomes, "all": is_all, "serial": serial, "names": company.names}
        case other:
            raise ValueError(other)


def confirmation(company: Company, told: Json, outcome: list[str | None]) -> Json:
    """What there is to compare an outcome with: one-at-a-time orders, and other interleavings.

    If some orders have no end, those are tried in which no request takes many more turns than in the run.
    """
    if len(company.requests) > told["most_serial"]:
        return {"serial": None}
    try:
        serial = company.serial_within(MAX_RUNS, is_cut=False)
    except Endless:
        turns = Counter(turn["request"] for turn in told["turns"])
        most = max(turns.values()) + 2
        return {"serial": None, "short": company.short_outcomes(most), "turns": most}
    if serial is not None and (None in outcome or outcome in serial):
        return {"serial": serial, "other": seek(company, serial, told["most_runs"])}
    return {"serial": serial}


def seek(company: Company, serial: list[list[str | None]], most: int) -> list[Json] | None:
    """Another interleaving of the same requests with an outcome that no serial order has."""
    choices = Choices()
    for _ in range(most):
        log: list[Json] = []
        try:
            outcome = company.interleave(choices, log)
        except Endless:
            return None
        if None not in outcome and outcome not in serial:
            return [*log, {"outcome": outcome}]
        if not choices.advance():
            return None
    return None


def limit_work(seconds: int) -> None:
    """Has this process ended when it has computed for so long, where the system can do that."""
    with suppress(ImportError):
        resource = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


def main() -> None:
    told = json.load(sys.stdin)
    limit_work(told["work"])
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # What the user's code prints goes nowhere.
    sys.stdout = io.StringIO()
    if told["folder"]:
        sys.path.append(told["folder"])
    answers = (answer for *_, found in told["gates"] for answer in found)
    exceptions = exception_names(told["text"], answers)
    strangers = allow_strangers(told["file"], told["folder"], exceptions)
    try:
        found = answer(told)
    except BaseException as failure:  # noqa: BLE001 - the user's code may raise anything
        found = {"failure": f"{type(failure).__name__}: {failure}"}
    beside = RELATIVES.partition(".")[0]
    names = {name.replace(f"{beside}.", "").partition(".")[0] for name in strangers.names}
    found["strangers"] = sorted(names - {beside})
    json.dump(found, out)
    out.close()


if __name__ == "__main__":
    main()
