"""The files that `ser check` writes: for each input its evidence and its trace, for all of them reports.

Most checks write none: a format is loaded when it is asked for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from seriatim.certificate.certificate import write
from seriatim.cli.files import CERTIFICATE_SUFFIX, ITF_SUFFIX, make_directory, write_whole
from seriatim.frontends.reading import InputFile, displayed
from seriatim.report.outcome import Outcome
from seriatim.report.png import png, require_png
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.verdict import Decision, Holds, Violated

if TYPE_CHECKING:
    from seriatim.explain.timeline import Timeline
    from seriatim.report.html.page import Section
    from seriatim.report.junit import Case
    from seriatim.report.sarif import Findings

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = {
    "--certificate": "Save the evidence: to this file, or for several inputs to a folder, as NAME.cert.json.",
    "--itf": "Save counterexamples as ITF traces: to this file, or to a folder, as NAME.itf.json.",
    "--diagram": "Save counterexamples as sequence diagrams: to this file, SVG or, if it ends in .mmd,"
    " .dot or .png, Mermaid, DOT or PNG; or to a folder, as NAME.svg.",
    "--sarif": "Write a report on all inputs for code scanning (SARIF 2.1.0).",
    "--junit": "Write a report on all inputs for test servers (JUnit XML).",
    "--html": "Write a report on all inputs for people: one HTML file.",
    "--save": "With --method paper, save every step of each input to this folder, below NAME.",
}


def output_options(command: Function) -> Function:
    """Adds the options that name files to write."""
    for name, text in reversed(_OPTIONS.items()):
        command = click.option(name, type=click.Path(path_type=Path), metavar="PATH", help=text)(command)
    return command


@dataclass(frozen=True, slots=True)
class Entry:
    """What the reports say of one input, as far as they are asked for; workers hand it over."""

    verdict: str
    """By name, as JSON has it."""
    findings: "Findings | None"
    case: "Case | None"
    section: "Section | None"


@dataclass(frozen=True, slots=True)
class OutputsOfOne:
    """Where things about one input go, and whether there are reports on it."""

    certificate: Path | None
    trace: Path | None
    diagram: Path | None
    steps: Path | None
    sarif: bool
    junit: bool
    html: bool

    def save(self, source: SourceText, decision: Decision) -> str | None:
        """Saves the evidence, the run and the paper's steps; where the evidence is now."""
        verdict = decision.verdict
        if decision.paper is not None and self.steps is not None:
            from seriatim.reproduction.files import paper_files

            make_directory(self.steps)
            for name, text in paper_files(decision.paper, decision.unfolding, self.steps.name).items():
                write_whole(self.steps / name, text)
        saved_as = None
        if isinstance(verdict, Holds | Violated) and self.certificate is not None:
            write_whole(self.certificate, write(verdict.certificate))
            saved_as = displayed(self.certificate)
        if isinstance(verdict, Violated) and self.diagram is not None:
            from seriatim.report.why import shown_run

            write_whole(self.diagram, _drawn(shown_run(verdict, decision, source), self.diagram, source.name))
        if isinstance(verdict, Violated) and self.trace is not None:
            from seriatim.report.itf import MAX_TURNS, itf
            from seriatim.report.why import shown_run

            write_whole(self.trace, itf(shown_run(verdict, decision, source, MAX_TURNS), source.name))
        return saved_as

    def entry(self, outcome: Outcome) -> Entry:
        found = case = part = None
        if self.sarif:
            from seriatim.report.sarif import findings

            found = findings(outcome)
        if self.junit:
            from seriatim.report.junit import case_of

            case = case_of(outcome)
        if self.html:
            from seriatim.report.html.section import section

            part = section(outcome)
        return Entry(outcome.name, found, case, part)


def _drawn(shown: "Timeline", path: Path, name: str) -> str | bytes:
    """A picture of a run, in the format of the file."""
    from seriatim.report.sequence import sequence_mermaid, sequence_svg
    from seriatim.report.sequence_dot import sequence_dot

    match path.suffix:
        case ".mmd":
            return sequence_mermaid(shown)
        case ".dot":
            return sequence_dot(shown)
        case ".png":
            return png(sequence_svg(shown, name))
        case _:
            return sequence_svg(shown, name)


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where things go; what nobody asked for goes nowhere."""

    certificates: dict[InputFile, Path]
    traces: dict[InputFile, Path]
    diagrams: dict[InputFile, Path]
    steps: dict[InputFile, Path]
    sarif: Path | None
    junit: Path | None
    html: Path | None

    def of(self, file: InputFile) -> OutputsOfOne:
        return OutputsOfOne(
            self.certificates.get(file),
            self.traces.get(file),
            self.diagrams.get(file),
            self.steps.get(file),
            self.sarif is not None,
            self.junit is not None,
            self.html is not None,
        )

    def report(self, entries: Sequence[Entry]) -> None:
        """Writes the reports on all inputs."""
        if self.sarif is not None:
            from seriatim import __version__
            from seriatim.report.sarif import sarif

            found = [entry.findings for entry in entries if entry.findings is not None]
            write_whole(self.sarif, sarif(found, __version__))
        if self.junit is not None:
            from seriatim.report.junit import junit

            write_whole(self.junit, junit([entry.case for entry in entries if entry.case is not None]))
        if self.html is not None:
            from seriatim import __version__
            from seriatim.report.html.page import page

            sections = [entry.section for entry in entries if entry.section is not None]
            write_whole(self.html, page(sections, __version__))


def paths_for(
    path: Path | None, suffix: str, inputs: Sequence[InputFile], arguments: Sequence[str]
) -> dict[InputFile, Path]:
    """Where a file about each input goes; raises `InputError` if two would go to the same place."""
    if path is None:
        return {}
    if len(inputs) == 1 and not path.is_dir() and not Path(arguments[0]).is_dir():
        return {inputs[0]: path}
    make_directory(path)
    paths = {file: path / (file.stem + suffix) for file in inputs}
    owners: dict[Path, InputFile] = {}
    for file, target in paths.items():
        other = owners.setdefault(target, file)
        if other is not file:
            message = f"what is saved about {other.name} and about {file.name} would both go to {target}"
            raise InputError([Diagnostic("SER208", message, hint="check them one by one")])
    return paths


def planned(
    inputs: Sequence[InputFile],
    arguments: Sequence[str],
    certificate: Path | None,
    trace: Path | None,
    diagram: Path | None,
    sarif: Path | None,
    junit: Path | None,
    html: Path | None,
    save: Path | None,
) -> Outputs:
    """The files to write; folders are created now, so that nobody waits for a verdict in vain."""
    if save is not None:
        make_directory(save)
    if diagram is not None and diagram.suffix == ".png":
        require_png()
    return Outputs(
        paths_for(certificate, CERTIFICATE_SUFFIX, inputs, arguments),
        paths_for(trace, ITF_SUFFIX, inputs, arguments),
        paths_for(diagram, ".svg", inputs, arguments),
        paths_for(save, "", inputs, arguments),
        sarif,
        junit,
        html,
    )
