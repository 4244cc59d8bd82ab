"""The rules of docs/explanation/architecture.md that import-linter cannot see, and import-linter itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from provisioning.pipeline.platforms import PLATFORMS

ROOT = Path(__file__).resolve().parent.parent
OURS = ("provisioning", "inventory", "lab", "client")
# Names of QuerySet and Model methods that write. `update` and `delete` on plain dicts and sets are told apart below.
WRITES = {"save", "bulk_create", "bulk_update", "get_or_create", "update_or_create", "select_for_update"}
AMBIGUOUS_WRITES = {"create", "update", "delete"}
MAY_WRITE = ("provisioning/services/", "provisioning/migrations/", "inventory/migrations/")


def sources(*folders: str) -> Iterator[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert found, f"no source files under {folders}: the test would pass on nothing"
    yield from found


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    ("where", "configured"),
    [(ROOT, "pyproject.toml"), (ROOT / "client" / "src", "../pyproject.toml")],
    ids=["house", "client"],
)
def test_the_import_contracts_hold(where: Path, configured: str) -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache", "--config", configured],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_document_has_the_order_of_the_contracts() -> None:
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = {each["id"]: each["layers"] for each in contracts if each["type"] == "layers"}
    (rule,) = re.findall(r"^1\. (.*?)^2\. ", page, re.MULTILINE | re.DOTALL)
    assert re.findall(r"`([a-z_| ]+)`", rule) == ["provisioning", *layers["house"]]
    (tree,) = re.findall(r"^  pipeline/.*?\n(.*?)^  [a-z]", page, re.MULTILINE | re.DOTALL)
    assert re.findall(r"^    ([a-z]+) ", tree, re.MULTILINE) == layers["street"][::-1]


def test_the_package_of_the_pipeline_stays_empty() -> None:
    assert (ROOT / "provisioning/__init__.py").read_bytes() == b""


def test_the_pipeline_loads_neither_django_nor_celery() -> None:
    modules = [
        relative(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for path in sources("provisioning/pipeline")
    ]
    program = (
        "import importlib, sys\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        "heavy = {'django', 'celery', 'rest_framework', 'netmiko', 'napalm', 'paramiko', 'asyncssh', 'psycopg'}\n"
        "heavy |= {'inventory', 'lab'}\n"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def orm_writes(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name, receiver = node.func.attr, ast.unparse(node.func.value)
        on_manager = ".objects" in receiver or receiver.endswith(("_set", "queryset", "rows"))
        if (name in WRITES and "session" not in receiver) or (name in AMBIGUOUS_WRITES and on_manager):
            yield node


def test_only_services_write_rows() -> None:
    offenders = [
        f"{relative(path)}:{call.lineno}: {ast.unparse(call.func)}"
        for path in sources("provisioning", "inventory")
        if not relative(path).startswith(MAY_WRITE)
        for call in orm_writes(ast.parse(path.read_text()))
    ]
    assert offenders == []


def test_the_write_finder_finds_writes() -> None:
    guilty = ast.parse(
        "Change.objects.filter(pk=1).update(state='x')\nrow.save()\nRouter.objects.create(name='a')"
    )
    innocent = ast.parse("{}.update(a=1)\nseen.add(2)\nchanges.create_plan()")
    assert len(list(orm_writes(guilty))) == 3
    assert list(orm_writes(innocent)) == []


def test_the_pipeline_has_no_clock() -> None:
    offenders = [
        f"{relative(path)}:{node.lineno}"
        for path in sources("provisioning/pipeline")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"now", "utcnow", "today", "time", "monotonic"}
    ]
    assert offenders == []


def test_nothing_is_swallowed() -> None:
    """No bare except, and no handler whose whole answer to a broad exception is silence."""
    offenders = []
    for path in sources(*OURS):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ExceptHandler):
                broad = node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"}
                silent = all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)
                if node.type is None or (broad and silent):
                    offenders.append(f"{relative(path)}:{node.lineno}")
    assert offenders == []


def test_no_room_is_called_after_what_it_is_not() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "managers", "misc"}
    assert [
        relative(path) for path in sources(*OURS) if path.stem in vague or path.parent.name in vague
    ] == []


@pytest.mark.parametrize("folder", OURS)
def test_no_file_is_two_files(folder: str) -> None:
    long = [
        f"{relative(path)}: {count} lines"
        for path in sources(folder)
        if "migrations" not in path.parts and (count := len(path.read_text().splitlines())) > 400
    ]
    assert long == []


NAMED_PLATFORM = re.compile(
    r"(?:profile|known|spelled|platform|family)\.(?:kind\.)?(?:name|model|title)\Z|(?:\.|\b)platform_name\("
)


def asked_by_name(tree: ast.AST) -> Iterator[ast.AST]:
    """Where code goes by what a platform is called: its name as a literal, or a profile's own compared or looked up."""
    # `linux` is also a command and a kind of pack: those words are about no router of the domain.
    called = {word for each in PLATFORMS for word in (each.name, each.assumed, each.title)} - {"linux"}
    for node in ast.walk(tree):
        parts: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            parts = [node.subject]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            parts = [node.func.value] if node.func.attr in {"startswith", "endswith"} else []
        if any(NAMED_PLATFORM.search(ast.unparse(part)) for part in parts) or (
            isinstance(node, ast.Constant) and node.value in called
        ):
            yield node


def test_no_one_outside_asks_which_platform_it_is() -> None:
    """A platform is one folder: whoever is outside asks a profile what it can do (decision 50)."""
    offenders = [
        f"{relative(path)}:{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]
        for path in sources("provisioning", "inventory")
        if not relative(path).startswith("provisioning/pipeline/platforms/") and "demo" not in path.parts
        for node in asked_by_name(ast.parse(path.read_text()))
    ]
    assert offenders == []


def test_no_platform_knows_another() -> None:
    folders = [
        path
        for path in (ROOT / "provisioning/pipeline/platforms").iterdir()
        if (path / "__init__.py").is_file()
    ]
    driven = {each.made.__module__.rpartition(".")[2] for each in PLATFORMS}
    assert {folder.name for folder in folders} == driven
    for folder in folders:
        others = {other.name for other in folders} - {folder.name}
        for path in sources(relative(folder)):
            assert not [name for name in others if f"platforms.{name}" in path.read_text()], relative(path)


def test_the_finder_of_platforms_finds_them() -> None:
    guilty = ast.parse(
        "if profile.name == other: pass\n"
        "word = 'cisco-7200vxr'\n"
        "if router.profile.kind.name != 'x': pass\n"
        "match profile.model:\n    case 'a': pass\n"
        "if platform_name(text) in seen: pass\n"
        "if known.name.startswith('cisco'): pass"
    )
    innocent = ast.parse(
        "if profile.hqf: pass\ntext = f'{profile.name} {profile.release}'\nif scheme.name == 'x': pass"
    )
    assert len(list(asked_by_name(guilty))) == 6
    assert list(asked_by_name(innocent)) == []
