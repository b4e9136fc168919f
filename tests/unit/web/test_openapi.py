"""The description of the API names all questions and the limits of the code."""

import json
from importlib import resources

from seriatim.web.questions import KINDS, MAX_CERTIFICATE, MAX_TEXT

DESCRIPTION = json.loads(resources.files("seriatim.web").joinpath("openapi.json").read_text("utf-8"))


def test_every_kind_of_question_is_described() -> None:
    posts = {path.removeprefix("/api/") for path, item in DESCRIPTION["paths"].items() if "post" in item}
    assert posts == set(KINDS)


def test_the_limits_are_those_of_the_code() -> None:
    schemas = DESCRIPTION["components"]["schemas"]
    assert schemas["Check"]["properties"]["text"]["maxLength"] == MAX_TEXT
    assert schemas["Verify"]["properties"]["certificate"]["maxLength"] == MAX_CERTIFICATE
