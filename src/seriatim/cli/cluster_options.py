"""Options that spread work, or reuse earlier work: clusters, lanes, shards, the cache."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from seriatim.cache import Cache, default_cache
from seriatim.cli.limits_options import Bounds
from seriatim.cli.one_check import CheckTask, check_and_tell
from seriatim.cli.speakers import Checked, Speaker
from seriatim.cluster.address import read_address
from seriatim.deciding.pipeline import Options
from seriatim.method import Method

if TYPE_CHECKING:  # Most commands use no cluster.
    from seriatim.cache import Cache
    from seriatim.cluster.address import Address

Function = TypeVar("Function", bound=Callable[..., Any])
Item = TypeVar("Item")


def _address(ctx: click.Context, param: click.Parameter, text: str | None) -> "Address | None":
    if text is None:
        return None
    try:
        return read_address(text)
    except ValueError as error:
        raise click.BadParameter(f"{error}.", ctx, param) from None


cluster_option = click.option(
    "--cluster",
    callback=_address,
    metavar="ADDRESS",
    help="Work on the machines of a Dask cluster: HOST:PORT, file:PATH, or local:4 for workers here.",
)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several equal parts, counted from 1 on."""

    number: int
    of: int

    def take(self, items: Sequence[Item]) -> list[Item]:
        """Every n-th item: neighbours are often alike, and this way they go to different shards."""
        return list(items[self.number - 1 :: self.of])


def _shard(ctx: click.Context, param: click.Parameter, text: str | None) -> Shard | None:
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        message = f"{text!r} is not a shard; write the second of five as 2/5."
        raise click.BadParameter(message, ctx, param)
    return Shard(int(found[1]), int(found[2]))


shard_option = click.option(
    "--shard", callback=_shard, metavar="I/N", help="Take one of N equal parts of the inputs, such as 2/5."
)


def cache_options(command: Function) -> Function:
    """Adds --cache and --no-cache."""
    where = click.option(
        "--cache",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="SERIATIM_CACHE",
        metavar="FOLDER",
        help="Where verdicts of earlier runs are kept; each is re-checked when it is used."
        "  [default: ~/.cache/seriatim]",
    )
    without = click.option(
        "--no-cache",
        is_flag=True,
        envvar="SERIATIM_NO_CACHE",
        help="Decide everything again, and keep nothing.",
    )
    return where(without(command))


def open_cache(folder: Path | None, without: bool) -> "Cache | None":
    """Opens the cache of earlier verdicts; None if there is to be none."""
    if without:
        return None
    return default_cache() if folder is None else Cache(folder, 0.0)


@dataclass(frozen=True, slots=True)
class Lane:
    """One method in a race; a search may fix how many requests are in flight."""

    method: Method
    in_flight: int | None = None

    def options(self, options: Options) -> Options:
        limits = replace(options.limits, in_flight=self.in_flight)
        return replace(options, method=self.method, limits=limits)


LANES = (
    *(Lane(each) for each in Method if each is not Method.PAPER),
    *(Lane(Method.SEARCH, count) for count in (1, 2, 3)),
)
"""The lanes that race by default. The paper's method runs only on demand."""


def _lanes(ctx: click.Context, param: click.Parameter, text: str | None) -> tuple[Lane, ...]:
    if text is None:
        return ()
    if text == "all":
        return LANES
    known = {each.value: Lane(each) for each in Method}
    known |= {f"search:{count}": Lane(Method.SEARCH, count) for count in range(1, 10)}
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            methods = ", ".join(each.value for each in Method)
            message = f"{name!r} is not a method; there are {methods}, and search:1 to search:9."
            raise click.BadParameter(message, ctx, param)
    return tuple(dict.fromkeys(known[name] for name in names))


lanes_option = click.option(
    "--lanes",
    is_flag=False,
    flag_value="all",
    callback=_lanes,
    metavar="[METHODS]",
    help="Try several methods on an input at the same time; the first re-checked verdict counts.",
)


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Options: where to do the work."""

    cluster: "Address | None"
    lanes: tuple[Lane, ...]
    cache: Path | None
    no_cache: bool

    def opened_cache(self) -> "Cache | None":
        return open_cache(self.cache, self.no_cache)

    def check(
        self, tasks: Iterable[CheckTask], count: int, bounds: Bounds, speaker: Speaker
    ) -> Iterator[Checked]:
        """Checks inputs and reports the results. Raises `InputError` if there is no such cluster."""
        if self.cluster is None and not self.lanes and (bounds.jobs == 1 or count == 1):
            yield from (check_and_tell(task, speaker) for task in tasks)  # Reads each input in turn.
            return
        from seriatim.cli.worker_checks import check_by, check_in_workers, crew_for, race, told

        if self.cluster is None and not self.lanes:
            yield from told(check_in_workers(list(tasks), bounds.jobs, bounds.timeout), speaker)
            return
        with crew_for(self.cluster, max(bounds.jobs, len(self.lanes))) as crew:
            if self.lanes:
                found = (race(task, self.lanes, crew, bounds.timeout) for task in tasks)
                yield from told(found, speaker)
            else:
                yield from check_by(crew, tasks, count, bounds.timeout, speaker)
