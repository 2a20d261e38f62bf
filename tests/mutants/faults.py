"""Mutants: the product with one small fault in it, a node of a function replaced by another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

OPPOSITES: dict[type[ast.AST], Any] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
}  # fmt: skip


class Mutant(NamedTuple):
    """One fault: in this place of a file, the text ``after`` instead of ``before``."""

    file: str
    line: int
    column: int  # in bytes, as ``ast`` counts
    operator: str
    before: str
    after: str
    whole_line: str

    @property
    def key(self) -> str:
        return f"{self.file}:{self.line}:{self.column} {self.operator}"

    def line_in(self, source: bytes) -> int | None:
        """Its line, or the nearest that reads the same, should the file have changed; None without such a line."""
        lines = enumerate(source.splitlines(), 1)
        same = [number for number, line in lines if line.decode().rstrip() == self.whole_line]
        return min(same, key=lambda number: abs(number - self.line), default=None)

    def apply(self, source: bytes) -> bytes | None:
        """The file with the fault, and with as many lines; None without its place."""
        line = self.line_in(source)
        start = sum(map(len, source.splitlines(keepends=True)[: (line or 1) - 1])) + self.column
        if line is None or not source.startswith(self.before.encode(), start):
            return None
        return source[:start] + self.after.encode() + source[start + len(self.before.encode()) :]


def nodes_that_run(node: ast.AST) -> Iterator[ast.AST]:
    """A node in the body of a function, and those below it, without types, docstrings and texts with holes.

    Python 3.11 does not know the places of what is in such a text.
    """
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from nodes_that_run(child)


def faults_at(node: ast.AST) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """The faults to make at a node: the operator, the node to replace, and what replaces it."""
    match node:
        case ast.Compare(left, [op], right) if type(op) in OPPOSITES:
            yield "comparison", node, ast.Compare(left, [OPPOSITES[type(op)]()], right)
        case ast.BoolOp(op, values):
            yield "and, or", node, ast.BoolOp(OPPOSITES[type(op)](), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield "not removed", node, operand
        case ast.If(test) | ast.While(test) | ast.IfExp(test) if isinstance(test, ast.Name | ast.Attribute | ast.Call):
            yield "not added", test, ast.UnaryOp(ast.Not(), test)
        case ast.BinOp(left, ast.Add() | ast.Sub() as op, right):
            yield "plus, minus", node, ast.BinOp(left, OPPOSITES[type(op)](), right)
        case ast.AugAssign(target, ast.Add() | ast.Sub() as op, value):
            yield "plus, minus", node, ast.AugAssign(target, OPPOSITES[type(op)](), value)
        case ast.Constant(bool(value)):
            yield "constant", node, ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield "constant", node, ast.Constant(value + 1)
        case ast.Constant(str(value)):
            yield "constant", node, ast.Constant("" if value else "mutant")
        case ast.Return(ast.expr() as value) if ast.unparse(value) != "None":
            yield "None returned", value, ast.Constant(None)
        case ast.Expr(ast.Call() | ast.Await(ast.Call())):
            yield "call removed", node, ast.Pass()
        case ast.Break():
            yield "break, continue", node, ast.Continue()
        case ast.Continue():
            yield "break, continue", node, ast.Break()


def mutants_of(file: str, source: bytes) -> list[Mutant]:
    """The mutants of the functions in a file, in the order of their places. A few cannot be compiled."""
    lines = source.splitlines(keepends=True)
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = set()  # a function in a function is met twice
    for node in (node for function in functions for part in function.body for node in nodes_that_run(part)):
        for operator, old, new in faults_at(node):
            assert isinstance(old, ast.stmt | ast.expr)
            ending = sum(map(len, lines[old.lineno - 1 : (old.end_lineno or 0) - 1])) + (old.end_col_offset or 0)
            before = b"".join(lines[old.lineno - 1 : old.end_lineno])[old.col_offset : ending].decode()
            rest = "\n" * before.count("\n")  # the lines below stay where they are
            after = f"{ast.unparse(new)}{rest}" if isinstance(new, ast.stmt) else f"({ast.unparse(new)}{rest})"
            line = lines[old.lineno - 1].decode().rstrip()
            found.add(Mutant(file, old.lineno, old.col_offset, operator, before, after, line))
    return sorted(found)
