"""`python -m supply.licences`: the licence of each installed distribution, and whether that is permitted.

What users install has to be permissive. Tools of those who develop may also be under the few other licences
that are named here, each for a reason: nothing of them is in what is released.
"""

import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution, distributions

from packaging.utils import canonicalize_name

from supply.needed import extras_of, needed

PERMISSIVE = frozenset(
    ("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "PSF-2.0")
)

CLASSIFIED = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""Classifiers of the package index, as expressions of SPDX."""

STATED_ELSEWHERE = {
    "asttokens": "Apache-2.0",
    "atheris": "Apache-2.0",
    "charset-normalizer": "MIT",
    "cvc5": "BSD-3-Clause",  # its wheels bring GMP, MPFR and LibPoly (LGPL-3.0), as libraries of their own
    "itf-py": "MIT",
    "partd": "BSD-3-Clause",
    "psutil": "BSD-3-Clause",
    "resvg-py": "MIT",
    "snowballstemmer": "BSD-3-Clause",
    "tzdata": "Apache-2.0",  # what it packs, the time zones themselves, is in the public domain
    "z3-solver": "MIT",
}
"""Where the metadata are silent, or not in terms of SPDX: what the text of the licence says."""

TOOLS_ONLY = {
    "certifi": "MPL-2.0: certificates of authorities, for the site's builder",
    "docutils": "in the public domain and BSD, but for an Emacs mode (GPL) that nobody here loads",
    "frozendict": "LGPL-3.0: a test reads traces with a library that needs it",
    "hypothesis": "MPL-2.0: runs tests",
    "pathspec": "MPL-2.0: the type checker and the build backend match file names with it",
}
"""Tools under other licences, and why they may be used."""


def licence(installed: Distribution) -> str:
    """An expression of SPDX; empty if nobody states one."""
    metadata = installed.metadata
    stated = metadata.get_all("License-Expression") or []
    if stated:
        return str(stated[0])
    if name_of(installed) in STATED_ELSEWHERE:
        return STATED_ELSEWHERE[name_of(installed)]
    prefix = "License :: OSI Approved :: "
    classifiers = [
        text.removeprefix(prefix) for text in metadata.get_all("Classifier") or [] if text.startswith(prefix)
    ]
    return " AND ".join(sorted({CLASSIFIED.get(text, text) for text in classifiers}))


def is_permissive(expression: str) -> bool:
    """Whether one of the alternatives asks for nothing but permissive licences."""
    return any(
        all(part.strip() in PERMISSIVE for part in alternative.split(" AND "))
        for alternative in expression.split(" OR ")
    )


def name_of(installed: Distribution) -> str:
    return str(canonicalize_name(installed.metadata["Name"]))


def objections(installed: Iterable[Distribution], shipped: Iterable[str]) -> list[str]:
    """What is not permitted; `shipped` are the names of what users install."""
    found = []
    for each in installed:
        name, stated = name_of(each), licence(each)
        if not is_permissive(stated) and (name in shipped or name not in TOOLS_ONLY):
            found.append(f"{name}: {stated or 'no licence is stated'}")
    return sorted(found)


def shipped_names() -> frozenset[str]:
    """What users install: this package and all that it needs, with all extras."""
    ours = distribution("seriatim")
    return frozenset((name_of(ours), *needed(ours, ["", *extras_of(ours)])))


def main() -> int:
    installed, shipped = list(distributions()), shipped_names()
    for each in sorted(installed, key=name_of):
        name = name_of(each)
        kind = "shipped" if name in shipped else "tool"
        sys.stdout.write(f"{kind:<8} {name:<32} {TOOLS_ONLY.get(name) or licence(each)}\n")
    found = objections(installed, shipped)
    for objection in found:
        sys.stderr.write(f"not permitted: {objection}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
