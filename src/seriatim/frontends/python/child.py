"""The process that loads a user's file and tries its requests: one question on standard input, one answer.

It is started with `-P`, so that no file beside the user's is taken for a module of the library.
"""

import asyncio
import gc
import io
import json
import logging
import os
import sys
import warnings
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from seriatim.frontends.protocol import ALONE
from seriatim.frontends.python.any_integers import asks_for_it, find_recorded
from seriatim.frontends.python.applications import starting_works
from seriatim.frontends.python.canonical import Unseen
from seriatim.frontends.python.closing import in_copy
from seriatim.frontends.python.exploring import Died, Explorer, Findings, OutOfWork, Race, Refused
from seriatim.frontends.python.loading import Loaded, LoadingFailed, load
from seriatim.frontends.python.marks import Placed, read_marks
from seriatim.frontends.python.proving import find_system
from seriatim.frontends.python.recorded_comparison import OtherRace
from seriatim.frontends.python.requests import Service, find_services
from seriatim.frontends.python.running import Loop, finish, still_the_world, substitute
from seriatim.frontends.python.sandbox import GUARD, Refusal, limit_machine
from seriatim.frontends.python.stand_ins import WORLD
from seriatim.frontends.python.wishes import NO_WISHES, Wishes
from seriatim.source import InputError

Json = dict[str, Any]

NOT_PROVED = "cancellations, limits of time, failures and calls are compared in runs only"
"""Why there is no system if the user wishes more than usual."""

MOST_CONSTRUCTIONS = 5
"""Ways to make a service that are tried where some of its handlers only fail."""

MEMORY = 4 << 30
"""Bytes that the code may use."""


def answer(question: Json) -> Json:
    """Loads the file and searches each of its services."""
    file, text = Path(question["file"]), question["text"]
    walls = limit_machine(int(question["seconds"] * 3) + 20, MEMORY)
    still_the_world()
    loop = Loop()
    asyncio.set_event_loop(loop)
    asyncio.events._set_running_loop(loop)
    loop.hook_generators()
    notes: list[str] = []
    _take_over_run(loop, notes)
    found: Json = {"walls": walls, "notes": notes, "services": [], "python": sys.version.split()[0]}
    try:
        WORLD.placed = Placed(str(file), read_marks(text, question.get("scope", "")))
        loaded = load(file, text)
        start_applications(loop)
        services = make_services(loaded, text, question.get("service", ""))
    except LoadingFailed as failed:
        return {**found, "failure": str(failed), "line": failed.line}
    except InputError as wrong:
        [first, *_] = wrong.diagnostics
        return {**found, "failure": first.message, "line": first.span and first.span.line}
    except Refusal as refused:
        return {**found, "refusal": str(refused)}
    made: list[tuple[Proofs, Json]] = []
    found["missing"] = list(WORLD.missing)
    gc.collect()
    gc.freeze()
    gc.disable()  # A collection would slow down each copy of this process.
    share = question["seconds"] / max(1, len(services))
    wishes = Wishes(**question.get("wishes", {}))
    for service in services:
        explorer, told = search(loop, service, question, share, wishes)
        is_open = explorer is not None and (
            question.get("for_states") or (told["race"] is None and told["doubt"] is None)
        )
        if explorer is not None and is_open and wishes != NO_WISHES:
            told["reason"] = NOT_PROVED
        elif explorer is not None and is_open and told["unkept"]:
            told["reason"] = (
                f"requests write to `{told['unkept'][0]}`, which a package keeps that is not there"
            )
        elif explorer is not None and is_open and question.get("proves", True):
            records = question.get("records", True)
            alone = question.get("for_states") == ALONE
            proofs = Proofs(loop, service, loaded, explorer, str(file), share, alone)
            try:
                told |= proofs.find(records)
            except OtherRace as other:
                told |= tell_other(other, explorer)
            else:
                made.append((proofs, told))
            told |= {"sees_state": explorer.sees_state, "answers": tell_answers(explorer.findings)}
        found["services"].append(told)
    if len(made) == len(services):
        make_alike(made)
    return found


@dataclass
class Proofs:
    """What finds the systems of a service."""

    loop: Loop
    service: Service
    loaded: Loaded
    explorer: Explorer
    file: str
    seconds: float
    alone: bool = False
    """Whether only requests that come one at a time count."""

    def find(self, records: bool) -> Json:
        """A system: for any integers, or for those that were tried; or why there is none. Raises `OtherRace`
        where comparing it shows a race."""
        if not records:
            return self.find_finite()
        if asks_for_it(self.service):
            recorded = self.find_recorded()
            if "recorded" in recorded:
                return recorded
            return self.find_finite() | {"why_numbers": recorded["reason"]}
        found = self.find_finite()
        if "system" in found:
            return found
        recorded = self.find_recorded()
        return recorded if "recorded" in recorded else found

    def find_finite(self) -> Json:
        """The system for what was tried."""
        return find_system(
            self.loop, self.service, self.loaded, self.explorer, self.file, self.seconds, alone=self.alone
        )

    def find_recorded(self) -> Json:
        """The system for any integers."""
        return find_recorded(self.loop, self.service, self.loaded, self.explorer, self.file, self.seconds)


def make_alike(made: list[tuple[Proofs, Json]]) -> None:
    """Gives services systems of one kind, where they have both kinds: for any integers if all can have one,
    else for what was tried. Services that share nothing are decided as a whole, which has one kind."""
    finite = [each for each in made if "system" in each[1]]
    recorded = [each for each in made if "recorded" in each[1]]
    if not finite or not recorded or len(finite) + len(recorded) < len(made):
        return
    others: list[tuple[Json, Json]] = []
    for proofs, told in finite:
        try:
            other = proofs.find_recorded()
        except OtherRace as race:
            told |= tell_other(race, proofs.explorer)
            return
        if "recorded" not in other:
            why = f"{proofs.service.name} cannot be recorded: {other['reason']}"
            break
        others.append((told, other))
    else:
        for told, other in others:
            del told["system"]
            told |= other
        return
    for proofs, told in recorded:
        other = proofs.find_finite()
        if "system" in other:
            del told["recorded"]
            told |= other | {"why_numbers": why}


def start_applications(loop: Loop) -> None:
    """Runs what applications call before the first request."""
    GUARD.is_active = True
    try:
        for work in starting_works():
            if not finish(work, loop)[0]:
                raise LoadingFailed("a startup function of the application does not end", None)
    except (LoadingFailed, Refusal):
        raise
    except BaseException as error:  # noqa: BLE001 - the user's code may raise anything
        if GUARD.complaint is not None:
            raise Refusal(GUARD.complaint) from None
        message = f"a startup function of the application fails: {type(error).__name__}: {error}"
        raise LoadingFailed(message, None) from None
    finally:
        GUARD.is_active = False


def make_services(loaded: Loaded, text: str, wanted: str) -> list[Service]:
    """The services of a file, whose constructors run behind the walls, too."""
    GUARD.is_active = True
    try:
        return find_services(loaded, text, wanted)
    except (LoadingFailed, Refusal):
        raise
    except Exception as error:  # noqa: BLE001 - the user's code may raise anything
        message = f"looking for handlers and making their objects fails: {type(error).__name__}: {error}"
        raise LoadingFailed(message, None) from None
    finally:
        GUARD.is_active = False


def search(
    loop: Loop, service: Service, question: Json, seconds: float, wishes: Wishes
) -> tuple[Explorer | None, Json]:
    """What was found about one service, as plain data."""
    file, most, only = question["file"], question.get("requests", 3), question.get("only", ())
    service, explorer = choose_constructor(loop, service, file, seconds, wishes)
    found: Json = {}
    if explorer is not None:
        try:
            found = {**tell(explorer.search(most, only)), "initial": explorer.initial}
        except (Refused, Died) as failed:
            ended = "" if isinstance(failed, Refused) else "a run ended early: "
            found = {"refusal": f"{ended}{failed}", "runs": explorer.findings.runs}
            explorer = None
    told: Json = {
        "name": service.name,
        "requests": [[each.label, each.function] for each in service.requests],
        "lines": service.lines,
        "notes": service.notes,
    }
    return explorer, {**told, **found}


def choose_constructor(
    loop: Loop, service: Service, file: str, seconds: float, wishes: Wishes
) -> tuple[Service, Explorer | None]:
    """The service made in the way in which the fewest handlers only fail; the first way comes first."""
    if not service.requests:
        return service, None
    explorer = Explorer(loop, service, file, seconds, wishes)

    def count(skipped: int) -> int:
        other = make_otherwise(service, skipped)
        if other is None or not other.requests:
            return len(service.handlers)
        return Explorer(loop, other, file, seconds, wishes).count_failing()

    with suppress(Unseen, Refused, Died, OutOfWork):
        failing = {0: explorer.count_failing()}
        if failing[0] and service.make_otherwise is not None:
            failing |= {each: in_copy(partial(count, each)) for each in range(1, MOST_CONSTRUCTIONS)}
        best = min(failing, key=lambda each: (failing[each], each))
        if best and (other := make_otherwise(service, best)) is not None:
            return other, Explorer(loop, other, file, seconds, wishes)
    return service, explorer


def make_otherwise(service: Service, skipped: int) -> Service | None:
    """The service with other arguments of its constructor, behind the walls."""
    GUARD.is_active = True
    try:
        return None if service.make_otherwise is None else service.make_otherwise(skipped)
    finally:
        GUARD.is_active = False


def tell(findings: Findings) -> Json:
    return {
        "explored": findings.explored,
        "left_out": findings.left_out,
        "runs": findings.runs,
        "limit": findings.limit,
        "changes_state": findings.changes_state,
        "elsewhere": sorted(findings.elsewhere),
        "unkept": sorted(findings.unkept),
        "growing": sorted(findings.growing),
        "hangs": sorted(findings.hangs),
        "exits": sorted(findings.exits),
        "answers": tell_answers(findings),
        "race": tell_race(findings.race),
        "doubt": tell_race(findings.doubt),
    }


def tell_answers(findings: Findings) -> Json:
    return {name: sorted(each) for name, each in findings.answers.items()}


def tell_other(other: OtherRace, explorer: Explorer) -> Json:
    """What is different where a race, or the doubt whether there is one, came up with other integers."""
    findings = other.findings
    racing, doubt = findings.race or findings.doubt, None if findings.race else findings.doubt
    assert racing is not None
    names = {each.label: each.function for each in (*explorer.service.requests, *racing.requests)}
    return {
        "requests": [list(each) for each in names.items()],
        "runs": explorer.findings.runs + findings.runs,
        "race": tell_race(findings.race),
        "doubt": tell_race(doubt),
    }


def tell_race(race: Race | None) -> Json | None:
    if race is None:
        return None
    return {
        "requests": [each.label for each in race.requests],
        "outcome": asdict(race.outcome),
        "serial": [
            {"order": [each.label for each in order], "outcome": asdict(outcome)}
            for order, outcome in race.serial
        ],
        "sees_state": race.sees_state,
    }


def _take_over_run(loop: Loop, notes: list[str]) -> None:
    """Lets `asyncio.run` at import run on the loop that is there, as far as it comes to an end."""

    def run(work: Any, **_: object) -> Any:
        try:
            has_ended, result = finish(work, loop)
        except Exception as error:
            if GUARD.complaint is not None or not WORLD.missing:
                raise
            why = f"{type(error).__name__}: {error}".removesuffix(": ")
            notes.append(
                f"`asyncio.run` at import fails here ({why}), where unknown calls answer anything; what it"
                " has done before stays"
            )
            return None
        if not has_ended:
            notes.append("`asyncio.run` at import does not end by itself; it was left where it waits")
        return result

    substitute(asyncio, "run", run)
    substitute(loop, "run_until_complete", run)


def answer_or_tell(question: Json) -> Json:
    """The answer to a question; a mistake of Seriatim's own is told as the reason why there is none."""
    try:
        return answer(question)
    except Exception as error:  # noqa: BLE001 - the user's code may raise anything
        return {"failure": f"Seriatim cannot run it: {type(error).__name__}: {error}", "line": None}


def main() -> None:
    question = json.loads(sys.stdin.read())
    output = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    sys.stdin = io.StringIO()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    found = answer_or_tell(question)
    os.write(output, b"")
    with os.fdopen(output, "w") as pipe:
        json.dump(found, pipe)
        pipe.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
