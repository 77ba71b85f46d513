// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests, each in a file of its own.
#pragma once

#include "micro/test.h"

namespace micro
{

void test_latency(context &c);
void test_local_latency(context &c);
void test_constant_latency(context &c);
void test_texture_latency(context &c);
void test_bandwidth(context &c);
void test_texture_bandwidth(context &c);
void test_cache_bandwidth(context &c);
void test_gather(context &c);
void test_strides(context &c);
void test_coherent(context &c);
void test_apex(context &c);
void test_locality(context &c);
void test_homogeneity(context &c);
void test_arithmetic(context &c);
void test_roofline(context &c);
void test_local_bandwidth(context &c);
void test_banks(context &c);
void test_warp(context &c);
void test_atomics(context &c);
void test_resident(context &c);
void test_clock(context &c);
void test_launch(context &c);
void test_transfers(context &c);
void test_together(context &c);
void test_examples(context &c);

} // namespace micro
