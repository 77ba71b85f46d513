// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The figures of a thesis, redrawn from a model: bars or lines, as tables and as pictures.
#pragma once

#include "json/json.h"

#include <string>
#include <vector>

namespace bench
{

struct figure {
	std::string id, title; // like "3.13"
	std::string what;      // of a number
	std::vector<std::string> bars;
	struct group {
		std::string name;
		std::vector<double> values; // of each bar; no number where there is none
	};
	std::vector<group> groups;
	bool lines = false; // groups are places along an axis, named by numbers
};

// What the notes say that the thesis says, and what the model says.
struct statement {
	std::string figure, what, thesis, here;
};

// Prints it as a table; @number is the format of a number.
void show(const figure &f, const char *number);
void show(const std::vector<statement> &all);
het::json to_json(const std::vector<statement> &all);
// Draws it as @base-FIGURE.svg and .png.
void draw(const figure &f, const std::string &base);

} // namespace bench
