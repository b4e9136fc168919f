"""The folder to which `ser bench` writes. Readers and later runs can use it at any moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import click

from seriatim.bench.plots import cactus, scatter
from seriatim.bench.reference import Reference, read_results
from seriatim.bench.result import Result, csv_text, json_line
from seriatim.bench.score import Graded
from seriatim.cli.files import make_directory, write_whole
from seriatim.frontends.reading import InputFile, load
from seriatim.report.png import png, require_png
from seriatim.source import Diagnostic, InputError, SourceText


@dataclass(frozen=True, slots=True)
class BenchFolder:
    path: Path
    with_png: bool
    """Whether to write pictures as PNG, too."""

    @classmethod
    def opened(cls, path: Path, with_png: bool = False) -> "BenchFolder":
        """Opens the folder. Raises `InputError` if it cannot be made, or PNG pictures cannot."""
        if with_png:
            require_png()
        make_directory(path)
        return cls(path, with_png)

    @property
    def lines(self) -> Path:
        return self.path / "results.jsonl"

    def earlier(self) -> tuple[Result, ...]:
        """The results of an earlier run. Raises `BadInput` if the file contains something else."""
        if not self.lines.exists():
            return ()
        _, results = load(InputFile(self.lines), read_results)
        return results

    def begin(self, results: Sequence[Result]) -> None:
        """Starts the folder with these results."""
        write_whole(self.lines, "".join(map(json_line, results)))

    def add(self, result: Result) -> None:
        """Saves one more result at once, so that it is not lost if the run ends early."""
        try:
            with self.lines.open("a", encoding="utf-8") as stream:
                stream.write(json_line(result))
        except OSError as error:
            name = click.format_filename(self.lines)
            message = f"cannot write {name}: {error.strerror or error}"
            raise InputError([Diagnostic("SER207", message, hint="name another folder")]) from None

    def finish(self, graded: Sequence[Graded], against: Reference | None) -> None:
        """Writes all results in the order of the suite, with tables and pictures."""
        results = [each.result for each in graded]
        self.begin(results)
        write_whole(self.path / "results.csv", csv_text(results))
        self.draw("cactus", cactus(graded, against))
        if against is not None:
            self.draw("scatter", scatter(graded, against))

    def draw(self, name: str, svg: str) -> None:
        write_whole(self.path / f"{name}.svg", svg)
        if self.with_png:
            write_whole(self.path / f"{name}.png", png(svg))


def keep_inputs(path: Path, sources: Sequence[SourceText]) -> None:
    """Copies inputs to a folder; gives files of the same name different names."""
    make_directory(path)
    taken: set[str] = set()
    for source in sources:
        name = PurePath(source.name)
        copy, number = name.name, 1
        while copy in taken:
            number += 1
            copy = f"{name.stem}_{number}{name.suffix}"
        taken.add(copy)
        write_whole(path / copy, source.text)
