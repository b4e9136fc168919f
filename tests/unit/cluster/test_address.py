"""Addresses of clusters, as people write them."""

from pathlib import Path

import pytest

from seriatim.cluster.address import Address, LocalWorkers, Scheduler, SchedulerFile, read_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("local", LocalWorkers(None)),
        ("local:4", LocalWorkers(4)),
        ("node7:8786", Scheduler("tcp://node7:8786")),
        ("tls://10.0.0.1:8786", Scheduler("tls://10.0.0.1:8786")),
        ("tcp://[::1]:8786", Scheduler("tcp://[::1]:8786")),
        ("file:run/scheduler.json", SchedulerFile(Path("run/scheduler.json"))),
    ],
)
def test_an_address_is_read(text: str, address: Address) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "local:0", "local:x", "node7", "http://node7:1/x", "node7:port", "a b:1"]
)
def test_anything_else_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(ValueError, match="local:4 for four workers"):
        read_address(text)
