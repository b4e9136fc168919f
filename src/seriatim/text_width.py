"""How many columns of a terminal a text takes, and texts cut to size."""

import unicodedata


def columns(text: str) -> int:
    return len(text) if text.isascii() else sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def printable(text: str) -> str:
    """The text without characters that a terminal would obey instead of showing them."""
    return "".join(
        c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def fit(text: str, width: int, ellipsis: str) -> str:
    """The text, its end replaced by an ellipsis if it is too wide."""
    if columns(text) <= width:
        return text
    room = width - columns(ellipsis)
    kept: list[str] = []
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + ellipsis


def fill(text: str, width: int, indentation: str) -> str:
    """Words in lines of at most this width, each line indented; a word that is too wide has its own."""
    lines: list[str] = []
    current = ""
    for word in text.split():
        if current and columns(indentation) + columns(current) + 1 + columns(word) > width:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    lines.append(current)
    return "\n".join(indentation + line for line in lines)


def wrap(text: str, width: int) -> list[str]:
    """Words in lines of at most this width; a word that is too wide is broken."""
    lines = [""]
    for word in text.split():
        piece = f" {word}" if lines[-1] else word
        if columns(lines[-1]) + columns(piece) <= width:
            lines[-1] += piece
        elif columns(word) <= width:
            lines.append(word)
        else:
            for character in piece:
                if columns(lines[-1]) + columns(character) > width:
                    lines.append("")
                lines[-1] += character
    return [line.strip() for line in lines]
