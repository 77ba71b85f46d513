#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""bench-peers.py reads what the peers of het-bench print, and compares like with like."""

import importlib.util
import json
import sys
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "bench-peers.py"
sys.path.insert(0, str(SCRIPT.parent))
spec = importlib.util.spec_from_file_location("bench_peers", SCRIPT)
peers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(peers)

STREAM = """blockSize   threads       %occ  |                init       read       scale     triad       3pt        5pt
      992      130944   96.9 %  |  GB/s:        3898       2708       3139       3481       3105       3084
     1024      135168  100.0 %  |  GB/s:        3884       2756       3165       3534       3128       3110
     1056      139392    100.0 %  |  GB/s:        3890
"""
LATENCY = """clock: 345 1755
  1000000  1755        2     19.5    35.1
  1000000  1755     2048    160.0   281.0
   100000  1755   262144    400.0   702.0 702.0 700.0 705.0
"""
COPIES = """memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     55.10     54.82

SUM host_to_device_memcpy_ce 109.92
"""
CLPEAK = """<clpeak><platform name="a"><device name="b"><global_memory_bandwidth unit="gbps"><float>2.5</float>
<float2>4.5</float2></global_memory_bandwidth></device></platform></clpeak>"""

MIXBENCH = """Compute iters, Flops/byte, ex.time,  GFLOPS, GB/sec, Flops/byte, ex.time,  GFLOPS, GB/sec
            0,      0.250,    0.04,  800.00,3100.00,      0.125,    0.09,  400.00,3150.00,      0.500,    0.04, 1600.00,3000.00,     0.250,    0.04,  800.00,3050.00
         1024,    512.250,    4.40,60000.00, 120.00,    256.125,    9.00,30000.00, 110.00,   1024.500,    4.40,120000.00, 121.00,   512.250,    9.00,31000.00, 60.00
           80,     40.250,    0.35
"""
SHOC = """Chose device: name='a' index=0
test\tatts\tunits\tmedian\tmean\tstddev\tmin\tmax\ttrial0
readGlobalMemoryCoalesced\tblocksize:64\tGB/s\t1500.5\t1500\t1\t1499\t1502\t1500\t
readGlobalMemoryCoalesced\tblocksize:128\tGB/s\t2500\t2500\t1\t2499\t2502\t2500\t
MAdd8-SP\tSize:1\tGFLOPS\t60000\t1\t1\t1\t1\t1\t
MAdd8-DP\tSize:1\tGFLOPS\tN/A\tN/A\tN/A\tN/A\tN/A\tN/A\t
"""
MT4G = "[mt4g] Starting\n" + json.dumps(
    {"memory": {"l1": {"latency": {"mean": 38.0, "unit": "cycles"}, "size": {"size": 240000}, "shared": True}}}, indent=1
)


def results(medians: dict[str, float], facts: dict[str, float]) -> "peers.Results":
    return peers.Results(
        {
            "results": [{"name": n, "median": v} for n, v in medians.items()],
            "facts": [{"name": n, "value": v} for n, v in facts.items()] + [{"name": "l2.size"}],
        }
    )


class BenchPeers(unittest.TestCase):
    def test_outputs_are_read(self):
        self.assertEqual(peers.read_stream(STREAM), {"init": 3898, "read": 2756, "scale": 3165, "triad": 3534})
        rows = peers.read_latency(LATENCY)
        self.assertAlmostEqual(rows[0][1], 20.0)
        self.assertAlmostEqual(peers.latency_between(rows, 1000, 10000), 281e3 / 1755)
        self.assertIsNone(peers.latency_between(rows, 3, 100))
        self.assertEqual(peers.read_nvbandwidth(COPIES), {"host_to_device_memcpy_ce": 55.1})
        self.assertEqual(peers.read_clpeak(CLPEAK), {"global_memory_bandwidth": 4.5})
        self.assertEqual(peers.read_clpeak(CLPEAK[:100]), {})
        self.assertEqual(
            peers.read_mixbench(MIXBENCH), {"float": 60000, "double": 30000, "int": 31000, "read": 3150}
        )
        self.assertEqual(peers.read_mixbench("Compute iters"), {})
        self.assertEqual(peers.read_shoc(SHOC), {"readGlobalMemoryCoalesced": 2500, "MAdd8-SP": 60000})
        self.assertEqual(peers.read_mt4g(MT4G), {"l1/latency/mean": 38, "l1/size/size": 240000})
        self.assertEqual(peers.read_mt4g(MT4G[:60]), {})

    def test_like_is_compared_with_like(self):
        ours = results(
            {"vectors/1/64": 2000, "vectors/4/64": 3032, "transfers/pinned to device/4096": 1,
             "transfers/pinned to device/67108864": 53, "copies/4/64": 100},
            {"l1.latency": 19.0},
        )  # fmt: skip
        outputs = {"gpu-stream": STREAM, "gpu-latency": LATENCY, "nvbandwidth": COPIES}
        found = {p.quantity: p for p in peers.pairs_of(ours, outputs)}
        self.assertEqual(set(found), {"read", "copied", "copies to the device", "L1, latency"})
        self.assertAlmostEqual(found["read"].ratio, 3032 / 2756)
        self.assertAlmostEqual(found["copies to the device"].ratio, 53 / 55.1)
        self.assertAlmostEqual(found["L1, latency"].ratio, 20 / 19)  # the lower the better

    def test_clocks_take_a_clock(self):
        found = peers.pairs_of(results({}, {"l1.latency": 20.0, "l1.size": 220000}), {"mt4g": MT4G})
        self.assertEqual([p.quantity for p in found], ["L1, size"])
        ours = results({}, {"l1.latency": 20.0, "clock.busy": 2.0})
        self.assertAlmostEqual(peers.pairs_of(ours, {"mt4g": MT4G})[0].ratio, 19 / 20)

    def test_what_a_peer_did_not_say_is_no_pair(self):
        ours = results({"vectors/4/64": 3000}, {"memory.latency": 300.0})
        self.assertEqual(peers.pairs_of(ours, {"gpu-stream": "", "gpu-latency": "clock: 1\n", "nvbandwidth": ""}), [])
        self.assertEqual([p.peer for p in peers.pairs_of(ours, {"clpeak": CLPEAK})], ["clpeak"])


if __name__ == "__main__":
    unittest.main()
