"""`python -m parsers.fuzz NAME`: looks for bytes of which a claim does not hold, guided by coverage.

Whatever it finds is written to `build/parsers` and ends it. Options after the name are those of libFuzzer.
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["seriatim"]):
    from parsers.claims import CLAIMS, hold

from parsers.words import dictionary

HERE = Path(__file__).parent
LIMITS = ("-timeout=10", "-rss_limit_mb=1500", "-max_len=4096")
"""Seconds for one input; memory for all of it; bytes."""


def main() -> None:
    name, *options = sys.argv[1:]
    claim = CLAIMS[name]
    found = Path("build", "parsers", name)
    found.mkdir(parents=True, exist_ok=True)
    words = found.with_suffix(".dict")
    words.write_text(dictionary(claim.format))
    arguments = [
        sys.argv[0],
        *LIMITS,
        f"-artifact_prefix={found}/",
        f"-dict={words}",
        *options,
        str(found),  # what reaches new code goes to the first folder
        str(HERE / "corpus" / claim.format),
    ]
    atheris.Setup(arguments, lambda data: hold(claim, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
