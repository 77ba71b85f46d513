// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds loops that may wait for another block: they read global memory in a way that sees what others write meanwhile.
// Locks and sums made of compare and swap look the same.
#pragma once

#include "ptx/module.h"

#include <map>
#include <vector>

namespace het::ptx
{

class block_waits
{
      public:
	explicit block_waits(const module &m);

	// Returns those of the function's own text, what it calls in a loop included.
	const std::vector<fault> &in(const function &f) const { return found_[number(f)]; }
	// Returns those of the function and of all that it may call.
	std::vector<fault> reached_from(const function &f) const;

      private:
	using bits = std::vector<bool>; // one for each function

	uint32_t number(const function &f) const { return uint32_t(&f - m_.functions.data()); }
	std::vector<uint32_t> callees_of(const instruction &i) const;
	void find_readers();
	bool reads_atomically(const function &f, const instruction &i) const;
	bool reads(const function &f, const statement &s, bool fenced) const;
	void find_in(const function &f);
	void look_into(const function &f, uint32_t first, uint32_t last, std::vector<bool> *said);

	const module &m_;
	std::vector<std::map<std::string_view, int64_t>> constants_; // those of each function's registers
	// A call of the function may read what other blocks write.
	bits readers_;
	std::vector<std::vector<fault>> found_;
};

} // namespace het::ptx
