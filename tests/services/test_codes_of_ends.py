"""Every code of an end that a service may write has a row of its own in the table of ends, or is named here as one of its
general row; found in the syntax trees, so that a new code is missed before anybody meets it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from django.apps import apps

from provisioning.errors import DeviceError
from provisioning.pipeline.ends import ENDS
from provisioning.pipeline.states import PushState

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"[a-z]+(-[a-z]+)*")
ROLLED_BACK, UNKNOWN, FAILED = PushState.ROLLED_BACK, PushState.UNKNOWN, PushState.FAILED
BY_CALL = {"take_back": ROLLED_BACK, "begin_undo": ROLLED_BACK, "unknown_held": UNKNOWN, "_given_up": UNKNOWN}
"""The state at which a call ends that names none."""
SENT = {"line-refused", "save-refused"}
"""Codes of errors that are answers: they end no session, so nothing fails or is unknown for them."""
GENERAL = {
    (UNKNOWN, "device-error"): "whatever nobody foresaw",
    (FAILED, "device-error"): "whatever nobody foresaw",
    (FAILED, "session-lost"): "before the first line it is as good as not reached",
    (FAILED, "revert-not-settled"): "a timer runs only once the first line may be sent",
    (FAILED, "parse-failure"): "a running-config that cannot be read",
    (FAILED, "invalid-input"): "an address or a sign-in that is none",
}
"""Codes that go by the general row of their state, each with why it needs none of its own."""
READ = {"device-error", "session-lost", "unreachable", "vty-refused", "authentication-refused", "host-key-changed",
        "wrong-router", "line-refused", "configuration-locked", "parse-failure", "invalid-input"}  # fmt: skip
"""Codes of a router that could not be read for a plan or before its first line."""
UNDERSTOOD = ("error_code", "code")


def sources() -> Iterator[tuple[ModuleType, ast.Module]]:
    for path in sorted((ROOT / "provisioning" / "services").rglob("*.py")):
        text = path.read_text()
        if path.parent.name == "pushing" or "error_code" in text:
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            yield importlib.import_module(name), ast.parse(text)


class Codes(ast.NodeVisitor):
    """What stands where a code is expected in one module: (state or None, code), and what is not understood there."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._functions: list[ast.FunctionDef] = []
        self.found: set[tuple[PushState | None, str]] = set()
        self.not_understood: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._functions.append(node)
        self.generic_visit(node)
        self._functions.pop()

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        state = self._state(node)
        for keyword in node.keywords:
            if keyword.arg == "error_code" and self._writes(node):
                self._note(state, keyword.value)
        called = self._called(node)
        if called is None:
            return
        parameters = list(inspect.signature(called).parameters)
        if "code" not in parameters or "error" in parameters[:1]:
            return
        place = parameters.index("code")
        for index, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                self._returned(state, argument.value)
                return
            if index == place:
                self._note(state, argument)
        for keyword in node.keywords:
            if keyword.arg == "code":
                self._note(state, keyword.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        """`fields = {"error_code": ...}` is written by whoever is given the fields."""
        self._pairs(node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._pairs(node.value)
        self.generic_visit(node)

    def _pairs(self, value: ast.expr) -> None:
        for each in ast.walk(value):
            if isinstance(each, ast.Dict):
                for key, said in zip(each.keys, each.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "error_code":
                        self._note(None, said)

    def _writes(self, node: ast.Call) -> bool:
        """A call that asks the rows writes none."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return name not in ("filter", "exclude", "Q") and not (
            isinstance(node.func, ast.Name) and node.func.id == "Q"
        )

    def _called(self, node: ast.Call) -> Callable[..., object] | None:
        """The function or class of services that is called by its name; None for anything else."""
        if isinstance(node.func, ast.Name):
            found = getattr(self._module, node.func.id, None)
        elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            owner = getattr(self._module, node.func.value.id, None)
            found = getattr(owner, node.func.attr, None) if isinstance(owner, ModuleType) else None
        else:
            return None
        ours = getattr(found, "__module__", "").startswith("provisioning.services")
        return found if callable(found) and ours else None

    def _state(self, node: ast.Call) -> PushState | None:
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        for argument in [*node.args, *(each.value for each in node.keywords)]:
            if isinstance(argument, ast.Attribute) and getattr(argument.value, "id", "") == "PushState":
                return PushState[argument.attr]
        return BY_CALL.get(name)

    def _note(self, state: PushState | None, value: ast.expr) -> None:
        if isinstance(value, ast.Constant):
            if value.value:
                self.found.add((state, value.value))
        elif isinstance(value, ast.BoolOp):
            for each in value.values:
                self._note(state, each)
        elif isinstance(value, ast.IfExp):
            self._note(state, value.body)
            self._note(state, value.orelse)
        elif isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
            owner = getattr(self._module, value.value.id, None)
            said = getattr(owner, value.attr, None)
            if isinstance(said, str):
                self.found.add((state, said))
            elif owner is not None or value.attr not in UNDERSTOOD:
                self._doubt(value)  # else a code that some row, error or end has already
        elif isinstance(value, ast.Name):
            said = getattr(self._module, value.id, None)
            if isinstance(said, str):
                self.found.add((state, said))
            elif not self._local(state, value.id):
                self._doubt(value)
        else:
            self._doubt(value)

    def _local(self, state: PushState | None, name: str) -> bool:
        """Whether a name is a parameter, whose callers are seen, or is given something understood in its function."""
        if not self._functions:
            return False
        function = self._functions[-1]
        parameters = [*function.args.args, *function.args.kwonlyargs]
        known = any(each.arg == name for each in parameters)
        for each in ast.walk(function):
            if not isinstance(each, ast.Assign):
                continue
            for target in each.targets:
                if isinstance(target, ast.Name) and target.id == name:
                    self._note(state, each.value)
                    known = True
                elif isinstance(target, ast.Tuple) and any(
                    getattr(one, "id", "") == name for one in target.elts
                ):
                    known = True  # of a function that returns several things: `constants` has its codes
        return known

    def _returned(self, state: PushState | None, value: ast.expr) -> None:
        """The codes among what a function of this module returns for `*arguments`."""
        name = getattr(getattr(value, "func", None), "id", "")
        function = getattr(self._module, name, None)
        if function is None:
            self._doubt(value)
            return
        for each in ast.walk(ast.parse(inspect.getsource(function))):
            if isinstance(each, ast.Return) and isinstance(each.value, ast.Tuple):
                self._note(state, each.value.elts[0])

    def _doubt(self, value: ast.expr) -> None:
        self.not_understood.append(f"{self._module.__name__}:{value.lineno}: {ast.unparse(value)}")


def constants(module: ModuleType) -> Iterator[str]:
    """The codes that a module of the push names: constants of its own in capitals."""
    tree = ast.parse(inspect.getsource(module))
    for node in tree.body:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        value = getattr(node, "value", None)
        for target in targets:
            named = isinstance(target, ast.Name) and target.id.isupper()
            if (
                named
                and isinstance(value, ast.Constant)
                and isinstance(value.value, str)
                and CODE.fullmatch(value.value)
            ):
                yield value.value


def errors() -> Iterator[str]:
    """The codes of whatever ends a session."""
    left = [DeviceError]
    while left:
        each = left.pop()
        if each.__module__.startswith("provisioning."):
            yield each.code
        left += each.__subclasses__()


def written() -> tuple[set[tuple[PushState | None, str]], list[str]]:
    assert apps.ready
    found: set[tuple[PushState | None, str]] = set()
    doubts: list[str] = []
    for module, tree in sources():
        codes = Codes(module)
        codes.visit(tree)
        found |= codes.found
        doubts += codes.not_understood
        if module.__name__.startswith("provisioning.services.pushing."):
            found |= {(None, code) for code in constants(module)}
    for code in set(errors()) - SENT:
        found |= {(FAILED, code), (UNKNOWN, code)}
    found |= {(FAILED, code) for code in READ - SENT}
    return found, doubts


def test_every_code_that_a_service_writes_has_a_row_or_is_named_as_general() -> None:
    found, doubts = written()
    assert not doubts, "say where a code comes from, or teach this test:\n" + "\n".join(doubts)
    rows = {(end.state, end.code) for end in ENDS if end.code}
    anywhere = {code for _state, code in rows}
    wanting = {
        (state and state.value, code)
        for state, code in found
        if ((state, code) not in rows and (state, code) not in GENERAL if state else code not in anywhere)
    }
    assert not wanting, f"no row in `pipeline.ends`: {sorted(wanting, key=str)}"


def test_no_row_is_of_a_code_that_nobody_writes() -> None:
    found, _doubts = written()
    codes = {code for _state, code in found}
    left = {end.code for end in ENDS if end.code and end.code not in codes}
    assert left <= {"not-read"}, left  # that a router was not read is known by the plan it has not


def test_nothing_is_called_general_that_has_a_row_or_is_no_more() -> None:
    found, _doubts = written()
    assert set(GENERAL) <= found | {(FAILED, code) for code in READ}
    assert not set(GENERAL) & {(end.state, end.code) for end in ENDS}


def test_a_new_code_would_be_found() -> None:
    text = """
def go(session, error):
    session.move(PushState.ROLLED_BACK, "no", error_code="a-new-code")
    take_back(session, None, "another-code" if error else course.MOVED, "no")
    fields = {"error_code": error.code or "a-third"}
    unknown_held(session, None, "no", error_code=whatever())
"""
    codes = Codes(importlib.import_module("provisioning.services.pushing.course"))
    codes.visit(ast.parse(text))
    assert (ROLLED_BACK, "a-new-code") in codes.found
    assert (ROLLED_BACK, "another-code") in codes.found
    assert (None, "a-third") in codes.found
    assert any("whatever()" in each for each in codes.not_understood)
