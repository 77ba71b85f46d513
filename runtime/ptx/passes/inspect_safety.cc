// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/inspect_safety.h"

#include "ptx/passes/access.h"
#include "ptx/passes/divergence.h"
#include "ptx/passes/inspect_slice.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

// Follows what is made of loaded values, by registers and by branches.
class loaded_values
{
      public:
	loaded_values(const module &m, const function &f, const inspect_slice &slice)
	    : m_(m), f_(f), slice_(slice), registers_(slice.registers(f)), registers_hit_(registers_.count()),
	      blocks_hit_(slice.flow(f).blocks().size())
	{
		for (uint32_t n = 0; n < f.statements; n++)
			loads_arrays_ = loads_arrays_ || (is_kept(n) && brings_values(n));
		while (step())
			;
	}

	std::optional<fault> find() const
	{
		for (uint32_t n = 0; n < f_.statements; n++) {
			const statement &s = m_.statements_of(f_)[n];
			if (!is_kept(n))
				continue;
			if (depends(n) && !slice_.uses_arrays(f_, s) && has_hit_address(s))
				return m_.fault_at(s.text, "has an address that depends on what was loaded");
			if (blocks_hit_[slice_.flow(f_).block_of(n)] && waits(s))
				return m_.fault_at(s.text,
						   "waits for other threads where it depends on what was loaded");
		}
		return std::nullopt;
	}

      private:
	bool is_kept(uint32_t n) const
	{
		return m_.statements_of(f_)[n].kind == statement::kind_t::instruction && slice_.keeps(f_, n);
	}
	const instruction &instruction_of(const statement &s) const { return m_.instructions[s.index]; }

	// What functions are given, and what they give back, may be such values.
	bool brings_values(uint32_t n) const
	{
		const statement &s = m_.statements_of(f_)[n];
		const instruction &i = instruction_of(s);
		const mnemonic op(m_.str(i.opcode));
		if (op.base() == "call" || slice_.uses_arrays(f_, s))
			return true;
		return op.base() == "ld" && op.state_space() == space::param && !loads_own_parameter(m_, f_, i);
	}

	// Memory of the block and of the thread may hold them if there are any.
	bool gives_loaded(uint32_t n) const
	{
		const mnemonic op(m_.str(instruction_of(m_.statements_of(f_)[n]).opcode));
		constexpr std::string_view loads[] = {"ld", "ldu", "atom", "ldmatrix", "wmma"};
		const bool is_memory = std::find(std::begin(loads), std::end(loads), op.base()) != std::end(loads) &&
				       op.state_space() != space::param && op.state_space() != space::constant;
		return brings_values(n) || (loads_arrays_ && is_memory);
	}

	bool depends(uint32_t n) const
	{
		const auto &reads = registers_.uses_of(n).reads;
		return std::any_of(reads.begin(), reads.end(), [&](uint32_t r) { return registers_hit_[r]; });
	}

	bool has_hit_address(const statement &s) const
	{
		const instruction &i = instruction_of(s);
		for (uint32_t k = 0; k < i.operands; k++) {
			const operand &o = m_.operand_of(i, k);
			if (o.kind != operand::kind_t::address || o.name.empty())
				continue;
			const uint32_t r = registers_.find(s, m_.str(o.name));
			if (r != no_index && registers_hit_[r])
				return true;
		}
		return false;
	}

	bool waits(const statement &s) const
	{
		const mnemonic op(m_.str(instruction_of(s).opcode));
		return op.base() == "bar" || op.base() == "barrier" || is_of_warps(op);
	}

	bool step()
	{
		bool changed = false;
		for (uint32_t n = 0; n < f_.statements; n++) {
			if (!is_kept(n))
				continue;
			const uint32_t block = slice_.flow(f_).block_of(n);
			if (!gives_loaded(n) && !depends(n) && !blocks_hit_[block])
				continue;
			for (uint32_t r : registers_.uses_of(n).writes) {
				changed = changed || !registers_hit_[r];
				registers_hit_[r] = true;
			}
		}
		for (uint32_t b = 0; b < blocks_hit_.size(); b++) {
			auto is_hit = [&](uint32_t by) {
				const uint32_t last = slice_.flow(f_).blocks()[by].end - 1;
				return blocks_hit_[by] || (is_kept(last) && depends(last));
			};
			const auto &by = slice_.deciders(f_)[b];
			if (blocks_hit_[b] || std::none_of(by.begin(), by.end(), is_hit))
				continue;
			blocks_hit_[b] = changed = true;
		}
		return changed;
	}

	const module &m_;
	const function &f_;
	const inspect_slice &slice_;
	const function_registers &registers_;
	bool loads_arrays_ = false;
	std::vector<bool> registers_hit_, blocks_hit_;
};

} // namespace

std::optional<fault> unsafe_use(const module &m, const function &f, const inspect_slice &slice)
{
	return loaded_values(m, f, slice).find();
}

} // namespace het::ptx
