// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel is sliced if it and all that it may call can be. Functions that it shares with kernels which are not look
// for their block in shared memory, where those kernels then put it, too.
#include "ptx/passes/slice_plan.h"

#include "ptx/passes/reach.h"
#include "ptx/passes/slice_check.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

constexpr uint64_t most_shared = 48 << 10, place_alignment = 16;

class planner
{
      public:
	planner(const module &m, uint64_t place_bytes)
	    : m_(m), place_bytes_(place_bytes), reach_(m), why_(m.functions.size()), called_(m.functions.size())
	{
		for (uint32_t k = 0; k < m.functions.size(); k++)
			if (is_kernel(k))
				called_[k] = reach_.from(k);
	}

	slice_plan run()
	{
		for (uint32_t k = 0; k < m_.functions.size(); k++)
			if (is_kernel(k))
				why_[k] = reason(k);
		while (spread())
			;
		find_changed();
		slice_plan p{{}, std::vector<bool>(m_.functions.size()), {}, std::nullopt};
		bool any = false;
		for (uint32_t k = 0; k < m_.functions.size(); k++) {
			if (!is_kernel(k))
				continue;
			any = any || !why_[k];
			if (!why_[k])
				continue;
			p.whole[k] = !shared_with_changed(k).empty();
			p.left.push_back({std::string(m_.str(m_.functions[k].name)), *why_[k]});
			if (!p.refused && !opts_out(m_, m_.functions[k]))
				p.refused = why_[k];
		}
		if (any)
			p.refused.reset();
		p.sliced = std::move(changed_);
		return p;
	}

      private:
	bool is_kernel(uint32_t f) const { return m_.functions[f].is_entry && m_.functions[f].has_body; }

	bool has_room(uint32_t kernel) const
	{
		uint64_t used = reach_.shared_bytes(kernel);
		return (used + place_alignment - 1) / place_alignment * place_alignment + place_bytes_ <= most_shared;
	}

	std::optional<fault> reason(uint32_t kernel) const
	{
		const function &k = m_.functions[kernel];
		if (opts_out(m_, k))
			return m_.fault_at(k.name, "opts out");
		if (auto wrong = kernel_refusal(m_, k))
			return wrong;
		if (!has_room(kernel))
			return m_.fault_at(k.name, "has no " + std::to_string(place_bytes_) +
							   " bytes of shared memory left of 48 KiB");
		for (uint32_t f : called_[kernel])
			if (auto wrong = body_refusal(m_, m_.functions[f]))
				return wrong;
		return std::nullopt;
	}

	void find_changed()
	{
		changed_.assign(m_.functions.size(), false);
		for (uint32_t k = 0; k < m_.functions.size(); k++)
			for (uint32_t f : why_[k] ? std::vector<uint32_t>() : called_[k])
				changed_[f] = true;
	}

	// Returns those functions of a kernel that is not sliced which look for their block in shared memory.
	std::vector<uint32_t> shared_with_changed(uint32_t kernel) const
	{
		std::vector<uint32_t> all;
		for (uint32_t f : called_[kernel])
			if (f != kernel && changed_[f] && reads_block(m_, m_.functions[f]))
				all.push_back(f);
		return all;
	}

	// A kernel that can't have the block's place, not even for functions, takes those with it that share functions.
	bool spread()
	{
		find_changed();
		for (uint32_t k = 0; k < m_.functions.size(); k++) {
			if (!is_kernel(k) || !why_[k] || has_room(k))
				continue;
			for (uint32_t f : shared_with_changed(k))
				for (uint32_t other = 0; other < m_.functions.size(); other++)
					if (is_kernel(other) && !why_[other] &&
					    std::find(called_[other].begin(), called_[other].end(), f) !=
						    called_[other].end()) {
						why_[other] = m_.fault_at(
							m_.functions[f].name,
							"calls this, as does a kernel that has no room for it");
						return true;
					}
		}
		return false;
	}

	const module &m_;
	const uint64_t place_bytes_;
	reach reach_;
	std::vector<std::optional<fault>> why_; // why a kernel is not sliced
	std::vector<std::vector<uint32_t>> called_;
	std::vector<bool> changed_;
};

} // namespace

slice_plan plan_slices(const module &m, uint64_t place_bytes)
{
	return planner(m, place_bytes).run();
}

} // namespace het::ptx
