"""The Petri net of all interleavings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, assert_never

from seriatim.petri.from_system import Answered, Global, InFlight, InterleavingNet, Place
from seriatim.petri.net import Transition
from seriatim.report.show.labels import counted, local_lines
from seriatim.report.show.pictures import Edge, Node, Picture, Role
from seriatim.report.show.tables import Page, Table


@dataclass(frozen=True, slots=True)
class NetView:
    interleaving: InterleavingNet

    def page(self) -> Page:
        net = self.interleaving.net
        places = tuple(
            (name, role.value, tokens and str(tokens) or "", meaning)
        )
