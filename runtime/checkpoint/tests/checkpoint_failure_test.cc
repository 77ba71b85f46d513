// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Whatever fails or stops while a generation is written: the file holds the one before, or the new one, whole.
#include "checkpoint/tests/saved.h"

using namespace het::checkpoint;

namespace
{

constexpr size_t partials[] = {0, 1, 31, 32, 63, 4096, SIZE_MAX};

// Two generations are there, and the third is under way.
struct third {
	third() : file(f)
	{
		EXPECT_TRUE(file.create() && file.write(example(0)) && file.write(example(1)));
		f.operations = 0;
	}
	memory_file f;
	log_file file;
};

uint64_t count_operations()
{
	third t;
	EXPECT_TRUE(t.file.write(example(2)));
	return t.f.operations;
}

// The file is opened by another process, which writes to it.
void expect_good(const image &i, bool may_be_new)
{
	uint64_t generation = 0;
	const saved all = read_image(i, &generation);
	ASSERT_TRUE(generation == 2 || (may_be_new && generation == 3)) << generation;
	EXPECT_EQ(all, example(unsigned(generation - 1)));
	memory_file f(i);
	log_file file(f);
	ASSERT_EQ(file.open(), outcome::done);
	ASSERT_TRUE(file.write(example(5))) << file.why.text;
	EXPECT_EQ(read_image(f.now()), example(5));
}

TEST(checkpoint_failure_test, any_operation_may_fail_at_any_byte)
{
	const uint64_t all = count_operations();
	ASSERT_GE(all, 6u);
	for (uint64_t n = 0; n < all; n++) {
		for (size_t partial : partials) {
			third t;
			t.f.fails_at = n;
			t.f.partial = partial;
			EXPECT_FALSE(t.file.write(example(2)));
			EXPECT_STREQ(t.file.why.text, "it can't be written: No space left on device");
			// Nothing could be cut off either. The end may stand there whole, though the disk did not say
			// so.
			expect_good(t.f.now(), n + 2 >= all);
			// When there is room again, it goes on as if nothing had been.
			t.f.fails_at = UINT64_MAX;
			ASSERT_TRUE(t.file.write(example(3))) << t.file.why.text;
			EXPECT_EQ(read_image(t.f.now()), example(3));
			EXPECT_EQ(t.file.state.generation, 3u);
		}
	}
}

TEST(checkpoint_failure_test, the_machine_may_stop_at_any_operation)
{
	const uint64_t all = count_operations();
	for (unsigned seed = 0; seed < 120; seed++) {
		std::mt19937 random(seed);
		third t;
		t.f.fails_at = seed % all;
		t.f.partial = partials[random() % std::size(partials)];
		EXPECT_FALSE(t.file.write(example(2)));
		expect_good(t.f.after_a_stop(random), t.f.fails_at + 2 >= all);
	}
}

TEST(checkpoint_failure_test, a_file_that_is_made_counts_when_it_is_whole)
{
	memory_file done;
	log_file counted(done);
	ASSERT_TRUE(counted.create() && counted.write(example(0)));
	for (uint64_t n = 0; n < done.operations - 1; n++) {
		memory_file f;
		log_file file(f), again(f);
		f.fails_at = n;
		EXPECT_FALSE(file.create() && file.write(example(0)));
		EXPECT_EQ(again.open(), outcome::damaged);
		EXPECT_STRNE(again.why.text, "");
	}
}

} // namespace
