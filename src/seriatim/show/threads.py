"""Views of programs with threads: their graphs as text or picture, and the petrified net as PNML."""

from seriatim.explain.picture import DrawnNode, Picture, Role, merge_edges
from seriatim.petri.from_threads import petrify
from seriatim.petri.pnml import write_pnml
from seriatim.program.threads.printer import print_place, print_threads
from seriatim.program.threads.syntax import FINISHED, ThreadProgram
from seriatim.show.views import View, ViewForm, draw
from seriatim.source import Diagnostic, InputError


def show_threads(view: View, form: ViewForm, program: ThreadProgram, bound: int) -> str:
    """A view of a program with threads. Raises `InputError` if there is no such view."""
    match view, form:
        case View.NS, ViewForm.TEXT:
            return print_threads(program)
        case View.NS, (ViewForm.DOT | ViewForm.MERMAID | ViewForm.SVG) as drawn:
            return draw(graphs(program), drawn, "the steps of each thread")
        case View.NET, ViewForm.TEXT:
            return write_pnml(petrify(program, bound))
        case _:
            hint = "for threads, use --as ns (text, dot, mermaid, svg or png) or --as net (PNML)"
            raise InputError([Diagnostic("SER216", "this view is about requests", hint=hint)])


def graphs(program: ThreadProgram) -> Picture:
    """The places and steps of every template."""
    nodes: list[DrawnNode] = []
    edges: list[tuple[int, int, str]] = []
    for template in program.templates:
        ends = (FINISHED,) if any(edge.target == FINISHED for edge in template.edges) else ()
        numbers: dict[int, int] = {}
        for place in (template.entry, *(each for each in template.places if each != template.entry), *ends):
            numbers[place] = len(nodes)
            role = Role.RESPONSE if place == FINISHED else Role.LOCAL
            is_entry = place == template.entry
            label = template.name if is_entry else f"{template.name} {print_place(place)}"
            nodes.append(DrawnNode(Role.REQUEST if is_entry else role, (label,)))
        edges += [(numbers[edge.source], numbers[edge.target], edge.text) for edge in template.edges]
    return Picture(tuple(nodes), tuple(merge_edges(edges)))
