// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/form.h"

#include <algorithm>
#include <cstdlib>

namespace tool::analysis
{

namespace
{

// Beyond these nothing is an index; sums of a few stay far from 2^63.
constexpr int64_t largest_factor = int64_t{1} << 40;
constexpr size_t most_symbols = 3, most_terms = 16;
constexpr unsigned id_bits = 31, index_bits = 32;
constexpr uint64_t wrap_limit = uint64_t{1} << 30;

interval bounds_of(const symbol &s)
{
	constexpr __int128 words = __int128{1} << 63;
	switch (s.is) {
	case symbol::kind::argument:
		return {-words, words - 1};
	case symbol::kind::unsigned_argument:
		return {0, (__int128{1} << index_bits) - 1};
	default:
		return {0, (__int128{1} << id_bits) - 1};
	}
}

interval scale(interval i, __int128 by)
{
	__int128 a = i.low * by, b = i.high * by;
	return {std::min(a, b), std::max(a, b)};
}

bool is_large(const interval &i)
{
	return i.low < -largest_factor || i.high > largest_factor;
}

// Notes whether the sum is known to be a number of the type.
void settle(form &f)
{
	interval b = f.bounds();
	__int128 half = __int128{1} << (f.bits - 1);
	if (f.is_wrapped) {
		f.is_signed_sum = f.is_unsigned_sum = false;
		return;
	}
	f.is_signed_sum = f.is_signed_sum || (b.low >= -half && b.high < half);
	f.is_unsigned_sum = f.is_unsigned_sum || (b.low >= 0 && b.high < 2 * half);
}

// Reads arguments as signed or as unsigned numbers.
std::map<product, int64_t> with_arguments(const std::map<product, int64_t> &terms, symbol::kind as)
{
	std::map<product, int64_t> made;
	for (const auto &[p, factor] : terms) {
		product q = p;
		for (symbol &s : q)
			if (s.is == symbol::kind::argument || s.is == symbol::kind::unsigned_argument)
				s.is = as;
		std::sort(q.begin(), q.end());
		made[q] += factor;
	}
	return made;
}

std::optional<form> checked(form f)
{
	std::erase_if(f.terms, [](const auto &t) { return t.second == 0; });
	bool is_small = f.terms.size() <= most_terms && !is_large(f.spread);
	for (const auto &[p, factor] : f.terms)
		is_small = is_small && p.size() <= most_symbols && std::abs(factor) <= largest_factor;
	if (!is_small)
		return std::nullopt;
	settle(f);
	return f;
}

// Returns whether its ids' factors are positive, so that it is largest where they are.
bool rises(const form &f)
{
	return std::all_of(f.terms.begin(), f.terms.end(),
			   [](const auto &t) { return t.first.empty() || t.second > 0; });
}

// Returns whether work-items differ by an id alone, which is below 2^31 and not multiplied, and the rest is none of
// what reaches can have.
bool tells_ids_apart(const form &f)
{
	unsigned ids = 0, others = 0;
	for (const auto &[p, factor] : f.terms) {
		if (differs_in_launch(p) && (p.size() != 1 || std::abs(factor) != 1))
			return false;
		ids += differs_in_launch(p);
		others += !differs_in_launch(p) && !p.empty() && p[0].is != symbol::kind::global_offset;
	}
	return ids == 1 && (others || !rises(f)) && !f.spread.low && !f.spread.high && !f.limit && !f.is_wrapped;
}

// Returns whether it can be added to what has wrapped.
bool is_number(const form &f)
{
	return f.is_fixed() && !f.spread.low && !f.spread.high && !f.is_wrapped;
}

} // namespace

bool differs_in_launch(const product &p)
{
	return std::any_of(p.begin(), p.end(), [](const symbol &s) { return s.differs_in_launch(); });
}

int64_t form::factor(const product &p) const
{
	auto at = terms.find(p);
	return at == terms.end() ? 0 : at->second;
}

interval form::bounds() const
{
	interval sum = spread;
	for (const auto &[p, factor] : terms) {
		interval i = {factor, factor};
		for (const symbol &s : p) {
			// Beyond this only signs matter.
			constexpr __int128 far = __int128{1} << 62;
			interval of = bounds_of(s), a = scale(i, of.low), b = scale(i, of.high);
			i = {std::max(std::min(a.low, b.low), -far), std::min(std::max(a.high, b.high), far)};
		}
		sum = {sum.low + i.low, sum.high + i.high};
	}
	return sum;
}

std::optional<form> constant_form(int64_t value, unsigned bits)
{
	form f;
	f.terms[{}] = value;
	f.bits = bits;
	f.is_unsigned_sum = value >= 0;
	return value >= -largest_factor && value <= largest_factor ? checked(std::move(f)) : std::nullopt;
}

form symbol_form(symbol s, unsigned bits)
{
	form f;
	f.terms[{s}] = 1;
	f.bits = bits;
	f.is_unsigned_sum = s.is != symbol::kind::argument;
	return f;
}

std::optional<form> add(const form &a, const form &b, int sign, bool no_signed_wrap, bool no_unsigned_wrap)
{
	// Only constants go with what has a limit: other terms could hide how large it is.
	if ((a.limit && !b.is_fixed()) || (b.limit && !a.is_fixed()))
		return std::nullopt;
	if ((a.is_wrapped && !is_number(b)) || (b.is_wrapped && !is_number(a)))
		return std::nullopt;
	form sum = a;
	sum.is_wrapped = a.is_wrapped || b.is_wrapped;
	for (const auto &[p, factor] : b.terms)
		sum.terms[p] += sign * factor;
	interval other = scale(b.spread, sign);
	sum.spread = {a.spread.low + other.low, a.spread.high + other.high};
	sum.limit = std::max(a.limit, b.limit);
	sum.is_signed_sum = no_signed_wrap && a.is_signed_sum && b.is_signed_sum;
	sum.is_unsigned_sum = no_unsigned_wrap && a.is_unsigned_sum && b.is_unsigned_sum;
	return checked(std::move(sum));
}

std::optional<form> multiply(const form &a, const form &b, bool no_signed_wrap, bool no_unsigned_wrap)
{
	bool a_varies = a.spread.low != a.spread.high, b_varies = b.spread.low != b.spread.high;
	bool a_is_number = a.is_fixed() && !a_varies, b_is_number = b.is_fixed() && !b_varies;
	bool is_simple = !a_varies && !b_varies && !a.limit && !b.limit && !a.is_wrapped && !b.is_wrapped;
	if (!a_is_number && !b_is_number && !is_simple)
		return std::nullopt;
	const form &of = a_is_number ? b : a, &by = a_is_number ? a : b;
	auto whole = [](const form &f) {
		auto terms = f.terms;
		if (f.spread.low == f.spread.high)
			terms[{}] += int64_t(f.spread.low);
		return terms;
	};
	form made;
	made.bits = a.bits;
	made.is_wrapped = a.is_wrapped || b.is_wrapped;
	for (const auto &[p, f] : whole(of))
		for (const auto &[q, g] : whole(by)) {
			product both = p;
			both.insert(both.end(), q.begin(), q.end());
			std::sort(both.begin(), both.end());
			int64_t factor, &sum = made.terms[both];
			if (__builtin_mul_overflow(f, g, &factor) || __builtin_add_overflow(sum, factor, &sum))
				return std::nullopt;
		}
	int64_t number = by.is_fixed() ? whole(by)[{}] : 0; // 0 if there are symbols in both
	if (of.spread.low != of.spread.high)
		made.spread = scale(of.spread, number);
	if (of.limit && number <= 0)
		return std::nullopt;
	if (__builtin_mul_overflow(of.limit, uint64_t(number), &made.limit))
		return std::nullopt;
	made.is_signed_sum = no_signed_wrap && a.is_signed_sum && b.is_signed_sum;
	made.is_unsigned_sum = no_unsigned_wrap && a.is_unsigned_sum && b.is_unsigned_sum;
	return checked(std::move(made));
}

std::optional<form> widen(const form &a, unsigned bits, bool is_signed)
{
	form wide = a;
	if (!is_signed) {
		wide.terms = with_arguments(a.terms, symbol::kind::unsigned_argument);
	}
	// Shorter arguments than of 32 bits have narrower bounds than settle() knows.
	bool is_plain_argument = a.is_signed_sum && a.terms.size() == 1 && a.terms.begin()->first.size() == 1 &&
				 a.terms.begin()->first[0].is == symbol::kind::argument &&
				 a.terms.begin()->second == 1 && !a.spread.low && !a.spread.high;
	settle(wide);
	bool is_sum = is_signed ? wide.is_signed_sum : wide.is_unsigned_sum || is_plain_argument;
	if (a.is_wrapped)
		return std::nullopt;
	if (!is_sum && a.bits == index_bits && tells_ids_apart(a)) {
		wide.is_wrapped = true;
	} else if (!is_sum) {
		if (a.bits < index_bits || a.limit || !rises(a))
			return std::nullopt;
		wide.limit = wrap_limit;
	}
	wide.bits = bits;
	wide.is_signed_sum = true;
	wide.is_unsigned_sum = !is_signed;
	settle(wide);
	return wide;
}

namespace
{

product with(product p, symbol s)
{
	p.push_back(s);
	std::sort(p.begin(), p.end());
	return p;
}

} // namespace

form join_ids(form a, uint32_t dimension, uint64_t demanded_size)
{
	const symbol local{symbol::kind::local_id, dimension}, group{symbol::kind::group_id, dimension};
	const auto before = a.terms;
	for (const auto &[p, factor] : before) {
		auto at = std::find(p.begin(), p.end(), local);
		if (at == p.end())
			continue;
		product rest = p;
		rest.erase(rest.begin() + (at - p.begin()));
		product groups = with(rest, group);
		int64_t wanted = factor;
		if (!demanded_size)
			groups = with(groups, {symbol::kind::local_size, dimension});
		else if (__builtin_mul_overflow(factor, demanded_size, &wanted))
			continue;
		if (a.factor(groups) != wanted)
			continue;
		a.terms.erase(groups);
		a.terms.erase(p);
		a.terms[with(rest, {symbol::kind::global_id, dimension})] += factor;
		a.terms[with(rest, {symbol::kind::global_offset, dimension})] -= factor;
	}
	std::erase_if(a.terms, [](const auto &t) { return t.second == 0; });
	settle(a);
	return a;
}

form narrow(const form &a, unsigned bits)
{
	form f;
	f.terms = with_arguments(a.terms, symbol::kind::argument);
	std::erase_if(f.terms, [](const auto &t) { return t.second == 0; });
	f.spread = a.spread;
	f.bits = bits;
	f.is_signed_sum = f.is_unsigned_sum = false;
	f.limit = bits > index_bits ? a.limit : 0; // of fewer bits nothing has been assumed
	f.is_wrapped = bits > index_bits && a.is_wrapped;
	settle(f);
	return f;
}

} // namespace tool::analysis
