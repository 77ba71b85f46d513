// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A witness has what the interpreter saw of a kernel that the pass coalesce has changed.
#pragma once

#include "ptx/passes/access.h"
#include "ptx/passes/coalesce.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/traces.h"
#include "stage.h"

namespace het::ptx::simt
{

inline bool is_global(const memory_access &a, uint64_t address)
{
	return a.space == space::global || address - shared_window >= 4 * window_bytes;
}

// The interpreter saw which lanes came to the instrument together, and where their accesses went afterwards.
class witness
{
      public:
	witness(uint32_t threads_of_block, const std::vector<pass_site> &sites)
	    : threads_(threads_of_block), count_(sites.size())
	{
		for (size_t n = sites.size(); n--;)
			first_site_[sites[n].function] = uint32_t(n);
	}

	void operator()(const step &s)
	{
		const module &m = *s.function->source;
		if (what_.empty())
			look_at(m);
		uint32_t what = what_[s.statement];
		if (what == meeting)
			together(s);
		else if (what < meeting && s.addresses)
			access(s, access_of(m, m.instructions[m.statements[s.statement].index]), what / 2, what % 2);
	}

	// Returns counters of all that the instrument counted, grouped as it met them.
	std::vector<coalesce_counters> as_counted() const
	{
		std::vector<coalesce_counters> all(count_);
		for (const auto &group : groups_) {
			std::vector<uint64_t> addresses;
			uint32_t site = 0;
			for (auto [thread, n] : group) {
				auto [where, address] = threads_seen_.at(thread).at(n);
				addresses.push_back(address);
				site = where;
			}
			add(&all[site], addresses);
		}
		return all;
	}
	// Returns counters of the blocks with keys up to @threshold, grouped as the accesses were executed.
	std::vector<coalesce_counters> as_executed(uint32_t threshold, uint32_t seed) const
	{
		std::vector<coalesce_counters> all(count_);
		for (const auto &e : executed_)
			if (coalesce_key(e.block, seed) <= threshold)
				add(&all[e.site], e.addresses);
		return all;
	}
	std::set<uint32_t> blocks_counted;
	std::set<uint32_t> blocks_with_accesses;

      private:
	using thread_number = uint64_t;

	uint32_t warp_of(const step &s) const
	{
		return uint32_t(s.block * ((threads_ + warp_size - 1) / warp_size) + s.warp);
	}
	static void add(coalesce_counters *to, const std::vector<uint64_t> &addresses)
	{
		std::set<uint64_t> lines, pages;
		for (uint64_t a : addresses) {
			lines.insert(a >> 7);
			pages.insert(a >> 16);
		}
		to->warps++;
		to->threads += addresses.size();
		to->lines += lines.size();
		to->pages += pages.size();
	}
	template <typename F> void each_lane(const step &s, F f)
	{
		for (unsigned l = 0; l < warp_size; l++)
			if (s.mask >> l & 1)
				f(l, thread_number{warp_of(s)} * warp_size + l);
	}
	void together(const step &s)
	{
		auto &group = groups_.emplace_back();
		each_lane(s, [&](unsigned, thread_number t) { group.push_back({t, entered_[t]++}); });
		blocks_counted.insert(uint32_t(s.block));
	}
	void access(const step &s, const memory_access &a, uint32_t site, bool counted)
	{
		execution e{uint32_t(s.block), site, {}};
		each_lane(s, [&](unsigned l, thread_number t) {
			if (!is_global(a, s.addresses[l]))
				return;
			if (counted)
				threads_seen_[t].push_back({site, s.addresses[l]});
			e.addresses.push_back(s.addresses[l]);
		});
		if (e.addresses.empty())
			return;
		blocks_with_accesses.insert(e.block);
		executed_.push_back(std::move(e));
	}
	// The accesses of each of the program's own functions are numbered in their order. They stand in the text once
	// as they were, then again, and those of each segment once more, counted.
	void look_at(const module &m)
	{
		what_.assign(m.statements.size(), other);
		for (const auto &f : m.functions)
			if (auto first = first_site_.find(std::string(m.str(f.name)));
			    f.has_body && first != first_site_.end())
				look_at(m, f, first->second);
	}
	void look_at(const module &m, const function &f, uint32_t first)
	{
		constexpr std::string_view counted_label = "$het_coalesce_counted";
		std::vector<uint32_t> segments;
		uint32_t sites = first;
		bool counted = false;
		for (uint32_t n = f.first_statement; n < f.first_statement + f.statements; n++) {
			const statement &s = m.statements[n];
			auto label = s.kind == statement::kind_t::label ? m.str(m.labels[s.index]) : "";
			if (label == "$het_coalesce_sampled")
				sites = first;
			if (label.starts_with("$het_coalesce_on"))
				counted = false;
			if (label.starts_with(counted_label)) {
				sites = segments.at(std::stoul(std::string(label.substr(counted_label.size()))));
				counted = true;
			}
			if (s.kind == statement::kind_t::instruction) {
				if (draws(m, m.instructions[s.index]))
					segments.push_back(sites);
				what_[n] = what_is(m, m.instructions[s.index], counted, &sites);
			}
		}
	}
	static bool is_added(const module &m, const instruction &i)
	{
		return i.operands && m.str(m.operand_of(i, 0)).starts_with("%het_coalesce_");
	}
	static bool draws(const module &m, const instruction &i)
	{
		return is_added(m, i) && i.operands > 1 && m.str(m.operand_of(i, 1)) == "%clock";
	}
	static uint32_t what_is(const module &m, const instruction &i, bool counted, uint32_t *sites)
	{
		if (is_added(m, i) && m.str(i.opcode).starts_with("activemask"))
			return meeting;
		auto a = access_of(m, i);
		return a.may_be_global() && !added_by_pass(m, i) ? (*sites)++ * 2 + counted : other;
	}

	struct execution {
		uint32_t block, site;
		std::vector<uint64_t> addresses;
	};
	static constexpr uint32_t other = ~0u, meeting = other - 1;
	uint32_t threads_;
	size_t count_;
	std::map<std::string, uint32_t> first_site_; // the first site of each function that has any
	std::vector<uint32_t> what_; // of a statement: its site * 2 + whether it is counted, meeting or other
	std::vector<std::vector<std::pair<thread_number, size_t>>> groups_;
	std::map<thread_number, size_t> entered_;
	std::map<thread_number, std::vector<std::pair<uint32_t, uint64_t>>> threads_seen_;
	std::vector<execution> executed_;
};

} // namespace het::ptx::simt
