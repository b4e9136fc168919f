"""A decision as JSON, one object an input; `result.schema.json` describes it."""

from collections.abc import Sequence
from typing import Any, assert_never

from seriatim.engines.stage import Minimality, Obstacle
from seriatim.explain.interleaving import Interleaving, sample_of
from seriatim.explain.narration import Change, Moment
from seriatim.explain.timeline import Loop, ShownTurn, faulty_timeline, timeline
from seriatim.properties.all import property_fields
from seriatim.properties.statement import OrderOfPoints
from seriatim.report.contradiction_json import state_json
from seriatim.report.points import proved_points_json
from seriatim.report.verdict_text import HINT_FOR_LOST
from seriatim.report.why import why_json
from seriatim.source import Diagnostic, SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.run import FaultyRun, Run
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.verdict import Decision, Faulty, Holds, Refused, Undecided, Violated
from seriatim.workers import Lost

VERSION = 1
"""Of the format: it changes when a field goes or changes its meaning, not when one is added."""

Json = dict[str, Any]


def decision_json(decision: Decision, source: SourceText, saved_as: str | None = None) -> Json:
    """What became of an input that could be read."""
    verdict = decision.verdict
    result: Json = {
        "version": VERSION,
        "file": source.name,
        "property": property_fields(decision.question),
        "verdict": verdict_name(decision),
        "method": decision.method,
        "seconds": round(decision.seconds, 6),
        "stages": {name: round(seconds, 6) for name, seconds in decision.stages.items()},
    }
    match verdict:
        case Holds(reason=reason):
            sample = sample_of(decision, source)
            result |= {"reason": reason, "sample": None if sample is None else _sample(sample, source)}
            if isinstance(decision.question.states(), OrderOfPoints):
                result["points"] = proved_points_json(decision)
        case Violated(run=run):
            result |= {"minimal": _minimal(verdict)} | run_json(run, decision.unfolding, source)
            result |= why_json(verdict, decision)
        case Undecided(reason=reason, hint=hint, clean_up_to=clean_up_to):
            result |= {"reason": reason, "hint": hint, "clean_up_to": clean_up_to}
            result |= {"single_steps": list(verdict.single_steps), "obstacle": _obstacle(verdict.obstacle)}
        case Faulty(faulty=faulty):
            result["diagnostics"] = [diagnostic_json(verdict.diagnostic())]
            result |= faulty_json(faulty, decision.unfolding, source)
        case Refused():
            reason = f"a mistake in seriatim itself: its evidence was refused: {verdict.complaint}"
            result |= {"reason": reason, "hint": "please report this, with the input", "clean_up_to": 0}
        case _:
            assert_never(verdict)
    if decision.translation is not None and decision.translation.provenance is not None:
        result |= translation_json(decision)
    result["warnings"] = [diagnostic_json(warning) for warning in decision.warnings]
    if saved_as is not None:
        result["bug_bundle" if isinstance(verdict, Refused) else "certificate"] = saved_as
    return result


def translation_json(decision: Decision) -> Json:
    """What is assumed about a translated source, and what came of repeating a violation on the real thing."""
    translation, confirmation = decision.translation, decision.confirmation
    assert translation is not None
    assumed = [
        {
            "kind": each.kind.value,
            "line": None if each.span is None else each.span.line,
            "sentence": each.sentence,
            "approval": each.approval or None,
        }
        for each in translation.approximations
    ]
    replayed = (
        None
        if confirmation is None
        else {"confirmed": confirmation.confirmed, "sentence": confirmation.sentence}
    )
    return {"assumed": assumed, "replayed": replayed}


def error_json(name: str, diagnostics: Sequence[Diagnostic]) -> Json:
    """What became of an input that could not be read, or whose result could not be saved."""
    found = [diagnostic_json(diagnostic) for diagnostic in diagnostics]
    return {
        "version": VERSION,
        "file": name,
        "verdict": "error",
        "method": None,
        "seconds": 0.0,
        "diagnostics": found,
    }


def lost_json(lost: Lost, name: str) -> Json:
    """What became of an input whose process was lost."""
    return {
        "version": VERSION,
        "file": name,
        "verdict": "unknown",
        "method": None,
        "seconds": 0.0,
        "reason": lost.reason,
        "hint": HINT_FOR_LOST,
        "clean_up_to": 0,
    }


def diagnostic_json(diagnostic: Diagnostic) -> Json:
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "line": None if span is None else span.line,
        "column": None if span is None else span.column,
        "end_line": None if span is None else span.end_line,
        "end_column": None if span is None else span.end_column,
        "hint": diagnostic.hint,
    }


def verdict_name(decision: Decision) -> str:
    match decision.verdict:
        case Holds(certificate=certificate) | Violated(certificate=certificate):
            return certificate.verdict
        case Undecided() | Refused():
            return "unknown"
        case Faulty():
            return "error"
        case _:
            assert_never(decision.verdict)


def run_json(run: Run, origin: Origin, source: SourceText) -> Json:
    """The sizes of a run, its outcome, and its turns; of a long one, those of a loop once, and the loops."""
    shown = timeline(run, origin, source)
    return {
        "requests": run.requests(),
        "steps": len(run.turns),
        "switches": run.switches(),
        "outcome": [list(entry) for entry in shown.outcome()],
        "initial": state_json(shown.initial),
        "trace": [_turn(turn) for turn in shown.turns],
    } | ({"loops": [_loop(loop) for loop in shown.loops]} if shown.is_folded else {})


def _sample(sample: Interleaving, source: SourceText) -> Json:
    explained = {"seed": sample.seed, "order": [list(completion) for completion in sample.order]}
    return explained | run_json(sample.run, sample.origin, source)


def _obstacle(obstacle: Obstacle | None) -> Json | None:
    if obstacle is None:
        return None
    return {"handler": obstacle.handler, "line": obstacle.line, "response": obstacle.response}


def faulty_json(faulty: FaultyRun, origin: Origin, source: SourceText) -> Json:
    """A run to a mistake; its last turn is the one that does not end."""
    assert isinstance(origin, ProgramUnfolding), "only programs make mistakes"
    shown = faulty_timeline(faulty, origin, source)
    return {"initial": state_json(shown.initial), "trace": [_turn(turn) for turn in shown.turns]}


def _minimal(verdict: Violated) -> str:
    match verdict.minimality:
        case Minimality.BOUNDED:
            return f"within {verdict.in_flight} in flight"
        case Minimality.PROVED | Minimality.UNKNOWN:
            return verdict.minimality.value
        case _:
            assert_never(verdict.minimality)


def _turn(turn: ShownTurn) -> Json:
    return {
        "request": turn.request,
        "handler": turn.handler,
        "switch": turn.is_switch,
        "lines": [_line(moment) for moment in turn.moments],
        "before": state_json(turn.before),
        "after": state_json(turn.after),
        "response": turn.response,
        "pauses_at": turn.pauses_at,
    }


def _loop(loop: Loop) -> Json:
    """Turns by number, from 1 on."""
    return {"first": loop.first + 1, "last": loop.end, "times": loop.times}


def _line(moment: Moment) -> Json:
    return {
        "line": moment.line,
        "code": " … ".join(moment.pieces),
        "changes": [_change(change) for change in moment.changes],
    }


def _change(change: Change) -> Json:
    return {"name": change.name, "old": change.old, "new": change.new}
