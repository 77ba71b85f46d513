// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A context is what an operation sees while it runs: the values of one warp, memory, and how to report what is wrong.
#pragma once

#include "simt/program.h"

#include <bit>
#include <cstring>

namespace het::ptx::simt
{

enum class access : uint8_t { read, write, atomic };

// Points to bytes in the interpreter's own memory; they are null after a fault.
struct place_in_memory {
	uint8_t *bytes = nullptr;
	uint8_t *defined = nullptr; // null if it is not tracked
};

struct buffer_cache {
	uint64_t address = 0, size = 0, generation = 0;
	uint8_t *bytes = nullptr, *defined = nullptr;
	bool read_only = false;
};

// Describes memory that belongs to lanes or to a block: one stretch of @stride bytes a lane (a stride of 0 for a
// block's).
struct lane_memory {
	uint8_t *bytes = nullptr, *defined = nullptr;
	uint32_t stride = 0, size = 0;
};

// Returns where a lane's access goes. @a has u.a's values.
inline uint64_t address_at(const uop &u, const uint64_t *a, unsigned lane)
{
	return (u.flag ? uint32_t(a[lane]) : a[lane]) + uint64_t(u.offset);
}

class context
{
      public:
	uint64_t *at(ref r) const { return base[r.place >> 30] + size_t{r.place & 0x3fffffff} * warp_size; }
	lanes predicate(ref r) const { return lanes(*at(r)); }
	lanes predicate(ref r, bool negated) const { return negated ? ~predicate(r) : predicate(r); }
	void set_predicate(ref r, lanes where, lanes value)
	{
		uint64_t *p = at(r);
		*p = (*p & ~where) | (value & where);
	}

	// Returns the place of @n bytes at an address of a state space; reports a fault if they lie outside or are not
	// aligned.
	place_in_memory locate(const uop &u, unsigned lane, enum space s, uint64_t address, unsigned n, access how);
	place_in_memory locate_global(const uop &u, unsigned lane, uint64_t address, unsigned n, access how)
	{
		buffer_cache &c = *cache;
		if (address - c.address < c.size && n <= c.size - (address - c.address) &&
		    (how == access::read || !c.read_only) && (address & (n - 1)) == 0 &&
		    c.generation == mem->generation())
			return {c.bytes + (address - c.address),
				c.defined ? c.defined + (address - c.address) : nullptr};
		return locate_slowly(u, lane, address, n, how);
	}
	void fail(const uop &u, unsigned lane, std::string what);
	bool failed() const { return failed_; }

	uint64_t *base[size_t(place::places)] = {};
	memory *mem = nullptr;
	const program *prog = nullptr;
	buffer_cache *cache = nullptr; // that of this instruction
	lane_memory shared, local, param, kernel_param;

	// Definedness is kept here, while it is tracked: of what a store writes, and of what a load got.
	bool tracks = false;
	lanes value_defined = all_lanes;

	struct warp *current = nullptr;
	uint64_t clock = 0;
	uint32_t first_lane = 0; // where atomics begin

	// Returns the @n-th value of an operation that lanes of a warp do together.
	uint64_t *group_value(const uop &u, unsigned n) const { return at(prog->refs()[u.target + 1 + n]); }

      private:
	place_in_memory locate_slowly(const uop &u, unsigned lane, uint64_t address, unsigned n, access how);
	place_in_memory in_lane_memory(const lane_memory &m, const uop &u, unsigned lane, uint64_t offset, unsigned n,
				       const char *what);
	bool failed_ = false;
	friend class runner;
	unsigned failed_lane_ = 0;
	const uop *failed_op_ = nullptr;
	std::string failure_;
};

} // namespace het::ptx::simt
