// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Two accesses, of work-items of any two groups, are written as one equation: the difference of their addresses is that
// of two bytes. Either it has no solution, or all solutions have the same groups on both sides; else nothing is known.
#include "fatbin/apart.h"

#include "fatbin/apart_text.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace het::fatbin
{

namespace
{

using wide = __int128;

// No counter gets there, and no address does.
constexpr wide far = wide{1} << 62;
// Such numbers can be multiplied by a factor.
constexpr wide most_scaled = wide{1} << 80;
// A launch has no more work-items in a dimension.
constexpr uint64_t most_ids = (uint64_t{1} << 31) - 1;
constexpr unsigned ngroups = 3;
// Facts are looked at so often at most, each time at all variables: that takes milliseconds, and is dozens of times
// what texts of kernels with tiles and grids need.
constexpr uint64_t most_looks = 1 << 16;

struct between {
	wide low, high;
};

wide divide_down(wide a, wide by)
{
	wide q = a / by;
	return q - (a % by != 0 && (a < 0) != (by < 0));
}

wide divide_up(wide a, wide by)
{
	return -divide_down(-a, by);
}

// Limits what a text may cost, for all its accesses.
class budget
{
      public:
	// Returns false if that is more than there is.
	bool take(uint64_t looks)
	{
		is_spent_ = is_spent_ || looks > left_;
		left_ -= is_spent_ ? 0 : looks;
		return !is_spent_;
	}
	bool is_spent() const { return is_spent_; }

      private:
	uint64_t left_ = most_looks;
	bool is_spent_ = false;
};

// --- one access ----------------------------------------------------------------

// A place has the ids and counters of a work-item at an access, and what holds for them.
class place
{
      public:
	place(const apart_rules &rules, const launch_groups &l, budget &work);

	// Returns false if its facts contradict each other, so that no work-item gets there.
	bool take_facts(uint32_t facts);
	bool meets(uint32_t needs) const;
	// Returns the bounds of the sum of products without the constant.
	between bounds(const int64_t (&factors)[most_variables]) const;
	between bounds_of(unsigned variable) const { return of_[variable]; }

      private:
	bool tighten(const linear &fact);
	wide most(int64_t factor, unsigned variable) const;
	wide upper(const int64_t (&factors)[most_variables]) const;
	bool lowers(const linear &fact, const int64_t (&factors)[most_variables], wide &by, wide &to) const;

	const apart_rules &rules_;
	budget &work_;
	between of_[most_variables];
	const linear *facts_[most_statements]; // those that hold
	unsigned nfacts_ = 0;
};

place::place(const apart_rules &rules, const launch_groups &l, budget &work) : rules_(rules), work_(work)
{
	for (unsigned d = 0; d < ngroups; d++) {
		of_[d] = {0, wide{l.size[d] / l.local[d]} - 1};
		of_[first_local_id + d] = {0, wide{l.local[d]} - 1};
	}
	for (unsigned k = first_counter; k < most_variables; k++)
		of_[k] = {0, far};
}

wide place::most(int64_t factor, unsigned variable) const
{
	return factor * (factor < 0 ? of_[variable].low : of_[variable].high);
}

// Tightens each variable alone, by the bounds of the others.
bool place::tighten(const linear &f)
{
	wide all = f.constant;
	for (unsigned v = 0; v < most_variables; v++)
		all += most(f.factor[v], v);
	for (unsigned v = 0; v < most_variables; v++) {
		if (!f.factor[v])
			continue;
		wide others = all - most(f.factor[v], v);
		if (f.factor[v] > 0)
			of_[v].low = std::max(of_[v].low, divide_up(-others, f.factor[v]));
		else
			of_[v].high = std::min(of_[v].high, divide_down(others, -wide{f.factor[v]}));
		if (of_[v].low > of_[v].high)
			return false;
		all = others + most(f.factor[v], v);
	}
	return all >= 0;
}

bool place::take_facts(uint32_t facts)
{
	uint32_t taken = 0;
	constexpr unsigned rounds = 3; // several, as one may bring what another one needs
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < rules_.nfacts; i++) {
			const fact &f = rules_.facts[i];
			if (!(facts >> i & 1) || (!(taken >> i & 1) && !meets(f.needs)))
				continue;
			if (!(taken >> i & 1))
				facts_[nfacts_++] = &f.sum;
			taken |= uint32_t{1} << i;
			if (!work_.take(1) || !tighten(f.sum))
				return false;
		}
	}
	return true;
}

bool place::meets(uint32_t needs) const
{
	for (unsigned i = 0; i < rules_.nneeds; i++) {
		if (!(needs >> i & 1))
			continue;
		const need &n = rules_.needs[i];
		between b = bounds(n.sum.factor);
		if (b.low + n.sum.constant < n.low || b.high + n.sum.constant > n.high)
			return false;
	}
	return true;
}

// Returns whether the fact's variables are in the sum in the same proportion, against each other. The sum has them at
// most @to less than the bounds of each of them allow, @by.
bool place::lowers(const linear &f, const int64_t (&factors)[most_variables], wide &by, wide &to) const
{
	unsigned first = most_variables, n = 0;
	wide others = f.constant, alone = 0;
	for (unsigned v = 0; v < most_variables; v++) {
		if (!f.factor[v])
			continue;
		if (!factors[v]) {
			others += most(f.factor[v], v);
			continue;
		}
		first = std::min(first, v);
		bool is_against = (f.factor[v] < 0) != (factors[v] < 0);
		if (!is_against || wide{factors[v]} * f.factor[first] != wide{factors[first]} * f.factor[v])
			return false;
		alone += most(factors[v], v);
		n++;
	}
	if (n < 2 || others > most_scaled || others < -most_scaled)
		return false;
	to = divide_down(others * std::abs(factors[first]), std::abs(f.factor[first]));
	by = alone - to;
	return by > 0;
}

wide place::upper(const int64_t (&factors)[most_variables]) const
{
	int64_t left[most_variables];
	std::copy(std::begin(factors), std::end(factors), left);
	wide sum = 0;
	// Once the budget is spent no answer counts.
	for (unsigned round = 0; round < nfacts_ && work_.take(nfacts_); round++) {
		const linear *best = nullptr;
		wide best_by = 0, best_to = 0, by, to;
		for (unsigned i = 0; i < nfacts_; i++) {
			if (lowers(*facts_[i], left, by, to) && by > best_by) {
				best = facts_[i];
				best_by = by;
				best_to = to;
			}
		}
		if (!best)
			break;
		sum += best_to;
		for (unsigned v = 0; v < most_variables; v++)
			left[v] = best->factor[v] ? 0 : left[v];
	}
	for (unsigned v = 0; v < most_variables; v++)
		sum += most(left[v], v);
	return sum;
}

between place::bounds(const int64_t (&factors)[most_variables]) const
{
	int64_t negative[most_variables];
	for (unsigned v = 0; v < most_variables; v++)
		negative[v] = -factors[v];
	return {-upper(negative), upper(factors)};
}

// --- two of them ---------------------------------------------------------------

// The equation says that the sum of all items, each its factor times its number, and of a constant is 0.
class equation
{
      public:
	equation(const place &a, const linear &from_a, const place &b, const linear &from_b, between bytes,
		 budget &work);

	// Either it has no solution, or equal() tells what all of them have.
	bool is_impossible() { return is_impossible(all_, constant_); }
	bool equal(unsigned group) const { return equal_[group]; }

      private:
	using set = uint64_t;
	static constexpr unsigned most_items = 2 * most_variables + 1, of_bytes = 2;

	struct item {
		int64_t factor;
		unsigned side, variable;
	};

	bool is_impossible(set of, wide constant);
	bool cut(set of, set large, wide constant, bool &is_impossible);
	between bounds(set of) const;
	wide divisor(set of) const;
	void note_equal(set of, wide constant);
	void add(const linear &sum, unsigned side, int64_t sign);

	const place *places_[2];
	budget &work_;
	between bytes_;
	item items_[most_items]; // the largest factor first
	unsigned nitems_ = 0;
	wide constant_;
	set all_;
	bool equal_[ngroups] = {};
};

equation::equation(const place &a, const linear &from_a, const place &b, const linear &from_b, between bytes,
		   budget &work)
    : places_{&a, &b}, work_(work), bytes_(bytes), constant_(wide{from_a.constant} - from_b.constant)
{
	add(from_a, 0, 1);
	add(from_b, 1, -1);
	if (bytes.low < bytes.high)
		items_[nitems_++] = {1, of_bytes, 0};
	std::sort(items_, items_ + nitems_,
		  [](const item &x, const item &y) { return std::abs(x.factor) > std::abs(y.factor); });
	all_ = (set{1} << nitems_) - 1;
	for (unsigned d = 0; d < ngroups; d++) {
		between x = a.bounds_of(d), y = b.bounds_of(d);
		equal_[d] = x.low == x.high && y.low == y.high && x.low == y.low;
	}
}

void equation::add(const linear &sum, unsigned side, int64_t sign)
{
	for (unsigned v = 0; v < most_variables; v++) {
		between of = places_[side]->bounds_of(v);
		if (of.low == of.high)
			constant_ += of.low * sign * sum.factor[v];
		else if (sum.factor[v])
			items_[nitems_++] = {sign * sum.factor[v], side, v};
	}
}

between equation::bounds(set of) const
{
	int64_t factors[2][most_variables] = {};
	between sum = {0, 0};
	for (unsigned i = 0; i < nitems_; i++) {
		if (!(of >> i & 1))
			continue;
		if (items_[i].side == of_bytes)
			sum = bytes_;
		else
			factors[items_[i].side][items_[i].variable] = items_[i].factor;
	}
	for (unsigned side = 0; side < 2; side++) {
		between b = places_[side]->bounds(factors[side]);
		sum = {sum.low + b.low, sum.high + b.high};
	}
	return sum;
}

wide equation::divisor(set of) const
{
	int64_t d = 0;
	for (unsigned i = 0; i < nitems_; i++)
		if (of >> i & 1)
			d = std::gcd(d, items_[i].factor);
	return d;
}

void equation::note_equal(set of, wide constant)
{
	const item *two[2] = {};
	unsigned n = 0;
	for (unsigned i = 0; i < nitems_; i++)
		if (of >> i & 1 && n++ < 2)
			two[n - 1] = &items_[i];
	if (n == 2 && !constant && two[0]->side + two[1]->side == 1 && two[0]->variable == two[1]->variable &&
	    two[0]->variable < ngroups && two[0]->factor == -two[1]->factor)
		equal_[two[0]->variable] = true;
}

// The sum of the large items is a multiple of their divisor, and the others leave room for one such number at most:
// then there are two equations. Returns false if they leave room for several.
bool equation::cut(set of, set large, wide constant, bool &impossible)
{
	between small = bounds(of & ~large), all = bounds(large);
	wide by = divisor(large), low = std::max(all.low, -small.high - constant),
	     high = std::min(all.high, -small.low - constant);
	wide first = divide_up(low, by), last = divide_down(high, by);
	if (first < last)
		return false;
	wide sum = first * by;
	impossible = first > last || is_impossible(large, -sum) || is_impossible(of & ~large, constant + sum);
	return true;
}

bool equation::is_impossible(set of, wide constant)
{
	if (!of || !work_.take(1))
		return constant != 0;
	between all = bounds(of);
	if (all.low + constant > 0 || all.high + constant < 0 || constant % divisor(of))
		return true;
	note_equal(of, constant);
	set large = 0;
	int64_t before = 0;
	for (unsigned i = 0; i < nitems_ && !work_.is_spent(); i++) {
		if (!(of >> i & 1))
			continue;
		bool impossible, is_smaller = std::abs(items_[i].factor) < before;
		if (is_smaller && cut(of, large, constant, impossible))
			return impossible;
		large |= set{1} << i;
		before = std::abs(items_[i].factor);
	}
	return false;
}

bool fits(const launch_groups &l)
{
	for (unsigned d = 0; d < ngroups; d++)
		if (!l.local[d] || !l.size[d] || l.size[d] % l.local[d] || l.size[d] > most_ids ||
		    l.offset[d] > most_ids - l.size[d])
			return false;
	return true;
}

// Returns whether work-items of different groups share no byte in these accesses, to one argument.
bool is_apart(const apart_access &a, const place &at_a, const apart_access &b, const place &at_b,
	      const launch_groups &l, budget &work)
{
	equation overlap(at_a, a.from, at_b, b.from, {1 - b.length, a.length - 1}, work);
	if (overlap.is_impossible())
		return true;
	for (unsigned d = 0; d < ngroups; d++)
		if (l.size[d] > l.local[d] && !overlap.equal(d))
			return false;
	return true;
}

bool are_apart(const apart_rules &rules, const launch_groups &l, budget &work)
{
	std::optional<place> places[most_accesses]; // none where no work-item gets
	for (unsigned i = 0; i < rules.naccesses; i++) {
		const apart_access &a = rules.accesses[i];
		if (!places[i].emplace(rules, l, work).take_facts(a.facts)) {
			places[i].reset();
			continue;
		}
		between from = places[i]->bounds(a.from.factor);
		if (!places[i]->meets(a.needs) || from.low < -far || from.high > far)
			return false;
	}
	for (unsigned i = 0; i < rules.naccesses; i++) {
		for (unsigned j = 0; j <= i && !work.is_spent(); j++) {
			const apart_access &a = rules.accesses[i], &b = rules.accesses[j];
			if (places[i] && places[j] && a.argument == b.argument && (a.writes || b.writes) &&
			    !is_apart(a, *places[i], b, *places[j], l, work))
				return false;
		}
	}
	return true;
}

} // namespace

bool is_apart_text(const char *text, uint32_t narguments)
{
	// With these numbers no product is too large, so that the text alone decides.
	known_number ones[most_arguments];
	if (narguments > most_arguments)
		return !*text;
	std::fill_n(ones, narguments, known_number{true, 1});
	apart_rules rules;
	return read_rules(text, {{1, 1, 1}, {1, 1, 1}, {0, 0, 0}}, {ones, narguments}, rules);
}

groups_are keeps_groups_apart(const char *text, const launch_groups &l, std::span<const known_number> arguments)
{
	apart_rules rules;
	if (!*text || !fits(l) || !read_rules(text, l, arguments, rules))
		return groups_are::unknown;
	budget work;
	bool is_known = are_apart(rules, l, work);
	return work.is_spent() ? groups_are::too_many : is_known ? groups_are::apart : groups_are::unknown;
}

} // namespace het::fatbin
