// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The figures of the thesis' chapter on ETC, as numbers of the model.
#pragma once

#include "common/figures.h"
#include "etc/study.h"

namespace etc
{

using bench::figure;
using bench::statement;

struct drawn {
	std::vector<figure> figures;
	std::vector<statement> statements;
};

using ask = std::function<const result &(const run_key &)>;
// Draws all figures of what @get returns.
drawn draw(const ask &get);
// Returns the runs that they need.
std::vector<run_key> runs_of_figures();

// Whether launches of the program use pages in common: what the model's own rule says of it.
bool shares_pages(const program_trace &t, uint64_t page_bytes);

double geometric_mean(const std::vector<double> &values);

} // namespace etc
