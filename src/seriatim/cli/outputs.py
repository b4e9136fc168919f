"""The files that `ser check` writes: for each input its evidence and its trace, for all of them reports.

A format is loaded when it is first needed: most checks write no files.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from seriatim.certificate.certificate import stream
from seriatim.cli.files import CERTIFICATE_SUFFIX, ITF_SUFFIX, make_directory, write_whole
from seriatim.cli.limits_options import path_option
from seriatim.cli.speakers import Checked
from seriatim.deciding.answer import Want
from seriatim.deciding.pipeline import Work
from seriatim.frontends.reading import InputFile, display_path
from seriatim.program.inputs import Decidable
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Program
from seriatim.properties.property import Property
from seriatim.result import Faulty, Holds, Result, Violated
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.limits import Limits

if TYPE_CHECKING:
    from seriatim.explain.timeline import Timeline


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
        command = path_option(name, text)(command)
    return command


@dataclass(frozen=True, slots=True)
class OutputPaths:
    """Files and folders, as the options name them."""

    certificate: Path | None
    itf: Path | None
    diagram: Path | None
    sarif: Path | None
    junit: Path | None
    html: Path | None
    save: Path | None


@dataclass(frozen=True, slots=True)
class OutputsOfOne:
    """The files to write about one input."""

    certificate: Path | None
    trace: Path | None
    diagram: Path | None
    steps: Path | None

    def save(self, result: Result, content: Decidable | None, limits: Limits) -> str | None:
        """Saves the evidence and the run; returns the path of the evidence.

        The content tells folded runs in full; there is none for protocols, whose runs are never folded.
        """
        answer, saved_as = result.answer, None
        if isinstance(answer, Holds | Violated | Faulty) and self.certificate is not None:
            write_whole(self.certificate, stream(answer.certificate))
            saved_as = display_path(self.certificate)
        if isinstance(answer, Violated) and self.diagram is not None:
            write_whole(self.diagram, _drawn(answer.run.timeline, self.diagram, result.source.name))
        if isinstance(answer, Violated) and self.trace is not None:
            from seriatim.report.itf import itf

            shown = _told_whole(answer, content, result.source, limits)
            write_whole(self.trace, itf(shown, result.source.name))
        return saved_as

    def save_steps(self, work: Work) -> None:
        """Saves the steps of the paper's pipeline."""
        if work.paper is not None and work.unfolding is not None and self.steps is not None:
            from seriatim.reproduction.files import paper_files

            make_directory(self.steps)
            for name, text in paper_files(work.paper, work.unfolding, self.steps.name).items():
                write_whole(self.steps / name, text)


NOWHERE = OutputsOfOne(None, None, None, None)


def _told_whole(
    violated: Violated, content: Decidable | None, source: SourceText, limits: Limits
) -> "Timeline":
    """The run turn by turn, unless it has too many turns."""
    from seriatim.report.itf import MAX_TURNS

    is_short = not violated.run.timeline.is_folded or violated.run.steps > MAX_TURNS
    match content:
        case Program() | NetworkSystem() if not is_short:
            from seriatim.explain.retracing import retell

            return retell(violated.certificate.evidence, content, source, limits, MAX_TURNS)
        case _:
            return violated.run.timeline


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
            from seriatim.report.png import png

            return png(sequence_svg(shown, name))
        case _:
            return sequence_svg(shown, name)


@dataclass(frozen=True, slots=True)
class Outputs:
    """All files to write."""

    certificates: "Places"
    traces: "Places"
    diagrams: "Places"
    steps: "Places"
    sarif: Path | None
    junit: Path | None
    html: Path | None

    def of(self, file: InputFile, asked: Property) -> OutputsOfOne:
        places = (self.certificates, self.traces, self.diagrams, self.steps)
        return OutputsOfOne(*(each.get((file, asked)) for each in places))

    def wants(self) -> frozenset[Want]:
        """The details that the reports need."""
        why = {Want.WHY} if self.junit is not None or self.html is not None else set()
        return frozenset(why | ({Want.SAMPLE} if self.html is not None else set()))

    def report(self, checked: Sequence[Checked]) -> None:
        """Writes the reports on all inputs."""
        results = [each.result for each in checked]
        if self.sarif is not None:
            from seriatim import __version__
            from seriatim.report.sarif import sarif

            write_whole(self.sarif, sarif(results, __version__))
        if self.junit is not None:
            from seriatim.report.junit import junit

            write_whole(self.junit, junit(results))
        if self.html is not None:
            from seriatim import __version__
            from seriatim.explain.explanation import Explanation
            from seriatim.report.html.page import page
            from seriatim.report.html.section import section

            sections = [section(each.result, each.explanation or Explanation()) for each in checked]
            write_whole(self.html, page(sections, __version__))


Places = dict[tuple[InputFile, Property], Path]
"""A path for each input and question."""


def paths_for(
    inputs: Sequence[InputFile],
    properties: Sequence[Property],
    arguments: Sequence[str],
    path: Path | None,
    suffix: str,
) -> Places:
    """A path for each input and question. Raises `InputError` if two would be the same."""
    if path is None:
        return {}
    if len(inputs) * len(properties) == 1 and not path.is_dir() and not Path(arguments[0]).is_dir():
        return {(inputs[0], properties[0]): path}
    make_directory(path)
    owners: dict[Path, InputFile] = {}
    paths: Places = {}
    names = names_for(inputs)
    for file in inputs:
        for asked in properties:
            about = f".{asked.name}" if len(properties) > 1 else ""
            target = path / (names[file] + about + suffix)
            other = owners.setdefault(target, file)
            if other is not file:
                message = f"the results for {other.name} and {file.name} would both be saved as {target}"
                raise InputError([Diagnostic("SER208", message, hint="check them one by one")])
            paths[file, asked] = target
    return paths


def names_for(inputs: Sequence[InputFile]) -> dict[InputFile, str]:
    """Returns what the files about each input are called: its name without the suffix; with it if another
    input has the same one, and with its folders if that is not enough."""
    ways: tuple[Callable[[InputFile], str], ...] = (
        lambda file: file.stem,
        lambda file: "stdin" if file.path is None else file.path.name,
        lambda file: "stdin" if file.path is None else "-".join(file.path.parts).strip("-/."),
    )
    names: dict[InputFile, str] = {}
    for way in ways:
        counts = Counter(map(way, inputs))
        names |= {file: way(file) for file in inputs if file not in names and counts[way(file)] == 1}
    return {file: names.get(file, file.stem) for file in inputs}


def plan_outputs(
    inputs: Sequence[InputFile], properties: Sequence[Property], arguments: Sequence[str], paths: OutputPaths
) -> Outputs:
    """Plans the files to write. Creates folders now, so that no verdict is lost at the end."""
    if paths.save is not None:
        make_directory(paths.save)
    if paths.diagram is not None and paths.diagram.suffix == ".png":
        from seriatim.report.png import require_png

        require_png()
    places = partial(paths_for, inputs, properties, arguments)
    return Outputs(
        places(paths.certificate, CERTIFICATE_SUFFIX),
        places(paths.itf, ITF_SUFFIX),
        places(paths.diagram, ".svg"),
        places(paths.save, ""),
        paths.sarif,
        paths.junit,
        paths.html,
    )
