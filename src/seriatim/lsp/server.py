"""The server: open documents, and what is known about each; `features` has the answers.

Questions about names are answered at once. Verdicts come from a process of their own, a moment after the last
change; a change stops the work under way.
"""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Protocol
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from seriatim.frontends.languages import ACTIONS, CONC, SER, Content, content_named, language_named
from seriatim.lsp import findings
from seriatim.lsp.findings import DocumentText
from seriatim.lsp.names import DocumentNames, Occurrence, read_names
from seriatim.lsp.processes import Processes
from seriatim.lsp.tasks import (
    DocumentQuestion,
    FollowUp,
    blame_answer,
    reading_answer,
    repairs_answer,
    verdict_answer,
)
from seriatim.properties.all import WITHOUT_SPECIFICATION

PATIENCE = 0.2
"""Seconds without a change before a text is read, and then decided."""


class Pointing(Protocol):
    """Parameters that name a place."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...

    @property
    def position(self) -> types.Position: ...


@dataclass
class Settings:
    """What a client may choose, under its names in JSON."""

    property_name: str = "serializable"
    timeout: float = 10.0
    replay: bool = False
    sources: dict[str, dict[str, str]] = field(default_factory=dict)
    """Settings of front ends, by file suffix: `{"sql": {"isolation": "repeatable-read"}}`."""

    def read(self, given: object) -> None:
        """Takes the client's settings; ignores those that make no sense."""
        if not isinstance(given, dict):
            return
        name = given.get("property")
        if isinstance(name, str) and name in WITHOUT_SPECIFICATION:
            self.property_name = name
        timeout = given.get("timeout")
        if isinstance(timeout, int | float) and timeout > 0:
            self.timeout = float(timeout)
        if isinstance(given.get("replay"), bool):
            self.replay = given["replay"]
        sources = given.get("sources")
        if isinstance(sources, dict):
            self.sources = {
                str(suffix): {str(name): str(value) for name, value in each.items()}
                for suffix, each in sources.items()
                if isinstance(each, dict)
            }


@dataclass
class Document:
    """An open text, and what is known about it."""

    uri: str
    text: str
    version: int | None
    found: dict[str, Any] | None = None
    """The answer about its verdict; None until it is known."""
    found_for: str = ""
    """The text that the answer is about."""
    read: dict[str, Any] | None = None
    """What reading alone has told: mistakes and warnings, before there is a verdict."""
    blamed: list[list[int]] = field(default_factory=list)
    repairs: list[dict[str, str]] = field(default_factory=list)
    work: "asyncio.Task[None] | None" = None
    """The task that finds out the verdict first, then repairs."""

    @property
    def name(self) -> str:
        """The name by which front ends recognize the language."""
        return unquote(PurePath(urlparse(self.uri).path).name) or "untitled.ser"

    @property
    def is_own(self) -> bool:
        """Whether it is in Seriatim's own language."""
        return language_named(self.name) is SER

    @property
    def is_worded(self) -> bool:
        """Whether it is in another language of Seriatim, with words to complete."""
        return CONC.reads(self.name) or ACTIONS.reads(self.name)

    @property
    def shown(self) -> DocumentText:
        return DocumentText(self.uri, self.text)

    @property
    def current(self) -> dict[str, Any] | None:
        """What is known about the current text."""
        return self.found if self.found_for == self.text else None

    def names(self) -> DocumentNames:
        return read_names(self.text if self.is_own else "")


class Server(LanguageServer):
    """Keeps open documents, and has them decided."""

    def __init__(self) -> None:
        super().__init__("seriatim", "v1")
        self.documents: dict[str, Document] = {}
        self.settings = Settings()
        self._desk: Processes | None = None

    @property
    def processes(self) -> Processes:
        if self._desk is None:
            self._desk = Processes()
        return self._desk

    def question(self, document: Document) -> DocumentQuestion:
        is_about_threads = content_named(document.name) is Content.THREADS
        asked = "safe" if is_about_threads else self.settings.property_name
        own = self.settings.sources.get(document.name.rpartition(".")[2], {})
        settings = self.settings
        return DocumentQuestion(document.name, document.text, asked, own, settings.timeout, settings.replay)

    def change(self, uri: str, text: str, version: int | None) -> None:
        """Takes a new text; stops the work under way for the old one."""
        document = self.documents.setdefault(uri, Document(uri, text, version))
        document.text, document.version = text, version
        if document.work is not None:
            document.work.cancel()
        document.work = asyncio.ensure_future(self.decide(document))

    async def decide(self, document: Document) -> None:
        """Reads the text and shows what that tells; then finds and shows the verdict, then the yields to
        blame; then finds repairs to offer."""
        await asyncio.sleep(PATIENCE)
        text = document.text
        read = await self.processes.perform(reading_answer, self.question(document))
        if read is None or document.text != text:
            return
        self.tell_reading(document, json.loads(read))
        answer = await self.processes.perform(verdict_answer, self.question(document))
        if answer is None or document.text != text:
            return
        document.found, document.found_for = json.loads(answer), text
        document.blamed, document.repairs = [], []
        self.publish(document)
        if document.is_own and document.found["result"]["verdict"] == "not_serializable":
            blamed = await self.processes.perform(blame_answer, self.question(document))
            if blamed is not None and document.text == text:
                document.blamed = json.loads(blamed)
                self.publish(document)
        result = json.dumps(document.found["result"])
        repairs = await self.processes.perform(repairs_answer, FollowUp(self.question(document), result))
        if repairs is not None and document.text == text:
            document.repairs = json.loads(repairs)

    def tell_reading(self, document: Document, read: dict[str, Any]) -> None:
        """Shows mistakes and warnings at once. Where there are none and were none, what is shown stays until
        there is a verdict: it would only flicker."""
        told = findings.read_diagnostics(document.shown, read)
        before, document.read = document.read, read
        if told or (before is not None and before["diagnostics"]):
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(document.uri, told, document.version)
            )

    def publish(self, document: Document) -> None:
        """Shows what is known now, and asks the client to fetch lenses and hints again."""
        if document.found is None:
            return
        told = findings.diagnostics(document.shown, document.found)
        told += findings.show_blame(document.shown, document.blamed)
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, told, document.version)
        )
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None, lambda _: None)
        if (
            workspace is not None
            and workspace.inlay_hint is not None
            and workspace.inlay_hint.refresh_support
        ):
            self.workspace_inlay_hint_refresh(None, lambda _: None)

    def close(self, uri: str) -> None:
        document = self.documents.pop(uri, None)
        if document is not None and document.work is not None:
            document.work.cancel()

    def occurrence(self, at: Pointing) -> tuple[Document, DocumentNames, Occurrence] | None:
        """The name at a place."""
        document = self.documents.get(at.text_document.uri)
        if document is None:
            return None
        names = document.names()
        found = names.at(*document.shown.place(at.position))
        return None if found is None else (document, names, found)
