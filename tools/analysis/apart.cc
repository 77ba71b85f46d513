// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/apart.h"

#include "fatbin/apart.h"

#include <algorithm>

namespace tool::analysis
{

namespace
{

namespace format = het::fatbin;

// A footprint is one access, or several.
struct footprint {
	unsigned argument;
	bool writes;
	uint64_t length;
	terms from;
	numbers facts, needs;
};

// Two sums that have none of these in common say nothing of each other. Of the ids those of one dimension count as one.
using variables = std::set<std::pair<bool, uint32_t>>;

variables variables_of(const terms &t)
{
	variables all;
	for (const auto &[p, factor] : t)
		for (const symbol &s : p)
			if (s.differs_in_launch())
				all.emplace(s.is == symbol::kind::counter, s.number);
	return all;
}

bool has_common(const variables &a, const variables &b)
{
	return std::any_of(a.begin(), a.end(), [&](const auto &v) { return b.contains(v); });
}

// A need is met if the sum is a constant that is small enough.
bool is_met(const need &n)
{
	bool is_constant = n.of.empty() || (n.of.size() == 1 && n.of.begin()->first.empty());
	int64_t value = n.of.empty() ? 0 : n.of.begin()->second;
	const int64_t limit = n.bits > 62 ? INT64_MAX : int64_t{1} << (n.bits - n.is_signed);
	return is_constant && value < limit && value >= (n.is_signed ? -limit : 0);
}

class writer
{
      public:
	writer(const accesses &of, sums &known) : accesses_(of), sums_(known) {}

	// Returns "" if there is more to say than there is room for, or a sum is not known.
	std::string write();

      private:
	bool take(const access &a);
	numbers open_needs(const numbers &of) const;
	void merge(footprint made);
	void choose_facts(footprint &f, llvm::BasicBlock *block, llvm::BasicBlock *from) const;
	void include_counters(const variables &of, numbers &facts) const;
	std::string text_of(const terms &t);
	std::string list_of(char kind, const numbers &all, const std::map<unsigned, unsigned> &as) const;
	unsigned counter_number(unsigned counter);
	bool write_needs();
	bool write_facts();

	const accesses &accesses_;
	sums &sums_;
	std::vector<footprint> footprints_;
	std::map<unsigned, unsigned> counters_, needs_, facts_; // the numbers that they have in the text
	std::string text_;
};

unsigned writer::counter_number(unsigned counter)
{
	return counters_.try_emplace(counter, unsigned(counters_.size())).first->second;
}

std::string writer::text_of(const terms &t)
{
	std::string all;
	for (const auto &[p, factor] : t) {
		all += (factor < 0 ? "-" : "+") + std::to_string(std::abs(factor));
		for (const symbol &s : p) {
			constexpr const char *letters[] = {"x", "g", "i", "k", "O", "S", "L", "N", "a", "a"};
			bool is_counter = s.is == symbol::kind::counter;
			all += "*" + std::string(letters[size_t(s.is)]) +
			       std::to_string(is_counter ? counter_number(s.number) : s.number);
		}
	}
	return all.empty() ? "+0" : all;
}

std::string writer::list_of(char kind, const numbers &all, const std::map<unsigned, unsigned> &as) const
{
	std::string text;
	for (unsigned n : all)
		text += std::string(" ") + kind + std::to_string(as.at(n));
	return text;
}

void writer::include_counters(const variables &of, numbers &facts) const
{
	for (const auto &[is_counter, number] : of)
		if (is_counter)
			facts.insert(sums_.facts_of_counter(number).begin(), sums_.facts_of_counter(number).end());
}

// Chooses the facts that have something to do with the address, and with the counters in it.
void writer::choose_facts(footprint &f, llvm::BasicBlock *block, llvm::BasicBlock *from) const
{
	// What is known of other ids than the address has may leave one group alone.
	variables used = {{false, 0}, {false, 1}, {false, 2}};
	used.merge(variables_of(f.from));
	for (unsigned n : f.needs)
		used.merge(variables_of(sums_.needs()[n].of));
	const numbers &known = sums_.facts_at(block, from);
	constexpr unsigned rounds = 2;
	for (unsigned round = 0; round < rounds; round++) {
		variables counters;
		for (unsigned n : known) {
			variables in = variables_of(sums_.facts()[n].of);
			if (!has_common(in, used) && !in.empty())
				continue;
			f.facts.insert(n);
			std::copy_if(in.begin(), in.end(), std::inserter(counters, counters.end()),
				     [](const auto &v) { return v.first; });
		}
		used.merge(counters);
	}
	numbers chosen = f.facts;
	for (unsigned n : chosen)
		include_counters(variables_of(sums_.facts()[n].of), f.facts);
	include_counters(used, f.facts);
}

// Loops that the compiler has unrolled access one place after the other.
void writer::merge(footprint made)
{
	for (footprint &f : footprints_) {
		terms a = f.from, b = made.from;
		int64_t at_a = a[{}], at_b = b[{}];
		a.erase(product{});
		b.erase(product{});
		bool is_same = f.argument == made.argument && f.facts == made.facts && f.needs == made.needs && a == b;
		bool touches = at_b <= at_a + int64_t(f.length) && at_a <= at_b + int64_t(made.length);
		if (!is_same || !touches || (at_a != at_b && f.writes != made.writes))
			continue;
		int64_t begin = std::min(at_a, at_b),
			end = std::max(at_a + int64_t(f.length), at_b + int64_t(made.length));
		f.from[{}] = begin;
		if (!begin)
			f.from.erase(product{});
		f.length = uint64_t(end - begin);
		f.writes = f.writes || made.writes;
		return;
	}
	footprints_.push_back(std::move(made));
}

numbers writer::open_needs(const numbers &of) const
{
	numbers open;
	for (unsigned n : of)
		if (!is_met(sums_.needs()[n]))
			open.insert(n);
	return open;
}

bool writer::take(const access &a)
{
	auto [base, offset] = sums_.address_of(a.pointer);
	auto *argument = llvm::dyn_cast<llvm::Argument>(base);
	// The base is no argument, for example, if the pointer moves on by another distance in each turn.
	if (!argument || argument->getArgNo() != a.argument)
		return false;
	if (offset && a.index) {
		auto index = sums_.of(a.index);
		auto further = index ? multiply(*index, number(int64_t(a.step))) : std::nullopt;
		offset = further ? add(*offset, *further, 1) : std::nullopt;
	}
	if (!offset || !a.length)
		return false;
	const footprint made = {a.argument, a.writes, a.length, offset->of, {}, open_needs(offset->needs)};
	for (llvm::BasicBlock *from : sums_.ways_to(a.by->getParent())) {
		footprint one = made;
		choose_facts(one, a.by->getParent(), from);
		merge(std::move(one));
	}
	return true;
}

bool writer::write_needs()
{
	numbers all;
	for (const footprint &f : footprints_) {
		all.insert(f.needs.begin(), f.needs.end());
		for (unsigned n : f.facts)
			all.merge(open_needs(sums_.facts()[n].needs));
	}
	for (unsigned n : all) {
		const need &wanted = sums_.needs()[n];
		needs_.emplace(n, unsigned(needs_.size()));
		text_ += std::string("R ") + (wanted.is_signed ? "s" : "u") + std::to_string(wanted.bits) + " " +
			 text_of(wanted.of) + "; ";
	}
	return all.size() <= format::most_statements;
}

bool writer::write_facts()
{
	numbers all;
	for (const footprint &f : footprints_)
		all.insert(f.facts.begin(), f.facts.end());
	for (unsigned n : all) {
		const fact &wanted = sums_.facts()[n];
		facts_.emplace(n, unsigned(facts_.size()));
		text_ += "F " + text_of(wanted.of) + list_of('r', open_needs(wanted.needs), needs_) + "; ";
	}
	return all.size() <= format::most_statements;
}

std::string writer::write()
{
	std::set<unsigned> written;
	for (const access &a : accesses_.all())
		if (a.writes)
			written.insert(a.argument);
	for (const access &a : accesses_.all())
		if (written.contains(a.argument) && !take(a))
			return "";
	bool is_short =
		!footprints_.empty() && footprints_.size() <= format::most_accesses && write_needs() && write_facts();
	for (const footprint &f : footprints_) {
		if (!is_short)
			return "";
		text_ += "A " + std::to_string(f.argument) + (f.writes ? " w " : " r ") + std::to_string(f.length) +
			 " " + text_of(f.from) + list_of('f', f.facts, facts_) + list_of('r', f.needs, needs_) +
			 (&f == &footprints_.back() ? "" : "; ");
	}
	return counters_.size() <= format::most_counters ? text_ : "";
}

} // namespace

std::string apart_text(const accesses &of, sums &known)
{
	return writer(of, known).write();
}

} // namespace tool::analysis
