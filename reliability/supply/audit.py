"""`python -m supply.audit LOCK…`: known vulnerabilities of what is locked, as pip-audit hears of them.

Ends with 0 if there is none, 1 if there are some, and 2 if that is not known: there is no pip-audit, or its
service cannot be reached, or does not know some of the distributions. Left alone, pip-audit skips those and
ends with 0.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

ABSENT = "there is no pip-audit on the path; install it, for instance: pipx install pip-audit"
OPTIONS = ("--require-hashes", "--disable-pip", "--progress-spinner=off", "--format=json")


class Unknown(Exception):
    """Nobody could say whether there are vulnerabilities; the message says why."""


def audited(locks: Sequence[str]) -> list[str]:
    """The known vulnerabilities of what these files lock, a line each; raises `Unknown`."""
    program = shutil.which("pip-audit")
    if program is None:
        raise Unknown(ABSENT)
    command = [program, *OPTIONS, *(f"--requirement={lock}" for lock in locks)]
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    try:
        dependencies = json.loads(ended.stdout)["dependencies"]
    except (ValueError, KeyError):
        complaint = ended.stderr.strip().splitlines() or [f"it ended with {ended.returncode}"]
        raise Unknown(f"pip-audit could not ask its service: {complaint[-1]}") from None
    skipped = [each["name"] for each in dependencies if "skip_reason" in each]
    if skipped:
        raise Unknown(
            f"pip-audit got no answer about {len(skipped)} of {len(dependencies)} distributions,"
            f" {skipped[0]} for one"
        )
    return [line for each in dependencies for line in vulnerabilities(each)]


def vulnerabilities(dependency: dict[str, Any]) -> Iterator[str]:
    for each in dependency["vulns"]:
        fixed = ", ".join(each["fix_versions"]) or "no version yet"
        yield f"{dependency['name']} {dependency['version']}: {each['id']}, fixed in {fixed}"


def main(locks: Sequence[str]) -> int:
    try:
        found = audited(locks)
    except Unknown as why:
        sys.stderr.write(f"Whether there are known vulnerabilities is not known: {why}\n")
        return 2
    sys.stdout.write("".join(f"{line}\n" for line in found) or "No known vulnerabilities.\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
