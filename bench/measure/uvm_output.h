// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes the tables, results and the plot of uvm-compare.
#pragma once

#include "common/report.h"
#include "measure/uvm.h"

#include <string>

namespace bench
{

void print_uvm_tables(const uvm_outcome &o);
void report_uvm(report &out, const uvm_outcome &o);
void plot_uvm(const std::string &base, const uvm_outcome &o);

} // namespace bench
