// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/allocation.h"

#include "ptx/passes/flow.h"
#include "ptx/passes/liveness.h"
#include "ptx/passes/registers.h"

#include <algorithm>
#include <set>

namespace pep
{

using namespace het::ptx;

namespace
{

class allocator
{
      public:
	allocator(const module &m, const function &f)
	    : m_(m), f_(f), flow_(m, f), registers_(m, f), live_(flow_, registers_), meets_(registers_.count()),
	      places_(registers_.count()), copy_of_(registers_.count(), no_index)
	{
	}

	allocation all()
	{
		find_constants();
		find_conflicts();
		for (const bool predicates : {false, true}) {
			first_ = predicates ? out_.registers : 0;
			for (const uint32_t r : order_)
				if (is_predicate(r) == predicates && !constant_[r])
					place(r);
			(predicates ? out_.predicates : out_.registers) = used_;
			used_ = 0;
		}
		for (uint32_t n = 0; n < f_.statements; n++) {
			register_use &u = out_.uses.emplace_back();
			add(registers_.uses_of(n).reads, u.reads);
			add(registers_.uses_of(n).writes, u.writes);
		}
		return std::move(out_);
	}

      private:
	bool is_predicate(uint32_t r) const { return registers_[r].type == type::pred; }
	unsigned width(uint32_t r) const
	{
		const unsigned one = is_predicate(r) ? 1 : std::max(1u, bits_of(registers_[r].type) / 32);
		return one * std::max<unsigned>(1, registers_[r].vector);
	}

	// Parameters lie in constant memory, from where instructions take them.
	void find_constants()
	{
		constant_.assign(registers_.count(), true);
		const auto statements = m_.statements_of(f_);
		for (uint32_t n = 0; n < f_.statements; n++) {
			const bool loads = statements[n].kind == statement::kind_t::instruction &&
					   loads_own_parameter(m_, f_, m_.instructions[statements[n].index]);
			for (const uint32_t r : registers_.uses_of(n).writes)
				constant_[r] = constant_[r] && loads;
		}
	}

	std::vector<uint32_t> live_behind(uint32_t n) const
	{
		const basic_block &b = flow_.blocks()[flow_.block_of(n)];
		if (n + 1 < b.end)
			return live_.before(n + 1);
		std::set<uint32_t> all;
		for (const uint32_t next : b.next)
			for (const uint32_t r : live_.before(flow_.blocks()[next].first))
				all.insert(r);
		return {all.begin(), all.end()};
	}

	bool is_copy(uint32_t n) const
	{
		const statement &s = m_.statements_of(f_)[n];
		return m_.str(m_.instructions[s.index].opcode).starts_with("mov") &&
		       registers_.uses_of(n).reads.size() == 1 && registers_.uses_of(n).writes.size() == 1;
	}

	void find_conflicts()
	{
		for (uint32_t n = 0; n < f_.statements; n++) {
			const register_uses &u = registers_.uses_of(n);
			if (u.writes.empty())
				continue;
			const bool copies = is_copy(n);
			std::vector<uint32_t> behind = live_behind(n);
			behind.insert(behind.end(), u.writes.begin(), u.writes.end());
			for (const uint32_t written : u.writes) {
				if (std::find(order_.begin(), order_.end(), written) == order_.end())
					order_.push_back(written);
				if (copies)
					copy_of_[written] = u.reads.front();
				for (const uint32_t r : behind) {
					if (r == written || (copies && r == u.reads.front()))
						continue;
					meets_[written].insert(r);
					meets_[r].insert(written);
				}
			}
		}
	}

	bool is_free(uint32_t r, unsigned at) const
	{
		return std::none_of(meets_[r].begin(), meets_[r].end(), [&](uint32_t other) {
			const register_place &p = places_[other];
			return is_predicate(other) == is_predicate(r) && p.first < at + width(r) &&
			       at < unsigned{p.first} + p.count;
		});
	}

	// A copy gets the place of what it is a copy of, where that is possible.
	void place(uint32_t r)
	{
		const uint32_t from = copy_of_[r];
		unsigned at = first_;
		if (from != no_index && places_[from].count == width(r) && is_free(r, places_[from].first))
			at = places_[from].first;
		else
			while (!is_free(r, at))
				at++;
		places_[r] = {uint16_t(at), uint8_t(width(r))};
		used_ = std::max(used_, at + width(r) - first_);
	}

	void add(const std::vector<uint32_t> &from, std::vector<uint16_t> &to) const
	{
		for (const uint32_t r : from)
			for (unsigned i = 0; i < places_[r].count; i++)
				to.push_back(uint16_t(places_[r].first + i));
	}

	const module &m_;
	const function &f_;
	const control_flow flow_;
	const function_registers registers_;
	const liveness live_;
	std::vector<std::set<uint32_t>> meets_;
	std::vector<register_place> places_;
	std::vector<uint32_t> copy_of_, order_; // the order of their first writes
	std::vector<bool> constant_;
	unsigned first_ = 0, used_ = 0;
	allocation out_;
};

} // namespace

allocation allocate(const module &m, const function &f)
{
	return allocator(m, f).all();
}

} // namespace pep
