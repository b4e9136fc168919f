"""What is printed is read as what it was: programs in both styles, formatted texts, network systems."""

from collections.abc import Iterator

from differential.contradiction import Contradiction
from differential.facts import Facts
from differential.subject import Subject
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.formatting import format_text
from seriatim.frontends.ser.parser import parse, parse_surface
from seriatim.frontends.ser.surface_printer import print_surface
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.program.syntax import Program
from seriatim.program.system_printer import write_system


def texts(facts: Facts) -> Iterator[Contradiction]:
    if isinstance(facts.content, Program):
        yield from program_texts(facts.subject, facts.content)
    else:
        written = write_system(facts.content)
        if read_system(written) != facts.content:
            yield Contradiction("a network system is written as another one", written)


def program_texts(subject: Subject, program: Program) -> Iterator[Contradiction]:
    text, surface = subject.text, parse_surface(subject.text)
    for style in Style:
        printed = print_surface(surface, style)
        if parse_surface(printed) != surface:
            yield Contradiction("a program is printed as another one", printed)
        # Only what is written in the core prints as what can be read: names of a translation are no names.
        if subject.is_core and parse(core := print_program(program, style)) != program:
            yield Contradiction("a program of the core is printed as another one", core)
        formatted = format_text(text, style)
        if parse_surface(formatted) != surface:
            yield Contradiction("formatting changes a program", formatted)
        if format_text(formatted, style) != formatted:
            yield Contradiction("formatting twice is not formatting once", formatted)
