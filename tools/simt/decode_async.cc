// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Decodes operations on mbarrier objects, and bulk copies.
#include "simt/decoder.h"

namespace het::ptx::simt
{

namespace
{

mbarrier_mode mode_of(const mnemonic &m)
{
	auto what = m.modifiers().empty() ? std::string_view() : m.modifiers()[0];
	if (what == "init")
		return mbarrier_init;
	if (what == "inval")
		return mbarrier_end;
	if (what == "expect_tx")
		return mbarrier_expect;
	if (what == "complete_tx")
		return mbarrier_complete;
	if (what == "arrive")
		return m.has("expect_tx") ? mbarrier_arrive_expect : mbarrier_arrive;
	if (what == "arrive_drop" && !m.has("expect_tx"))
		return mbarrier_drop;
	if (what == "test_wait" || what == "try_wait")
		return m.has("parity") ? mbarrier_test_parity : mbarrier_test;
	return what == "pending_count" ? mbarrier_pending : mbarrier_unknown;
}

} // namespace

// Decodes mbarrier.init [a], n; .arrive d, [a], n; .test_wait p, [a], state; .pending_count d, state; and their
// relatives; and cp.async.mbarrier.arrive [a], which arrives once the copies of the thread are done, as they are.
// Without .noinc one more arrival is waited for.
bool decoder::barrier_object()
{
	bool of_copies = mnemonic_.base() == "cp";
	if (of_copies && !mnemonic_.has("noinc"))
		return nothing();
	mbarrier_mode mode = of_copies ? mbarrier_arrive : mode_of(mnemonic_);
	if (mode == mbarrier_unknown)
		return unsupported("this operation on an mbarrier");
	u_.run = mbarrier_op(mode);
	u_.mode = mode;
	u_.space = mnemonic_.state_space();
	if (of_copies)
		return wants(1, 1) && address(op(0));
	switch (mode) {
	case mbarrier_end:
		return wants(1, 1) && address(op(0));
	case mbarrier_init:
	case mbarrier_expect:
	case mbarrier_complete:
		return wants(2, 2) && address(op(0)) && source(op(1), type::u32, &u_.b);
	case mbarrier_test:
	case mbarrier_test_parity: // may have a hint how long, if it is try_wait
		return wants(3, 4) && predicate_result(op(0), &u_.d) && address(op(1)) &&
		       source(op(2), mode == mbarrier_test ? type::b64 : type::u32, &u_.b);
	case mbarrier_pending:
		return wants(2, 2) && result(op(0), type::u32, false, &u_.d) && source(op(1), type::b64, &u_.a);
	default:
		return wants(2, 3) && result(op(0), type::b64, false, &u_.d) && address(op(1)) &&
		       (count() < 3 || source(op(2), type::u32, &u_.b));
	}
}

// Makes the address a value, for operations that have several.
bool decoder::address_value(const operand &o, ref *out)
{
	if (!address(o))
		return false;
	if (u_.action == action::unsupported)
		return true;
	uop sum;
	sum.run = u_.flag ? lanewise([](uint32_t a, uint32_t b) { return a + b; })
			  : lanewise([](uint64_t a, uint64_t b) { return a + b; });
	sum.statement = u_.statement;
	sum.a = u_.a;
	sum.b = constant(uint64_t(u_.offset));
	sum.d = make_ref(place::registers, code_.registers++);
	sum.first_use = add_refs({sum.a, sum.d});
	sum.uses = sum.defs = 1;
	code_.ops.push_back(sum);
	u_.flag = false;
	u_.offset = 0;
	*out = sum.d;
	return true;
}

// Decodes cp.async.bulk [to], [from], size, [mbarrier], and without the last one from shared memory to global.
bool decoder::copy_bulk()
{
	if (mnemonic_.has("prefetch"))
		return nothing();
	bool to_shared = mnemonic_.has("mbarrier::complete_tx::bytes") && mnemonic_.has("global");
	bool plain = !mnemonic_.has("tensor") && !mnemonic_.has("reduce") && !mnemonic_.has("multicast::cluster") &&
		     !mnemonic_.has("cp_mask") && (to_shared || mnemonic_.has("bulk_group"));
	if (!plain)
		return unsupported("this kind of bulk copy");
	// A policy of the cache may follow.
	uint32_t least = to_shared ? 4 : 3;
	ref object;
	if (!wants(least, least + 1) || (to_shared && !address_value(op(3), &object)) || !address_value(op(0), &u_.b) ||
	    !address_value(op(1), &u_.a))
		return false;
	u_.target = add_refs({object});
	u_.run = copy_bulk_op();
	u_.mode = to_shared ? bulk_to_shared : bulk_to_global;
	u_.space = space::shared;
	return source(op(2), type::u32, &u_.c);
}

} // namespace het::ptx::simt
