// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/regions.h"

#include "ptx/passes/branches.h"
#include "ptx/passes/calls.h"

#include <algorithm>
#include <map>

namespace het::ptx
{

namespace
{

enum class state : uint8_t { unreached, outside, inside };

// Goes through the body until nothing changes: each label has the state of all ways that lead to it.
class region_finder
{
      public:
	region_finder(const module &m, const function &f) : m_(m), f_(f) { out_.inside.resize(f.statements); }

	region_map run()
	{
		indexed_ = indexed_targets(m_, f_);
		do {
			changed_ = false;
			now_ = state::outside;
			for (uint32_t n = 0; n < f_.statements && !out_.wrong; n++)
				step(n);
		} while (changed_ && !out_.wrong);
		return std::move(out_);
	}

      private:
	void step(uint32_t n)
	{
		const auto &s = m_.statements_of(f_)[n];
		if (s.kind == statement::kind_t::label) {
			flow_to(m_.labels[s.index]);
			now_ = labels_[m_.str(m_.labels[s.index])];
		}
		out_.inside[n] = now_ == state::inside;
		if (s.kind == statement::kind_t::instruction && now_ != state::unreached)
			instruction_of(s, m_.instructions[s.index]);
	}

	void flow_to(span label)
	{
		state &there = labels_[m_.str(label)];
		if (now_ == state::unreached || there == now_)
			return;
		if (there != state::unreached)
			return wrong(label, "this is reached both inside and outside of a SIMD region");
		there = now_;
		changed_ = true;
	}

	void instruction_of(const statement &s, const instruction &i)
	{
		auto base = mnemonic(m_.str(i.opcode)).base();
		bool leaves = base == "ret" || base == "exit";
		if (base == "bra" && i.operands)
			flow_to(m_.operand_of(i, 0).text);
		else if (base == "brx")
			std::for_each(indexed_.begin(), indexed_.end(), [&](span l) { flow_to(l); });
		else if (base == "call")
			return mark(s, i);
		else if (leaves && now_ == state::inside)
			wrong(s.text, "leaves the function inside a SIMD region");
		if (i.guard.empty() && (leaves || base == "bra" || base == "brx" || base == "trap"))
			now_ = state::unreached;
	}

	void mark(const statement &s, const instruction &i)
	{
		auto name = callee_of(m_, i);
		if (name != region_enter && name != region_exit)
			return;
		bool enters = name == region_enter;
		if (!i.guard.empty())
			wrong(s.text, "SIMD regions are entered and left without a guard");
		else if (enters == (now_ == state::inside))
			wrong(s.text, enters ? "a SIMD region inside another" : "there is no SIMD region to leave");
		now_ = enters ? state::inside : state::outside;
	}

	void wrong(span where, const char *what)
	{
		if (!out_.wrong)
			out_.wrong = m_.fault_at(where, what);
	}

	const module &m_;
	const function &f_;
	region_map out_;
	std::vector<span> indexed_;
	std::map<std::string_view, state> labels_;
	state now_ = state::outside;
	bool changed_ = false;
};

} // namespace

region_map find_regions(const module &m, const function &f)
{
	return region_finder(m, f).run();
}

bool has_regions(const module &m)
{
	return std::any_of(m.instructions.begin(), m.instructions.end(),
			   [&](const instruction &i) { return callee_of(m, i) == region_enter; });
}

} // namespace het::ptx
