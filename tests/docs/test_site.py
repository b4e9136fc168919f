"""The site of the documentation builds without a warning, leads to every page, and needs no other host."""

import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from samples import deep

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
        [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", DOCS, folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (build.returncode, build.stderr) == (0, "")
    return {path: Page(path) for path in folder.rglob("*.html")}


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
            if not target.is_file() or unquote(address.fragment) not in names:
                yield path.name, link


def test_no_page_loads_anything_from_another_host(site: dict[Path, Page]) -> None:
    for path, page in site.items():
        assert not [address for address in page.loaded if urlsplit(address).netloc], path.name
