"""The side that asks: joins a cluster, hands out tasks, and takes their answers as they come.

Answers are text. This side unpickles nothing that a worker sends, as far as Dask lets it choose, and the
reader of an answer believes nothing in it: see `seriatim.deciding.rechecking`.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from logging import CRITICAL
from typing import TYPE_CHECKING, Any, TypeVar, assert_never

from seriatim.cluster.address import Address, LocalWorkers, Scheduler, SchedulerFile
from seriatim.cluster.worker import HandLost, Overdue, perform, version
from seriatim.result import Lost
from seriatim.source import Diagnostic, InputError
from seriatim.workers import interrupts_blocked

if TYPE_CHECKING:
    from distributed import Client, Future

Task = TypeVar("Task")

SECONDS_TO_JOIN = 30
"""How long to wait for a scheduler and its first worker."""

RETRIES = 1
"""How often a task is begun again elsewhere, after the process that did it died."""

AHEAD = 4
"""Tasks handed out for each one that can run at a time: enough that no worker waits for us, and so few that a
million inputs are never in memory at once."""

PLAIN = ("dask", "msgpack")
"""What answers may be made of."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that we have joined."""

    client: "Client"

    def slots(self) -> int:
        """How many tasks can run at a time."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def perform(
        self, work: Callable[[Task], str], tasks: Iterable[Task], seconds: float
    ) -> Generator[tuple[int, str | Lost], None, None]:
        """Performs `work`, a function of a module, on each task; yields each answer with its position, as the
        answers come.

        Each task has so many seconds. One whose worker dies is tried on another, then it is `Lost`. Closing
        the generator cancels what is left.
        """
        from distributed import as_completed

        waiting = enumerate(tasks)
        positions: dict[Future[str], int] = {}

        def hand_out(count: int) -> "list[Future[str]]":
            begun = []
            for position, task in islice(waiting, count):
                future = self.client.submit(perform, work, task, seconds, pure=False, retries=RETRIES)
                positions[future] = position
                begun.append(future)
            return begun

        try:
            completed = as_completed(hand_out(AHEAD * self.slots()), loop=self.client.loop)
            for future in completed:
                position = positions.pop(future)
                yield position, answer_of(future)
                completed.update(hand_out(1))
        finally:
            self.client.cancel(list(positions), force=True)


@contextmanager
def join_cluster(address: Address) -> Iterator[Cluster]:
    """The cluster there; raises `InputError` if nothing answers there, or if it does not fit."""
    try:
        from distributed import Client
    except ImportError:
        hint = "install it: pip install 'seriatim[cluster]'"
        raise InputError([Diagnostic("SER218", "clusters need Dask", hint=hint)]) from None
    arguments: dict[str, Any] = {"timeout": SECONDS_TO_JOIN, "deserializers": list(PLAIN)}
    try:
        with serving(address) as where, Client(**where, **arguments, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=SECONDS_TO_JOIN)
            compare_versions(client, version())
            yield Cluster(client)
    except (OSError, TimeoutError) as error:
        message = f"cannot join the cluster: {str(error) or 'no answer'}"
        hint = "start a scheduler and at least one worker, or use --cluster local:4"
        raise InputError([Diagnostic("SER218", message, hint=hint)]) from None


@contextmanager
def serving(address: Address) -> Iterator[dict[str, Any]]:
    """The address of a scheduler, as Dask writes it. If workers of our own are asked for, they run until the
    context ends."""
    match address:
        case Scheduler(url=url):
            yield {"address": url}
        case SchedulerFile(path=path):
            if not path.is_file():
                raise OSError(f"there is no file {path}")
            yield {"scheduler_file": str(path)}
        case LocalWorkers(count=count):
            from dask import config
            from distributed import LocalCluster

            settings = {"distributed.scheduler.allowed-failures": RETRIES}
            with config.set(settings):
                with interrupts_blocked():  # Ctrl-C is for us, and we stop the workers: they inherit this.
                    workers = LocalCluster(
                        n_workers=count,
                        threads_per_worker=1,
                        dashboard_address="127.0.0.1:0",  # Any free port.
                        memory_limit=0,  # Each task has its own limit.
                        silence_logs=CRITICAL,
                    )
                with workers as local:
                    yield {"address": local}
        case _:
            assert_never(address)


def compare_versions(client: "Client", ours: str) -> None:
    """Raises `InputError` unless all workers have the same version of seriatim."""
    try:
        others = client.run(version, on_error="return")
    except ImportError as error:
        others = {"a worker": error}
    wrong = {where: found for where, found in others.items() if found != ours}
    if wrong:
        where, found = next(iter(wrong.items()))
        has = f"seriatim {found}" if isinstance(found, str) else "no seriatim"
        message = f"{len(wrong)} of {len(others)} workers do not fit: {where} has {has}, this is {ours}"
        raise InputError([Diagnostic("SER219", message, hint=f"install seriatim {ours} on the workers")])


def answer_of(future: "Future[str]") -> str | Lost:
    """The text that a worker has sent, or why it sent nothing."""
    from distributed import CancelledError, KilledWorker

    try:
        found: object = future.result()
    except (HandLost, Overdue, KilledWorker) as error:
        return Lost(str(error) if isinstance(error, HandLost | Overdue) else "its workers died")
    except CancelledError:
        return Lost("the connection to the scheduler is lost")
    except Exception as error:  # noqa: BLE001 - whatever goes wrong elsewhere must not end the run here
        return Lost(f"the worker failed: {type(error).__name__}: {error}")
    if not isinstance(found, str):
        return Lost("the worker sent something other than an answer")
    return without_version(found, version())


def without_version(found: str, ours: str) -> str | Lost:
    """The answer, if a worker of our version has written it: one that came later may have another."""
    theirs, _, answer = found.partition("\n")
    return answer if theirs == ours else Lost(f"the worker has seriatim {theirs}, this is {ours}")
