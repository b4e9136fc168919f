"""How Sphinx makes a site of these pages (`make docs`); docs/decisions/0010-a-site-by-sphinx.md says why.

The pages are plain Markdown that code hosts show as well. So the navigation is not written in them: it is
made of the lists of links on the front page and on the page of each folder.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, Text
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

from seriatim.source import SourceText
from seriatim.web.links import fragment

project = "Seriatim"
html_title = "Seriatim"
language = "en"
nitpicky = True  # a reference that leads nowhere is a warning, and `make docs` makes warnings errors

extensions = ["myst_parser"]
myst_heading_anchors = 6  # headings have the anchors that code hosts give them
exclude_patterns = ["paper/**"]  # pictures
# Blocks in `ebnf`, `json` and `console` leave things out with `…`; `p4` and `rules` have no colours.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_static_path = ["_static"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

_SECTION = re.compile(r"^## (.*)$|^- \[([^]]*)\]\(([^):]*)\.md\)", re.MULTILINE)
_LEAVES_DOCS = re.compile(r"\]\((?=(\.\./)+(examples/|benchmarks/|SECURITY))")


_GRAMMAR = json.loads((Path(__file__).parents[1] / "editors/grammar/ser.tmLanguage.json").read_text("utf-8"))

_COLOURS = {
    "comment": Comment.Single,
    "keyword.control.pause": Keyword.Pseudo,
    "keyword.operator.word": Operator.Word,
    "keyword.operator": Operator,
    "keyword": Keyword,
    "storage": Keyword,
    "entity": Name.Function,
    "variable.other.shared": Name.Constant,
    "variable": Name,
    "constant.numeric": Number,
    "punctuation": Punctuation,
}
"""By the beginnings of scopes; the first one that fits counts."""


class SerLexer(RegexLexer):
    """The colours of a `.ser` program, by the grammar that editors use."""

    name = "SER"
    aliases = ("ser",)
    tokens = {  # noqa: RUF012  (the way of Pygments)
        "root": [
            *(
                (
                    rule["match"],
                    next(token for scope, token in _COLOURS.items() if rule["name"].startswith(scope)),
                )
                for rule in _GRAMMAR["patterns"]
            ),
            (r"\s+|.", Text),
        ]
    }


def prepare(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Lists of pages get a hidden table of contents; what lies outside of `docs/` is a file, not a page."""
    if docname == "index" or docname.endswith("/README"):
        source[0] += "".join(_tables_of_contents(source[0]))
    source[0] = _LEAVES_DOCS.sub("](path:", source[0])


def _tables_of_contents(text: str) -> Iterator[str]:
    """One for the links under each heading."""
    caption, entries = "", list[str]()
    for heading, title, page in [*_SECTION.findall(text), ("end", "", "")]:
        if page:
            entries.append(f"{title} <{page}>")
        elif entries:
            yield "\n\n```{toctree}\n:hidden:\n" + f":caption: {caption}\n\n" * bool(caption)
            yield "\n".join(entries) + "\n```\n"
        if heading:
            caption, entries = heading, []


def embed_page(app: Sphinx, _docname: str, source: list[str]) -> None:
    """Where the site has the page that needs no server, it stands in its place."""
    if app.tags.has("playground"):
        frame = (
            '<iframe class="playground" src="playground/index.html" title="The page" loading="lazy"></iframe>'
        )
        source[0] = source[0].replace("<!-- the page stands here -->", frame)


def offer_programs(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Each program gets a link that opens it on the page."""
    if not app.tags.has("playground"):
        return
    page = f"{'../' * docname.count('/')}playground/index.html"
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "ser":
            address = f"{page}#{fragment(SourceText('example.ser', block.astext().rstrip() + chr(10)))}"
            link = f'<p class="try"><a href="{address}">Try it</a></p>'
            block.parent.insert(block.parent.index(block) + 1, nodes.raw("", link, format="html"))


def follow_symlinks(app: Sphinx, doctree: nodes.document) -> None:
    """A link to a page that is kept elsewhere, as `errors.md` is in the package, leads to the page."""
    pages = {str(app.env.doc2path(name).resolve()): name for name in app.env.found_docs}
    for link in doctree.findall(pending_xref):
        link["reftarget"] = pages.get(f"{link['reftarget']}.md", link["reftarget"])


def setup(app: Sphinx) -> None:
    app.add_lexer("ser", SerLexer)
    app.connect("source-read", prepare)
    app.connect("source-read", embed_page)
    app.connect("doctree-read", follow_symlinks)
    app.connect("doctree-resolved", offer_programs)
    app.add_css_file("site.css")
