// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the interpreter saw of a kernel that the pass coalesce has changed.
#pragma once

#include "ptx/passes/access.h"
#include "ptx/passes/coalesce.h"
#include "ptx/passes/pass.h"
#include "stage.h"

namespace het::ptx::simt
{

inline bool is_global(const memory_access &a, uint64_t address)
{
	return a.space == space::global || address - shared_window >= 4 * window_bytes;
}

// What the interpreter saw of an instrumented kernel: which lanes came to the counting function together, and where
// their accesses went afterwards.
class witness
{
      public:
	witness(const code *counting, uint32_t threads_of_block, size_t sites)
	    : counting_(counting), threads_(threads_of_block), count_(sites)
	{
	}

	void operator()(const step &s)
	{
		if (s.function != counting_ && !s.addresses)
			return;
		const module &m = *s.function->source;
		const auto &i = m.instructions[m.statements[s.statement].index];
		if (s.function == counting_) {
			if (m.str(i.opcode).starts_with("activemask"))
				together(s);
			return;
		}
		const auto &sites = sites_of(m);
		if (auto site = sites.find(s.statement); site != sites.end())
			access(s, access_of(m, i), site->second);
	}

	// Grouped as the instrument met them, of all warps that it sampled.
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
	// Grouped as the accesses were executed, of the warps with keys up to @threshold.
	std::vector<coalesce_counters> as_executed(uint32_t threshold, uint32_t seed) const
	{
		std::vector<coalesce_counters> all(count_);
		for (const auto &e : executed_)
			if (coalesce_key(e.warp, seed) <= threshold)
				add(&all[e.site], e.addresses);
		return all;
	}
	std::set<uint32_t> warps_counted;
	std::set<uint32_t> warps_with_accesses;

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
		warps_counted.insert(warp_of(s));
	}
	void access(const step &s, const memory_access &a, uint32_t site)
	{
		execution e{warp_of(s), site, {}};
		each_lane(s, [&](unsigned l, thread_number t) {
			if (!is_global(a, s.addresses[l]))
				return;
			threads_seen_[t].push_back({site, s.addresses[l]});
			e.addresses.push_back(s.addresses[l]);
		});
		if (e.addresses.empty())
			return;
		warps_with_accesses.insert(e.warp);
		executed_.push_back(std::move(e));
	}
	// The accesses of the program's own functions, in their order.
	const std::map<uint32_t, uint32_t> &sites_of(const module &m)
	{
		for (const auto &f : m.functions) {
			if (listed_ || !f.has_body || added_by_pass(m.str(f.name)))
				continue;
			for (uint32_t n = f.first_statement; n < f.first_statement + f.statements; n++) {
				const auto &s = m.statements[n];
				if (s.kind != statement::kind_t::instruction)
					continue;
				auto a = access_of(m, m.instructions[s.index]);
				if (a.address && (a.space == space::global || a.space == space::none))
					sites_.emplace(n, uint32_t(sites_.size()));
			}
		}
		listed_ = true;
		return sites_;
	}

	struct execution {
		uint32_t warp, site;
		std::vector<uint64_t> addresses;
	};
	const code *counting_;
	uint32_t threads_;
	size_t count_;
	bool listed_ = false;
	std::map<uint32_t, uint32_t> sites_; // statement -> number
	std::vector<std::vector<std::pair<thread_number, size_t>>> groups_;
	std::map<thread_number, size_t> entered_;
	std::map<thread_number, std::vector<std::pair<uint32_t, uint64_t>>> threads_seen_;
	std::vector<execution> executed_;
};

} // namespace het::ptx::simt
