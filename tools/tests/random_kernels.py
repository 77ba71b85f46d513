# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Random kernels that can say by themselves which bytes each work-item of a launch uses: they are OpenCL C as text, and
Python as functions. Nothing here knows how the analysis works."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
ARRAY_BYTES = 1 << 16
CONTENTS = [random.Random(7).randrange(1 << 16) for _ in range(ARRAY_BYTES)]  # fills the array that is only read


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
    size: tuple[int, int, int]
    local: tuple[int, int, int]
    offset: tuple[int, int, int]
    arguments: dict[str, int]


@dataclass
class Item:
    launch: Launch
    at: tuple[int, int, int]  # counts from 0
    names: dict[str, int] = field(default_factory=dict)
    # An access is an array, the first byte, how many there are, and whether it writes.
    accesses: list[tuple[str, int, int, bool]] = field(default_factory=list)

    def query(self, name: str, d: int) -> int:
        launch = self.launch
        return {
            "global_id": launch.offset[d] + self.at[d],
            "group_id": self.at[d] // launch.local[d],
            "local_id": self.at[d] % launch.local[d],
            "global_size": launch.size[d],
            "local_size": launch.local[d],
            "global_offset": launch.offset[d],
            "num_groups": launch.size[d] // launch.local[d],
        }[name]

    def use(self, array: str, first: int, count: int, writes: bool) -> None:
        if first < 0 or first + count > ARRAY_BYTES:
            raise Undefined
        self.accesses.append((array, first, count, writes))


@dataclass
class Expression:
    text: str
    kind: str
    value: object  # takes an Item and returns an int


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
    run: object  # takes an Item
    is_sum: bool  # each statement adds to what is there, so that no access can be left out
    form: str = "other"


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
            return cast(self.one_of("int", "uint", "ulong", "long", "uchar", "ushort", "short"),
                self.expression(names, depth - 1))
        if shape < 0.16:
            return operation("&", contents(operation("&", self.leaf(names), constant(63))),
                constant(self.one_of(6, 3, 7)))
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
        turned = operation("-", self.one_of(name_of("n", "int"), name_of("m", "uint"), query("global_size", 0)),
            self.one_of(x, x, line, query("group_id", 0)))
        turned = operation(self.one_of("+", "-"), cast(self.one_of("int", "uint", "ulong", "long"), turned), small)
        return self.one_of(turned, turned, x, x, x, plane, plane, line, line, linear, shifted,
            operation("+", plane, small),
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
            item.names = {"x": wrapped(names["x"], item.query("global_id", 0)),
                "y": wrapped(names["y"], item.query("global_id", 1))}
            item.names |= item.launch.arguments
            if guard and not guard.value(item):
                return
            for j in range(turns.value(item) if turns else 1):
                item.names["j"] = j
                for _, of in statements:
                    of(item)

        head = f"kernel void {name}(global int *c, global int *d, global const int *a, int n, int w, uint m, int h)"
        return Kernel(f"{head}\n{{\n\t" + "\n\t".join(lines) + "\n}\n", run, is_sum)

    def launches(self) -> Iterator[Launch]:
        for size, local in (((16, 1, 1), (4, 1, 1)), ((12, 6, 1), (4, 2, 1)), ((8, 8, 1), (4, 1, 1)),
                ((5, 4, 1), (1, 1, 1))):
            offset = self.one_of((0, 0, 0), (0, 0, 0), (3, 0, 0), (2, 1, 0))
            w = self.one_of(size[0], size[0], 5, 16, 40, 0)
            yield Launch(size, local, offset, {"n": self.r.randrange(24), "w": w,
                "m": self.one_of(w, 16, 3, 2**32 - 1), "h": size[1]})


@dataclass
class Loop:
    kind: str
    name: str
    start: Expression
    condition: Expression
    step: Expression

    def text(self) -> str:
        return f"for ({self.kind} {self.name} = {self.start.text}; {self.condition.text}; " \
            f"{self.name} += {self.step.text}) {{"

    def run(self, item: Item, body: object) -> None:
        most_turns = 64  # tells when a loop is taken for one that does not end
        item.names[self.name] = wrapped(self.kind, self.start.value(item))
        for _ in range(most_turns):
            if not self.condition.value(item):
                return
            body(item)
            after = operation("+", name_of(self.name, self.kind), self.step).value(item)
            item.names[self.name] = wrapped(self.kind, after)
        raise Undefined


class FormMaker(Maker):
    """Makes kernels that use tiles, transposed indices, three dimensions and steps of the grid, right and wrong
    ones."""

    FORMS = ("tile", "transposed", "volume", "stride", "rows", "quotient", "in_place")

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.names: dict[str, str] = {}
        self.lines: list[str] = []
        self.values: list[tuple[str, str, Expression]] = []

    def let(self, kind: str, name: str, value: Expression) -> Expression:
        """A variable of the kernel."""
        self.lines.append(f"{kind} {name} = {value.text};")
        self.values.append((name, kind, value))
        self.names[name] = kind
        return name_of(name, kind)

    def integer(self) -> str:
        return self.one_of("int", "int", "int", "uint", "ulong", "ulong", "long", "ushort", "uchar")

    def argument(self, *of: str) -> Expression:
        return name_of(name := self.one_of(*of), "uint" if name == "m" else "int")

    def id(self, name: str, query_name: str, d: int) -> Expression:
        return self.let(self.integer(), name, query(query_name, d))

    def number(self) -> Expression:
        return constant(self.one_of(0, 0, 1, 1, 2, 3))

    def product(self, a: Expression, b: Expression) -> Expression:
        return operation("*", a, b) if self.r.random() < 0.5 else operation("*", b, a)

    def total(self, a: Expression, b: Expression) -> Expression:
        whole = operation("+", a, b) if self.r.random() < 0.5 else operation("+", b, a)
        return cast(self.integer(), whole) if self.r.random() < 0.1 else whole

    def pitch(self, *wanted: Expression) -> Expression:
        """How far rows are from each other."""
        if self.r.random() < 0.7:
            return self.one_of(*wanted)
        return self.one_of(name_of("n", "int"), name_of("m", "uint"), constant(16),
            query("global_size", self.one_of(0, 1)), constant(0))

    def guards(self, *pairs: tuple[Expression, Expression]) -> list[Expression]:
        """Some of them, and some of these wrong."""
        made = []
        for small, large in pairs:
            if self.r.random() < 0.75:
                if self.r.random() < 0.1:
                    large = self.one_of(name_of("n", "int"), operation("+", large, constant(1)))
                made.append(operation("<", small, large) if self.r.random() < 0.8
                    else operation(">=", operation("-", large, constant(1)), small))
        return made

    # Each returns the index, conditions under which it is used, and loops around it.

    def tile(self) -> tuple:
        size = constant(self.one_of(4, 4, 4, 2, 3, 8)) if self.r.random() < 0.7 else query("local_size", 0)
        rows = size if self.r.random() < 0.8 else query("local_size", 1)
        gx, gy = self.id("gx", "group_id", 0), self.id("gy", "group_id", 1)
        tx, ty = self.id("tx", "local_id", 0), self.id("ty", "local_id", 1)
        x = self.let(self.integer(), "x", self.total(self.product(gx, size), tx))
        y = self.let(self.integer(), "y", self.total(self.product(gy, rows), ty))
        w = self.pitch(name_of("w", "int"), name_of("w", "int"), query("global_size", 0))
        border = self.number() if self.r.random() < 0.2 else constant(0)
        index = self.total(self.product(y, w), operation("-", x, border) if border.text != "0" else x)
        return index, self.guards((x, w), (y, name_of("h", "int"))), []

    def transposed(self) -> tuple:
        size = constant(self.one_of(4, 4, 4, 2, 8)) if self.r.random() < 0.6 else query("local_size", self.one_of(0, 1))
        gx, gy = self.id("gx", "group_id", 0), self.id("gy", "group_id", 1)
        tx, ty = self.id("tx", "local_id", 0), self.id("ty", "local_id", 1)
        if self.r.random() < 0.3:
            x, y = self.id("x", "global_id", 1), self.id("y", "global_id", 0)
        else:
            x = self.let(self.integer(), "x", self.total(self.product(gy, size), self.one_of(tx, tx, ty)))
            y = self.let(self.integer(), "y", self.total(self.product(gx, size), self.one_of(ty, ty, tx)))
        h = self.pitch(name_of("h", "int"), name_of("h", "int"), query("global_size", 1))
        index = self.total(self.product(y, h), x)
        return index, self.guards((x, h), (y, name_of("w", "int"))), []

    def volume(self) -> tuple:
        x, y, z = (self.id(name, "global_id", d) for d, name in enumerate("xyz"))
        if self.r.random() < 0.2:
            x, z = z, x
        w = self.pitch(name_of("w", "int"), query("global_size", 0))
        h = self.pitch(name_of("h", "int"), query("global_size", 1))
        if self.r.random() < 0.5:
            index = self.total(self.product(self.total(self.product(z, h), y), w), x)
        else:
            index = self.total(self.total(self.product(self.product(z, h), w), self.product(y, w)), x)
        return index, self.guards((x, w), (y, h), (z, name_of("n", "int"))), []

    def stride(self) -> tuple:
        x = self.id("x", "global_id", 0)
        i = name_of("i", self.integer())
        end = self.one_of(name_of("n", "int"), name_of("n", "int"), name_of("m", "uint"),
            operation("*", name_of("w", "int"), name_of("h", "int")))
        step = query("global_size", 0) if self.r.random() < 0.75 else self.one_of(
            constant(4), name_of("w", "int"), operation("*", query("local_size", 0), query("num_groups", 0)))
        start = x if self.r.random() < 0.8 else self.one_of(query("local_id", 0), operation("+", x, self.number()))
        wide = self.one_of(constant(1), constant(1), constant(2), constant(4))
        small = self.number() if self.r.random() < 0.3 else constant(0)
        self.names["i"] = i.kind
        return self.total(self.product(i, wide), small), [], [Loop(i.kind, "i", start, operation("<", i, end), step)]

    def rows(self) -> tuple:
        x = self.id("x", "global_id", 0)
        j = name_of("j", self.one_of("int", "int", "uint", "ulong"))
        n = self.argument("n", "w", "w", "h")
        self.names["j"] = j.kind
        w = self.one_of(n, n, n, name_of("w", "int"))
        loop = Loop(j.kind, "j", self.one_of(constant(0), constant(0), constant(1)), operation("<", j, n),
            self.one_of(constant(1), constant(1), constant(2)))
        if self.r.random() < 0.5:
            return self.total(self.product(x, w), j), [], [loop]
        return self.total(self.product(j, w), x), self.guards((x, w)), [loop]

    def quotient(self) -> tuple:
        x = self.id("x", "global_id", 0)
        w = self.one_of(name_of("w", "int"), constant(4), constant(8), constant(3))
        row = self.let(self.integer(), "row", operation("/", x, w))
        column = self.let(self.integer(), "column", operation("%", x, w))
        step = self.one_of(w, w, w, name_of("n", "int"), constant(8))
        if self.r.random() < 0.3:
            row, column = column, row
        return self.total(self.product(row, step), column), [], []

    def in_place(self) -> tuple:
        """What is read of the same array lies before what is written, as in decompositions."""
        size = constant(4)
        gx, gy = self.id("gx", "group_id", 0), self.id("gy", "group_id", 1)
        tx, ty = self.id("tx", "local_id", 0), self.id("ty", "local_id", 1)
        one = operation("+", gy, self.one_of(constant(1), constant(1), constant(0)))
        y = self.let("int", "y", self.total(operation("+", name_of("h", "int"), self.product(one, size)), ty))
        x = self.let("int", "x",
            self.total(self.product(operation("+", gx, self.one_of(constant(1), constant(0))), size), tx))
        w = name_of("w", "int")
        self.other = self.total(
            self.product(operation("+", self.one_of(name_of("h", "int"), name_of("h", "int"), gy), ty), w), x)
        return self.total(self.product(y, w), x), self.guards((x, w)) if self.r.random() < 0.5 else [], []

    def kernel(self, name: str) -> Kernel:
        self.lines, self.values, self.other = [], [], None
        self.names = {"n": "int", "w": "int", "m": "uint", "h": "int"}
        form = self.one_of(*self.FORMS)
        index, guards, loops = getattr(self, form)()
        has_tile = self.r.random() < 0.5
        if has_tile:
            self.lines += ["local int l[64]; "
                "l[(get_local_id(1) * get_local_size(0) + get_local_id(0)) & 63] = a[get_local_id(0)];",
                           "barrier(CLK_LOCAL_MEM_FENCE);"]
        lines = self.lines + [f"if ({g.text}) {{" for g in guards] + [loop.text() for loop in loops]
        is_sum = self.r.random() < 0.6
        statements = [self.statement(self.names, index, is_sum)]
        if self.other and self.r.random() < 0.8:
            statements.append(self.statement_with(index, self.other))
        elif self.r.random() < 0.2:
            statements.append(self.statement(self.names, index, is_sum))
        lines += [text for text, _ in statements]
        lines += ["}"] * (len(guards) + len(loops))
        values = self.values

        def body(item: Item) -> None:
            for _, of in statements:
                of(item)

        def run(item: Item) -> None:
            item.names = dict(item.launch.arguments)
            for variable, kind, value in values:
                item.names[variable] = wrapped(kind, value.value(item))
            if not all(g.value(item) for g in guards):
                return
            if loops:
                loops[0].run(item, body)
            else:
                body(item)

        head = f"kernel void {name}(global int *c, global int *d, global const int *a, int n, int w, uint m, int h)"
        return Kernel(f"{head}\n{{\n\t" + "\n\t".join(line for line in lines if line) + "\n}\n", run, is_sum, form)

    def index(self, names: dict[str, str]) -> Expression:
        """Of a second access: a neighbour."""
        name = self.r.choice(list(names))
        return operation("+", name_of(name, names[name]), self.number())

    def statement_with(self, index: Expression, other: Expression) -> tuple[str, object]:
        array = self.one_of("c", "d")
        to, write = self.plain(index, array, (True,))
        place, read = self.plain(other, array, (False,))

        def run(item: Item) -> None:
            read(item)
            write(item)

        return f"{to} = {place} + 1;", run

    @staticmethod
    def plain(index: Expression, array: str, writes: tuple[bool, ...]) -> tuple[str, object]:
        def run(item: Item) -> None:
            for is_write in writes:
                item.use(array, index.value(item) * 4, 4, is_write)

        return f"{array}[{index.text}]", run

    def launches(self) -> Iterator[Launch]:
        shapes = (((16, 1, 1), (4, 1, 1)), ((8, 8, 1), (4, 4, 1)), ((12, 8, 1), (4, 2, 1)), ((8, 4, 1), (2, 2, 1)),
            ((6, 4, 4), (3, 2, 1)),
                  ((4, 4, 4), (2, 2, 2)))
        for size, local in shapes:
            offset = self.one_of((0, 0, 0), (0, 0, 0), (0, 0, 0), (3, 0, 0), (2, 1, 1))
            w = self.one_of(size[0], size[0], size[0] + offset[0], size[0] - 1, 16, 40, 0)
            h = self.one_of(size[1], size[1], size[1] + offset[1], size[1] - 1, 16, 4)
            n = self.one_of(self.r.randrange(24), size[0], size[2], 60, 200)
            yield Launch(size, local, offset, {"n": n, "w": w, "h": h, "m": self.one_of(w, h, 50, 2**32 - 1)})


def items_of(kernel: Kernel, launch: Launch) -> list[Item]:
    """All work-items with what they use. Raises Undefined."""
    items = [Item(launch, (x, y, z)) for z in range(launch.size[2]) for y in range(launch.size[1])
        for x in range(launch.size[0])]
    for item in items:
        kernel.run(item)
    return items
