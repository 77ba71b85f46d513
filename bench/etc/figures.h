// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The figures of the thesis' chapter on ETC, as numbers of the model.
#pragma once

#include "etc/study.h"

namespace etc
{

struct figure {
	std::string id, title; // like "3.13"
	std::string what;      // of a number
	std::vector<std::string> bars;
	struct group {
		std::string name;
		std::vector<double> values; // of each bar
	};
	std::vector<group> groups;
	bool lines = false; // groups are places along an axis, named by numbers
};

// What the notes say that the thesis says, and what the model says.
struct statement {
	std::string figure, what, thesis, here;
};

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
