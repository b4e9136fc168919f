"""The description of the API is true: no question that it allows, or nearly allows, is a server error.

With DEEP=1 only: to collect these questions takes seconds already.
"""

import json
from collections.abc import Iterator
from importlib import resources
from threading import Thread
from time import sleep
from typing import Any

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, settings
from schemathesis import checks

from seriatim.web.play import bind
from seriatim.web.questions import Room
from seriatim.web.server import application

DESCRIPTION = json.loads(resources.files("seriatim.web").joinpath("openapi.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Where a real server is."""
    with bind(0) as bound:
        port = bound.getsockname()[1]
        app = application(port, 1, Room(seconds=2, max_states=2_000), None)
        found = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1))
        thread = Thread(target=found.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        while not found.started:
            sleep(0.01)
        yield f"http://127.0.0.1:{port}"
        found.should_exit = True
        thread.join()


schema = schemathesis.openapi.from_dict(DESCRIPTION)

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


@schema.parametrize()
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_question_is_a_server_error(case: "schemathesis.Case[Any]", server: str) -> None:
    response = case.call(base_url=server)
    if response.status_code != 405:  # A method that no path has; nothing is described about those.
        case.validate_response(response, checks=CHECKS)
