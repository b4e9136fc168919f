"""Random packet programs, what their models answer, and what the interpreter at full widths answers.

Programs have branches, early returns, actions with parameters, tables that the control plane or the program
fills, hashes, stacks, functions, atomic blocks, and registers in ingress and egress. All interleavings of up
to three packets are compared, on both sides.
"""

from itertools import combinations_with_replacement
from random import Random
from typing import Any

from seriatim.budget import Deadline
from seriatim.frontends.p4.arithmetic import simplify
from seriatim.frontends.p4.code import KEYED, Const, Get, Value
from seriatim.frontends.p4.kinds import valid
from seriatim.frontends.p4.machine.switch import Answer, State, TooManyStates
from seriatim.frontends.p4.models import Model
from seriatim.frontends.p4.passes import FURTHER
from seriatim.frontends.p4.replayer import FIRST_VALUE, Repetition, Unsteerable, keyed_value
from seriatim.frontends.p4.slicing import SPEC
from seriatim.frontends.p4.traces import Answer as Told
from seriatim.frontends.p4.translation import Analysis, analyse, observed_registers
from seriatim.program.execution import big_steps
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import (
    Configuration,
    Store,
    initial_configuration,
    initial_store,
    lookup,
    response,
)
from seriatim.source import InputError, SourceText

FRAME = """#include <core.p4>
#include <v1model.p4>
// ser: hdr.h.a in {{0, 3}}
// ser: hdr.h.b in {{1, 255}}
// ser: hdr.h.out1 in {{0, 7}}
// ser: hdr.st[0].x in {{0, 7}}
// ser: standard_metadata.ingress_port in 0..1
header h_t {{ bit<8> a; bit<8> b; bit<1> f; bit<7> rest; bit<8> out1; bit<8> out2; }}
header s_t {{ bit<8> x; }}
struct headers {{ h_t h; s_t[2] st; }}
struct metadata {{ @field_list(1) bit<8> m; bit<1> parsed; }}
parser P(packet_in p, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    state start {{ p.extract(hdr.h); meta.parsed = hdr.h.f; transition accept; }}
}}
control V(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
bit<8> mix(in bit<8> x, in bit<8> y) {{ if (x == y) {{ return x; }} return x ^ y; }}
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
{ingress}
}}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
{egress}
}}
control C(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control D(packet_out p, in headers hdr) {{ apply {{ p.emit(hdr.h); p.emit(hdr.st); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""

IN_INGRESS = ("clone_preserving_field_list(CloneType.I2E, (bit<32>) x, 1);",)
ANYWHERE = (
    "clone(CloneType.E2E, (bit<32>) v);",
    "digest<bit<8>>(1, x);",
    "truncate((bit<32>) y);",
    "recirculate_preserving_field_list(1);",
)
"""Calls by which a packet causes something else; `resubmit` has tests of its own."""

FIELDS = ("hdr.h.a", "hdr.h.b", "hdr.h.out1", "meta.m", "x", "y")
TARGETS = ("hdr.h.out1", "hdr.h.out2", "meta.m", "x", "y", "hdr.st[0].x", "x[3:0]")
OPERATORS = ("+", "-", "&", "|", "^", "|+|", "|-|", "*")


class PacketWriter:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.has_random = self.random.random() < 0.1
        self.accesses = 0
        self.most = 5
        causes = IN_INGRESS + ANYWHERE if self.random.random() < 0.5 else ()
        self.causes = list(causes)
        """What a packet may cause besides itself, each at one place."""

    def text(self) -> str:
        ingress = self.control(self.random.random() < 0.9)
        self.most = 7
        self.causes = [each for each in self.causes if each in ANYWHERE]
        egress = self.control(self.random.random() < 0.4)
        if ".apply()" in ingress + egress:
            egress += "\n    // ser: act2.d in 1..2"
        return FRAME.format(ingress=ingress, egress=egress)

    def control(self, has_registers: bool) -> str:
        self.has_registers = has_registers
        self.depth = 0
        self.in_action = True
        actions = [
            f"action act1() {{ {self.block(2)} }}",
            f"action act2(bit<8> d) {{ meta.m = d; {self.block(1)} }}",
            "action act3(inout bit<8> z, in bit<8> w) {",
            f"    z = z + w; {self.block(1)} if (z == 2) {{ return; }} z = 9; }}",
        ]
        self.in_action = False
        entries = self.random.choice(["x", "hdr.h.a", "meta.m"])
        return "\n".join(
            [
                "    register<bit<2>>(2) r;" if has_registers else "",
                "    register<bit<1>>(1) q;" if has_registers else "",
                "    meter(4, MeterType.packets) police;",
                "    bit<8> x = 0; bit<8> y = 1; bit<2> v = 0; bit<1> u = 0;",
                *actions,
                "    table free { key = { hdr.h.rest : exact; } actions = { act1; act2; NoAction; }",
                "        default_action = act1(); }",
                "    table unknown { key = { v : exact; } actions = { act2; NoAction; }",
                "        const default_action = NoAction(); }",
                f"    table known {{ key = {{ {entries} : {self.random.choice(['exact', 'ternary'])}; }}",
                "        actions = { act1; act2; act3(y, 8w1); NoAction; }",
                "        const default_action = NoAction();",
                "        const entries = { 0 : act1(); 1 : act2(7); 3 : act3(); } }",
                f"    apply {{ {self.statement(0)} {self.block(3)} {self.ending()} }}",
            ]
        )

    def ending(self) -> str:
        return self.random.choice(
            ["sm.egress_spec = 1;", "sm.egress_spec = (bit<9>) v;", "", "if (u == 1) { mark_to_drop(sm); }"]
        )

    def block(self, size: int) -> str:
        self.depth += 1
        found = " ".join(self.statement(self.depth) for _ in range(self.random.randint(1, size)))
        self.depth -= 1
        return found

    def statement(self, depth: int) -> str:
        choice = self.random.random()
        if self.has_registers and self.accesses < self.most and choice < 0.4:
            return self.access()
        if choice < 0.55:
            return f"{self.target()} {self.value()};"
        if choice < 0.68 and depth < 3:
            otherwise = f" else {{ {self.block(1)} }}" if self.random.random() < 0.5 else ""
            return f"if ({self.condition()}) {{ {self.block(2)} }}{otherwise}"
        if choice < 0.74 and depth < 3:
            return f"@atomic {{ {self.block(3)} }}"
        if choice < 0.77:
            return (
                self.random.choice(["return;", "exit;"]) if self.random.random() < 0.3 and depth > 1 else ""
            )
        if choice < 0.9 and not self.in_action:
            return self.call()
        return self.odd()

    def access(self) -> str:
        self.accesses += 1
        cell = self.random.choice(["0", "1", "(bit<32>) hdr.h.f", "(bit<32>) v[0:0]"])
        value = self.random.choice(["v", "v + 1", "3", "(bit<2>) hdr.h.a", "x[1:0]", "v |+| 1"])
        return self.random.choice(
            [
                f"r.read(v, {cell});",
                f"r.write({cell}, {value});",
                "q.read(u, 0);",
                f"q.write(0, {self.random.choice(['u', '1', 'hdr.h.f', '~u'])});",
                "r.read(v, 0); r.write(0, v + 1);",
            ]
        )

    def target(self) -> str:
        name = self.random.choice(TARGETS)
        if name == "x[3:0]":
            return "x[3:0] = (bit<4>)"
        return f"{name} ="

    def value(self) -> str:
        one, other = self.random.choice(FIELDS), self.random.choice([*FIELDS, "1", "8w200", "(bit<8>) v"])
        return self.random.choice(
            [
                "(" + one + f" {self.random.choice(OPERATORS)} " + other + ")",
                "((bit<8>) v)",
                "((bit<8>) u)",
                f"({self.condition()} ? {one} : {other})",
                "(6w0 ++ v)",
                f"(({one} << 1) >> 2)",
                f"mix({one}, {other})",
                "(8w3 / 2 + 7 % 4)",
            ]
        )

    def condition(self) -> str:
        return self.random.choice(
            [
                "v == 1",
                "v > 1",
                "u == 1",
                "hdr.h.f == 1",
                "hdr.h.isValid()",
                "hdr.st[0].isValid() || u == 0",
                "meta.parsed == 1 && v != 0",
                "hdr.h.a == 3",
                "x < y",
                "hdr.h.b == 255 && !(v == 0)",
                "sm.ingress_port == 1",
            ]
        )

    def call(self) -> str:
        return self.random.choice(
            [
                "act1();",
                f"act2({self.random.choice(['1', 'x', 'hdr.h.a'])});",
                "act3(x, y);",
                "free.apply();",
                "known.apply();",
                "unknown.apply();",
                f"if (free.apply().hit) {{ {self.block(1)} }}",
                f"switch (known.apply().action_run) {{ act1: {{ {self.block(1)} }}"
                f" act2: default: {{ {self.block(1)} }} }}",
            ]
        )

    def odd(self) -> str:
        drawn = "random(u, 0, 1);" if self.has_random else "x = x + 1;"
        if self.causes and self.random.random() < 0.4:
            return self.causes.pop(self.random.randrange(len(self.causes)))
        return self.random.choice(
            [
                "mark_to_drop(sm);",
                "sm.egress_spec = 2;",
                "hdr.st.push_front(1);",
                "hdr.st.pop_front(1);",
                "hdr.st[0].setValid();",
                "hdr.st[1].setInvalid();",
                "hdr.h.setInvalid();",
                "hdr.st[1] = hdr.st[0];",
                "hash(y, HashAlgorithm.crc16, 8w0, { hdr.h.rest, v }, 8w2);",
                "{ bit<8> x = 5; y = x; }",
                "police.execute_meter(0, y);",
                drawn,
            ]
        )


# --- comparison ---------------------------------------------------------------------------------------------


def analysed(seed: int, model: Model) -> Analysis:
    """Of a random program; raises `InputError`."""
    with deep_recursion():
        return analyse(SourceText(f"{seed}.p4", PacketWriter(seed).text()), {"p4-model": model.value})


Ends = set[tuple[tuple[int, ...], tuple[int, ...]]]
"""Numbers of answers, and the values of the registers that are observed."""


def model_ends(analysis: Analysis, names: tuple[str, ...]) -> Ends:
    """What packets of these names may answer and leave, in all interleavings, by the reference semantics."""
    program = analysis.model.program
    handlers = {handler.name: handler for handler in program.handlers}
    start: tuple[Store, tuple[Any, ...]] = (initial_store(program), tuple([None] * len(names)))
    seen, pending = {start}, [start]
    found: Ends = set()
    with deep_recursion():
        while pending:
            store, places = pending.pop()
            if all(isinstance(place, int) for place in places):
                found.add((places, tuple(lookup(store, name) for name in observed_registers(analysis))))
                continue
            for index, place in enumerate(places):
                if isinstance(place, int):
                    continue
                if place is None:
                    begin = initial_configuration(handlers[names[index]], store)
                else:
                    expression, locals_ = place
                    begin = Configuration(expression, locals_, store)
                for after in big_steps(begin):
                    answer = response(after.expression)
                    new = (after.expression, after.locals) if answer is None else answer
                    reached = (after.globals, (*places[:index], new, *places[index + 1 :]))
                    if reached not in seen:
                        seen.add(reached)
                        pending.append(reached)
    return found


def shown_by_model(analysis: Analysis, names: tuple[str, ...], repetition: Repetition) -> set[object]:
    """The same as the interpreter tells it."""
    data = dict.fromkeys(analysis.scopes.data, 1)
    data |= dict.fromkeys(analysis.switch.passes.brought, 0)
    fields = [{**data, **packet.fields} for packet in repetition.draws()[0]]
    found: set[object] = set()
    for places, cells in model_ends(analysis, names):
        answers = tuple(
            told(analysis, analysis.model.answers[name][place], known)
            for name, place, known in zip(names, places, fields, strict=True)
        )
        found.add((answers, cells))
    return found


def told(analysis: Analysis, answer: Told, fields: Any) -> object:
    """An answer of the model with its numbers."""

    def get(each: Get) -> Value:
        plain, _, keys = each.path.partition(KEYED)
        if keys:
            value = keyed_value(plain, each.kind, tuple(map(int, keys.split(", "))), fields)
            return Const(value, each.kind)
        return Const(fields[each.path], each.kind) if each.path in fields else each

    parts = {path: None if value is None else number(simplify(value, get)) for path, value in answer.parts}
    return comparable(analysis, parts)


def comparable(analysis: Analysis, parts: dict[str, object]) -> object:
    """The parts of an answer without those that say more than others see: what is kept where nothing is
    caused, and what egress causes for a packet that it never sends."""
    is_dropped = SPEC in parts and parts[SPEC] is None
    passes = analysis.switch.passes
    for place, is_late in (("ingress", False), ("egress", True)):
        makers = [each for each in passes.causes if each.kept is not None and each.from_egress == is_late]
        if not any(parts.get(path) == 1 for each in makers for path, _ in each.paths[:1]):
            start = f"{FURTHER}.{place}."
            parts = {path: value for path, value in parts.items() if not path.startswith(start)}
    if is_dropped:
        late = {path for each in passes.causes if each.from_egress for path, _ in each.paths}
        kept = {path: value for path, value in parts.items() if path not in late}
        parts = {path: value for path, value in kept.items() if not path.startswith(f"{FURTHER}.egress.")}
    return tuple(parts.items())


def number(value: Value) -> object:
    return value.value if isinstance(value, Const) else value


def shown_by_machine(analysis: Analysis, state: State) -> object:
    answers = tuple(seen(analysis, answer) for answer in state.answers)
    cells = {f"{name}[{index}]": value for (name, index), value in state.cells}
    return answers, tuple(cells.get(name, 0) for name in observed_registers(analysis))


def seen(analysis: Analysis, answer: Answer | None) -> object:
    """The parts of an answer that depend on registers."""
    assert answer is not None
    caused = caused_by_path(analysis, answer)
    if answer.port is None:
        spec: dict[str, object] = {SPEC: None} if SPEC in analysis.part.needed else {}
        further = [path for path in analysis.part.answers if path.startswith(f"{FURTHER}.")]
        return comparable(analysis, spec | {path: caused.get(path, 0) for path in further})
    headers = dict(answer.headers)
    found: list[tuple[str, object]] = []
    for path in analysis.part.answers:
        if path.startswith(f"{FURTHER}."):
            found.append((path, caused.get(path, 0)))
            continue
        header, _, name = path.removeprefix("hdr.").rpartition(".")
        if path == SPEC:
            found.append((path, answer.port))
        elif path == valid(f"hdr.{header}"):
            found.append((path, int(any(each.startswith(f"{header}.") for each in headers))))
        elif f"{header}.{name}" in headers:
            found.append((path, headers[f"{header}.{name}"]))
    return comparable(analysis, dict(found))


def caused_by_path(analysis: Analysis, answer: Answer) -> dict[str, int]:
    """What the interpreter says that a packet causes, by the paths of the model."""
    found: dict[str, int] = {}
    for cause in analysis.switch.passes.causes:
        for name, values in answer.caused:
            if name != cause.name:
                continue
            found |= dict(zip((path for path, _ in cause.paths), (1, *values), strict=False))
            if cause.kept is not None:
                place = "egress" if cause.from_egress else "ingress"
                found[f"{FURTHER}.{place}.meta.m"] = values[-1]
    return found


MOST_STATES = 4_000
"""Of the interpreter, with one group of packets."""


def differences(seed: int, model: Model, most: int = 3) -> list[str]:
    """Where the model of a random program and the interpreter differ; raises `InputError`."""
    analysis = analysed(seed, model)
    random = Random(seed)
    names = [name for name in analysis.model.program.requests if is_fresh(analysis, name)]
    chosen = [
        group
        for size in range(1, most + 1)
        for group in _some(random, list(combinations_with_replacement(names, size)), most + 1 - size)
    ]
    wrong: list[str] = []
    for group in chosen:
        repetition = Repetition(analysis, group, (), Deadline(60), FIRST_VALUE)
        try:
            real = real_ends(analysis, repetition)
        except (Unsteerable, TooManyStates):
            continue  # A table that is applied twice cannot be told what to do each time.
        ours = shown_by_model(analysis, group, repetition)
        is_wider = model is Model.BMV2 and analysis.explored.has_egress_steps
        if real != ours and not (is_wider and real <= ours):
            wrong.append(f"{model} {group}: only real {real - ours}; only in the model {ours - real}")
    return wrong


def is_fresh(analysis: Analysis, name: str) -> bool:
    """Whether packets of this name are neither copies nor packets that come back."""
    bound = analysis.model.kinds[name][0].bound()
    return not any(bound.get(path) for path in analysis.switch.passes.brought)


def real_ends(analysis: Analysis, repetition: Repetition) -> set[object]:
    """What packets may answer, and leave, by the interpreter at full widths."""
    return {
        shown_by_machine(analysis, state)
        for packets in repetition.draws()
        for state in repetition.machine.ends(packets, MOST_STATES)
    }


def _some(random: Random, items: list[tuple[str, ...]], count: int) -> list[tuple[str, ...]]:
    return random.sample(items, min(count, len(items)))


NOT_DECIDED = {"SER962", "SER968"}
"""Nothing depends on registers, or a scope is too narrow: that may be so in a random program."""


def comparison(seed: int, model: Model, most: int) -> list[str] | None:
    """Where they differ; None if the program is refused. Other refusals than usual are differences, too."""
    try:
        return differences(seed, model, most)
    except InputError as error:
        return [each.message for each in error.diagnostics if each.code not in NOT_DECIDED] or None
