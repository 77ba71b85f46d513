// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/mirror.h"

#include "ptx/passes/access.h"
#include "ptx/passes/calls.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

template <size_t n> bool is_one_of(std::string_view s, const std::string_view (&all)[n])
{
	return std::find(std::begin(all), std::end(all), s) != std::end(all);
}

// Such operations are about the lanes of a warp, which threads of the source no longer are.
bool is_of_warps(std::string_view base, const mnemonic &op)
{
	constexpr std::string_view all[] = {"shfl", "vote", "match", "activemask", "redux",    "elect",
					    "mma",  "wmma", "wgmma", "ldmatrix",   "stmatrix", "movmatrix"};
	return is_one_of(base, all) || ((base == "bar" || base == "barrier") && op.has("warp"));
}

// Such operations count threads, or do something later.
bool is_asynchronous(std::string_view base, const mnemonic &op)
{
	constexpr std::string_view all[] = {"mbarrier", "cp", "tcgen05", "multimem"};
	return is_one_of(base, all) || op.has("async") || (base == "barrier" && op.has("cluster"));
}

bool is_external_effect(std::string_view name, const pass_options &with)
{
	constexpr std::string_view known[] = {"malloc", "free", "vprintf", "__assertfail"};
	return is_one_of(name, known) ||
	       std::find(with.master_calls.begin(), with.master_calls.end(), name) != with.master_calls.end();
}

bool reads_clock(const module &m, const instruction &i)
{
	if (mnemonic(m.str(i.opcode)).base() != "mov" || i.operands != 2)
		return false;
	auto from = m.str(m.operand_of(i, 1).name);
	return from.starts_with("%clock") || from.starts_with("%globaltimer");
}

} // namespace

mirror::mirror(const mirroring &c, const function &f, editor &e, pass_result &out)
    : c_(c), m_(c.m), f_(f), e_(e), out_(out), threads_(c.m, f, e), dynamic_(!f.is_entry && c.has_regions)
{
	if (dynamic_) {
		outside_ = e_.new_register(f_, type::pred);
		outside_guard_ = "@" + outside_ + " ";
	}
	loaded_ = !f_.is_entry; // may be so by the caller
}

void mirror::refuse(span where, const char *why)
{
	if (!out_.refused)
		out_.refused = m_.fault_at(where, why);
}

void mirror::run()
{
	auto regions = find_regions(m_, f_);
	out_.refused = regions.wrong;
	if (!out_.refused && f_.is_entry)
		out_.refused = threads_.launch_bounds();
	for (uint32_t n = 0; n < f_.statements && !out_.refused; n++)
		statement_of(m_.statements_of(f_)[n], regions.inside[n]);
	if (stored_ && !f_.is_entry) // a body may end without a return
		e_.replace({f_.body.end - 1, f_.body.end - 1}, sync() + "\n");
	e_.at_begin(f_, prologue());
}

const std::string &mirror::scratch(std::string *r, type t)
{
	if (r->empty())
		*r = e_.new_register(f_, t);
	return *r;
}

const std::string &mirror::master()
{
	return scratch(&is_master_, type::pred);
}

// All lanes meet before the statement, if one of them may not have done yet what the others rely on.
void mirror::meet(const statement &s)
{
	if (stored_)
		e_.before(s, sync());
	stored_ = false;
}

// --- statements ------------------------------------------------------------------

void mirror::statement_of(const statement &s, bool inside)
{
	if (s.kind == statement::kind_t::label && !inside) {
		meet(s);
		loaded_ = true; // may be so on another way
	}
	if (s.kind != statement::kind_t::instruction)
		return;
	const auto &i = m_.instructions[s.index];
	if (auto wrong = threads_.specials(s, i)) {
		out_.refused = wrong;
		return;
	}
	if (auto results = parts_of_call(m_, i).results)
		for (uint32_t n = 0; n < results->children; n++)
			results_.erase(m_.str(m_.child_of(*results, n)));
	auto base = mnemonic(m_.str(i.opcode)).base();
	if ((base == "ld" || base == "ldu" || base == "atom" || base == "bar" || base == "barrier") && i.operands == 0)
		return refuse(s.text, "operands are missing");
	if (marker(s, i, inside))
		return;
	if (inside)
		in_region(s, i);
	else
		outside(s, i);
}

// In a region the lanes are threads of their own.
void mirror::in_region(const statement &s, const instruction &i)
{
	mnemonic op(m_.str(i.opcode));
	auto base = op.base();
	if ((base == "bar" || base == "barrier") && !op.has("warp"))
		refuse(s.text, "a barrier of threads inside a SIMD region");
	if (base == "ld" && op.state_space() == space::param)
		use_result(s, i);
}

void mirror::outside(const statement &s, const instruction &i)
{
	mnemonic op(m_.str(i.opcode));
	auto base = op.base();
	if (is_of_warps(base, op))
		return refuse(s.text, "warp functions have a meaning inside SIMD regions only");
	if (is_asynchronous(base, op))
		return refuse(s.text, "asynchronous operations and clusters can't be mirrored");
	if (base == "bar" || base == "barrier") {
		threads_.barrier(s, i);
		loaded_ = stored_ = false;
	} else if (base == "call") {
		call(s, i);
	} else if (base == "ld" || base == "ldu") {
		load(s, i, op);
	} else if (base == "suld") {
		meet(s);
		loaded_ = true;
	} else if (base == "st" || base == "red" || base == "atom" || base == "sust" || base == "sured") {
		auto a = access_of(m_, i);
		if (a.space == space::local || a.space == space::param)
			return;
		if (!a.address && !base.starts_with("su"))
			return refuse(s.text, "an access of this form");
		by_master(s, i, base == "st" && a.space == space::none);
		if (base == "atom")
			broadcast_after(s, m_.operand_of(i, 0));
	} else if (reads_clock(m_, i)) {
		broadcast_after(s, m_.operand_of(i, 0));
	} else if (base == "bra" || base == "brx" || base == "ret" || base == "exit") {
		if (base == "exit" && dynamic_)
			return refuse(s.text, "ends lanes in a function that may be called inside a SIMD region");
		if (!f_.is_entry || (base != "ret" && base != "exit"))
			meet(s);
	}
}

// Loads that others may write to meanwhile must give all lanes the same: one lane loads.
void mirror::load(const statement &s, const instruction &i, const mnemonic &op)
{
	space from = op.state_space();
	if (from == space::param)
		return use_result(s, i);
	if (from == space::local || from == space::constant || op.has("nc"))
		return;
	auto a = access_of(m_, i);
	bool raced =
		c_.with.racy_loads || is_of_several_threads(op) || (a.address && c_.contended.may_have(f_, *a.address));
	if (!raced) {
		meet(s);
		loaded_ = true;
		return;
	}
	bool stored = stored_, loaded = loaded_;
	loaded_ = false; // not needed, since the lane's own order will do
	by_master(s, i, false);
	loaded_ = loaded;
	stored_ = stored;
	broadcast_after(s, m_.operand_of(i, 0));
}

void mirror::call(const statement &s, const instruction &i)
{
	auto name = callee_of(m_, i);
	if (name.empty())
		return refuse(s.text, "a call of this form");
	if (is_external_effect(name, c_.with)) {
		auto callee = m_.find_function(name);
		if (callee && callee->has_body)
			return refuse(s.text, "calls for one lane are those of functions outside of this text");
		by_master(s, i, false);
		take_results(s, i, "");
		return;
	}
	if (calls_unseen(m_, i))
		out_.blind.push_back(m_.fault_at(s.text, "calls a function that is not in this text, for each lane"));
	meet(s);
	loaded_ = true;
}

// --- regions ---------------------------------------------------------------------

bool mirror::marker(const statement &s, const instruction &i, bool inside)
{
	auto name = callee_of(m_, i);
	if (name == region_lane) {
		if (inside || dynamic_)
			scratch(inside ? &lane_ : &master_, type::b32);
		take_results(s, i, inside ? lane_ : dynamic_ ? master_ : "0");
	} else if (name == region_mask) {
		if (!inside && dynamic_)
			scratch(&mask_, type::b32);
		take_results(s, i, inside ? "0xffffffff" : dynamic_ ? mask_ : "0");
	} else if (name == region_enter || name == region_exit) {
		switch_region(s, name == region_enter);
	} else {
		return false;
	}
	e_.replace(s.text, "");
	return true;
}

// Functions that are called meanwhile see the mask, so all lanes must have come from the last one, and none be at the
// next one, when it changes.
void mirror::switch_region(const statement &s, bool enters)
{
	auto lines = filled(
		"bar.warp.sync 0xffffffff;\n@<master> st.shared.b32 [<slot>], <mask>;\nbar.warp.sync 0xffffffff;",
		{{"master", master()}, {"slot", scratch(&slot_, type::b64)}, {"mask", enters ? "0xffffffff" : "0"}});
	e_.before(s, (enters && dynamic_ ? "@!" + outside_ + " trap;\n" : "") + lines);
	loaded_ = stored_ = false;
}

} // namespace het::ptx
