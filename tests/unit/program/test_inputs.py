"""The digests by which certificates know their inputs."""

from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest

SYSTEM = '{"initial_global": "g", "requests": [], "responses": [], "transitions": []}'


def test_the_layout_of_a_program_does_not_matter() -> None:
    assert digest(parse("request a { yield; X := 1 }")) == digest(parse("request a:\n  yield\n  X := 1\n"))


def test_the_meaning_of_a_program_does() -> None:
    assert digest(parse("request a { X := 1 }")) != digest(parse("request a { X := 2 }"))


def test_a_digest_never_changes() -> None:
    assert digest(parse("X := 1 request a { yield; X := X + 1 }")) == (
        "c7d3369438cb063b9661ce9ae9c4622965c8fd28ac8d66739f4f039f8065cb19"
    )
    assert digest(read_system(SYSTEM)) == "1cc648532a3384dfb9c756602017d7ae60c1389a846dc4f0d38138c47f53f5af"
