// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Begins and ends against a model: what is open, who writes, and what two devices may do at once.
#include "memory/brackets.h"

#include "memory/context.h"

#include <gpuvm.h>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace het;

namespace
{

constexpr size_t page = 4096;
constexpr uintptr_t base = 64 * page;
constexpr unsigned devices = 2;

// Three chunks of one page, a head of 100 bytes and a tail of 200.
class brackets : public testing::Test
{
      protected:
	brackets()
	{
		context.ndevs = devices;
		a = new_array(context);
		a->place = plan_layout({base - 100, base + 3 * page + 200}, {base - 100, base + 3 * page + 200}, page,
				       page);
	}
	~brackets() override
	{
		drop_brackets(*a);
		free_array(a);
	}

	usage whole(unsigned device) const { return {device, a->place.user, true}; }
	usage part(unsigned device, long first, long last) const
	{
		return {device, {uintptr_t(long(base) + first), uintptr_t(long(base) + last)}, false};
	}
	bool fits(const usage &u) const { return !conflicts(*a, u); }

	memory_context context;
	array *a;
};

TEST_F(brackets, layout_is_as_meant)
{
	EXPECT_EQ(a->place.chunks, 3u);
	EXPECT_EQ(a->place.head.size(), 100u);
	EXPECT_EQ(a->place.tail.size(), 200u);
}

TEST_F(brackets, writers_on_two_devices)
{
	ASSERT_EQ(open_bracket(*a, part(0, 10, 20), true), 0);
	EXPECT_FALSE(fits(part(1, 30, 40))) << "one chunk";
	EXPECT_FALSE(fits(part(1, -10, long(page)))) << "one chunk";
	EXPECT_TRUE(fits(part(1, page, 2 * page)));
	EXPECT_TRUE(fits(part(1, -50, 0))) << "the head is not a chunk";
	EXPECT_TRUE(fits(part(0, 30, 40))) << "the same device";
	EXPECT_FALSE(fits(whole(1)));
	close_bracket(*a, part(0, 10, 20));

	ASSERT_EQ(open_bracket(*a, part(0, -100, -90), true), 0);
	EXPECT_FALSE(fits(part(1, -20, -10))) << "one edge";
	EXPECT_TRUE(fits(part(1, 0, long(page))));
	EXPECT_TRUE(fits(part(1, 3 * page, 3 * page + 10))) << "the other edge";
	close_bracket(*a, part(0, -100, -90));

	ASSERT_EQ(open_bracket(*a, part(0, 10, 20), false), 0);
	EXPECT_TRUE(fits(whole(1))) << "a reader keeps its copy";
	ASSERT_EQ(open_bracket(*a, whole(1), true), 0);
	EXPECT_FALSE(fits(part(0, 10, 20)));
	EXPECT_EQ(open_bracket(*a, part(0, 10, 20), true), GPUVM_ESTATE);
	close_bracket(*a, whole(1));
	EXPECT_TRUE(fits(part(0, 10, 20)));
}

TEST_F(brackets, joint_writers_wait_for_others_on_their_device)
{
	const int one = 0, other = 0;
	auto joint = [&](unsigned device, const void *launch, joint_kind kind = joint_kind::exact) {
		usage u = part(device, 10, 20);
		u.joint = kind;
		u.launch = launch;
		return u;
	};
	usage own = part(0, 30, 40), far = part(0, page, page + 10);
	own.launch = &one;
	for (bool writes : {false, true}) {
		for (const usage &u : {part(0, 30, 40), own}) {
			ASSERT_EQ(open_bracket(*a, u, writes), 0);
			EXPECT_FALSE(fits(joint(0, &other))) << "what it is still to get would overwrite";
			EXPECT_EQ(fits(joint(0, &one)), u.launch == &one);
			EXPECT_EQ(fits(joint(1, &other)), !writes) << "it gets nothing there";
			close_bracket(*a, u);
		}
		ASSERT_EQ(open_bracket(*a, far, writes), 0);
		EXPECT_TRUE(fits(joint(0, &other))) << "another chunk";
		close_bracket(*a, far);
	}
	for (joint_kind kind : {joint_kind::exact, joint_kind::noted}) {
		ASSERT_EQ(open_bracket(*a, joint(0, &one, kind), true), 0);
		for (joint_kind others : {joint_kind::exact, joint_kind::noted})
			EXPECT_TRUE(fits(joint(0, &other, others)))
				<< "each gets its own bytes, and may stay open for long";
		EXPECT_FALSE(fits(part(0, 30, 40)));
		close_bracket(*a, joint(0, &one, kind));
	}
}

TEST_F(brackets, an_undone_writer_leaves_the_reader)
{
	for (usage u : {whole(0), part(0, 0, 50)}) {
		ASSERT_EQ(open_bracket(*a, u, false), 0);
		ASSERT_EQ(open_bracket(*a, u, true), 0);
		EXPECT_TRUE(look_at_bracket(*a, u).writer);
		undo_bracket(*a, u, true);
		EXPECT_TRUE(look_at_bracket(*a, u).any);
		EXPECT_FALSE(look_at_bracket(*a, u).writer);
		EXPECT_FALSE(any_writer(*a));
		close_bracket(*a, u);
		EXPECT_FALSE(look_at_bracket(*a, u).any);
		undo_bracket(*a, u, true);
		EXPECT_FALSE(look_at_bracket(*a, u).any) << "nothing is left to undo";
	}
}

TEST_F(brackets, which_chunks_and_edges_are_written)
{
	ASSERT_EQ(open_bracket(*a, part(1, -10, page + 1), true), 0);
	EXPECT_TRUE(being_written(*a, 0));
	EXPECT_TRUE(being_written(*a, 1));
	EXPECT_FALSE(being_written(*a, 2));
	EXPECT_TRUE(edge_being_written(*a, a->place.head));
	EXPECT_FALSE(edge_being_written(*a, a->place.tail));
	close_bracket(*a, part(1, -10, page + 1));
	EXPECT_FALSE(being_written(*a, 0));
	ASSERT_EQ(open_bracket(*a, whole(0), true), 0);
	EXPECT_TRUE(being_written(*a, 2));
	EXPECT_TRUE(edge_being_written(*a, a->place.tail));
	close_bracket(*a, whole(0));
	EXPECT_FALSE(any_writer(*a));
}

TEST_F(brackets, random_begins_and_ends)
{
	struct model {
		usage u;
		unsigned readers = 0, writers = 0;
	};
	std::vector<model> all;
	for (unsigned d = 0; d < devices; d++) {
		all.push_back({whole(d)});
		all.push_back({part(d, 0, 50)});
		all.push_back({part(d, 0, 60)});
		all.push_back({part(d, -100, 10)});
		all.push_back({part(d, 2 * page, 3 * page + 200)});
	}
	std::minstd_rand random(1);
	for (int i = 0; i < 20000; i++) {
		model &m = all[random() % all.size()];
		bool writing = random() % 2;
		switch (random() % 4) {
		case 0:
			if (m.readers + m.writers < 4 && fits(m.u)) {
				ASSERT_EQ(open_bracket(*a, m.u, writing), 0);
				(writing ? m.writers : m.readers)++;
			}
			break;
		case 1:
			close_bracket(*a, m.u);
			if (m.readers)
				m.readers--;
			else if (m.writers)
				m.writers--;
			break;
		case 2: {
			usage known = m.u;
			known.ends = writing ? ending::writer : ending::reader;
			unsigned &n = writing ? m.writers : m.readers;
			ASSERT_EQ(look_at_bracket(*a, known).any, n > 0);
			ASSERT_EQ(look_at_bracket(*a, known).writer, writing);
			close_bracket(*a, known);
			n -= n > 0;
			break;
		}
		default:
			undo_bracket(*a, m.u, writing);
			if (unsigned &n = writing ? m.writers : m.readers)
				n--;
		}
		unsigned writers_on_device = 0;
		for (unsigned d = 0; d < devices; d++)
			writers_on_device += d == m.u.device ? all[d * 5].writers : 0;
		ASSERT_EQ(look_at_bracket(*a, m.u).any, m.readers + m.writers > 0) << i;
		ASSERT_EQ(look_at_bracket(*a, m.u).writer, m.writers > 0 || writers_on_device > 0) << i;
		bool open[devices] = {}, written = false;
		for (const model &o : all) {
			open[o.u.device] |= o.readers + o.writers > 0;
			written |= o.writers > 0;
		}
		ASSERT_EQ(is_open(*a, 0), open[0]) << i;
		ASSERT_EQ(is_open(*a, 1), open[1]) << i;
		ASSERT_EQ(any_writer(*a), written) << i;
	}
}

TEST_F(brackets, bytes_beside_other_writers)
{
	const usage mine = part(0, 0, 100);
	auto free_of = [&](const usage &u) { return beside_writers(*a, u.part, u, true); };
	ASSERT_EQ(open_bracket(*a, mine, true), 0);
	EXPECT_EQ(free_of(mine), mine.part) << "its own bracket is no other's";
	ASSERT_EQ(open_bracket(*a, part(0, 10, 20), false), 0);
	EXPECT_EQ(free_of(mine), mine.part) << "a reader";
	ASSERT_EQ(open_bracket(*a, part(0, 30, 40), true), 0);
	ASSERT_EQ(open_bracket(*a, part(0, -10, 5), true), 0);
	EXPECT_EQ(free_of(mine), part(0, 5, 30).part);
	EXPECT_EQ(beside_writers(*a, part(0, 30, 100).part, mine, true), part(0, 40, 100).part);
	EXPECT_TRUE(beside_writers(*a, part(0, 30, 40).part, mine, true).empty());
	ASSERT_EQ(open_bracket(*a, mine, true), 0);
	EXPECT_TRUE(free_of(mine).empty()) << "another kernel has the same bytes";
	open_whole(a->links[0], true);
	EXPECT_TRUE(free_of(part(0, 50, 60)).empty()) << "a kernel has all";
	EXPECT_EQ(beside_writers(*a, part(1, 50, 60).part, part(1, 50, 60), true), part(1, 50, 60).part);
	undo_whole(a->links[0], true);
}

} // namespace
