// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/apart_text.h"

#include <cstdlib>

namespace het::fatbin
{

namespace
{

bool is_decimal(char c)
{
	return c >= '0' && c <= '9';
}

class reader
{
      public:
	reader(const char *text, const launch_groups &l, std::span<const known_number> arguments)
	    : at_(text), launch_(l), arguments_(arguments)
	{
	}

	bool read(apart_rules &to);

      private:
	bool take(char c);
	bool take_number(int64_t most, int64_t &to);
	bool take_sum(linear &to);
	bool take_product(linear &to);
	bool take_symbol(int64_t &factor, char &variable, int64_t &number);
	bool add(linear &to, int64_t factor, char variable, int64_t number) const;
	bool take_list(char kind, unsigned n, uint32_t &to);
	bool take_need(apart_rules &to);
	bool take_fact(apart_rules &to);
	bool take_access(apart_rules &to);

	const char *at_;
	const launch_groups &launch_;
	std::span<const known_number> arguments_;
};

bool reader::take(char c)
{
	if (*at_ != c)
		return false;
	at_++;
	return true;
}

bool reader::take_number(int64_t most, int64_t &to)
{
	if (!is_decimal(*at_))
		return false;
	for (to = 0; is_decimal(*at_); at_++) {
		int64_t digit = *at_ - '0';
		if (to > (most - digit) / 10)
			return false;
		to = to * 10 + digit;
	}
	return true;
}

bool multiply(int64_t &factor, int64_t by)
{
	return !__builtin_mul_overflow(factor, by, &factor) && factor <= largest_constant &&
	       factor >= -largest_constant;
}

bool add_to(int64_t &sum, int64_t what, int64_t most)
{
	return !__builtin_add_overflow(sum, what, &sum) && sum <= most && sum >= -most;
}

// Reads a symbol: what is a number for this launch goes into the factor.
bool reader::take_symbol(int64_t &factor, char &variable, int64_t &number)
{
	char kind = *at_++;
	int64_t n;
	if (!kind || !take_number(UINT16_MAX, n))
		return false;
	if (kind == 'a')
		return size_t(n) < arguments_.size() && arguments_[size_t(n)].is_known &&
		       multiply(factor, arguments_[size_t(n)].value);
	if (kind == 'k' ? n >= most_counters : n >= 3)
		return false;
	switch (kind) {
	case 'S':
		return multiply(factor, int64_t(launch_.size[n]));
	case 'L':
		return multiply(factor, int64_t(launch_.local[n]));
	case 'N':
		return multiply(factor, int64_t(launch_.size[n] / launch_.local[n]));
	case 'O':
		return multiply(factor, int64_t(launch_.offset[n]));
	case 'x':
	case 'g':
	case 'i':
	case 'k':
		if (variable)
			return false;
		variable = kind;
		number = n;
		return true;
	default:
		return false;
	}
}

bool reader::add(linear &to, int64_t factor, char variable, int64_t number) const
{
	switch (variable) {
	case 0:
		return add_to(to.constant, factor, largest_constant);
	case 'g':
		return add_to(to.factor[number], factor, largest_factor);
	case 'i':
		return add_to(to.factor[first_local_id + number], factor, largest_factor);
	case 'k':
		return add_to(to.factor[first_counter + number], factor, largest_factor);
	default: {
		int64_t offset = factor, of_group = factor;
		return multiply(offset, int64_t(launch_.offset[number])) &&
		       multiply(of_group, int64_t(launch_.local[number])) &&
		       add_to(to.constant, offset, largest_constant) &&
		       add_to(to.factor[number], of_group, largest_factor) &&
		       add_to(to.factor[first_local_id + number], factor, largest_factor);
	}
	}
}

bool reader::take_product(linear &to)
{
	bool is_negative = *at_ == '-';
	if (!take('-') && !take('+'))
		return false;
	int64_t factor = 0, number = 0;
	char variable = 0;
	if (!take_number(largest_constant, factor))
		return false;
	if (is_negative)
		factor = -factor;
	while (take('*'))
		if (!take_symbol(factor, variable, number))
			return false;
	return add(to, factor, variable, number);
}

bool reader::take_sum(linear &to)
{
	to = {};
	do {
		if (!take_product(to))
			return false;
	} while (*at_ == '+' || *at_ == '-');
	return true;
}

// Reads " r0 r3": numbers of statements that are there.
bool reader::take_list(char kind, unsigned n, uint32_t &to)
{
	to = 0;
	while (at_[0] == ' ' && at_[1] == kind) {
		int64_t i;
		at_ += 2;
		if (!take_number(most_statements - 1, i) || uint64_t(i) >= n)
			return false;
		to |= uint32_t{1} << i;
	}
	return true;
}

bool reader::take_need(apart_rules &to)
{
	if (to.nneeds == most_statements)
		return false;
	need &n = to.needs[to.nneeds++];
	bool is_signed = *at_ == 's';
	int64_t bits;
	if ((!take('s') && !take('u')) || !take_number(64, bits) || bits < 1 || !take(' ') || !take_sum(n.sum))
		return false;
	// Sums of more than 62 bits can't be computed here.
	const int64_t whole = int64_t{1} << (bits > 61 ? 61 : bits), half = int64_t{1} << (bits > 62 ? 61 : bits - 1);
	n.low = is_signed ? -half : 0;
	n.high = (is_signed ? half : whole) - 1;
	return true;
}

bool reader::take_fact(apart_rules &to)
{
	if (to.nfacts == most_statements)
		return false;
	fact &f = to.facts[to.nfacts++];
	return take_sum(f.sum) && take_list('r', to.nneeds, f.needs);
}

bool reader::take_access(apart_rules &to)
{
	if (to.naccesses == most_accesses)
		return false;
	apart_access &a = to.accesses[to.naccesses++];
	int64_t argument;
	if (!take_number(UINT16_MAX, argument) || size_t(argument) >= arguments_.size() || !take(' '))
		return false;
	a.argument = uint32_t(argument);
	a.writes = *at_ == 'w';
	return (take('w') || take('r')) && take(' ') && take_number(largest_factor, a.length) && a.length > 0 &&
	       take(' ') && take_sum(a.from) && take_list('f', to.nfacts, a.facts) &&
	       take_list('r', to.nneeds, a.needs);
}

bool reader::read(apart_rules &to)
{
	to.nneeds = to.nfacts = to.naccesses = 0;
	while (*at_) {
		char kind = *at_++;
		if (!take(' '))
			return false;
		bool is_read = kind == 'R'   ? take_need(to)
			       : kind == 'F' ? take_fact(to)
					     : kind == 'A' && take_access(to);
		if (!is_read || (*at_ && !(take(';') && take(' ') && *at_)))
			return false;
	}
	return true;
}

} // namespace

bool read_rules(const char *text, const launch_groups &launch, std::span<const known_number> arguments,
		apart_rules &rules)
{
	return reader(text, launch, arguments).read(rules);
}

} // namespace het::fatbin
