"""Saves the steps of the paper's pipeline as files, each with its size and its time."""

import json

from seriatim.arithmetic.formula import Conjunction
from seriatim.engines.paper.record import Asked, PaperRecord
from seriatim.petri.goals import restrict
from seriatim.petri.net import PetriNet
from seriatim.petri.pnml import write_pnml
from seriatim.petri.query_net import query_net
from seriatim.petri.query_xml import write_queries
from seriatim.petri.tina import write_tina
from seriatim.report.tables import text
from seriatim.show.paper import (
    QueryView,
    RegexView,
    SemilinearView,
    answered_names,
    letters_of,
)
from seriatim.systems.from_input import Origin


def paper_files(record: PaperRecord, origin: Origin, name: str) -> dict[str, str]:
    """The texts by file name, as far as the pipeline came; nets and queries belong together in pairs."""
    files: dict[str, str] = {}
    if record.interleaving is not None:
        files["net.net"] = write_tina(record.interleaving.net, name)
        files["net.pnml"] = write_pnml(record.interleaving.net, name)
    if record.regex is not None and record.language is not None:
        files["regex.txt"] = RegexView(record.regex, letters_of(record.language, origin)).text() + "\n"
    if record.serial is not None and record.interleaving is not None:
        view = SemilinearView(record.serial, answered_names(record.interleaving))
        files["semilinear.txt"] = text(view.page())
        files["semilinear.json"] = json.dumps(view.data()) + "\n"
    if record.query is not None and record.interleaving is not None:
        files["query.txt"] = text(QueryView(record.interleaving, record.query).page())
        files |= _pair("query", record.interleaving.net, record.query)
        for number, asked in enumerate(record.asked, 1):
            small = asked.part.net(record.interleaving.net)
            files |= _pair(f"disjunct-{number:03}", small, (restrict(asked.goal, asked.part.places),))
    files["steps.json"] = json.dumps(_steps(record), indent=2) + "\n"
    return files


def _pair(name: str, net: PetriNet, goals: tuple[Conjunction, ...]) -> dict[str, str]:
    larger, query = query_net(net, goals, name)
    return {f"{name}.net": write_tina(larger, name), f"{name}.xml": write_queries([query], larger)}


def _steps(record: PaperRecord) -> dict[str, object]:
    steps: dict[str, object] = {"optimizations": str(record.optimizations), "seconds": record.seconds}
    if record.interleaving is not None:
        net = record.interleaving.net
        steps["net"] = {"places": len(net.places), "transitions": len(net.transitions)}
    if record.serial is not None:
        steps["components"] = len(record.serial.components)
        steps["periods"] = [len(part.periods) for part in record.serial.components]
    if record.query is not None:
        steps["disjuncts"] = len(record.query)
    steps["asked"] = [_write_asked(asked) for asked in record.asked]
    return steps


def _write_asked(asked: Asked) -> dict[str, object]:
    return {
        "places": len(asked.part.places),
        "transitions": len(asked.part.transitions),
        "answer": type(asked.answer).__name__.lower(),
        "seconds": asked.seconds,
    }
