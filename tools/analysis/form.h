// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A form writes an integer of a kernel as a sum of products of what a launch fixes and of work-items' ids, plus
// something between two bounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tool::analysis
{

struct symbol {
	enum class kind : uint8_t {
		global_id,
		group_id,
		local_id,
		counter, // belongs to sums.h alone, and counts from 0 on, such as a loop's turns
		global_offset,
		global_size,
		local_size,
		group_count,
		// An argument of 32 bits or fewer comes as a signed number or as an unsigned one, and one of 64 bits
		// always as the former.
		argument,
		unsigned_argument
	};
	kind is;
	uint32_t number; // the dimension's, the argument's, or the counter's

	bool differs_in_launch() const { return is <= kind::counter; }
	friend auto operator<=>(const symbol &, const symbol &) = default;
};

// A product of symbols is in order; without any it is 1.
using product = std::vector<symbol>;

bool differs_in_launch(const product &p);

struct interval {
	__int128 low = 0, high = 0;
	friend bool operator==(const interval &, const interval &) = default;
};

// The value is the sum of the products, each times its factor, and of a number in @spread.
struct form {
	std::map<product, int64_t> terms; // without those of factor 0
	interval spread;
	// With this many bits the value is the sum modulo 2^bits. The two flags tell whether it is the sum itself, read
	// as a signed or as an unsigned number.
	unsigned bits = 64;
	bool is_signed_sum = true, is_unsigned_sum = true;
	// If this is not 0, that holds only where the sum's absolute value is not above this; see widen().
	uint64_t limit = 0;
	// The sum has been taken modulo 2^32 since, as a signed or as an unsigned number, and multiplied by and added
	// to constants. It has one term with an id then, which is the id or its negative before these: so it is another
	// number for each id.
	bool is_wrapped = false;

	int64_t factor(const product &p) const;
	int64_t constant() const { return factor({}); }
	// Returns whether it has nothing but a constant and the spread.
	bool is_fixed() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }
	// Returns the bounds of the sum: ids, offsets and sizes are below 2^31.
	interval bounds() const;
};

// These functions, and those below, return nothing for what can't be written as a form.
std::optional<form> constant_form(int64_t value, unsigned bits);
form symbol_form(symbol s, unsigned bits);

std::optional<form> add(const form &a, const form &b, int sign, bool no_signed_wrap, bool no_unsigned_wrap);
std::optional<form> multiply(const form &a, const form &b, bool no_signed_wrap, bool no_unsigned_wrap);
// Works as sext and zext do. Where the sum might wrap, it is taken not to, up to a limit: an address that has wrapped
// lies outside of an argument that is not longer than what the limit allows.
std::optional<form> widen(const form &a, unsigned bits, bool is_signed);
form narrow(const form &a, unsigned bits);
// Puts ids of groups and ids in groups together to global ids without the offset, where all groups are of one size: of
// that which the kernel demands in this dimension, or 0: of get_local_size()'s.
form join_ids(form a, uint32_t dimension, uint64_t demanded_size);

} // namespace tool::analysis
