# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Random kernels that can say by themselves which bytes each work-item of a launch uses: they are OpenCL C as text, and Python
as functions. Nothing here knows how the analysis works."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
ARRAY_BYTES = 1 << 16
CONTENTS = [random.Random(7).randrange(1 << 16) for _ in range(ARRAY_BYTES)]  # of the array that is only read


class Undefined(Exception):
    """Signed overflow, a division by 0 or an access outside of an array: anything may happen then."""


def is_signed(kind: str) -> bool:
    return kind[0] != "u"


def wrapped(kind: str, value: int) -> int:
    """As a conversion does."""
    value &= (1 << BITS[kind]) - 1
    return value - (1 << BITS[kind]) if is_signed(kind) and value >> (BITS[kind] - 1) else value


def promoted(kind: str) -> str:
    return "int" if BITS[kind] < 32 else kind


def common(a: str, b: str) -> str:
    a, b = promoted(a), promoted(b)
    if BITS[a] != BITS[b]:
        return a if BITS[a] > BITS[b] else b
    return a if not is_signed(a) else b


@dataclass
class Launch:
    size: tuple[int, int]
    local: tuple[int, int]
    offset: tuple[int, int]
    arguments: dict[str, int]


@dataclass
class Item:
    launch: Launch
    at: tuple[int, int]  # from 0
    names: dict[str, int] = field(default_factory=dict)
    accesses: list[tuple[str, int, int, bool]] = field(default_factory=list)  # array, first byte, bytes, writes

    def query(self, name: str, d: int) -> int:
        launch = self.launch
        return {
            "global_id": launch.offset[d] + self.at[d],
            "group_id": self.at[d] // launch.local[d],
            "local_id": self.at[d] % launch.local[d],
            "global_size": launch.size[d],
            "local_size": launch.local[d],
            "global_offset": launch.offset[d],
        }[name]

    def use(self, array: str, first: int, count: int, writes: bool) -> None:
        if first < 0 or first + count > ARRAY_BYTES:
            raise Undefined
        self.accesses.append((array, first, count, writes))


@dataclass
class Expression:
    text: str
    kind: str
    value: object  # of an Item: int


def constant(value: int) -> Expression:
    return Expression(str(value), "int", lambda item: value)


def name_of(name: str, kind: str) -> Expression:
    return Expression(name, kind, lambda item: item.names[name])


def query(name: str, d: int) -> Expression:
    return Expression(f"get_{name}({d})", "ulong", lambda item: item.query(name, d))


def cast(kind: str, e: Expression) -> Expression:
    return Expression(f"({kind})({e.text})", kind, lambda item: wrapped(kind, e.value(item)))


def operation(op: str, a: Expression, b: Expression) -> Expression:
    kind = common(a.kind, b.kind)

    def value(item: Item) -> int:
        x, y = wrapped(kind, a.value(item)), wrapped(kind, b.value(item))
        if op in "/%" and y == 0:
            raise Undefined
        exact = {
            "+": lambda: x + y,
            "-": lambda: x - y,
            "*": lambda: x * y,
            "/": lambda: abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1),
            "%": lambda: abs(x) % abs(y) * (1 if x >= 0 else -1),
            "&": lambda: x & y,
            "|": lambda: x | y,
            "^": lambda: x ^ y,
            "<": lambda: int(x < y),
            ">=": lambda: int(x >= y),
            "==": lambda: int(x == y),
        }[op]()
        if is_signed(kind) and wrapped(kind, exact) != exact:
            raise Undefined
        return wrapped(kind, exact)

    return Expression(f"({a.text} {op} {b.text})", "int" if op in ("<", ">=", "==") else kind, value)


def contents(index: Expression) -> Expression:
    def value(item: Item) -> int:
        return CONTENTS[index.value(item)]

    return Expression(f"a[{index.text}]", "int", value)


@dataclass
class Kernel:
    text: str
    run: object  # of an Item
    is_sum: bool  # each statement adds to what is there, so that no access can be left out


class Maker:
    """Makes kernels of c, d (written), a (only read), and the numbers n, w, m."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)

    def one_of(self, *of: object) -> object:
        return self.r.choice(of)

    def leaf(self, names: dict[str, str]) -> Expression:
        if self.r.random() < 0.75:
            name = self.r.choice(list(names))
            return name_of(name, names[name])
        if self.r.random() < 0.5:
            return constant(self.r.randrange(6))
        kinds = ("global_id", "global_id", "group_id", "local_id", "global_size", "local_size", "global_offset")
        return query(self.one_of(*kinds), self.one_of(0, 0, 1))

    def expression(self, names: dict[str, str], depth: int) -> Expression:
        if depth == 0:
            return self.leaf(names)
        shape = self.r.random()
        if shape < 0.12:
            return cast(self.one_of("int", "uint", "ulong", "long", "uchar", "ushort", "short"), self.expression(names, depth - 1))
        if shape < 0.16:
            return operation("&", contents(operation("&", self.leaf(names), constant(63))), constant(self.one_of(6, 3, 7)))
        op = self.one_of("+", "+", "+", "*", "*", "-", "%", "/", "&", "|", "^")
        other = constant(self.one_of(1, 2, 3, 4, 8)) if self.r.random() < 0.4 else self.expression(names, depth - 1)
        return operation(op, self.expression(names, depth - 1), other)

    def usual_index(self, names: dict[str, str]) -> Expression:
        """What real kernels have, more or less."""
        x, y = name_of("x", names["x"]), name_of("y", names["y"])
        row = self.one_of(name_of("w", "int"), name_of("m", "uint"), query("global_size", 0), constant(16), constant(5))
        step = constant(self.one_of(1, 2, 3, 4))
        small = constant(self.r.randrange(3))
        if "j" in names and self.r.random() < 0.6:
            small = name_of("j", "int")
        plane = operation("+", operation("*", y, row), x)
        linear = operation("+", operation("*", query("group_id", 0), query("local_size", 0)), query("local_id", 0))
        line = operation("+", operation("*", x, step), small)
        shifted = operation("+", x, self.one_of(name_of("n", "int"), small, query("global_size", 0)))
        turned = operation("-", self.one_of(name_of("n", "int"), name_of("m", "uint"), query("global_size", 0)), self.one_of(x, x, line, query("group_id", 0)))
        turned = operation(self.one_of("+", "-"), cast(self.one_of("int", "uint", "ulong", "long"), turned), small)
        return self.one_of(turned, turned, x, x, x, plane, plane, line, line, linear, shifted, operation("+", plane, small),
                           operation("+", operation("*", plane, step), small), query("group_id", 0))

    def index(self, names: dict[str, str]) -> Expression:
        return self.usual_index(names) if self.r.random() < 0.75 else self.expression(names, self.r.randrange(1, 4))

    def access(self, index: Expression, writes: bool, array: str, reads: bool) -> tuple[str, object]:
        kind = self.one_of("int", "int", "int", "char", "long", "int2")
        size = {"int": 4, "char": 1, "long": 8, "int2": 8}[kind]
        place = f"((global {kind} *){array})[{index.text}]" if kind != "int" else f"{array}[{index.text}]"
        if kind == "int2":
            place += ".y"

        def run(item: Item) -> None:
            first = index.value(item) * size + (4 if kind == "int2" else 0)
            for is_write in (False,) * reads + (True,) * writes:
                item.use(array, first, 4 if kind == "int2" else size, is_write)

        return place, run

    def statement(self, names: dict[str, str], index: Expression, is_sum: bool) -> tuple[str, object]:
        array = self.one_of("c", "c", "d")
        index = index if self.r.random() < 0.7 else self.index(names)
        to, write = self.access(index, True, array, is_sum)
        value = operation("|", self.expression(names, 1), constant(1))  # a sum with 0 would be left out
        text = f"{value.text}"
        runs = [lambda item: value.value(item), write]
        if is_sum and self.r.random() < 0.5:
            other = index if self.r.random() < 0.7 else self.index(names)
            place, read = self.access(other, False, self.one_of(array, array, "a"), True)
            text += f" + {place}"
            runs.append(read)

        def run(item: Item) -> None:
            for part in runs:
                part(item)

        return f"{to} {'+=' if is_sum else '='} {text};", run

    def kernel(self, name: str) -> Kernel:
        names = {"x": self.one_of("int", "uint", "ulong", "ulong", "ushort"), "y": self.one_of("int", "uint", "ulong")}
        lines = [f"{names['x']} x = get_global_id(0); {names['y']} y = get_global_id(1);"]
        names |= {"n": "int", "w": "int", "m": "uint"}
        guard = None
        if self.r.random() < 0.5:
            bound = self.one_of("n", "w", "m")
            guard = operation("<", name_of("x", names["x"]), name_of(bound, names[bound]))
            lines.append(f"if (!{guard.text}) return;")
        turns = None
        if self.r.random() < 0.35:
            turns = self.one_of(constant(3), constant(4), constant(1), name_of("n", "int"))
            names["j"] = "int"
            lines.append(f"for (int j = 0; j < {turns.text}; j++) {{")
        index = self.index(names)
        is_sum = self.r.random() < 0.6
        statements = [self.statement(names, index, is_sum) for _ in range(self.one_of(1, 1, 2, 3))]
        lines += [text for text, _ in statements] + ["}"] * (turns is not None)

        def run(item: Item) -> None:
            item.names = {"x": wrapped(names["x"], item.query("global_id", 0)), "y": wrapped(names["y"], item.query("global_id", 1))}
            item.names |= item.launch.arguments
            if guard and not guard.value(item):
                return
            for j in range(turns.value(item) if turns else 1):
                item.names["j"] = j
                for _, of in statements:
                    of(item)

        head = f"kernel void {name}(global int *c, global int *d, global const int *a, int n, int w, uint m)"
        return Kernel(f"{head}\n{{\n\t" + "\n\t".join(lines) + "\n}\n", run, is_sum)

    def launches(self) -> Iterator[Launch]:
        for size, local in (((16, 1), (4, 1)), ((12, 6), (4, 2)), ((8, 8), (4, 1)), ((5, 4), (1, 1))):
            offset = self.one_of((0, 0), (0, 0), (3, 0), (2, 1))
            w = self.one_of(size[0], size[0], 5, 16, 40, 0)
            yield Launch(size, local, offset, {"n": self.r.randrange(24), "w": w, "m": self.one_of(w, 16, 3, 2**32 - 1)})


def items_of(kernel: Kernel, launch: Launch) -> list[Item]:
    """All work-items with what they use. Raises Undefined."""
    items = [Item(launch, (x, y)) for y in range(launch.size[1]) for x in range(launch.size[0])]
    for item in items:
        kernel.run(item)
    return items
