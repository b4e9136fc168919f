"""The memory of this process: current, peak, and available; None where the system does not tell."""

import gc
import os
import sys
from pathlib import Path

_SIZES = Path("/proc/self/statm")
_STATUS = Path("/proc/self/status")

_GROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Files in which Linux states the limit of a container (cgroups v2, then v1)."""


def resident_bytes() -> int | None:
    """The bytes that this process uses now; its peak where only that is known."""
    try:
        # A system call on a file that is never on a disk: some microseconds.
        resident_pages = _SIZES.read_bytes().split()[1]
    except OSError:
        return _peak_by_usage()
    return int(resident_pages) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int | None:
    """The most bytes that this process has used so far."""
    try:
        # `getrusage` does not fit: its maximum includes the process that started this one.
        status = _STATUS.read_text("ascii", "replace")
    except OSError:
        return _peak_by_usage()
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return _peak_by_usage()


def _peak_by_usage() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def machine_bytes() -> int | None:
    """The memory for all processes: of the machine, or of the container."""
    try:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # no such function; no such figure; not told
        return None
    return min([physical, *filter(None, map(_group_limit, _GROUP_LIMITS))])


def _group_limit(path: Path) -> int | None:
    try:
        text = path.read_text("ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None  # "max": no limit


def collect_rarely() -> None:
    """Makes garbage collection rare. States are tuples without cycles; searching all of them for cycles again
    and again would take up to a fifth of the time."""
    gc.set_threshold(200_000, 20, 20)
