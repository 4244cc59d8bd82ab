"""The proof is worth something only as long as the interpreter shares nothing with the planner."""

from __future__ import annotations

import ast
from pathlib import Path

import provisioning.pipeline.safety

FORBIDDEN = ("provisioning.pipeline.diff", "provisioning.pipeline.rendering", "provisioning.pipeline.change")


def test_safety_imports_neither_planner_nor_printer():
    files = sorted(Path(provisioning.pipeline.safety.__path__[0]).glob("*.py"))
    assert len(files) > 5
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.startswith(FORBIDDEN) for name in names), file.name
