"""Repeats violations on the user's own code, in a process of its own, with real tasks and locks.

A violation is confirmed if the real service gives the answers, and no one-at-a-time order of the same
requests gives them on the real service either, whatever opaque calls answer. If the run of the model cannot
be followed, because asyncio hands locks over in order, other interleavings of the same requests are tried.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.folded_run import FoldedRunEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.stuck_run import StuckRunEvidence
from seriatim.frontends.protocol import NO_SETTINGS, Confirmation, Settings, Translation
from seriatim.frontends.python.analysis import Analysis, analyse, choose_observed, model, state_expressions
from seriatim.frontends.python.app_state import application
from seriatim.frontends.python.domains import FIRST_CODE
from seriatim.frontends.python.handlers import cells
from seriatim.frontends.python.request_parts import extents
from seriatim.frontends.python.scheduling import LIFE, NEXT, OPENED
from seriatim.frontends.python.surroundings import Timed
from seriatim.frontends.python.waiting import CANCELLED
from seriatim.program.syntax import NOWHERE, Program, global_names
from seriatim.source import SourceText, Span
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.replay import ImpossibleTurn, TooManyTurns, name_turns, replay_turns
from seriatim.systems.run import Turn
from seriatim.systems.source_map import Event, Write, events
from seriatim.systems.unfolding import ProgramUnfolding

Json = dict[str, Any]

OUT_OF_WORK: int = getattr(signal, "SIGXCPU", 0)
"""The signal that ends a process which computes for too long."""

MAX_REQUESTS = 40
"""In a run that is repeated."""

MOST_SERIAL = 5
"""Requests of which all orders are tried."""

MOST_RUNS = 5_000
"""Interleavings that are tried if the run of the model cannot be followed."""

WORK = 30
"""Seconds that a process may compute, where the system counts them."""

PATIENCE = 300.0
"""Seconds until a process that waits is given up; a busy machine may take that long for its work."""


class Failed(Exception):
    """The user's code could not be run; says why."""


class PythonReplayer:
    """Who repeats runs of asyncio services."""

    def confirm(
        self, source: SourceText, translation: Translation, certificate: Certificate, deadline: Deadline
    ) -> Confirmation:
        settings = {} if certificate.provenance is None else dict(certificate.provenance.settings)
        analysis = analyse(source, settings)
        assert isinstance(translation.content, Program)
        kind = certificate.evidence.kind
        if not isinstance(certificate.evidence, RunEvidence | FoldedRunEvidence | StuckRunEvidence):
            return Confirmation(False, f"evidence of the kind `{kind}` is not repeated on the real code")
        try:
            turns, requests = schedule_turns(analysis, translation.content, certificate)
            told = task(analysis, source, requests, settings) | {
                "task": "stuck" if isinstance(certificate.evidence, StuckRunEvidence) else "confirm",
                "turns": turns,
                "most_serial": MOST_SERIAL,
                "most_runs": MOST_RUNS,
            }
            found = perform(told, deadline)
        except Failed as failed:
            return Confirmation(False, f"{source.name} could not be run: {failed}")
        if isinstance(certificate.evidence, StuckRunEvidence):
            return judge_stuck(found, certificate.evidence, source.name)
        found["differs"] = differing_turn([turn["expected"] for turn in turns], found["log"])
        return judge(found, expect_answers(analysis, certificate, requests), source.name)


def differing_turn(expected: list[Json], log: list[Json]) -> int | None:
    """The first turn after which the real code is not where the model is; None if they always agree."""
    for number, (wanted, real) in enumerate(zip(expected, log, strict=True), 1):
        first, last = wanted["lines"]
        is_there = wanted["answer"] is not None or any(first <= line <= last for line in real["lines"])
        if wanted["state"] != real["state"] or wanted["answer"] != real["answer"] or not is_there:
            return number
    return None


def judge_stuck(found: Json, evidence: StuckRunEvidence, name: str) -> Confirmation:
    """Whether the real requests wait for ever, too."""
    log = tuple(_turn_text(turn) for turn in found["log"])
    started = {turn.request for turn in evidence.turns}
    claimed = [each.request for each in evidence.in_flight if each.stuck and each.request in started]
    lines = {number + 1: lines for number, lines in found["waiting"]}
    if not claimed or not set(claimed) <= set(lines):
        return Confirmation(False, f"on {name}, these requests do not wait for ever")
    where = ", ".join(
        f"request {number} in line {lines[number][-1]}" if lines[number] else f"request {number}"
        for number in claimed
    )
    return Confirmation(True, f"Replayed on {name}: the real code waits for ever, {where}.", log)


def judge(found: Json, wanted: list[str] | None, name: str) -> Confirmation:
    """What the process has seen, as a confirmation."""
    serial, outcome = found["serial"], found["outcome"]
    log = tuple(_turn_text(turn) for turn in found["log"])
    strangers = found["strangers"]
    without = f" ({', '.join(strangers)} not installed, replaced by empty modules)" if strangers else ""
    if serial is None:
        short = found.get("short")
        if short is not None and outcome in short:
            return Confirmation(False, f"on {name}, a one-at-a-time order gives these answers, too")
        if None not in outcome and outcome == wanted:
            sentence = f"Replayed on {name}: the real code gives the same answers{without}."
            if short is not None:
                sentence = (
                    f"Replayed on {name}: the real code gives the same answers, and none of its one-at-a-time"
                    f" orders does in which no request takes more than {found['turns']} turns{without}."
                )
            return Confirmation(True, sentence, log)
        return Confirmation(False, f"on {name}, the run takes another course")
    if None not in outcome and outcome not in serial:
        differs = found["differs"]
        course = (
            "After each turn, state, line and answer are the same."
            if differs is None
            else f"After turn {differs}, it has another state or line than the model."
        )
        sentence = (
            f"Replayed on {name}: the real code gives the same answers, and none of its"
            f" one-at-a-time orders does{without}. {course}"
        )
        if outcome != wanted:
            sentence = (
                f"Replayed on {name}: the real code answers {', '.join(outcome)}, which none of its"
                f" one-at-a-time orders gives{without}."
            )
        return Confirmation(True, sentence, log)
    other = found.get("other")
    if other is not None:
        answers = ", ".join(other[-1]["outcome"])
        order = ", ".join(str(turn["request"] + 1) for turn in other[:-1])
        sentence = (
            f"Replayed on {name}: with turns of the requests {order}, the real code answers {answers},"
            f" which none of its one-at-a-time orders gives{without}."
        )
        return Confirmation(True, sentence, tuple(_turn_text(turn) for turn in other[:-1]))
    return Confirmation(False, f"on {name}, these requests always answer as in some one-at-a-time order")


def _turn_text(turn: Json) -> str:
    if turn["answer"] is not None:
        end = f"answers {turn['shown']}"
    else:
        lines = turn["lines"]
        end = f"waits in line {lines[-1]}" if lines else "waits"
    return f"request {turn['request'] + 1} {end}"


def schedule_turns(
    analysis: Analysis, program: Program, certificate: Certificate
) -> tuple[list[Json], list[str]]:
    """The turns of a certificate's run, with what opaque calls answer in each; and the requests."""
    evidence = certificate.evidence
    if not isinstance(evidence, RunEvidence | FoldedRunEvidence | StuckRunEvidence):
        raise Failed(f"evidence of the kind `{evidence.kind}` is not repeated")
    try:
        recorded = name_turns(evidence) if isinstance(evidence, FoldedRunEvidence) else evidence.turns
        unfolding = unfold(program, Limits(), Deadline(), dead_ends=True)
        run = replay_turns(recorded, unfolding)
    except (ImpossibleTurn, TooManyTurns) as wrong:
        raise Failed(f"the run cannot be followed: {wrong}") from None
    assert isinstance(unfolding, ProgramUnfolding)
    if run.requests() > MAX_REQUESTS:
        raise Failed(f"the run has more than {MAX_REQUESTS} requests")
    requests: dict[int, str] = {}
    turns: list[Json] = []
    places = {gate.span: place for place, gate in analysis.lowered.gates.items()}
    born: dict[int, list[int]] = {}
    for turn in run.turns:
        name = unfolding.requests[unfolding.request_of(turn.local)]
        requests.setdefault(turn.request, name)
        made = events(unfolding, turn.local, turn.before, turn.target, turn.after)
        turns.append(
            {
                "request": turn.request,
                "from": list(places.get(_pause(unfolding, turn.local), (0, 0))),
                "values": gate_values(analysis, made),
                "ends": turn.target < 0,
                "cancel": any(event.write is not None and event.write.name == CANCELLED for event in made),
                "limit": find_limit(analysis.lowered.limits[name], made),
                "actions": task_actions(born.setdefault(turn.request, []), made),
                "expected": expect_after(analysis, unfolding, turn),
            }
        )
    return turns, [requests[number] for number in sorted(requests)]


def _pause(unfolding: ProgramUnfolding, local: int) -> Span:
    """Where a request waits."""
    point, _ = unfolding.local_states[local]
    pause = unfolding.steps.points[point].pause
    return Span(0, 0, 0, 0) if pause is None else pause.span


def expect_after(analysis: Analysis, unfolding: ProgramUnfolding, turn: Turn) -> Json:
    """The state after a turn of the model, and where the request waits then, or what it answers."""
    names = analysis.atoms.names()
    values = dict(zip(unfolding.global_names, unfolding.global_values[turn.after], strict=True))
    answer = None
    if turn.target < 0:
        request, text = unfolding.completions[~turn.target]
        canonical = analysis.lowered.canonical_answers.get(unfolding.requests[request], {})
        answer = canonical.get(int(text), text)
    return {
        "state": [names.get(values[cell], str(values[cell])) for cell in visible(analysis)],
        "lines": [0, 0] if turn.target < 0 else _lines(_pause(unfolding, turn.target)),
        "answer": answer,
    }


def _lines(span: Span) -> list[int]:
    return [span.line, span.end_line]


def visible(analysis: Analysis) -> tuple[str, ...]:
    """The variables of the state that are compared after each turn."""
    known = frozenset(global_names(model(analysis)))
    return tuple(cell.name for cell in cells(analysis.service) if cell.is_observable and cell.name in known)


def task_actions(born: list[int], made: tuple[Event, ...]) -> list[list[Any]]:
    """What the tasks of a request do in a turn: which calls have answered, and how many steps there are."""
    found: list[list[Any]] = []
    for event in made:
        match event.write:
            case Write(name=name, new=new) if name == NEXT and new != 0:
                found.append(["run", 0])
            case Write(name=name, new=1) if name == CANCELLED:
                found.append(["cancel", 0])
            case Write(name=name, new=new) if name == OPENED:
                found.append(["open", born.index(new)])
            case Write(name=name, new=1) if name.startswith(LIFE):
                born.append(int(name.removeprefix(LIFE)))
    return found


def find_limit(limits: tuple[Timed, ...], made: tuple[Event, ...]) -> list[int]:
    """The lines of the limit of time that the request reaches where it waits; none if it goes on."""
    spans = {each.late: each.span for each in limits}
    for event in made:
        if event.write is not None and event.write.name in spans and event.write.new == 1:
            span = spans[event.write.name]
            return [span.line, span.end_line]
    return []


def gate_values(analysis: Analysis, made: tuple[Event, ...]) -> list[list[Any]]:
    """(line, column, answer) of the opaque calls in a turn, in order."""
    gates = analysis.lowered.gates.items()
    slots = {gate.slot.partition("~")[0]: (place, gate) for place, gate in gates if gate.slot}
    found: list[list[Any]] = []
    names = analysis.atoms.names()
    for event in made:
        name = "" if event.write is None else event.write.name.partition("~")[0]
        if event.write is not None and name in slots and event.span != NOWHERE:
            place, gate = slots[name]
            number = event.write.new
            text = names[number] if number >= FIRST_CODE else str(number)
            if number < FIRST_CODE and set(gate.answers) <= {"True", "False", *gate.answers[2:]}:
                text = str(bool(number))
            found.append([*place, text])
    return found


def task(
    analysis: Analysis, source: SourceText, requests: list[str], settings: Settings = NO_SETTINGS
) -> Json:
    """What a process has to know about a service and its requests."""
    by_name = {request.name: request for request in analysis.lowered.requests}
    service = analysis.service
    domains = {
        (handler.function.name, parameter.name): parameter.values
        for handler in service.handlers
        for parameter in handler.parameters
    }

    def text(function: str, name: str, value: int | None) -> str | None:
        domain = domains[function, name]
        return None if value is None or domain is None else domain.name(value, analysis.atoms)

    path = Path(source.name)
    return {
        "text": source.text,
        "file": source.name,
        "folder": str(path.resolve().parent) if path.exists() else "",
        "module": analysis.module.name,
        "app": application(analysis.module),
        "service": None if service.owner is None else service.owner.cls,
        "gates": [
            [*place, gate.is_awaited, list(gate.answers)] for place, gate in analysis.lowered.gates.items()
        ],
        "records": [[*place, name] for place, name in analysis.lowered.records.items()],
        "parts": [
            [*place, name]
            for handler in service.handlers
            for place, name in extents(
                handler.function, {each.name for each in handler.parameters if each.is_part}
            )
        ],
        "observed": state_expressions(analysis, choose_observed(analysis)),
        "state": state_expressions(analysis, visible(analysis)),
        "cancel": "cancel" in settings,
        "requests": [
            {
                "function": by_name[name].function,
                "arguments": [
                    [argument, text(by_name[name].function, argument, value)]
                    for argument, value in by_name[name].arguments
                ],
            }
            for name in requests
        ],
    }


def expect_answers(analysis: Analysis, certificate: Certificate, requests: list[str]) -> list[str] | None:
    """What the model answers, as the process would describe it; None if it is not told in full."""
    evidence = certificate.evidence
    if not isinstance(evidence, RunEvidence):
        return None
    answers: dict[int, str] = {}
    for turn in evidence.turns:
        if turn.response is not None:
            canonical = analysis.lowered.canonical_answers.get(turn.handler, {})
            answers[turn.request] = canonical.get(int(turn.response), turn.response)
    names = choose_observed(analysis)
    last = evidence.turns[-1].after if evidence.turns else ()
    values = dict(last) if not isinstance(last, str) else {}
    atoms = analysis.atoms.names()
    final = [atoms.get(values.get(name, 0), str(values.get(name, 0))) for name in names]
    del requests
    return [*(answers[number] for number in sorted(answers)), *final]


def perform(told: Json, deadline: Deadline) -> Json:
    """Runs a task in a process of its own; raises `Failed`."""
    seconds = min(PATIENCE, deadline.remaining() if deadline.ends is not None else PATIENCE)
    command = [sys.executable, "-P", "-m", "seriatim.frontends.python.child"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps({**told, "work": WORK}),
            capture_output=True,
            text=True,
            timeout=max(seconds, 1.0),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"no result after {seconds:.0f} seconds") from None
    if done.returncode == -OUT_OF_WORK:
        raise Failed(f"no result after {WORK} seconds of work")
    if done.returncode != 0 or not done.stdout:
        raise Failed((done.stderr.strip().splitlines() or ["it ended without a result"])[-1])
    found: Json = json.loads(done.stdout)
    if "failure" in found:
        raise Failed(found["failure"])
    return found
