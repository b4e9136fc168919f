"""What names mean in one function of a service."""

import ast

from seriatim.frontends.python.state import Instance
from seriatim.frontends.python.values import Composite, Value


class Names:
    """What names mean in one function."""

    def __init__(self, suffix: str, owner: Instance | None, self_name: str, function: ast.AST) -> None:
        self.suffix = suffix
        self.function = function
        self.owner = owner
        self.self_name = self_name
        self.bound: dict[str, Value] = {}
        """Parameters that need no variable."""
        self.shapes: dict[str, Composite] = {}
        """Locals that hold something put together."""
        self.stored = [
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        ]
        """The names that get values, as often as they do."""
        shared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        self.locals = frozenset(self.stored) - shared

    def core(self, name: str) -> str:
        plain = name if not name[0].isupper() else f"_{name}"
        return f"{plain}{self.suffix}"
