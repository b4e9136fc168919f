"""An input in the formats of other tools: its network system, its net, the query of the paper's method."""

from collections.abc import Callable
from enum import StrEnum
from typing import assert_never

from seriatim.arithmetic.formula import Conjunction
from seriatim.budget import Deadline
from seriatim.petri.from_system import interleaving_net
from seriatim.petri.net import PetriNet
from seriatim.petri.pnml import write_pnml
from seriatim.petri.query_net import query_net
from seriatim.petri.query_xml import write_queries
from seriatim.petri.smtlib import write_smtlib
from seriatim.petri.tina import write_tina
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program
from seriatim.program.system_printer import write_system
from seriatim.show.paper import prepare_record
from seriatim.systems.from_input import unfold
from seriatim.systems.from_program import beginning, network_system
from seriatim.systems.limits import Limits

QUERY_NAME = "not-serializable"


class ExportTarget(StrEnum):
    """What to write."""

    NET = "net"
    PNML = "pnml"
    XML = "xml"
    SMT2 = "smt2"
    JSON = "json"


def export_input(
    target: ExportTarget, content: Input, name: str, for_query: bool, limits: Limits, deadline: Deadline
) -> str:
    """The input as a text in this format; raises what the steps of the paper's pipeline raise, and
    `LimitReached` if it is too large."""

    def query() -> tuple[PetriNet, tuple[Conjunction, ...]]:
        record = prepare_record(unfold(content, limits, deadline), limits, deadline)
        assert record.interleaving is not None
        return record.interleaving.net, record.query or ()

    match target:
        case ExportTarget.NET:
            return write_tina(_net(content, for_query, query, limits, deadline), name)
        case ExportTarget.PNML:
            return write_pnml(_net(content, for_query, query, limits, deadline), name)
        case ExportTarget.XML:
            larger, asked = query_net(*query(), QUERY_NAME)
            return write_queries([asked], larger)
        case ExportTarget.SMT2:
            return write_smtlib(*query())
        case ExportTarget.JSON:
            return write_system(network_system(content, limits, deadline))
        case _:
            assert_never(target)


def export_beginning(
    target: ExportTarget, program: Program, name: str, limits: Limits, deadline: Deadline
) -> str:
    """The net of the first states of a program, to look at; `ValueError` if the format is about all runs."""
    net = interleaving_net(beginning(program, limits, deadline)).net
    match target:
        case ExportTarget.NET:
            return write_tina(net, name)
        case ExportTarget.PNML:
            return write_pnml(net, name)
        case ExportTarget.XML | ExportTarget.SMT2 | ExportTarget.JSON:
            raise ValueError(f"a part of a program cannot be written as {target}")
        case _:
            assert_never(target)


def _net(
    content: Input,
    for_query: bool,
    query: Callable[[], tuple[PetriNet, tuple[Conjunction, ...]]],
    limits: Limits,
    deadline: Deadline,
) -> PetriNet:
    if for_query:
        return query_net(*query(), QUERY_NAME)[0]
    return interleaving_net(network_system(content, limits, deadline)).net
