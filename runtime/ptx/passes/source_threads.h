// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A source thread is a warp, so what a function reads about threads, and the counts of its barriers, are changed.
#pragma once

#include "ptx/editor.h"

namespace het::ptx
{

constexpr unsigned lanes_of_warp = 32, most_source_threads = 32;

class source_threads
{
      public:
	source_threads(const module &m, const function &f, editor &e) : m_(m), f_(f), e_(e) {}

	// Changes what an instruction reads of %tid and %ntid. Returns a fault if it reads of the thread what has no
	// meaning any more.
	std::optional<fault> specials(const statement &s, const instruction &i);
	// Changes the number of threads and the result of a barrier.
	void barrier(const statement &s, const instruction &i);
	// Changes .maxntid and .reqntid of an entry.
	std::optional<fault> launch_bounds();
	// Returns what the body begins with, once all of it is done.
	std::string prologue() const;

	// Returns lines that put the number of the warp, or the product of the block's extents, into a register.
	static std::string warp_into(const std::string &to, const std::string &scratch);

      private:
	std::optional<fault> special(const statement &s, const instruction &i, const operand &o);
	const std::string &register_for(std::string_view special);
	void convert(const instruction &i);

	const module &m_;
	const function &f_;
	editor &e_;
	std::map<std::string, std::string, std::less<>> registers_; // for a special register what stands for it
	std::string total_, count_;                                 // the threads of the block, and of a barrier
};

} // namespace het::ptx
