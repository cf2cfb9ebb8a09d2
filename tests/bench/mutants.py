"""The mutants of `mutation.py`: what can be changed in a module, and how the change gets into its live functions.

Not mutated: code outside of functions, decorators, defaults, annotations and docstrings.
"""

from __future__ import annotations

import ast
import copy
import functools
import gc
import importlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import pytest

PACKAGE = Path("server/compact_chat")
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip
KINDS: dict[type[ast.AST], object] = {ast.JoinedStr: "", ast.Tuple: (), ast.Compare: False}
DELETED = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Raise, ast.Continue, ast.Break)
UNTOUCHED = {"decorator_list", "args", "returns", "annotation", "type_params", "format_spec", "bases", "keywords"}


def altered(node: ast.AST, **fields: Any) -> ast.AST:
    """Copy a node with some of its fields replaced."""
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def constant(value: object, place: ast.AST) -> ast.AST:
    """Build a constant at the position of another node."""
    return ast.copy_location(ast.Constant(value), place)  # type: ignore[arg-type]  # the type of a literal


# The operators. Each yields replacements for a node.
def comparison(node: ast.AST) -> Iterator[ast.AST]:
    """Swap `<` with `<=`, `==` with `!=`, `in` with `not in`, `is` with `is not`."""
    if isinstance(node, ast.Compare):
        for place, old in enumerate(node.ops):
            yield altered(node, ops=[*node.ops[:place], SWAPPED[type(old)](), *node.ops[place + 1 :]])


def boolean(node: ast.AST) -> Iterator[ast.AST]:
    """Swap `and` with `or`."""
    if isinstance(node, ast.BoolOp):
        yield altered(node, op=SWAPPED[type(node.op)]())


def negation(node: ast.AST) -> Iterator[ast.AST]:
    """Drop a `not`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def arithmetic(node: ast.AST) -> Iterator[ast.AST]:
    """Swap `+` with `-`."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in SWAPPED:
        yield altered(node, op=SWAPPED[type(node.op)]())


def literal(node: ast.AST) -> Iterator[ast.AST]:
    """Flip a bool, move an int by one, empty or extend a string."""
    match node:
        case ast.Constant(value=bool(flag)):
            yield constant(not flag, node)
        case ast.Constant(value=int(number)):
            yield constant(number + 1, node)
            yield constant(number - 1, node)
        case ast.Constant(value=str(text)):
            yield constant(text + "XX", node)
            yield from [constant("", node)] * bool(text)
        case ast.Constant(value=bytes(data)):
            yield constant(data + b"XX", node)
            yield from [constant(b"", node)] * bool(data)


def returned(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the empty value of the same kind if the kind is visible, else None."""
    match node:
        case ast.Return(value=ast.Constant()) | ast.Return(value=None):
            pass  # `literal` changes constants
        case ast.Return(value=ast.List() | ast.Dict() as display):
            fields: dict[str, Any] = {"elts": []} if isinstance(display, ast.List) else {"keys": [], "values": []}
            yield altered(node, value=altered(display, **fields))
        case ast.Return(value=ast.expr() as value):
            yield altered(node, value=constant(KINDS.get(type(value)), value))


def deletion(node: ast.AST) -> Iterator[ast.AST]:
    """Delete a statement."""
    if isinstance(node, DELETED) and not (isinstance(node, ast.AnnAssign) and not node.value):
        yield ast.copy_location(ast.Pass(), node)


def condition(node: ast.AST) -> Iterator[ast.AST]:
    """Force a condition; a loop's only to False, since it would never end otherwise."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        for value in (False,) if isinstance(node, ast.While) else (True, False):
            yield altered(node, test=constant(value, node.test))
    if isinstance(node, ast.comprehension):
        for place, test in enumerate(node.ifs):
            for value in (True, False):
                yield altered(node, ifs=[*node.ifs[:place], constant(value, test), *node.ifs[place + 1 :]])


def bounds(node: ast.AST) -> Iterator[ast.AST]:
    """Drop a bound of a slice."""
    if isinstance(node, ast.Slice):
        yield from (altered(node, **{name: None}) for name in ("lower", "upper") if getattr(node, name))


OPERATORS = (comparison, boolean, negation, arithmetic, literal, returned, deletion, condition, bounds)


@dataclass(eq=False)
class Site:
    """A node in a function, with its statement and its place in its parent."""

    function: str
    statement: ast.stmt
    parent: ast.AST
    name: str
    index: int | None
    node: ast.AST

    def put(self, node: ast.AST) -> None:
        """Put a node there; changes the module's tree in place."""
        if self.index is None:
            setattr(self.parent, self.name, node)
        else:
            getattr(self.parent, self.name)[self.index] = node


def sites(parent: ast.AST, scope: str = "", statement: ast.stmt | None = None) -> Iterator[Site]:
    """Find the nodes that may be mutated; `statement` is the innermost one around them, None outside of functions."""
    for name, value in ast.iter_fields(parent):
        if name in UNTOUCHED and not isinstance(parent, ast.Call):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                continue
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = None if isinstance(node, ast.ClassDef) else node
                yield from sites(node, f"{scope}.{node.name}".lstrip("."), inner)
                continue
            around = node if statement and isinstance(node, ast.stmt) else statement
            if around:
                yield Site(scope, around, parent, name, index, node)
            yield from sites(node, scope, around)


Swaps = list[tuple[FunctionType, CodeType]]
Live = dict[tuple[str, str, int], list[FunctionType]]


Cache: TypeAlias = "functools._lru_cache_wrapper[Any]"


@dataclass(eq=False)
class Mutant:
    """One change to the product, and the verdict of the tests."""

    room: str
    path: str
    line: int
    function: str
    operator: str
    change: str
    statement: ast.stmt | None
    swaps: Swaps
    reached: list[pytest.Item] = field(default_factory=list)
    outcome: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}() {self.operator}: {self.change}"


def codes(tree: ast.Module, path: Path) -> Iterator[CodeType]:
    """Compile a module and list its code objects, including nested ones."""
    found = [compile(tree, str(path), "exec", dont_inherit=True)]
    while found:
        code = found.pop()
        yield code
        found += [part for part in code.co_consts if isinstance(part, CodeType)]


def import_product() -> None:
    """Import every module of the product, so that all functions exist to be changed."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "__main__.py":
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            importlib.import_module(name.removesuffix(".__init__"))


def caches() -> list[Cache]:
    """Find the function caches of the product and of the tests."""
    found = [thing for thing in gc.get_objects() if type(thing) is functools._lru_cache_wrapper]
    return [cache for cache in found if str(cache.__module__).partition(".")[0] in {"compact_chat", "tests"}]


def live_functions() -> Live:
    """Index all functions in the process, including methods and decorated ones, by file, name and first line."""
    live: Live = defaultdict(list)
    for thing in gc.get_objects():
        if type(thing) is FunctionType:
            code = thing.__code__
            live[code.co_filename, code.co_qualname, code.co_firstlineno].append(thing)
    return live


def swaps(changed: Sequence[CodeType], live: Live) -> Swaps:
    """Pair the functions to change with their new code; empty if one of them cannot take it."""
    pairs = [(one, code) for code in changed for one in live[code.co_filename, code.co_qualname, code.co_firstlineno]]
    same = all(
        (old.__code__.co_freevars, old.__code__.co_flags) == (new.co_freevars, new.co_flags) for old, new in pairs
    )
    return pairs if same else []


def differing(old: ast.AST, new: ast.AST) -> str:
    """Show the first line in which two nodes differ."""
    lines = zip(ast.unparse(old).splitlines(), ast.unparse(new).splitlines(), strict=False)
    return next((f"{a.strip()[:90]} -> {b.strip()[:90]}" for a, b in lines if a != b), "")


class Module:
    """A module of the product that can be compiled with changes."""

    def __init__(self, room: str, path: Path) -> None:
        self.room, self.path = room, path
        self.tree = ast.parse(path.read_text("utf-8"))
        self.pristine = set(codes(self.tree, path))

    def changes(self) -> list[Callable[[Live], Mutant | None]]:
        """List all changes, each compiled only when drawn."""
        return [
            functools.partial(self.mutant, site, operator.__name__, new)
            for site in sites(self.tree)
            for operator in OPERATORS
            for new in operator(site.node)
        ]

    def changed(self, live: Live) -> Swaps:
        """Compile the current tree and pair the functions that differ from the file with the live ones."""
        return swaps([code for code in codes(self.tree, self.path) if code not in self.pristine], live)

    def with_probes(self, probes: Probed, live: Live) -> Swaps:
        """Compile the module with its probes, which stay in the tree."""
        probes.visit(self.tree)
        ast.fix_missing_locations(self.tree)
        return self.changed(live)

    def mutant(self, site: Site, operator: str, new: ast.AST, live: Live) -> Mutant | None:
        """Compile one mutant; None if its code is unchanged or cannot be swapped in."""
        site.put(new)
        pairs = self.changed(live)
        site.put(site.node)
        text, path = differing(site.node, new), str(self.path.relative_to(Path.cwd()))
        line = getattr(site.node, "lineno", site.statement.lineno)
        return Mutant(self.room, path, line, site.function, operator, text, site.statement, pairs) if pairs else None


class Probed(ast.NodeTransformer):
    """Inserts a call of `__probe__` before the statements of mutants."""

    def __init__(self, mutants: list[Mutant]) -> None:
        self.numbers: dict[ast.stmt | None, list[int]] = defaultdict(list)
        for number, mutant in enumerate(mutants):
            self.numbers[mutant.statement].append(number)

    def visit(self, node: ast.AST) -> Any:
        """Return a statement with its probes before it."""
        probes = [ast.parse(f"__probe__({n})").body[0] for n in self.numbers.get(node, ())]  # type: ignore[call-overload]  # any node may be looked up
        self.generic_visit(node)
        return [*probes, node] if probes else node
