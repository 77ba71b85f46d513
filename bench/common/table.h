// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Prints text tables for people.
#pragma once

#include <string>
#include <vector>

namespace bench
{

class table
{
      public:
	table(std::string title, std::vector<std::string> head) : title_(std::move(title)), rows_{std::move(head)} {}

	void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
	// Adds a line below the table.
	void note(std::string text) { notes_.push_back(std::move(text)); }
	// The first @n columns hold text and are aligned to the left. This is one column unless told.
	void left_columns(size_t n) { left_ = n; }

	std::string text() const;
	void print() const;

      private:
	std::string title_;
	std::vector<std::vector<std::string>> rows_;
	std::vector<std::string> notes_;
	size_t left_ = 1;
};

} // namespace bench
