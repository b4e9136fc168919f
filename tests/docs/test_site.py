"""The site of the documentation builds without a warning, leads to every page, and needs no other host."""

import subprocess
import sys
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from zlib import decompress

import pytest

from testkit.samples import deep

DOCS = Path(__file__).parents[2] / "docs"

pytestmark = [deep, pytest.mark.xdist_group("site")]  # one process, so that one build serves all


class Page(HTMLParser):
    """What a page of the site names, links to, and loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names = {""}
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.names.add(attributes.get("id", ""))
        match tag:
            case "a":
                self.links.add(attributes.get("href", ""))
            case "link":
                self.loaded.add(attributes.get("href", ""))
            case _:
                self.loaded.add(attributes.get("src", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    folder = tmp_path_factory.mktemp("site")
    build = subprocess.run(
        [sys.executable, "-m", "sphinx", "-t", "playground", "-W", "--keep-going", "--quiet", DOCS, folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (build.returncode, build.stderr) == (0, "")
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    (folder / "playground").mkdir()
    (folder / "playground" / "index.html").touch()  # It is built by other means.
    return pages


def test_the_navigation_lists_every_page(site: dict[Path, Page]) -> None:
    """The general index has the navigation, and no links of its own."""
    (navigation,) = [page.links for path, page in site.items() if path.name == "genindex.html"]
    pages = {page.relative_to(DOCS).with_suffix(".html").as_posix() for page in DOCS.rglob("*.md")}
    assert pages - navigation == set()


def test_every_link_leads_to_a_file_and_to_a_name_in_it(site: dict[Path, Page]) -> None:
    assert not list(broken_links(site))


def broken_links(site: dict[Path, Page]) -> Iterator[tuple[str, str]]:
    for path, page in site.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            names = site[target].names if target in site else {""}
            if target.parent.name == "playground":
                continue  # The fragment is a program.
            if not target.is_file() or unquote(address.fragment) not in names:
                yield path.name, link


def test_no_page_loads_anything_from_another_host(site: dict[Path, Page]) -> None:
    for path, page in site.items():
        assert not [address for address in page.loaded if urlsplit(address).netloc], path.name


def test_every_program_opens_on_the_page(site: dict[Path, Page]) -> None:
    offered = programs = 0
    for path, page in site.items():
        programs += path.read_text("utf-8").count('<div class="highlight-ser ')
        for link in page.links:
            if "playground/index.html#s=" in link:
                offered += 1
                packed = urlsafe_b64decode(urlsplit(link).fragment[2:] + "==")
                name, _, text = decompress(packed, wbits=-15).decode().partition("\n")
                assert (name, bool(text.strip())) == ("example.ser", True), path.name
    assert offered > 50
    assert offered >= 0.9 * programs  # Links to equal programs on one page are one link here.
