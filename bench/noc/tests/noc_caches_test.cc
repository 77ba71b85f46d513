// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/random.h"
#include "noc/tests/plain_caches.h"
#include "noc/trace/caches.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace noc;

namespace
{

cache_options drawn_options(random_stream &random)
{
	cache_options o;
	o.cores = 1 + random.below(6);
	o.l1_ways = 1 + random.below(3);
	o.l1_bytes = o.line * o.l1_ways * (1 + random.below(3));
	o.l2_ways = 1 + random.below(4);
	o.l2_bytes = o.line * o.l2_ways * o.cores * (1 + random.below(3));
	o.controllers = 1 + random.below(3);
	return o;
}

std::vector<test::plain_caches::said> sorted(std::vector<test::plain_caches::said> m)
{
	std::sort(m.begin(), m.end());
	return m;
}

std::vector<test::plain_caches::said> said_by(const caches &c)
{
	std::vector<test::plain_caches::said> all;
	for (const coherence_message &m : c.messages())
		all.push_back({m.type, m.from, m.to, m.line});
	return sorted(all);
}

} // namespace

TEST(caches, do_what_plain_loops_do)
{
	constexpr char letters[] = {'I', 'S', 'E', 'M'};
	uint64_t said = 0;
	for (unsigned n = 0; n < 300; n++) {
		random_stream random(21, n);
		const cache_options o = drawn_options(random);
		caches fast(o);
		test::plain_caches plain(o);
		const unsigned lines = 2 + random.below(30);
		for (unsigned i = 0; i < 300; i++) {
			const unsigned core = random.below(o.cores);
			const uint64_t line = random.below(lines);
			const bool write = random.below(3) == 0;
			const bool hit = fast.access(core, line, write) == caches::outcome::hit;
			ASSERT_EQ(hit, plain.access(core, line, write)) << "caches " << n << ", access " << i;
			ASSERT_EQ(said_by(fast), sorted(plain.messages)) << "caches " << n << ", access " << i;
			said += plain.messages.size();
			fast.check();
			for (uint64_t l = 0; l < lines; l++) {
				ASSERT_EQ(fast.in_second_level(l), plain.in_second_level(l));
				for (unsigned c = 0; c < o.cores; c++)
					ASSERT_EQ(letters[unsigned(fast.of(c, l))], plain.of(c, l));
			}
		}
	}
	EXPECT_GT(said, 100000u);
}

// Each waits only for messages before it, an answer comes from where what it waits for went, and the last one is the
// core's.
TEST(caches, messages_wait_for_what_came_to_their_sender)
{
	for (unsigned n = 0; n < 50; n++) {
		random_stream random(22, n);
		const cache_options o = drawn_options(random);
		caches c(o);
		for (unsigned i = 0; i < 300; i++) {
			const unsigned core = random.below(o.cores);
			if (c.access(core, random.below(20), random.below(2) == 0) == caches::outcome::hit)
				continue;
			const auto all = c.messages();
			for (size_t m = 0; m < all.size(); m++)
				for (uint16_t w : c.waited(all[m])) {
					ASSERT_LT(w, m);
					ASSERT_EQ(all[w].to, all[m].from);
					ASSERT_EQ(all[w].to_type, all[m].from_type);
				}
			ASSERT_EQ(all.back().to, core);
			ASSERT_GT(c.waited(all.back()).size(), 0u);
			ASSERT_EQ(all.front().from, core);
		}
	}
}

TEST(caches, a_shared_line_that_is_written_is_taken_from_all_others)
{
	caches c{{}};
	for (unsigned core = 0; core < 64; core++)
		c.access(core, 5, false);
	EXPECT_EQ(c.of(0, 5), caches::state::shared);
	c.access(9, 5, true);
	// Request, 63 times invalidate and its answer, answer.
	EXPECT_EQ(c.messages().size(), 1 + 2 * 63 + 1u);
	EXPECT_EQ(c.waited(c.messages().back()).size(), 64u);
	EXPECT_EQ(c.of(9, 5), caches::state::modified);
	EXPECT_EQ(c.of(0, 5), caches::state::invalid);
}

TEST(caches, refuses_what_has_no_set)
{
	cache_options o;
	o.cores = 65;
	EXPECT_THROW(caches{o}, std::invalid_argument);
	o = {};
	o.l1_bytes = 64;
	EXPECT_THROW(caches{o}, std::invalid_argument);
}
