"""Saves a bug bundle as a zip file: in the current folder, or where temporary files go if that fails."""

import io
import zipfile
from pathlib import Path
from tempfile import mkdtemp

from seriatim.cli.files import write_whole
from seriatim.deciding.pipeline import Options
from seriatim.frontends.reading import display_path
from seriatim.report.bug_bundle import bundle_files, bundle_name
from seriatim.result import Refused
from seriatim.source import InputError, SourceText

LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip file can state. The bundle does not reveal when it was made."""


def save_bundle(refused: Refused, source: SourceText, options: Options) -> str:
    """Saves the bundle and returns its path. Raises `InputError` if it cannot be saved anywhere."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in bundle_files(refused, source, flags(options)).items():
            bundle.writestr(zipfile.ZipInfo(name, LONG_AGO), text, zipfile.ZIP_DEFLATED)
    path = Path(bundle_name(refused))
    try:
        write_whole(path, content.getvalue())
    except InputError:
        path = Path(mkdtemp(prefix="seriatim-")) / path
        write_whole(path, content.getvalue())
    return display_path(path)


def flags(options: Options) -> str:
    """The options, written as on the command line."""
    limits = options.limits
    return (
        f"--method {options.method} --timeout {options.timeout} "
        f"--max-states {limits.max_states} --max-value {limits.max_value}"
    )
