// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One lane does for all what has an effect. The others get what came out, and registers for it are found here, too.
#include "ptx/passes/access.h"
#include "ptx/passes/calls.h"
#include "ptx/passes/mirror.h"

namespace het::ptx
{

void mirror::by_master(const statement &s, const instruction &i, bool may_be_local)
{
	std::string lines, acts = master();
	if (loaded_)
		lines = sync() + "\n";
	loaded_ = false;
	stored_ = true;
	auto combine = [&](std::string_view op, std::string_view with) {
		lines += filled("<op>.pred <acts>, <both>, <with>;\n",
				{{"op", op}, {"acts", scratch(&acts_, type::pred)}, {"both", acts}, {"with", with}});
		acts = acts_;
	};
	if (may_be_local && c_.local_addresses) {
		scratch(&other_, type::pred);
		lines += address_into(m_, s, *access_of(m_, i).address, scratch(&address_, type::b64)) + "\n";
		lines += filled("isspacep.local <local>, <address>;\n", {{"local", other_}, {"address", address_}});
		combine("or", other_);
	}
	if (!i.guard.empty()) {
		auto guard = std::string(m_.str(i.guard));
		if (i.guard_negated)
			lines += filled("not.pred <not>, <guard>;\n",
					{{"not", scratch(&other_, type::pred)}, {"guard", guard}});
		combine("and", i.guard_negated ? other_ : guard);
	}
	if (!lines.empty()) {
		lines.pop_back();
		e_.before(s, lines);
	}
	e_.replace({s.text.begin, i.opcode.begin}, "@" + acts + " ");
}

// Whoever reads the results of this call gets @value instead, or what the master lane got if that is empty.
void mirror::take_results(const statement &s, const instruction &i, const std::string &value)
{
	auto results = parts_of_call(m_, i).results;
	for (uint32_t n = 0; results && n < results->children; n++) {
		auto name = m_.str(m_.child_of(*results, n));
		if (register_type(m_, s, name) != type::none)
			return refuse(s.text, "results of such a call are parameters, not registers");
		results_[name] = value;
	}
}

void mirror::use_result(const statement &s, const instruction &i)
{
	if (i.operands < 2)
		return refuse(s.text, "operands are missing");
	const operand &from = m_.operand_of(i, 1), &to = m_.operand_of(i, 0);
	auto found = results_.find(m_.str(from.name));
	if (found == results_.end())
		return;
	if (found->second.empty())
		return broadcast_after(s, to);
	bool fits = to.kind == operand::kind_t::name && bits_of(mnemonic(m_.str(i.opcode)).last_type()) == 32;
	if (!fits)
		return refuse(s.text, "the number of a lane has 32 bits");
	e_.replace({i.opcode.begin, s.text.end}, "mov.b32 " + std::string(m_.str(to)) + ", " + found->second + ";");
}

void mirror::broadcast_after(const statement &s, const operand &o)
{
	std::string lines;
	for (uint32_t n = 0; n < o.children; n++)
		lines += broadcast(s, m_.child_of(o, n));
	if (o.kind == operand::kind_t::name)
		lines += broadcast(s, o);
	if (lines.empty())
		return;
	lines.pop_back();
	e_.after(s, lines);
}

// Outside of regions all lanes of the warp are there, and the first is the master.
std::string mirror::broadcast(const statement &s, const operand &o)
{
	auto name = m_.str(o);
	if (name == "_")
		return "";
	auto shuffle = [&](std::string_view r) {
		return outside_guard_ + filled("shfl.sync.idx.b32 <r>, <r>, 0, 31, 0xffffffff;\n", {{"r", r}});
	};
	unsigned bits = bits_of(register_type(m_, s, name.substr(0, name.find('.'))));
	if (bits == 32)
		return shuffle(name);
	auto low = scratch(&low_, type::b32);
	if (bits == 16)
		return filled("mov.b32 <low>, {<r>, <r>};\n", {{"low", low}, {"r", name}}) + shuffle(low) +
		       filled("mov.b32 {<r>, <half>}, <low>;\n",
			      {{"low", low}, {"r", name}, {"half", scratch(&half_, type::b16)}});
	auto high = scratch(&high_, type::b32);
	if (bits != 64)
		refuse(o.text, "a register of this type can't be given to other lanes");
	return filled("mov.b64 {<low>, <high>}, <r>;\n", {{"low", low}, {"high", high}, {"r", name}}) + shuffle(low) +
	       shuffle(high) + filled("mov.b64 <r>, {<low>, <high>};\n", {{"low", low}, {"high", high}, {"r", name}});
}

// --- what the body begins with -----------------------------------------------------

// Returns where the mask of the warp is. An entry sets it, a function reads it.
std::string mirror::own_mask()
{
	auto warp = e_.new_register(f_, type::b32), extent = e_.new_register(f_, type::b32);
	auto slot = scratch(&slot_, type::b64);
	auto lines = source_threads::warp_into(warp, extent) +
		     filled("mov.u64 <slot>, het_simd_masks;\nmad.wide.u32 <slot>, <warp>, 4, <slot>;\n",
			    {{"slot", slot}, {"warp", warp}});
	if (f_.is_entry)
		return lines + filled("@<master> st.shared.b32 [<slot>], 0;\nbar.warp.sync 0xffffffff;\n",
				      {{"slot", slot}, {"master", is_master_}});
	return lines + filled("ld.shared.b32 <mask>, [<slot>];\nsetp.eq.u32 <outside>, <mask>, 0;\n"
			      "and.b32 <master>, <lane>, <mask>;\n",
			      {{"slot", slot},
			       {"mask", scratch(&mask_, type::b32)},
			       {"outside", outside_},
			       {"master", scratch(&master_, type::b32)},
			       {"lane", lane_}});
}

// A launch without whole warps would leave lanes out.
std::string mirror::check_launch()
{
	return filled(
		"mov.u32 <rest>, %ntid.x;\nand.b32 <rest>, <rest>, 31;\nsetp.ne.u32 <bad>, <rest>, 0;\n@<bad> trap;\n",
		{{"rest", e_.new_register(f_, type::b32)}, {"bad", e_.new_register(f_, type::pred)}});
}

std::string mirror::prologue()
{
	std::string lines = f_.is_entry ? check_launch() : "", mask, first;
	if (c_.has_regions)
		master();
	if (!is_master_.empty() || !lane_.empty())
		lines += "mov.u32 " + scratch(&lane_, type::b32) + ", %laneid;\n";
	if (c_.has_regions)
		mask = own_mask();
	if (!is_master_.empty())
		first = filled("setp.eq.u32 <is_master>, <lane>, <master>;\n",
			       {{"is_master", is_master_}, {"lane", lane_}, {"master", dynamic_ ? master_ : "0"}});
	lines += f_.is_entry ? first + mask : mask + first;
	lines += threads_.prologue();
	if (!lines.empty())
		lines.pop_back();
	return lines;
}

} // namespace het::ptx
