"""The bug bundle for evidence that Seriatim's own checker refuses: all that is needed to reproduce it.

Nothing else goes in: the text of the input and the base name of its file, but no name of a folder, no
environment, no other file.
"""

import json
import platform
from importlib.metadata import version
from pathlib import PurePath

from seriatim.certificate.certificate import write
from seriatim.report.verification import verification_json
from seriatim.result import Refused
from seriatim.source import SourceText


def bundle_name(refused: Refused) -> str:
    """The name of a bundle; the same for the same input, so that a second try overwrites the first."""
    return f"seriatim-bug-{refused.certificate.digest[:12]}.zip"


def bundle_files(refused: Refused, source: SourceText, options: str) -> dict[str, str]:
    """The texts of the files in the bundle, by name; `options` are those of the command."""
    name = PurePath(source.name).name
    report = verification_json(refused.report, refused.certificate, "certificate.json", name)
    about = {
        "seriatim": version("seriatim"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "file": name,
        "command": f"ser check {name} {options}",
    }
    return {
        "about.json": json.dumps(about, indent=2) + "\n",
        "input.txt": source.text,
        "certificate.json": write(refused.certificate),
        "report.json": json.dumps(report, indent=2) + "\n",
    }
