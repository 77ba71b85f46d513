// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Executes operations on mbarrier objects, and bulk copies that tell one when they are done. Copies are made at once.
#include "simt/decoder.h"
#include "simt/warp.h"

namespace het::ptx::simt
{

namespace
{

constexpr unsigned count_bits = 20, bytes_bits = 21;
constexpr int64_t most_bytes = (int64_t{1} << (bytes_bits - 1)) - 1; // what a phase may wait for

// The eight bytes of an mbarrier hold this; programs must not look inside.
struct mbarrier {
	uint64_t pending : count_bits, expected : count_bits;
	int64_t bytes : bytes_bits; // counts those that have been announced and not copied
	uint64_t unused : 1, is_there : 1, phase : 1;
};
static_assert(sizeof(mbarrier) == 8);

// Loads the object of a lane, and writes it back unless something was wrong.
class at_mbarrier
{
      public:
	at_mbarrier(context &c, const uop &u, unsigned lane, uint64_t address, bool must_be_there = true)
	    : c_(c), u_(u), lane_(lane), place_(c.locate(u, lane, u.space, address, 8, access::atomic))
	{
		if (!place_.bytes)
			return;
		memcpy(&now, place_.bytes, sizeof(now));
		if (must_be_there && !now.is_there)
			c.fail(u, lane, "there is no mbarrier here");
	}
	~at_mbarrier()
	{
		if (!ok())
			return;
		memcpy(place_.bytes, &now, sizeof(now));
		if (place_.defined)
			memset(place_.defined, 1, sizeof(now));
	}
	at_mbarrier(const at_mbarrier &) = delete;
	at_mbarrier &operator=(const at_mbarrier &) = delete;

	bool ok() const { return place_.bytes && !c_.failed(); }

	void arrive(uint64_t n)
	{
		if (n > now.pending)
			c_.fail(u_, lane_,
				std::to_string(n) + " arrive at an mbarrier that waits for " +
					std::to_string(now.pending));
		else
			now.pending = now.pending - n;
	}
	void expect(int64_t bytes)
	{
		int64_t sum = now.bytes + bytes;
		if (sum > most_bytes || sum < -most_bytes)
			c_.fail(u_, lane_, "an mbarrier can't wait for " + std::to_string(sum) + " bytes");
		else
			now.bytes = sum;
	}
	// What came before the end of a phase is ordered before what comes after it, as by a barrier of the block.
	void end_phase()
	{
		if (!ok() || now.pending || now.bytes)
			return;
		now.phase = !now.phase;
		now.pending = now.expected;
		c_.current->of->epoch++;
	}

	mbarrier now = {};

      private:
	context &c_;
	const uop &u_;
	const unsigned lane_;
	const place_in_memory place_;
};

void give(context &c, const uop &u, const mbarrier &was, unsigned lane)
{
	if (u.d.valid())
		c.at(u.d)[lane] = std::bit_cast<uint64_t>(was);
}

void init(context &c, const uop &u, at_mbarrier &at, uint32_t n, unsigned lane)
{
	if (!n || n >> count_bits)
		return c.fail(u, lane, "an mbarrier for " + std::to_string(n) + " arrivals");
	at.now = {};
	at.now.pending = at.now.expected = n;
	at.now.is_there = 1;
}

void arrive(context &c, const uop &u, at_mbarrier &at, uint32_t n, unsigned lane)
{
	mbarrier was = at.now;
	if (u.mode == mbarrier_arrive_expect)
		at.expect(n);
	if (u.mode == mbarrier_drop)
		at.now.expected = at.now.expected - n;
	at.arrive(u.mode == mbarrier_arrive_expect ? 1 : n);
	at.end_phase();
	give(c, u, was, lane);
}

void end(context &, const uop &, at_mbarrier &at, uint32_t, unsigned)
{
	at.now = {};
}

void expect(context &, const uop &u, at_mbarrier &at, uint32_t n, unsigned)
{
	at.expect(u.mode == mbarrier_complete ? -int64_t{n} : int64_t{n});
	if (u.mode == mbarrier_complete)
		at.end_phase();
}

// Lanes take their steps one after the other. @n is the value of u.b, or 1.
using mbarrier_step = void (*)(context &c, const uop &u, at_mbarrier &at, uint32_t n, unsigned lane);

template <mbarrier_step step> void for_each_mbarrier(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a), *b = u.b.valid() ? c.at(u.b) : nullptr;
	for (lanes left = m; left && !c.failed(); left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		at_mbarrier at(c, u, l, address_at(u, a, l), u.mode != mbarrier_init);
		if (at.ok())
			step(c, u, at, b ? uint32_t(b[l]) : 1, l);
	}
}

void test(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a), *b = c.at(u.b);
	lanes over = 0;
	for (lanes left = m; left && !c.failed(); left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		at_mbarrier at(c, u, l, address_at(u, a, l));
		uint64_t phase = u.mode == mbarrier_test_parity ? b[l] & 1 : std::bit_cast<mbarrier>(b[l]).phase;
		over |= lanes(at.now.phase != phase) << l;
	}
	if (u.d.valid())
		c.set_predicate(u.d, m, over);
}

void pending(context &c, const uop &u, lanes m)
{
	const uint64_t *a = c.at(u.a);
	uint64_t *d = c.at(u.d);
	for_lanes(m, [&](unsigned l) { d[l] = std::bit_cast<mbarrier>(a[l]).pending; });
}

// --- bulk copies -----------------------------------------------------------------------

constexpr unsigned piece = 16; // what addresses and sizes are multiples of

void move_bulk(context &c, const uop &u, unsigned lane, uint64_t to, uint64_t from, uint32_t n)
{
	bool home = u.mode == bulk_to_global;
	for (uint32_t at = 0; at < n; at += piece) {
		auto source = home ? c.locate(u, lane, space::shared, from + at, piece, access::read)
				   : c.locate_global(u, lane, from + at, piece, access::read);
		if (!source.bytes)
			return;
		auto target = home ? c.locate_global(u, lane, to + at, piece, access::write)
				   : c.locate(u, lane, space::shared, to + at, piece, access::write);
		if (!target.bytes)
			return;
		memcpy(target.bytes, source.bytes, piece);
		for (unsigned i = 0; target.defined && i < piece; i++)
			target.defined[i] = !source.defined || source.defined[i];
	}
}

void copy_bulk(context &c, const uop &u, lanes m)
{
	const uint64_t *from = c.at(u.a), *to = c.at(u.b), *size = c.at(u.c);
	for (lanes left = m; left && !c.failed(); left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		auto n = uint32_t(size[l]);
		if (n % piece)
			return c.fail(u, l, std::to_string(n) + " bytes are no multiple of 16");
		move_bulk(c, u, l, to[l], from[l], n);
		if (c.failed() || u.mode != bulk_to_shared)
			continue;
		at_mbarrier at(c, u, l, c.at(c.prog->refs()[u.target])[l]);
		if (!at.ok())
			return;
		at.expect(-int64_t{n});
		at.end_phase();
	}
}

} // namespace

run_fn mbarrier_op(mbarrier_mode mode)
{
	switch (mode) {
	case mbarrier_init:
		return for_each_mbarrier<init>;
	case mbarrier_end:
		return for_each_mbarrier<end>;
	case mbarrier_expect:
	case mbarrier_complete:
		return for_each_mbarrier<expect>;
	case mbarrier_test:
	case mbarrier_test_parity:
		return test;
	case mbarrier_pending:
		return pending;
	default:
		return for_each_mbarrier<arrive>;
	}
}

run_fn copy_bulk_op()
{
	return copy_bulk;
}

} // namespace het::ptx::simt
