"""How much memory this process has, had at most, and could have; None where the system does not tell."""

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
"""Where Linux tells what a container may use, in its newer and in its older form."""


def resident_bytes() -> int | None:
    """What this process occupies now; where only its peak is known, that."""
    try:
        # A system call on a file that is never on a disk: some microseconds.
        resident_pages = _SIZES.read_bytes().split()[1]
    except OSError:
        return _peak_by_usage()
    return int(resident_pages) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int | None:
    """The largest amount that this process has had so far."""
    try:
        # Not by usage: that maximum also covers the process that has started this one.
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
    """What there is for all processes: of the machine, or of the container that this one lives in."""
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
    """For a process of ours: states are tuples without cycles, and to go through all of them again and again
    in search of some would take up to a fifth of the time."""
    gc.set_threshold(200_000, 20, 20)
