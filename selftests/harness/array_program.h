// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs of random steps on a few arrays, whose every byte is known. Each loop repeats a few of them, so that there
// is something to learn. When a case fails, the last steps are told.
#pragma once

#include "fixture.h"

#include <deque>
#include <initializer_list>
#include <span>

namespace selftest
{

struct array_step {
	unsigned what, which, dev;
	size_t off, n;
};

class array_program
{
      public:
	array_program(const array_program &) = delete;
	array_program &operator=(const array_program &) = delete;

      protected:
	// What a step can be: its name, and how often it comes, out of the sum of all weights.
	struct action_list {
		std::span<const char *const> names;
		std::span<const unsigned> weights;
	};
	// The arrays have so many @chunks, but for a few bytes, and are linked on every device.
	array_program(context &t, action_list a, std::initializer_list<size_t> chunks);
	~array_program();

	static bool has_edges(const array &a);
	array_step random_step();
	void loop(std::span<const array_step> body, unsigned rounds);
	virtual void perform(const array_step &s) = 0;

	static constexpr size_t page = 4096, chunk = 64 << 10;

	context &t_;
	fixture fx_;
	std::deque<array> arrays_;
	uint64_t number_ = 0; // of the step

      private:
	void tell() const;

	static constexpr size_t history_size = 24;
	const action_list actions_;
	array_step history_[history_size];
};

} // namespace selftest
