// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/segments.h"

#include "ptx/passes/branches.h"

#include <algorithm>
#include <map>
#include <optional>

namespace het::ptx
{

namespace
{

using kind = statement::kind_t;

constexpr uint32_t longest_branch = 500; // counts statements; a search that fails may begin anew after each of them

bool lanes_part_or_wait(std::string_view opcode)
{
	constexpr std::string_view bases[] = {"brx", "call",    "ret",   "exit",      "trap",
					      "bar", "barrier", "wgmma", "setmaxnreg"};
	return opcode.find(".sync") != opcode.npos || opcode.find(".aligned") != opcode.npos ||
	       std::find(std::begin(bases), std::end(bases), mnemonic(opcode).base()) != std::end(bases);
}

class segment_finder
{
      public:
	segment_finder(const module &m, const function &f) : m_(m), end_(f.first_statement + f.statements)
	{
		for (uint32_t n = f.first_statement; n < end_; n++) {
			if (m_.statements[n].kind == kind::label) {
				target &t = labels_[m_.str(m_.labels[m_.statements[n].index])];
				t.open |= t.at != no_index; // true, too, if two scopes have a label of this name
				t.at = n;
			} else if (auto label = branch_to(n)) {
				target &t = labels_[*label];
				t.first_source = std::min(t.first_source, n);
				t.last_source = std::max(t.last_source, n);
			}
		}
		for (span label : indexed_targets(m, f))
			labels_[m.str(label)].open = true;
	}

	std::vector<segment> find(uint32_t begin)
	{
		std::vector<segment> all;
		for (uint32_t n = begin; n < end_; n++)
			if (auto last = last_of(n)) {
				all.push_back({n, *last});
				n = *last;
			}
		return all;
	}

      private:
	struct target {
		uint32_t at = no_index;
		uint32_t first_source = no_index, last_source = 0;
		bool open = false; // it may be reached in other ways
	};

	std::optional<std::string_view> branch_to(uint32_t n) const
	{
		const statement &s = m_.statements[n];
		if (s.kind != kind::instruction)
			return std::nullopt;
		const auto &i = m_.instructions[s.index];
		if (mnemonic(m_.str(i.opcode)).base() != "bra" || !i.operands)
			return std::nullopt;
		return m_.str(m_.operand_of(i, 0));
	}

	// Returns the last statement of the longest segment that begins here, if any does.
	std::optional<uint32_t> last_of(uint32_t first) const
	{
		std::optional<uint32_t> last;
		uint32_t reach = first;
		unsigned depth = 0;
		// What a directive says of what follows it stays there.
		if (m_.statements[first].kind == kind::directive)
			return last;
		for (uint32_t n = first; n < end_ && may_stand(n, first, depth); n++) {
			const statement &s = m_.statements[n];
			depth += s.kind == kind::open;
			depth -= s.kind == kind::close;
			if (auto label = branch_to(n))
				reach = std::max(reach, labels_.at(*label).at);
			if (!depth && n >= reach && s.kind != kind::directive)
				last = n;
			else if (n > (last ? *last : first) + longest_branch)
				break;
		}
		return last;
	}
	bool may_stand(uint32_t n, uint32_t first, unsigned depth) const
	{
		const statement &s = m_.statements[n];
		switch (s.kind) {
		case kind::variable:
		case kind::close:
			return depth;
		case kind::label: {
			const target &t = labels_.at(m_.str(m_.labels[s.index]));
			return !t.open && t.first_source >= first && t.last_source < n && t.first_source != no_index;
		}
		case kind::instruction:
			if (auto label = branch_to(n)) {
				const target &t = labels_.at(*label);
				return !t.open && t.at != no_index && t.at > n;
			}
			return !lanes_part_or_wait(m_.str(m_.instructions[s.index].opcode));
		default:
			return s.kind == kind::open || s.kind == kind::directive;
		}
	}

	const module &m_;
	const uint32_t end_;
	std::map<std::string_view, target> labels_;
};

} // namespace

std::vector<segment> segments_of(const module &m, const function &f)
{
	return segment_finder(m, f).find(f.first_statement);
}

} // namespace het::ptx
