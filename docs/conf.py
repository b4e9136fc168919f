"""How Sphinx makes a site of these pages (`make docs`); docs/decisions/0010-a-site-by-sphinx.md says why.

The pages are plain Markdown that code hosts show as well. So the navigation is not written in them: it is
made of the lists of links on the front page and on the page of each folder.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, Text
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

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
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

_SECTION = re.compile(r"^## (.*)$|^- \[([^]]*)\]\(([^):]*)\.md\)", re.MULTILINE)
_LEAVES_DOCS = re.compile(r"\]\((?=(\.\./)+(examples/|benchmarks/|SECURITY))")


class SerLexer(RegexLexer):
    """The colours of a `.ser` program: shared variables stand out, because races are about them."""

    name = "SER"
    aliases = ("ser",)
    tokens = {  # noqa: RUF012  (the way of Pygments)
        "root": [
            (r"(#|//).*", Comment.Single),
            (r"\b(yield|await|assert|lock|unlock)\b", Keyword.Pseudo),
            (
                words(
                    ("request", "fun", "const", "enum", "if", "elif", "else", "while", "return", "choose"),
                    prefix=r"\b",
                    suffix=r"\b",
                ),
                Keyword,
            ),
            (r"\b(and|or|not|in|wrap|saturate)\b", Operator.Word),
            (r"\b[A-Z]\w*", Name.Constant),
            (r"\b[a-z_]\w*", Name),
            (r"\d+", Number),
            (r":=|[=!<>]=|&&|\|\||\.\.|[-+*/%<>!?=]", Operator),
            (r"[(){}\[\],;:]", Punctuation),
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


def follow_symlinks(app: Sphinx, doctree: nodes.document) -> None:
    """A link to a page that is kept elsewhere, as `errors.md` is in the package, leads to the page."""
    pages = {str(app.env.doc2path(name).resolve()): name for name in app.env.found_docs}
    for link in doctree.findall(pending_xref):
        link["reftarget"] = pages.get(f"{link['reftarget']}.md", link["reftarget"])


def setup(app: Sphinx) -> None:
    app.add_lexer("ser", SerLexer)
    app.connect("source-read", prepare)
    app.connect("doctree-read", follow_symlinks)
