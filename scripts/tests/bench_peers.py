#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""bench-peers.py reads what the peers of het-bench print, and compares like with like."""

import importlib.util
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "bench-peers.py"
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
  1000000  1755   262144    400.0   702.0
"""
COPIES = """memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     55.10     54.82

SUM host_to_device_memcpy_ce 109.92
"""
CLPEAK = """<clpeak><platform name="a"><device name="b"><global_memory_bandwidth unit="gbps"><float>2.5</float>
<float2>4.5</float2></global_memory_bandwidth></device></platform></clpeak>"""


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

    def test_like_is_compared_with_like(self):
        ours = results(
            {"vectors/1/64": 2000, "vectors/4/64": 3032, "transfers/pinned to device/4096": 1,
             "transfers/pinned to device/67108864": 53, "bandwidth/global/both/sequential/64": 100},
            {"l1.latency": 19.0},
        )  # fmt: skip
        outputs = {"gpu-stream": STREAM, "gpu-latency": LATENCY, "nvbandwidth": COPIES}
        found = {p.quantity: p for p in peers.pairs_of(ours, outputs)}
        self.assertEqual(set(found), {"read", "copied", "copies to the device", "L1, latency"})
        self.assertAlmostEqual(found["read"].ratio, 3032 / 2756)
        self.assertAlmostEqual(found["copies to the device"].ratio, 53 / 55.1)
        self.assertAlmostEqual(found["L1, latency"].ratio, 20 / 19)  # the lower the better

    def test_what_a_peer_did_not_say_is_no_pair(self):
        ours = results({"vectors/4/64": 3000}, {"memory.latency": 300.0})
        self.assertEqual(peers.pairs_of(ours, {"gpu-stream": "", "gpu-latency": "clock: 1\n", "nvbandwidth": ""}), [])
        self.assertEqual([p.peer for p in peers.pairs_of(ours, {"clpeak": CLPEAK})], ["clpeak"])


if __name__ == "__main__":
    unittest.main()
