"""Exported nets say what places and transitions stand for, and their runs come back as program steps."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.frontends.ser.parser import parse
from seriatim.petri.from_system import interleaving_net
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.pnml import read_pnml, write_pnml
from seriatim.petri.query_xml import read_queries
from seriatim.petri.tina import read_tina, write_tina
from seriatim.systems.from_program import network_system
from seriatim.systems.limits import Limits

RACING = "request flip { x := N; yield; N := 1 - x; x }\n"
QUERY = """<?xml version="1.0"?>
<property-set xmlns="http://mcc.lip6.fr/"><property><id>q</id><formula><exists-path><finally>
<integer-le><integer-constant>{tokens}</integer-constant>
<tokens-count><place>{place}</place></tokens-count></integer-le>
</finally></exists-path></formula></property></property-set>
"""


def ser(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize(("write", "read"), [(write_tina, read_tina), (write_pnml, read_pnml)])
def test_meanings_are_written_and_read_back(write: object, read: object) -> None:
    assert callable(write)
    assert callable(read)
    net = interleaving_net(network_system(parse(RACING), Limits(), Deadline())).net
    assert net.meanings["p1"] == "shared: [N=0]"
    assert net.meanings["t1"] == "flip arrives"
    again = read(write(net))
    assert write(again) == write(net)
    assert again.meanings == net.meanings


@pytest.mark.parametrize("name", ["_x", "_x5f_", "a b", "é", "_xyz"])
def test_a_query_may_name_a_place_as_it_is(name: str) -> None:
    net = PetriNet((name, "y"), (Transition("t", (0,), (1,)),), (1, 0))
    (query,) = read_queries(QUERY.format(place=name, tokens=1), net)
    assert query.name == "q"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("flip.ser").write_text(RACING)
    ser("export", "flip.ser", "--to", "net", "-o", "flip.net")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_runs_are_told_in_the_words_of_the_program() -> None:
    Path("twice.xml").write_text(QUERY.format(place="p8", tokens=2))
    told = ser("net", "reach", "flip.net", "--formula", "twice.xml", "--program", "flip.ser").output
    assert "t1: flip arrives" in told
    assert "p8 (flip answered 0)" in told
    assert "request 2: flip" in told
    assert "answers: flip/0 ×2" in told


@pytest.mark.usefixtures("folder")
def test_a_run_may_end_with_requests_in_flight() -> None:
    Path("flying.xml").write_text(QUERY.format(place="p4", tokens=2))
    told = ser("net", "reach", "flip.net", "--formula", "flying.xml", "--program", "flip.ser").output
    assert "request 2: flip" in told
    assert "answers: none" in told


@pytest.mark.usefixtures("folder")
def test_the_net_of_another_program_is_refused() -> None:
    Path("other.ser").write_text(RACING.replace("1 - x", "x"))
    Path("twice.xml").write_text(QUERY.format(place="p8", tokens=2))
    result = ser("net", "reach", "flip.net", "--formula", "twice.xml", "--program", "other.ser")
    assert result.exit_code == 2
    assert "SER907" in result.output
