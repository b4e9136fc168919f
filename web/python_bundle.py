"""The Python of the site that needs no server, as one archive: the package, and pure parsers that it can use.

    python web/python_bundle.py build/python.zip

The same files give the same bytes.
"""

import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).parents[1]
PARSERS = ("sqlglot", "pycparser")
LEFT_OUT = ("seriatim/web/page/", "seriatim/cli/", "seriatim/reproduction/", "seriatim/bench/")
"""What only a machine of one's own can use."""


def package() -> Iterator[tuple[str, bytes]]:
    source = ROOT / "src"
    for path in sorted((source / "seriatim").rglob("*")):
        name = path.relative_to(source).as_posix()
        if path.is_file() and path.suffix != ".pyc" and not name.startswith(LEFT_OUT):
            yield name, path.read_bytes()
    yield from metadata("seriatim")


def parser(name: str) -> Iterator[tuple[str, bytes]]:
    for file in sorted(distribution(name).files or (), key=str):
        path = Path(str(file.locate()))
        if file.parts[0] == name and path.suffix == ".py":
            yield file.as_posix(), path.read_bytes()
        elif path.suffix in (".so", ".pyd"):
            raise SystemExit(f"{name} is not pure Python here, and cannot go into the archive: {path.name}")
    yield from metadata(name)


def metadata(name: str) -> Iterator[tuple[str, bytes]]:
    """What tells the version, and the licence."""
    found = distribution(name)
    folder = f"{name}-{found.version}.dist-info"
    for file in found.files or ():
        if file.parts[0].endswith(".dist-info") and ("licen" in file.name.lower() or file.name == "METADATA"):
            yield f"{folder}/{'/'.join(file.parts[1:])}", Path(str(file.locate())).read_bytes()


def main(target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(target, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for files in (package(), *map(parser, PARSERS)):
            for name, content in files:
                archive.writestr(ZipInfo(name), content, ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
