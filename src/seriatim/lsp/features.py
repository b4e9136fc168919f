"""The features of the language server, each with its answer."""

import asyncio
import json

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from seriatim.frontends.ser import keywords
from seriatim.frontends.ser.formatting import format_text
from seriatim.lsp import findings
from seriatim.lsp.completion import complete, complete_words
from seriatim.lsp.folding import folds
from seriatim.lsp.line_hover import line_hover
from seriatim.lsp.names import DocumentNames, Occurrence, Sort
from seriatim.lsp.server import Document, Server
from seriatim.lsp.tasks import FollowUp, report_answer
from seriatim.lsp.tokens import LEGEND, tokens
from seriatim.program.syntax import is_global
from seriatim.source import InputError

REPAIRED = ("not-serializable", "unsafe", "not-race-free", "not-deadlock-free", "undecided")
"""The diagnostics that changes are offered for; `undecided` is one if a violation is possible."""


def create_server() -> Server:
    """A server with all features, ready for a client."""
    server = Server()
    for register in (_follow_documents, _tell, _structure, _navigate, _offer_changes):
        register(server)
    return server


def _follow_documents(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.settings.read(params.initialization_options)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configure(params: types.DidChangeConfigurationParams) -> None:
        given = params.settings
        server.settings.read(given.get("seriatim", given) if isinstance(given, dict) else given)
        for document in list(server.documents.values()):
            server.change(document.uri, document.text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.change(document.uri, document.text, document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        text = server.workspace.get_text_document(uri).source
        server.change(uri, text, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    def shut_down(_: None) -> None:
        for uri in list(server.documents):
            server.close(uri)
        server.processes.close()


def _tell(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return None
        line, column = document.shown.place(params.position)
        text = findings.hover_text(document.names(), line, column, document.current)
        if not document.is_own and document.current is not None and line <= len(document.shown.lines):
            text = line_hover(document.shown.lines[line - 1], line, column, document.current)
        return None if text is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        document = server.documents.get(params.text_document.uri)
        if document is None or document.current is None or not document.current["headline"]:
            return []
        return [findings.lens(document.shown, document.current)]

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        document = server.documents.get(params.text_document.uri)
        if document is None or document.current is None:
            return []
        return findings.commit_hints(document.shown, document.current)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = server.documents.get(params.text_document.uri)
        return [] if document is None else findings.symbols(document.shown, document.names())

    @server.command("seriatim.report")
    async def report(uri: str) -> str | None:
        document = server.documents.get(uri)
        if document is None or document.current is None:
            return None
        result = json.dumps(document.current["result"])
        return await server.processes.perform(report_answer, FollowUp(server.question(document), result))


def _structure(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
        document = server.documents.get(params.text_document.uri)
        if document is None:
            return []
        place = document.shown.place(params.position)
        if document.is_own:
            return complete(document.shown, document.names(), *place)
        return complete_words(document.name, document.shown, *place) if document.is_worded else []

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        document = server.documents.get(params.text_document.uri)
        is_ours = document is not None and (document.is_own or document.is_worded)
        return folds(document.shown.lines) if document is not None and is_ours else []

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, LEGEND)
    def semantic_tokens(params: types.SemanticTokensParams) -> types.SemanticTokens:
        document = server.documents.get(params.text_document.uri)
        return types.SemanticTokens([] if document is None else tokens(document.shown, document.names()))


def _navigate(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(params: types.DefinitionParams) -> types.Location | None:
        found = server.occurrence(params)
        if found is None:
            return None
        document, names, here = found
        place = names.definition(here.symbol)
        return None if place is None else types.Location(document.uri, document.shown.range(place.span))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(params: types.ReferenceParams) -> list[types.Location]:
        found = server.occurrence(params)
        if found is None:
            return []
        document, names, here = found
        places = names.of(here.symbol)
        if not params.context.include_declaration:
            places = tuple(each for each in places if not each.is_definition)
        return [types.Location(document.uri, document.shown.range(each.span)) for each in places]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        found = server.occurrence(params)
        if found is None:
            return []
        document, names, here = found
        kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
        return [
            types.DocumentHighlight(document.shown.range(each.span), kinds[each.is_write])
            for each in names.of(here.symbol)
        ]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(params: types.PrepareRenameParams) -> types.Range | None:
        found = server.occurrence(params)
        return None if found is None else found[0].shown.range(found[2].span)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        found = server.occurrence(params)
        if found is None:
            return None
        document, names, here = found
        refuse_unfit_name(names, here, params.new_name)
        edits = [
            types.TextEdit(document.shown.range(each.span), params.new_name) for each in names.of(here.symbol)
        ]
        return types.WorkspaceEdit({document.uri: edits})


def _offer_changes(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        document = server.documents.get(params.text_document.uri)
        if document is None or not document.is_own:
            return []
        try:
            formatted = format_text(document.text, None)
        except InputError:
            return []  # A text with mistakes is left alone.
        if formatted == document.text:
            return []
        return [types.TextEdit(document.shown.whole(), formatted)]

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        document = server.documents.get(params.text_document.uri)
        about = [each for each in params.context.diagnostics if each.code in REPAIRED]
        if document is None or not about:
            return []
        text = document.text
        if document.work is not None:
            await asyncio.wait({document.work})  # The work goes on even if the caller stops waiting.
        if document.text != text:
            return []
        return [_action(document, each, about, number == 0) for number, each in enumerate(document.repairs)]


def _action(
    document: Document, repair: dict[str, str], about: list[types.Diagnostic], is_first: bool
) -> types.CodeAction:
    edit = types.TextEdit(document.shown.whole(), repair["text"])
    return types.CodeAction(
        f"Fix: {repair['title']}",
        types.CodeActionKind.QuickFix,
        about,
        is_first,
        edit=types.WorkspaceEdit({document.uri: [edit]}),
    )


def refuse_unfit_name(names: DocumentNames, here: Occurrence, name: str) -> None:
    """Raises an error that the client shows, if a new name is not a name, is taken, or would turn a local
    variable into a shared one."""
    symbol = here.symbol
    if not name.isidentifier() or name in keywords.ALL:
        raise JsonRpcInvalidParams(f"{name!r} is not a name")
    if symbol.sort in (Sort.SHARED, Sort.LOCAL) and is_global(name) != is_global(symbol.name):
        case = "a capital letter" if symbol.sort is Sort.SHARED else "a small letter"
        raise JsonRpcInvalidParams(f"the name of a {symbol.sort} begins with {case}")
    taken = {each.symbol for each in names.occurrences if each.symbol.name == name}
    if any(not other.owner or not symbol.owner or other.owner == symbol.owner for other in taken):
        raise JsonRpcInvalidParams(f"{name!r} is taken")
