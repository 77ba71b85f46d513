// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What was written is what is read, and a generation holds what has changed alone.
#include "checkpoint/tests/saved.h"

#include <fstream>
#include <iterator>

using namespace het::checkpoint;

namespace
{

constexpr unsigned some = 9;

TEST(checkpoint_log_test, keeps_what_was_written)
{
	memory_file f;
	log_file file(f);
	ASSERT_TRUE(file.create());
	for (unsigned n = 0; n < some; n++) {
		ASSERT_TRUE(file.write(example(n))) << file.why.text;
		EXPECT_EQ(file.state.end, f.size());
		saved all;
		EXPECT_TRUE(file.read(all)) << file.why.text;
		EXPECT_EQ(all, example(n)) << n;
		uint64_t generation = 0;
		EXPECT_EQ(read_image(f.now(), &generation), example(n)) << n;
		EXPECT_EQ(generation, n + 1);
	}
}

TEST(checkpoint_log_test, goes_on_with_a_file_that_another_process_wrote)
{
	memory_file f;
	ASSERT_TRUE(log_file(f).create());
	image last = f.now();
	for (unsigned n = 0; n < some; n++) {
		memory_file again(last);
		log_file file(again);
		if (n)
			ASSERT_EQ(file.open(), outcome::done) << file.why.text;
		else
			ASSERT_TRUE(file.create());
		ASSERT_TRUE(file.write(example(n))) << file.why.text;
		EXPECT_EQ(read_image(again.now()), example(n)) << n;
		last = again.now();
	}
}

TEST(checkpoint_log_test, writes_what_has_changed_alone)
{
	memory_file f;
	log_file file(f);
	saved s = {{"a", random_bytes(100 * page_size, 1)}, {"b", random_bytes(50 * page_size + 1, 2)}};
	ASSERT_TRUE(file.create() && file.write(s));
	uint64_t before = f.size();
	EXPECT_GT(before, 150 * page_size);
	ASSERT_TRUE(file.write(s));
	EXPECT_LT(f.size() - before, 300u);
	before = f.size();
	s["a"][70 * page_size + 5] ^= std::byte{1};
	s["b"].back() ^= std::byte{1};
	ASSERT_TRUE(file.write(s));
	EXPECT_LT(f.size() - before, page_size + 400);
	EXPECT_EQ(read_image(f.now()), s);
}

TEST(checkpoint_log_test, zeros_take_no_room)
{
	memory_file f;
	log_file file(f);
	saved s = {{"all", image(1000 * page_size)}};
	ASSERT_TRUE(file.create() && file.write(s));
	EXPECT_LT(f.size(), 300u);
	s["all"] = random_bytes(1000 * page_size, 1);
	ASSERT_TRUE(file.write(s));
	EXPECT_EQ(file.held.stored_bytes(), 1000 * page_size);
	s["all"] = image(1000 * page_size);
	const uint64_t before = f.size();
	ASSERT_TRUE(file.write(s));
	EXPECT_LT(f.size() - before, 300u);
	EXPECT_EQ(file.held.stored_bytes(), 0u);
	EXPECT_EQ(read_image(f.now()), s);
}

TEST(checkpoint_log_test, an_item_that_has_gone_comes_back_anew)
{
	memory_file f;
	log_file file(f);
	const saved with = {{"a", random_bytes(page_size, 1)}}, without = {{"b", random_bytes(9, 2)}};
	ASSERT_TRUE(file.create() && file.write(with) && file.write(without));
	EXPECT_EQ(read_image(f.now()), without);
	ASSERT_TRUE(file.write(with));
	EXPECT_EQ(read_image(f.now()), with);
	ASSERT_TRUE(file.write({}));
	EXPECT_EQ(read_image(f.now()), saved());
}

TEST(checkpoint_log_test, pages_stay_in_memory_until_the_end)
{
	memory_file f;
	log_file file(f);
	ASSERT_TRUE(file.create());
	const image data = random_bytes(600 * page_size, 1);
	for (uint64_t room : {uint64_t{0}, uint64_t{4} << 20}) {
		generation_writer w(f, file.state, room);
		ASSERT_TRUE(w.add_item("a", data.size(), file.why));
		const uint64_t before = f.operations;
		ASSERT_TRUE(w.put_changed(0, nullptr, 0, data, file.why));
		EXPECT_EQ(f.operations > before, room == 0);
		w.abandon();
		EXPECT_EQ(f.size(), file.state.end);
	}
}

// The writer, too, does what it did: a file of the first version has these bytes.
TEST(checkpoint_log_test, the_format_is_as_it_was)
{
	memory_file f;
	log_file file(f);
	ASSERT_TRUE(file.create());
	for (unsigned n = 1; n <= 2; n++) {
		ASSERT_TRUE(file.write(small_example(n - 1)));
		std::ifstream in(std::string(HET_CHECKPOINT_CORPUS) + "/" + std::to_string(n) + ".hetcheck",
				 std::ios::binary);
		const std::string kept(std::istreambuf_iterator<char>(in), {});
		const bytes there = std::as_bytes(std::span(kept));
		EXPECT_EQ(image(there.begin(), there.end()), f.now());
		EXPECT_EQ(read_image({there.begin(), there.end()}), small_example(n - 1));
	}
}

TEST(checkpoint_log_test, written_anew_it_holds_the_same)
{
	memory_file f, g;
	log_file file(f);
	ASSERT_TRUE(file.create());
	for (unsigned n = 0; n < some; n++)
		ASSERT_TRUE(file.write(example(n)));
	contents copied;
	ASSERT_TRUE(write_anew(f, g, 43, file.held, copied, file.state, file.why)) << file.why.text;
	EXPECT_LT(g.size(), f.size() / 2);
	uint64_t generation = 0;
	EXPECT_EQ(read_image(g.now(), &generation), example(some - 1));
	EXPECT_EQ(generation, some);
	log_file other(g);
	other.held.swap(copied);
	other.state = file.state;
	ASSERT_TRUE(other.write(example(some))) << other.why.text;
	EXPECT_EQ(read_image(g.now(), &generation), example(some));
	EXPECT_EQ(generation, some + 1);
}

TEST(checkpoint_log_test, damaged_pages_are_not_written_anew)
{
	memory_file f;
	log_file file(f);
	ASSERT_TRUE(file.create() && file.write({{"a", random_bytes(page_size, 1)}}));
	image bad = f.now();
	bad[sizeof(file_head) + sizeof(generation_head) + 10] ^= std::byte{1};
	memory_file broken(bad), to;
	log_file again(broken);
	ASSERT_EQ(again.open(), outcome::done);
	contents copied;
	EXPECT_FALSE(write_anew(broken, to, 43, again.held, copied, again.state, again.why));
	EXPECT_STREQ(again.why.text, "page 0 of item a is damaged, at byte 128");
	EXPECT_EQ(again.state.identity, 42u);
}

TEST(checkpoint_log_test, names_are_told_apart)
{
	memory_file f;
	log_file file(f);
	ASSERT_TRUE(file.create());
	generation_writer w(f, file.state, 0);
	EXPECT_TRUE(w.add_item("a", 1, file.why) && w.add_item("a", 1, file.why));
	EXPECT_FALSE(w.finish(file.held, file.state, file.why));
	EXPECT_STREQ(file.why.text, "the index is wrong: two items have the name a");
	EXPECT_TRUE(file.write({{std::string(most_name, 'x'), image(1)}}));
	EXPECT_FALSE(file.write({{std::string(most_name + 1, 'x'), image(1)}}));
	EXPECT_FALSE(file.write({{"a", image()}}));
	EXPECT_EQ(file.state.generation, 1u);
	// The last one may have none, and no other.
	generation_writer nameless(f, file.state, 0);
	EXPECT_TRUE(nameless.add_item("", 1, file.why) && nameless.add_item("a", 1, file.why));
	EXPECT_FALSE(nameless.finish(file.held, file.state, file.why));
	EXPECT_TRUE(file.write({{"a", image(1)}, {"", image(1)}}));
}

TEST(checkpoint_log_test, what_is_too_large_for_the_memory_is_told_apart_from_damage)
{
	memory_file f;
	log_file file(f);
	ASSERT_TRUE(file.create() && file.write({{"a", image(10 * page_size)}}));
	log_file again(f);
	again.held.most_pages = 9;
	EXPECT_EQ(again.open(), outcome::no_memory);
	again.held.most_pages = 10;
	EXPECT_EQ(again.open(), outcome::done);
}

} // namespace
