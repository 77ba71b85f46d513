// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decodes branches, calls, barriers and what warps do together.
#include "simt/decoder.h"

namespace het::ptx::simt
{

bool decoder::branch()
{
	if (!wants(1, 1))
		return false;
	u_.action = action::branch;
	u_.flag = mnemonic_.has("uni");
	jumps_.push_back({uint32_t(code_.ops.size()), 0, 0, op(0).text});
	return true;
}

// Decodes brx.idx a, list.
bool decoder::indexed_branch()
{
	if (!wants(2, 2))
		return false;
	auto list = target_lists_.find(m_.str(op(1)));
	if (list == target_lists_.end())
		return fail(op(1).text, "no such list of targets before this");
	u_.action = action::indexed_branch;
	u_.target = uint32_t(p_.tables_.size());
	p_.tables_.emplace_back(list->second.size());
	for (uint32_t i = 0; i < list->second.size(); i++)
		jumps_.push_back({no_index, u_.target, i, list->second[i]});
	return source(op(0), type::u32, &u_.a);
}

bool decoder::call_arguments(const operand &list, uint32_t *first, uint32_t *count)
{
	std::vector<argument> all(list.children);
	for (uint32_t i = 0; i < list.children; i++)
		if (!parameter_place(m_.child_of(list, i), &all[i]))
			return false;
	*first = uint32_t(p_.arguments_.size());
	*count = list.children;
	p_.arguments_.insert(p_.arguments_.end(), all.begin(), all.end());
	return true;
}

// Decodes call (results), callee, (arguments), prototype.
bool decoder::call()
{
	if (!wants(1, 4))
		return false;
	u_.action = action::call;
	call_site site;
	uint32_t n = 0;
	size_t reads = reads_.size();
	if (op(n).kind == operand::kind_t::group) {
		if (!call_arguments(op(n), &site.first_result, &site.results))
			return false;
		// Registers among the results are written.
		writes_.assign(reads_.begin() + long(reads), reads_.end());
		reads_.resize(reads);
		n++;
	}
	if (n >= count() || op(n).kind != operand::kind_t::name)
		return fail(i_->opcode, "this call names no function");
	const operand &callee = op(n++);
	uint32_t number = 0;
	auto local = find(m_.str(callee.name), &number);
	if (local && local->space == space::reg) {
		if (!source(callee, type::u64, &site.pointer))
			return false;
	} else {
		site.callee = p_.find_code(module_index_, m_.str(callee.name));
		if (site.callee == no_index)
			return fail(callee.text, "no such function");
	}
	if (n < count() && op(n).kind == operand::kind_t::group &&
	    !call_arguments(op(n), &site.first_argument, &site.arguments))
		return false;
	u_.target = uint32_t(p_.sites_.size());
	p_.sites_.push_back(site);
	return true;
}

bool decoder::leave()
{
	auto base = mnemonic_.base();
	u_.action = base == "ret" ? action::ret : base == "exit" ? action::exit : action::trap;
	return wants(0, 0);
}

namespace
{

void no_op(context &, const uop &, lanes) {}

} // namespace

// Decodes what orders memory or only gives hints: here everything is in order.
bool decoder::nothing()
{
	u_.run = no_op;
	return true;
}

// Decodes bar.sync a, b; bar.arrive a, b; bar.red.op d, a, b, c.
bool decoder::barrier()
{
	if (mnemonic_.has("warp"))
		return warp_barrier();
	if (mnemonic_.has("cluster"))
		return unsupported("barriers of clusters");
	u_.action = action::barrier;
	bool reduces = mnemonic_.has("red");
	u_.mode = mnemonic_.has("arrive") ? 1 : !reduces ? 0 : mnemonic_.has("popc") ? 2 : mnemonic_.has("and") ? 3 : 4;
	// "barrier" may be called by some lanes of a warp, "bar" and ".aligned" may not.
	u_.flag = mnemonic_.base() == "bar" || mnemonic_.has("aligned");
	uint32_t at = reduces ? 1 : 0;
	if (!wants(at + 1, at + 2 + at))
		return false;
	if (reduces && !(u_.mode == 2 ? result(op(0), type::u32, false, &u_.d) : predicate_result(op(0), &u_.d)))
		return false;
	if (reduces && !predicate(op(count() - 1), &u_.c, &u_.c_negated))
		return false;
	bool counted = count() - at - at == 2;
	return source(op(at), type::u32, &u_.a) && (!counted || source(op(at + 1), type::u32, &u_.b));
}

bool decoder::warp_barrier()
{
	u_.run = no_op;
	u_.flag = true; // other instructions of the kind will do, too
	return wants(1, 1) && warp_wide(0);
}

// The lanes named in the operand take part.
bool decoder::warp_wide(uint32_t mask_operand)
{
	ref mask;
	u_.action = action::warp_sync;
	if (!source(op(mask_operand), type::b32, &mask))
		return false;
	u_.target = add_refs({mask});
	return true;
}

bool decoder::vote()
{
	bool sync = mnemonic_.has("sync");
	if (!wants(sync ? 3 : 2, sync ? 3 : 2))
		return false;
	u_.run = vote_op(mnemonic_);
	bool ballot = mnemonic_.has("ballot");
	u_.mode = mnemonic_.has("all") ? 0 : mnemonic_.has("any") ? 1 : ballot ? 3 : 2;
	return (ballot ? result(op(0), type::b32, false, &u_.d) : predicate_result(op(0), &u_.d)) &&
	       predicate(op(1), &u_.c, &u_.c_negated) && (!sync || warp_wide(2));
}

bool decoder::match()
{
	u_.run = match_op(mnemonic_);
	return wants(3, 3) && results_pair(op(0), type::b32, &u_.d, &u_.e) &&
	       source(op(1), mnemonic_.last_type(), &u_.a) && warp_wide(2);
}

// Decodes shfl.sync.mode.b32 d|p, a, b, c, mask.
bool decoder::shuffle()
{
	bool sync = mnemonic_.has("sync");
	u_.run = shuffle_op(mnemonic_);
	u_.mode = mnemonic_.has("up") ? 0 : mnemonic_.has("down") ? 1 : mnemonic_.has("bfly") ? 2 : 3;
	return wants(sync ? 5 : 4, sync ? 5 : 4) && results_pair(op(0), mnemonic_.last_type(), &u_.d, &u_.e) &&
	       source(op(1), mnemonic_.last_type(), &u_.a) && source(op(2), type::b32, &u_.b) &&
	       source(op(3), type::b32, &u_.c) && (!sync || warp_wide(4));
}

bool decoder::active_mask()
{
	u_.run = active_mask_op();
	return wants(1, 1) && result(op(0), type::b32, false, &u_.d);
}

bool decoder::reduce()
{
	u_.run = reduce_op(mnemonic_);
	if (!u_.run)
		return unsupported("a reduction of this type");
	type t = mnemonic_.last_type();
	return wants(3, 3) && result(op(0), t, false, &u_.d) && source(op(1), t, &u_.a) && warp_wide(2);
}

bool decoder::elect()
{
	u_.run = elect_op();
	return wants(2, 2) && results_pair(op(0), type::b32, &u_.d, &u_.e) && warp_wide(1);
}

} // namespace het::ptx::simt
