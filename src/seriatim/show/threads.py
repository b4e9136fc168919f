"""Programs with threads, shown: their graphs as text or picture, and the petrified net as PNML."""

from seriatim.petri.from_threads import petrified_net
from seriatim.petri.pnml import write_pnml
from seriatim.program.threads.printer import print_place, print_threads
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.show.views import Form, View
from seriatim.source import Diagnostic, InputError


def show_threads(view: View, form: Form, program: ThreadProgram, bound: int) -> str:
    """Raises `InputError` if there is no such view of threads."""
    match view, form:
        case View.NS, Form.TEXT:
            return print_threads(program)
        case View.NS, Form.DOT:
            return graphs_dot(program)
        case View.NET, Form.TEXT:
            return write_pnml(petrified_net(program, bound))
        case _:
            hint = "of threads there are --as ns, as text or dot, and --as net, as PNML"
            raise InputError([Diagnostic("SER216", "this view is about requests", hint=hint)])


def graphs_dot(program: ThreadProgram) -> str:
    """A graph for each template, for Graphviz."""
    lines = ["digraph threads {", "  node [shape=circle];"]
    for template in program.templates:
        name = template.name
        lines.append(f'  subgraph "cluster_{name}" {{ label="{name}";')
        lines.append(f'    "{name} {print_place(template.entry)}" [shape=doublecircle];')
        for edge in template.edges:
            ends = f'"{name} {print_place(edge.source)}" -> "{name} {print_place(edge.target)}"'
            text = edge.text.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'    {ends} [label="{text}"];')
        lines.append("  }")
    return "\n".join((*lines, "}")) + "\n"
