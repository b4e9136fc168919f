"""Sentences drawn at random from a grammar in EBNF, as a page writes it."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from random import Random

_TOKEN = re.compile(r'\s*(?:"([^"]+)"|(\w+)|([=|;(){}\[\]]))')


@dataclass(frozen=True, slots=True)
class Terminal:
    text: str


@dataclass(frozen=True, slots=True)
class Reference:
    name: str


@dataclass(frozen=True, slots=True)
class Several:
    """Up to `most` times."""

    item: "Item"
    most: int


@dataclass(frozen=True, slots=True)
class Chain:
    items: tuple["Item", ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    items: tuple["Item", ...]


Item = Terminal | Reference | Several | Chain | OneOf


def read_grammar(text: str) -> dict[str, Item]:
    """The rules by name."""
    reader = _Reader(text)
    rules: dict[str, Item] = {}
    while reader.position < len(reader.tokens):
        name = reader.take()
        reader.expect("=")
        rules[name] = reader.one_of()
        reader.expect(";")
    return rules


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            assert match, f"not EBNF: {text[at : at + 40]!r}"
            # Terminals keep a quote, so that a quoted bracket is no bracket.
            self.tokens.append(f'"{match[1]}' if match[1] else match[2] or match[3])
            at = match.end()
        self.position = 0

    def take(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1]

    def expect(self, token: str) -> None:
        found = self.take()
        assert found == token, f"expected {token}, found {found}"

    def one_of(self) -> Item:
        items = [self.chain()]
        while self.tokens[self.position] == "|":
            self.take()
            items.append(self.chain())
        return items[0] if len(items) == 1 else OneOf(tuple(items))

    def chain(self) -> Item:
        items: list[Item] = []
        while self.tokens[self.position] not in ("|", ";", ")", "]", "}"):
            items.append(self.item())
        return items[0] if len(items) == 1 else Chain(tuple(items))

    def item(self) -> Item:
        token = self.take()
        match token:
            case "(":
                inner = self.one_of()
                self.expect(")")
                return inner
            case "[" | "{":
                several = Several(self.one_of(), most=1 if token == "[" else 2)
                self.expect("]" if token == "[" else "}")
                return several
        return Terminal(token[1:]) if token.startswith('"') else Reference(token)


class Sampler:
    """Draws sentences; below a depth, only the shortest ways out are taken."""

    def __init__(
        self,
        rules: Mapping[str, Item],
        words: Mapping[str, Collection[str]],
        never: Collection[str],
        depth: int,
    ) -> None:
        self.rules = rules
        self.words = words
        """What the names that have no rule stand for."""
        self.never = never
        """Names that are not to be drawn."""
        self.depth = depth
        self.heights: dict[str, float] = dict.fromkeys(rules, float("inf"))
        for _ in rules:
            self.heights = {name: 1 + self.height(item) for name, item in rules.items()}

    def height(self, item: Item) -> float:
        """How many rules at least are nested in what the item becomes."""
        match item:
            case Terminal() | Several():
                return 0
            case Reference(name=name) if name in self.never:
                return float("inf")
            case Reference(name=name):
                return 0 if name in self.words else self.heights.get(name, float("inf"))
            case Chain(items=items):
                return max(map(self.height, items))
            case OneOf(items=items):
                return min(map(self.height, items))

    def sentence(self, start: str, random: Random) -> str:
        return " ".join(self._draw(Reference(start), random, 0))

    def _draw(self, item: Item, random: Random, depth: int) -> list[str]:
        match item:
            case Terminal(text=text):
                return [text]
            case Reference(name=name) if name in self.words:
                return [random.choice(sorted(self.words[name]))]
            case Reference(name=name):
                return self._draw(self.rules[name], random, depth + 1)
            case Several(item=inner, most=most):
                times = 0 if depth > self.depth else max(0, random.randint(-1, most))
                return [word for _ in range(times) for word in self._draw(inner, random, depth)]
            case Chain(items=items):
                return [word for part in items for word in self._draw(part, random, depth)]
            case OneOf(items=items):
                lowest = min(map(self.height, items))
                bound = lowest if depth > self.depth else float("inf")
                open_ = [
                    part for part in items if self.height(part) <= bound and self.height(part) < float("inf")
                ]
                return self._draw(random.choice(open_), random, depth)
