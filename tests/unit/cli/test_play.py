"""`ser play`: serves the page on this machine alone, says where, and ends without a trace."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.source import SourceText
from seriatim.web import play
from seriatim.web.links import fragment
from seriatim.web.server import page_folder
from testkit.samples import deep

needs_page = pytest.mark.skipif(
    not page_folder().joinpath("index.html").is_file(), reason="the page is not built: make page"
)


@contextmanager
def playing(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and where its page is."""
    entry = "from seriatim.cli.entry import run; run()"
    command = [sys.executable, "-c", entry, "play", "--no-browser", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().removeprefix("The page is at ").strip()
        finally:
            process.kill()


@deep
@needs_page
def test_the_page_and_its_answers_come_from_one_address() -> None:
    with playing("--port", "0", "--jobs", "1") as (process, address):
        page = httpx.get(address)
        assert page.headers["content-type"].startswith("text/html")
        assert page.headers["cache-control"] == "no-cache"
        assert "default-src 'none'" in page.headers["content-security-policy"]
        question = {"name": "a.ser", "text": "request a { 1 }"}
        assert httpx.post(f"{address}api/check", json=question).json()["verdict"] == "serializable"
        assert httpx.get(address, headers={"host": "evil.example"}).status_code == 403
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, -signal.SIGTERM, 143)
        assert process.stderr is not None
        assert process.stderr.read() == ""


@deep
@needs_page
def test_control_c_is_the_way_to_end_it() -> None:
    with playing("--port", "0", "--jobs", "1") as (process, _):
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert (process.returncode, told) == (0, "")


def test_a_port_that_is_taken_is_told_and_another_one_is_found_unless_named() -> None:
    with play.bind(0) as taken:
        port = taken.getsockname()[1]
        taken.listen()
        found = CliRunner().invoke(main, ["play", "--no-browser", "--port", str(port)])
        assert found.exit_code == 2
        assert f"port {port} cannot be used" in found.stderr
    with play.bind(None) as first, play.bind(None) as second:
        first.listen()
        assert second.getsockname()[0] == first.getsockname()[0] == "127.0.0.1"


def test_without_its_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "seriatim.web.play", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    found = CliRunner().invoke(main, ["play"])
    assert found.exit_code == 2
    assert "pip install 'seriatim[web]'" in found.stderr


def test_without_a_page_it_says_how_to_build_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(play, "page_folder", lambda: tmp_path)
    found = CliRunner().invoke(main, ["play", "--no-browser", "--port", "0"])
    assert found.exit_code == 2
    assert "error[SER972]: the page has not been built" in found.stderr


def test_a_file_that_is_missing_is_told(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["play", str(tmp_path / "none.ser")])
    assert found.exit_code == 2
    assert "SER201" in found.stderr


def test_a_file_is_in_the_address_as_the_page_reads_it() -> None:
    """The test of the page reads this very fragment: web/test/share.test.ts."""
    source = SourceText("über.ser", "request a { 1 } // größer\n")
    kept = Path(__file__).parents[3] / "web" / "test" / "fragment.txt"
    assert fragment(source) == kept.read_text("ascii").strip()


def test_links_tell_the_name_of_a_file_without_its_folders() -> None:
    text = "request a { 1 }\n"
    with play.bind(0) as bound:
        found = play.address(bound, SourceText("secret/folder/shop.ser", text))
    assert found.endswith(f"#{fragment(SourceText('shop.ser', text))}")
