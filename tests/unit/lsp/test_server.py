"""The language server over its real protocol: a client starts it as an editor does."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from testkit.samples import deep

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from seriatim.lsp.server import Settings
from testkit.running.ser_processes import hands

URI = "file:///project/counter.ser"
RACING = "request incr:\n    x := X\n    yield\n    X := (x + 1) % 3\n    return x\n"
LOCKED = (
    "request incr:\n    lock(L)\n    x := X\n    yield\n    X := (x + 1) % 3\n    unlock(L)\n    return x\n"
)
HUNGRY = """
request climb { x := ?; while (x < 100000) { A := x; yield; B := A + x; yield; x := x + ? + 1; yield }; B }
request add { C := C + 1; yield; C := C + B; yield; C }
"""


class Editor:
    """A client that remembers what it is told."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.told: dict[str, list[list[types.Diagnostic]]] = {}
        self.version = 0
        self.news = asyncio.Event()

        def remember(params: types.PublishDiagnosticsParams) -> None:
            self.told.setdefault(params.uri, []).append(list(params.diagnostics))
            self.news.set()

        client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(remember)

    def open(self, text: str, uri: str = URI, language: str = "ser") -> None:
        document = types.TextDocumentItem(uri, language, 0, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def change(self, text: str, uri: str = URI) -> None:
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(self.version, uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def hear(
        self, wanted: Callable[[list[types.Diagnostic]], bool], uri: str = URI, seconds: float = 60.0
    ) -> list[types.Diagnostic]:
        """The first news that is wanted."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            for each in self.told.get(uri, []):
                if wanted(each):
                    return each
            self.news.clear()
            try:
                await asyncio.wait_for(self.news.wait(), max(0.1, ends - time.monotonic()))
            except TimeoutError:
                break
        raise AssertionError(f"nothing of that kind was told: {self.told}")


@asynccontextmanager
async def editor(**options: object) -> AsyncIterator[Editor]:
    client = LanguageClient("tests", "1")
    found = Editor(client)
    start = ("-c", "from seriatim.cli.entry import run; run()", "lsp")
    await client.start_io(sys.executable, *start)
    workspace = types.WorkspaceClientCapabilities()
    await client.initialize_async(
        types.InitializeParams(types.ClientCapabilities(workspace=workspace), initialization_options=options)
    )
    client.initialized(types.InitializedParams())
    try:
        yield found
    finally:
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def told() -> None:
        await story()

    asyncio.run(told())


def codes(diagnostics: list[types.Diagnostic]) -> set[object]:
    return {each.code for each in diagnostics}


DOCUMENT = types.TextDocumentIdentifier(URI)


def test_settings_that_make_no_sense_stay_as_they_were() -> None:
    settings = Settings()
    settings.read({"property": "strict", "timeout": 3})
    for name in ("linearizable", "magic", ["strict"], None):  # The first needs a specification.
        settings.read({"property": name, "timeout": -1})
    assert (settings.property_name, settings.timeout) == ("strict", 3.0)


def test_a_race_is_told_fixed_and_gone() -> None:
    async def story() -> None:
        async with editor() as user:
            user.open(RACING)
            told = await user.hear(lambda each: "not-serializable" in codes(each))
            race = next(each for each in told if each.code == "not-serializable")
            assert race.range.start.line == 2
            assert "NOT SERIALIZABLE (2 requests, 4 steps)" in race.message
            assert "A contradiction" in race.message
            steps = [each.message for each in race.related_information or ()]
            assert steps[0] == "request 1 (incr): x = 0"
            blamed = await user.hear(lambda each: "blame" in codes(each))
            assert [each.range.start.line for each in blamed if each.code == "blame"] == [2]
            lenses = await user.client.text_document_code_lens_async(types.CodeLensParams(DOCUMENT))
            (lens,) = lenses or ()
            assert lens.command is not None
            assert lens.command.title == "NOT SERIALIZABLE (2 requests, 4 steps)"
            found = await user.client.text_document_code_action_async(
                types.CodeActionParams(DOCUMENT, race.range, types.CodeActionContext([race]))
            )
            action = (found or [])[0]
            assert isinstance(action, types.CodeAction)
            assert action.title.startswith("Fix: ")
            assert action.edit is not None
            ((edit,),) = (action.edit.changes or {}).values()
            user.told.clear()
            user.change(edit.new_text)
            assert await user.hear(lambda each: "not-serializable" not in codes(each)) == []

    run(story)


def test_warnings_do_not_wait_for_the_verdict() -> None:
    async def story() -> None:
        async with editor(timeout=300) as user:
            user.open(HUNGRY + "request idle { z := Z; yield; z }\n")
            told = await user.hear(lambda each: bool(each))
            assert codes(told) == {"SER702"}
            user.change(HUNGRY + "request idle { z := ; yield; z }\n")
            assert "SER005" in codes(await user.hear(lambda each: "SER702" not in codes(each)))

    run(story)


def test_completion_folding_and_tokens_are_offered() -> None:
    async def story() -> None:
        async with editor() as user:
            user.open(LOCKED)
            asked = types.CompletionParams(DOCUMENT, types.Position(4, 4))
            found = await user.client.text_document_completion_async(asked)
            assert isinstance(found, list | tuple)
            assert {"x", "X", "L", "yield"} <= {each.label for each in found}
            blocks = await user.client.text_document_folding_range_async(types.FoldingRangeParams(DOCUMENT))
            assert [(each.start_line, each.end_line) for each in blocks or ()] == [(0, 6)]
            tokens = await user.client.text_document_semantic_tokens_full_async(
                types.SemanticTokensParams(DOCUMENT)
            )
            assert tokens is not None
            assert len(tokens.data) % 5 == 0
            assert tokens.data

    run(story)


@deep
def test_fixes_are_looked_for_once_whoever_stops_waiting() -> None:
    """Editors ask at each move of the cursor, and withdraw that at the next one."""

    async def story() -> None:
        async with editor() as user:
            user.open(RACING)
            told = await user.hear(lambda each: "not-serializable" in codes(each))
            race = next(each for each in told if each.code == "not-serializable")
            asked = types.CodeActionParams(DOCUMENT, race.range, types.CodeActionContext([race]))
            requests = user.client.protocol
            outcomes = []
            for _ in range(3):
                withdrawn = requests.send_request(
                    types.TEXT_DOCUMENT_CODE_ACTION, asked, msg_id=(name := str(uuid4()))
                )
                requests.notify(types.CANCEL_REQUEST, types.CancelParams(name))
                outcomes.append(await asyncio.wait_for(_outcome(withdrawn), 30))
            assert isinstance(outcomes[0], Exception)  # Later ones may be answered before they are withdrawn.
            assert len(await user.client.text_document_code_action_async(asked) or ()) > 1

    async def _outcome(future: Future[Any]) -> object:
        return (await asyncio.gather(asyncio.wrap_future(future), return_exceptions=True))[0]

    run(story)


@deep
def test_names_are_found_and_renamed() -> None:
    async def story() -> None:
        async with editor() as user:
            user.open(LOCKED)
            at_x = types.Position(2, 4)
            place = await user.client.text_document_definition_async(types.DefinitionParams(DOCUMENT, at_x))
            assert isinstance(place, types.Location)
            assert place.range.start == types.Position(2, 4)
            context = types.ReferenceContext(include_declaration=True)
            places = await user.client.text_document_references_async(
                types.ReferenceParams(context, DOCUMENT, at_x)
            )
            assert [each.range.start.line for each in places or ()] == [2, 4, 6]
            edit = await user.client.text_document_rename_async(types.RenameParams(DOCUMENT, at_x, "seen"))
            assert edit is not None
            assert len((edit.changes or {})[URI]) == 3
            with pytest.raises(Exception, match="begins with a small letter"):
                await user.client.text_document_rename_async(types.RenameParams(DOCUMENT, at_x, "Seen"))
            with pytest.raises(Exception, match="is not a name"):
                await user.client.text_document_rename_async(types.RenameParams(DOCUMENT, at_x, "while"))
            outline = await user.client.text_document_document_symbol_async(
                types.DocumentSymbolParams(DOCUMENT)
            )
            assert [each.name for each in outline or ()] == ["incr"]

    run(story)


@deep
def test_a_proof_shows_values_points_and_a_report() -> None:
    async def story() -> None:
        async with editor() as user:
            user.open(LOCKED)
            assert codes(await user.hear(lambda _: True)) == set()
            hover = await user.client.text_document_hover_async(
                types.HoverParams(DOCUMENT, types.Position(4, 4))
            )
            assert hover is not None
            assert isinstance(hover.contents, types.MarkupContent)
            assert "shared variable" in hover.contents.value
            assert "its values in any run: 0, 1, 2" in hover.contents.value
            pause = await user.client.text_document_hover_async(
                types.HoverParams(DOCUMENT, types.Position(3, 5))
            )
            assert pause is not None
            assert isinstance(pause.contents, types.MarkupContent)
            assert "They may write:\n\n- `X` (line 5)" in pause.contents.value
            whole = types.Range(types.Position(0, 0), types.Position(9, 0))
            hints = await user.client.text_document_inlay_hint_async(types.InlayHintParams(DOCUMENT, whole))
            assert all("takes effect here" in str(each.label) for each in hints or ())
            page = await user.client.workspace_execute_command_async(
                types.ExecuteCommandParams("seriatim.report", [URI])
            )
            assert str(page).lower().startswith("<!doctype html>")

    run(story)


@deep
def test_texts_are_formatted_and_mistakes_left_alone() -> None:
    async def story() -> None:
        async with editor() as user:
            user.open("request f { x:=X;   yield; X:=x }\n")
            options = types.FormattingOptions(4, insert_spaces=True)
            asked = types.DocumentFormattingParams(DOCUMENT, options)
            edits = await user.client.text_document_formatting_async(asked)
            assert edits is not None
            assert "x := X" in edits[0].new_text
            user.change("request f { x := \n")
            assert not await user.client.text_document_formatting_async(asked)
            broken = await user.hear(lambda each: any(str(code).startswith("SER") for code in codes(each)))
            assert broken[0].severity is types.DiagnosticSeverity.Error

    run(story)


@deep
def test_columns_are_those_of_the_protocol() -> None:
    """Beyond the basic plane, a character counts twice."""

    async def story() -> None:
        async with editor() as user:
            user.open("request f { x := X; # 😀\n yield; X := x; /* 😀 */ x ? }\n")
            told = await user.hear(lambda each: bool(codes(each)))
            assert all(each.range.end.character <= 40 for each in told)

    run(story)


@deep
def test_other_languages_have_verdicts_too() -> None:
    async def story() -> None:
        async with editor(sources={"sql": {"isolation": "repeatable-read"}}) as user:
            examples = Path(__file__).parents[3] / "examples"
            conc = next(iter(sorted((examples / "threads").glob("lost_update*.conc"))))
            user.open(conc.read_text("utf-8"), "file:///w/lost.conc", "conc")
            told = await user.hear(lambda each: bool(each), "file:///w/lost.conc")
            assert "unsafe" in codes(told)
            sql = next(iter(sorted((examples / "sql").glob("*.sql"))))
            user.open(sql.read_text("utf-8"), "file:///w/some.sql", "sql")
            await user.hear(lambda _: True, "file:///w/some.sql")
            service = (examples / "services" / "visit_counter.py").read_text("utf-8")
            user.open(service, "file:///w/visits.py", "python")
            (found,) = await user.hear(lambda each: bool(each), "file:///w/visits.py")
            assert found.code == "undecided"
            assert "decided by running it, which is not allowed here" in found.message
            racing = (examples / "threads" / "account_race.c").read_text("utf-8")
            user.open(racing, "file:///w/lost.c", "c")
            assert "unsafe" in codes(await user.hear(lambda each: bool(each), "file:///w/lost.c"))

    run(story)


@deep
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks at processes there")
def test_a_change_stops_what_is_under_way() -> None:
    async def story() -> None:
        before = hands()
        async with editor(timeout=300) as user:
            user.open(HUNGRY)
            ends = time.monotonic() + 60
            while not hands() - before and time.monotonic() < ends:
                await asyncio.sleep(0.05)
            (busy,) = hands() - before
            user.change(LOCKED)
            assert await user.hear(lambda _: True) == []
            assert busy not in hands()
        ends = time.monotonic() + 60
        while hands() - before and time.monotonic() < ends:
            await asyncio.sleep(0.05)
        assert not hands() - before

    run(story)
