// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Shows touch measurements to people, in tables and a plot.
#pragma once

#include "common/report.h"
#include "measure/touch_matrix.h"

namespace bench
{

// Shows traps against sizes and threads. The table is that of threads that never sleep if @busy, else of those that
// mostly do.
void print_touch_table(const touch_outcome &o, const std::string &device, bool busy);

// Shows resolvers that spin, sleep, or do what pays, under the given circumstances; the first of these stands beside
// the first write of anonymous memory.
void print_spin_table(const touch_outcome &o, const std::string &device, const std::vector<touch_cell> &cells);

void print_unavailable(const touch_outcome &o);

void report_touches(report &out, const touch_outcome &o);

// Plots 4 KiB touches of each trap against the number of threads, with one panel for each device and kind of thread.
void plot_touches(const std::string &base, const touch_outcome &o, const std::vector<std::string> &devices);

} // namespace bench
