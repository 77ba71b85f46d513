// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests of the pass inspect read here what it has marked, and what the interpreter saw of the plain kernel.
#pragma once

#include "ptx/passes/access.h"
#include "ptx/passes/inspect.h"
#include "stage.h"

#include <algorithm>
#include <set>

namespace het::ptx
{

// A range of addresses, in pages, and how blocks are made slices.
struct inspected_range {
	uint64_t base, end;
	uint32_t bits; // log2 of a page's bytes
	uint32_t groups = 0, dimension = 0;

	uint64_t page(uint64_t address) const { return (address - base) >> bits; }
	bool has(uint64_t address) const { return address >= base && address < end; }
	uint64_t pages() const { return page(end - 1) + 1; }
};

// The pages that each slice uses: pairs of slice and page.
struct page_sets {
	using cells = std::set<std::pair<uint64_t, uint64_t>>;
	cells reads, writes;
	std::vector<uint64_t> counts; // of each page
	bool operator==(const page_sets &) const = default;
};

inline uint64_t slice_of_block(const inspected_range &r, const simt::extent &grid, uint64_t block)
{
	const uint64_t places[] = {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
	return r.groups ? places[r.dimension] / r.groups : 0;
}

// Runs a kernel as it is, and notes what it uses.
inline page_sets sets_used(simt::stage *s, const inspected_range &r)
{
	page_sets out;
	out.counts.resize(r.pages());
	s->dev.with.trace = [&](const simt::step &step) {
		const module &m = *step.function->source;
		const statement &at = m.statements[step.statement];
		if (!step.addresses || at.kind != statement::kind_t::instruction)
			return;
		const auto a = access_of(m, m.instructions[at.index]);
		const uint64_t slice = slice_of_block(r, s->with_launch.grid, step.block);
		for (unsigned l = 0; a.may_be_global() && l < simt::warp_size; l++) {
			if (!(step.mask >> l & 1) || !r.has(step.addresses[l]))
				continue;
			const uint64_t page = r.page(step.addresses[l]);
			out.counts[page]++;
			if (a.reads)
				out.reads.emplace(slice, page);
			if (a.writes)
				out.writes.emplace(slice, page);
		}
	};
	s->must_run();
	s->dev.with.trace = {};
	return out;
}

// Has the table of a device's program, and what it points to.
class marks
{
      public:
	marks(simt::device *d, const inspected_range &r, const simt::extent &grid, uint32_t steps = 1 << 20,
	      uint32_t skipped = 0)
	    : d_(d), range_(r), stride_(uint32_t(r.pages()))
	{
		const uint64_t last = slice_of_block(r, grid, grid.count() - 1);
		for (auto *matrix : {&reads_, &writes_, &sources_})
			matrix->resize((last + 1) * stride_);
		counts_.resize(stride_);
		result_.resize(1);
		table_ = {r.base,
			  r.end - r.base,
			  d->share(reads_),
			  d->share(writes_),
			  d->share(sources_),
			  0,
			  d->share(counts_),
			  d->share(result_),
			  r.bits,
			  stride_,
			  r.groups,
			  r.dimension,
			  steps,
			  skipped};
		send();
	}
	// Says which bytes of each page may be loaded.
	void bound(std::vector<uint64_t> bounds)
	{
		bounds_ = std::move(bounds);
		table_.bounds = d_->share(bounds_);
		send();
	}
	page_sets sets() const { return {cells_of(reads_), cells_of(writes_), counts_}; }
	page_sets::cells sources() const { return cells_of(sources_); }
	const inspect_result &result() const { return result_[0]; }
	// The sets are those of the program: nothing went wrong, and it writes nothing that addresses were made of.
	bool are_sure() const
	{
		std::set<uint64_t> written;
		for (auto [slice, page] : cells_of(writes_))
			written.insert(page);
		const auto from = sources();
		return !result().cut && !result().missed &&
		       std::none_of(from.begin(), from.end(), [&](auto c) { return written.contains(c.second); });
	}

      private:
	void send()
	{
		auto variable = d_->prog().variable("het_inspect_table");
		EXPECT_EQ(variable.bytes, sizeof(table_));
		EXPECT_TRUE(d_->mem().write(variable.address, &table_, sizeof(table_)));
	}
	page_sets::cells cells_of(const std::vector<uint8_t> &matrix) const
	{
		page_sets::cells all;
		for (size_t i = 0; i < matrix.size(); i++)
			if (matrix[i])
				all.emplace(i / stride_, i % stride_);
		return all;
	}

	simt::device *d_;
	inspected_range range_;
	uint32_t stride_;
	inspect_table table_ = {};
	std::vector<uint8_t> reads_, writes_, sources_;
	std::vector<uint64_t> counts_, bounds_;
	std::vector<inspect_result> result_;
};

} // namespace het::ptx
