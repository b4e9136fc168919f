"""Every command with every kind of file: it works, or one sentence says which command does."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import COMMANDS, main
from seriatim.frontends.kinds import refuse_unread
from seriatim.frontends.languages import CERTIFICATE, KINDS, NET, TRACE, Language, kind_named
from seriatim.source import InputError

TEXTS = {
    ".ser": "X in 0..1 := 0\nrequest a { x := X; yield; X := 1 - x; x }\n",
    ".json": '{"initial_global": "g", "requests": [["r", "l"]], "responses": [["l", "a"]],'
    ' "transitions": []}',
    ".py": "X = 0\n\nasync def handler():\n    return X\n",
    ".sql": "create table t (id int primary key);\n-- transaction: look\n"
    "begin isolation level read committed;\nselect id from t where id = 1;\ncommit;\n",
    ".p4": (Path(__file__).parents[3] / "examples" / "p4" / "sequence_numbers.p4").read_text("utf-8"),
    ".conc": "global x: int = 0;\n\nthread main() {\n  x := 1;\n  assert x == 1;\n}\n",
    ".c": "#include <pthread.h>\nint x;\nint main(void) { x = 1; return 0; }\n",
    ".actions": "x: int\n\naction main():\n    x := 1\n\nsequential:\n    order main\n",
    ".edn": "{:type :ok, :f :txn, :value [[:append :x 1]], :process 0}\n",
    ".net": "net n\ntr t1 p1 -> p2\npl p1 (1)\n",
    ".cert.json": '{"format": "seriatim-certificate"}',
    ".itf.json": "{}",
}

READERS = {
    "check": ["check", "FILE", "--timeout", "20", "--no-run", "--no-replay", "--no-cache"],
    "fix": ["fix", "FILE"],
    "fmt": ["fmt", "--check", "FILE"],
    "run": ["run", "FILE", "--seed", "1"],
    "show": ["show", "FILE"],
    "export": ["export", "FILE", "--to", "json"],
    "history": ["history", "FILE", "LOG"],
    "sequentialize": ["sequentialize", "FILE", "--find-order"],
    "movers": ["movers", "FILE"],
    "verify": ["verify", "CERT", "FILE"],
    "replay": ["replay", "CERT", "FILE"],
    "certificate": ["certificate", "export", "CERT", "FILE", "--to", "smt2"],
    "net": ["net", "reach", "FILE", "--formula", "missing.xml"],
    "check --explain-scope": ["check", "--explain-scope", "FILE"],
}
"""Commands that read inputs, as they are written."""

SLOW = {("check", ".sql"), ("check", ".py"), ("history", ".sql"), ("history", ".py")}
"""What starts a server or runs the file; other tests do that."""


def suffix_of(kind: Language) -> str:
    return kind.suffixes[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    for suffix, text in TEXTS.items():
        (folder / f"a{suffix}").write_text(text, "utf-8")
    (folder / "log.jsonl").write_text('{"request": "a", "answer": 0}\n', "utf-8")
    found = ["check", str(folder / "a.ser"), "--certificate", str(folder / "c.cert.json"), "-q", "--no-cache"]
    assert CliRunner().invoke(main, found).exit_code == 1
    return folder


def call(folder: Path, command: str, name: str) -> Result:
    places = {"FILE": name, "CERT": "c.cert.json", "LOG": "log.jsonl"}
    words = [str(folder / places[word]) if word in places else word for word in READERS[command]]
    return CliRunner().invoke(main, words, prog_name="ser")


def is_tidy(result: Result) -> bool:
    return result.exception is None or isinstance(result.exception, SystemExit)


@pytest.mark.parametrize("kind", KINDS, ids=suffix_of)
@pytest.mark.parametrize("command", READERS)
def test_a_command_reads_a_file_or_says_which_command_does(
    folder: Path, command: str, kind: Language
) -> None:
    suffix, own = suffix_of(kind), command.partition(" ")[0]
    if (command, suffix) in SLOW:
        return
    result = call(folder, command, f"a{suffix}")
    assert is_tidy(result), result.exception
    if own in kind.commands and kind is not CERTIFICATE:
        assert result.exit_code in (0, 1, 2, 3)
        assert "SER240" not in result.output
    else:
        assert result.exit_code == 2
        assert result.output.count("error[") == 1
        assert "SER240" in result.output
        assert "hint: " in result.output


@pytest.mark.parametrize("kind", KINDS, ids=suffix_of)
def test_what_a_kind_is_read_by_are_commands(kind: Language) -> None:
    assert {name.partition(" ")[0] for name in kind.commands} <= set(COMMANDS)
    for command, hint in kind.instead:
        assert command in set(COMMANDS) - set(kind.commands), hint


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", ["a.md", "notes.txt", "tool.rs"])
def test_a_suffix_that_nobody_knows_is_refused_with_those_that_are_read(command: str, name: str) -> None:
    own = command.partition(" ")[0]
    with pytest.raises(InputError) as caught:
        refuse_unread(name, own)
    (found,) = caught.value.diagnostics
    assert (found.hint or "").startswith("it reads .")


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", ["missing", "EMPTY", "bytes.ser"])
def test_files_that_cannot_be_read_are_one_sentence(folder: Path, command: str, name: str) -> None:
    (folder / "EMPTY").mkdir(exist_ok=True)
    (folder / "bytes.ser").write_bytes(b"\x00\xff\xfe")
    result = call(folder, command, name)
    assert is_tidy(result), result.exception
    assert result.exit_code == 2


@pytest.mark.parametrize("command", ["verify", "replay", "certificate"])
def test_a_program_in_the_place_of_the_certificate_is_named(folder: Path, command: str) -> None:
    words = [command, *(["export"] if command == "certificate" else [])]
    end = ["--to", "smt2"] if command == "certificate" else []
    result = CliRunner().invoke(main, [*words, str(folder / "a.ser"), str(folder / "a.ser"), *end])
    assert result.exit_code == 2
    assert "the first file has to be a certificate" in result.output


def test_names_without_a_suffix_and_standard_input_are_read() -> None:
    assert kind_named("<stdin>") is kind_named("program") is None
    refuse_unread("<stdin>", "check")
    refuse_unread("program", "check")
    assert kind_named("x.cert.json") is CERTIFICATE
    assert kind_named("x.itf.json") is TRACE
    assert kind_named("x.net") is NET
