#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Matrix instructions, mbarriers and bulk copies on a device and in the interpreter: what they leave in memory must be
the same.

Runs its kernels twice, each time in a process of its own: through the driver that is there, and through the fake one in
--fake, which interprets. Needs a GPU of sm_90 and overheads.py. --check runs the second half alone.
"""
import argparse
import ctypes
import json
import os
import random
import struct
import subprocess
import sys

LANES = 32
WORDS = 16  # of input, for each lane
THREADS = 96  # of the kernel that waits

# Each product has a name, types and depth, elements in a register, and registers of c.
PRODUCTS = [
    ("m16n8k16.row.col.f32.f16.f16.f32", 2, 16, "f16"),
    ("m16n8k8.row.col.f32.f16.f16.f32", 2, 8, "f16"),
    ("m16n8k16.row.col.f16.f16.f16.f16", 2, 16, "f16"),
    ("m16n8k16.row.col.f32.bf16.bf16.f32", 2, 16, "bf16"),
    ("m16n8k8.row.col.f32.tf32.tf32.f32", 1, 8, "tf32"),
    ("m16n8k4.row.col.f32.tf32.tf32.f32", 1, 4, "tf32"),
    ("m16n8k16.row.col.s32.s8.u8.s32", 4, 16, "s8"),
    ("m16n8k32.row.col.s32.u8.s8.s32", 4, 32, "s8"),
    ("m16n8k32.row.col.satfinite.s32.s8.s8.s32", 4, 32, "s8"),
]
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
BEGIN = """.visible .entry k(.param .u64 in, .param .u64 out)
{
.reg .b32 %x, %l, %r<40>;
.reg .b64 %in, %out, %d<10>;
.reg .pred %p<4>;
.shared .align 16 .b8 s[2048];
.shared .align 8 .b64 bar;
ld.param.u64 %in, [in];
ld.param.u64 %out, [out];
mov.u32 %l, %tid.x;
mul.wide.u32 %d0, %l, 64;
add.u64 %d1, %in, %d0;
mul.wide.u32 %d0, %l, 16;
add.u64 %d2, %out, %d0;
"""


def registers(first, count):
    return "{" + ", ".join(f"%r{first + i}" for i in range(count)) + "}"


def product(what, each, depth):
    of_b = depth // (4 * each)
    of_c = 2 if ".f16.f16.f16.f16" in what else 4
    inputs = 3 * of_b + of_c
    lines = [f"ld.global.b32 %r{i}, [%d1+{4 * i}];" for i in range(inputs)]
    c = registers(3 * of_b, of_c)
    lines.append(f"mma.sync.aligned.{what} {c}, {registers(0, 2 * of_b)}, {registers(2 * of_b, of_b)}, {c};")
    lines += [f"st.global.b32 [%d2+{4 * i}], %r{3 * of_b + i};" for i in range(of_c)]
    return BEGIN + "\n".join(lines) + "\nret;\n}\n"


def moves(load, store, turn):
    """The input's first 512 bytes as four matrices, through registers to the output."""
    lines = ["shl.b32 %x, %l, 4;", "cvt.u64.u32 %d0, %x;", "add.u64 %d1, %in, %d0;", "mov.u32 %r20, s;",
             "add.u32 %r20, %r20, %x;", "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%d1];",
             "st.shared.v4.b32 [%r20], {%r0, %r1, %r2, %r3};", "bar.sync 0;",
             f"ldmatrix.sync.aligned.m8n8.x4{load}.shared.b16 {{%r4, %r5, %r6, %r7}}, [%r20];"]
    if turn:
        lines += [f"movmatrix.sync.aligned.m8n8.trans.b16 %r{r}, %r{r};" for r in (4, 6)]
    lines += [f"stmatrix.sync.aligned.m8n8.x4{store}.shared.b16 [%r20+512], {{%r5, %r4, %r7, %r6}};", "bar.sync 0;",
              "ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%r20+512];", "st.global.v4.b32 [%d2], {%r0, %r1, %r2, %r3};"]
    return BEGIN + "\n".join(lines) + "\nret;\n}\n"


WAITS = BEGIN + """setp.eq.u32 %p0, %l, 0;
@%p0 mbarrier.init.shared::cta.b64 [bar], 96;
@%p0 fence.proxy.async.shared::cta;
bar.sync 0;
@!%p0 bra others;
mbarrier.arrive.expect_tx.shared::cta.b64 %d5, [bar], 384;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%in], 384, [bar];
bra first;
others:
mbarrier.arrive.shared::cta.b64 %d5, [bar];
first:
mbarrier.try_wait.shared::cta.b64 %p1, [bar], %d5;
@!%p1 bra first;
mov.u32 %r20, s;
shl.b32 %r21, %l, 2;
add.u32 %r22, %r20, %r21;
add.u32 %r23, %l, 1;
rem.u32 %r23, %r23, 96;
shl.b32 %r23, %r23, 2;
add.u32 %r23, %r20, %r23;
mov.u32 %r24, 0;
round:
ld.shared.u32 %r25, [%r23];
mbarrier.arrive.shared::cta.b64 %d5, [bar];
read:
mbarrier.try_wait.shared::cta.b64 %p1, [bar], %d5;
@!%p1 bra read;
add.u32 %r25, %r25, %l;
st.shared.u32 [%r22], %r25;
mbarrier.arrive.shared::cta.b64 %d5, [bar];
written:
mbarrier.try_wait.shared::cta.b64 %p1, [bar], %d5;
@!%p1 bra written;
add.u32 %r24, %r24, 1;
setp.lt.u32 %p2, %r24, 7;
@%p2 bra round;
fence.proxy.async.shared::cta;
bar.sync 0;
@!%p0 bra over;
cp.async.bulk.global.shared::cta.bulk_group [%out], [s], 384;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
over:
ret;
}
"""


def word(kind, chance, exact):
    """Elements whose sums are exact if they are to be."""
    value = (lambda: chance.randrange(-4, 4)) if exact else (lambda: chance.uniform(-2, 2))
    if kind == "f16":
        return struct.pack("<ee", value(), value())
    if kind == "bf16":
        return b"".join(struct.pack("<f", value())[2:] for _ in range(2))
    if kind == "tf32":
        return struct.pack("<f", value())
    return chance.randbytes(4)


def cases():
    """Name, text, threads, input, bytes of output, whether the result is exact."""
    for number, (what, each, depth, kind) in enumerate(PRODUCTS):
        factors = 3 * depth // (4 * each)
        sums = "f32" if ".f32." in what else "f16" if ".f16.f16.f16.f16" in what else "s32"
        for exact in (True, False) if kind != "s8" else (True,):
            chance = random.Random(number)
            lanes = []
            for _ in range(LANES):
                lane = b"".join(word(kind, chance, exact) for _ in range(factors))
                c = {"f32": lambda: struct.pack("<f", chance.randrange(-9, 9)), "s32": lambda: chance.randbytes(4),
                     "f16": lambda: word("f16", chance, True)}[sums]
                lanes.append((lane + b"".join(c() for _ in range(4))).ljust(4 * WORDS, b"\0"))
            yield what, product(what, each, depth), LANES, b"".join(lanes), 16 * LANES, sums if not exact else None
    chance = random.Random(99)
    for load in ("", ".trans"):
        for store in ("", ".trans"):
            for turn in (False, True):
                yield (f"matrices moved{load}{store}{' movmatrix' if turn else ''}", moves(load, store, turn), LANES,
                       chance.randbytes(64 * LANES), 16 * LANES, None)
    yield "mbarriers and bulk copies", WAITS, THREADS, chance.randbytes(64 * THREADS), 384, None


def run_all():
    """What each case leaves, as hexadecimal digits."""
    from overheads import Driver
    gpu, found = Driver(), []
    for _, text, threads, given, size, _ in cases():
        module, inputs, out = ctypes.c_void_p(), gpu.allocate(len(given)), gpu.allocate(16 * THREADS)
        gpu.call("cuModuleLoadData", ctypes.byref(module), (HEAD + text).encode() + b"\0")
        gpu.put(inputs, given)
        gpu.clear(out, 16 * THREADS)
        gpu.launch(gpu.function(module, "k"), 1, [ctypes.c_uint64(inputs), ctypes.c_uint64(out)], threads)
        found.append(gpu.get(out, size).hex())
    return {"gpu": gpu.name, "results": found}


def in_process(folder):
    path = ":".join(filter(None, (folder, os.environ.get("LD_LIBRARY_PATH"))))
    done = subprocess.run([sys.executable, __file__, "--run"], env={**os.environ, "LD_LIBRARY_PATH": path},
                          capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-500:])
    return json.loads(done.stdout)


def difference(kind, a, b):
    """The largest one of two results, relative to the largest value."""
    one, other = (struct.unpack(f"<{len(x) // 2 // (2 if kind == 'f16' else 4)}{'e' if kind == 'f16' else 'f'}",
                                bytes.fromhex(x)) for x in (a, b))
    return max(abs(x - y) for x, y in zip(one, other)) / max(map(abs, one))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fake", default="build/fake", help="the folder of the fake driver")
    parser.add_argument("--out", default="nvptx-results", help="where nvptx-matrices.json goes")
    parser.add_argument("--commit", default="", help="noted in the results")
    parser.add_argument("--check", action="store_true", help="in the interpreter alone")
    parser.add_argument("--run", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        print(json.dumps(run_all()))
        return 0
    fake = in_process(arguments.fake)
    if arguments.check:
        print(f"{len(fake['results'])} kernels ran on {fake['gpu']}")
        return 0
    real = in_process("")
    rows, wrong = [], 0
    for (name, _, _, _, _, rounded), a, b in zip(cases(), real["results"], fake["results"]):
        row = {"case": name, "same": a == b}
        if rounded:
            row["difference"] = difference(rounded, a, b)
        wrong += not row["same"] and not rounded
        rows.append(row)
        print(f"{name:45s} {'the same' if a == b else row.get('difference', 'DIFFERENT')}")
    os.makedirs(arguments.out, exist_ok=True)
    with open(os.path.join(arguments.out, "nvptx-matrices.json"), "w") as file:
        json.dump({"machine": {"gpu": real["gpu"], "commit": arguments.commit}, "results": rows}, file, indent=1)
    print(f"{len(rows)} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
