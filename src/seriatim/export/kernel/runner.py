"""Runs the kernel on a claim: the native program that is extracted from the proofs, or Rocq itself.

Neither is a part of the Python package. They are looked for in the checkout that this package is in (`make
proofs` builds them there); the native program may also be on the path, and environment variables name others.
"""

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from seriatim.budget import Deadline, OutOfTime
from seriatim.export.kernel.claim import Claim
from seriatim.export.kernel.kinds import KernelKind
from seriatim.export.kernel.rocq import rocq_file

PROOFS = Path(__file__).parents[4] / "proofs"
"""The folder of the proofs in a checkout."""
NATIVE, NATIVE_VARIABLE = "ser-kernel", "SER_KERNEL"
PROOFS_VARIABLE = "SER_PROOFS"

CLOSED = "Closed under the global context"
"""What Rocq says of a theorem that rests on no axiom."""


COMPUTED = "judged text"
"""In what Rocq says if the computation of a claim does not end with its verdict."""


class NoKernel(Exception):
    """The kernel is not there; the message says what is missing."""


class KernelFailed(Exception):
    """The kernel came to no answer; the message says how it ended."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The kernel has proved the statement of the claim."""


@dataclass(frozen=True, slots=True)
class KernelRefused:
    """The kernel does not accept the claim."""

    said: str


Answer = Accepted | KernelRefused


def ask(kind: KernelKind, claim: Claim, deadline: Deadline) -> Answer:
    """Asks the kernel. Raises `NoKernel`, `KernelFailed` or `OutOfBudget`."""
    return _ask_native(claim, deadline) if kind is KernelKind.NATIVE else _ask_rocq(claim, deadline)


def is_there(kind: KernelKind) -> bool:
    try:
        native_program() if kind is KernelKind.NATIVE else _rocq()
    except NoKernel:
        return False
    return True


def native_program() -> Path:
    named = os.environ.get(NATIVE_VARIABLE) or which(NATIVE)
    program = Path(named) if named else PROOFS / "build" / NATIVE
    if not program.is_file():
        raise NoKernel(f"there is no `{NATIVE}`")
    return program


def _rocq() -> tuple[str, Path]:
    compiler = which("coqc")
    if compiler is None:
        raise NoKernel("there is no `coqc` on the path")
    proofs = Path(os.environ.get(PROOFS_VARIABLE) or PROOFS)
    if not (proofs / "Reader.vo").is_file():
        raise NoKernel("the proofs are not compiled")
    return compiler, proofs


def _ask_native(claim: Claim, deadline: Deadline) -> Answer:
    ended = _run([str(native_program()), "statement"], claim.text, deadline)
    said = ended.stdout.strip()
    if ended.returncode == 0:
        return Accepted() if said == claim.said else KernelRefused(said)
    if said:
        return KernelRefused(said)
    raise KernelFailed(f"the kernel ended with {ended.returncode}{_last_line(ended.stderr)}")


def _ask_rocq(claim: Claim, deadline: Deadline) -> Answer:
    compiler, proofs = _rocq()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "claim.v"
        file.write_text(rocq_file((claim,)), "ascii")
        ended = _run([compiler, "-q", "-Q", str(proofs), "Seriatim", str(file)], "", deadline)
    if ended.returncode == 0:
        return Accepted() if CLOSED in ended.stdout else KernelRefused("the proof rests on axioms")
    if COMPUTED in ended.stderr:
        return KernelRefused("Rocq computes another verdict")
    raise KernelFailed(f"Rocq ended with {ended.returncode}{_last_line(ended.stderr)}")


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return f": {lines[-1]}" if lines else ""


def _run(command: list[str], text: str, deadline: Deadline) -> subprocess.CompletedProcess[str]:
    deadline.check()
    remaining = deadline.remaining()
    try:
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=None if remaining == float("inf") else remaining,
            preexec_fn=_memory_limit(deadline.remaining_bytes()),
        )
    except subprocess.TimeoutExpired:
        raise OutOfTime from None
    except OSError as error:
        raise NoKernel(f"`{command[0]}` cannot be run: {error.strerror}") from None


def _memory_limit(bytes_: int | None) -> Callable[[], None] | None:
    if bytes_ is None or os.name != "posix":
        return None

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))

    return limit
