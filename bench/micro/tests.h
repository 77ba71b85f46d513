// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests, each in a file of its own.
#pragma once

#include "micro/test.h"

namespace micro
{

void test_latency(context &c);
void test_local_latency(context &c);
void test_bandwidth(context &c);
void test_banks(context &c);
void test_warp(context &c);
void test_atomics(context &c);
void test_launch(context &c);
void test_transfers(context &c);

} // namespace micro
