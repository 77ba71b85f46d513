// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Files that are cut off or changed are refused, or give an earlier generation; they never give wrong bytes.
#include "checkpoint/tests/saved.h"
#include "fatbin/checksum.h"

#include <cstring>

using namespace het::checkpoint;

namespace
{

constexpr unsigned generations = 4;

struct written {
	written()
	{
		memory_file f;
		log_file file(f);
		EXPECT_TRUE(file.create());
		for (unsigned n = 0; n < generations; n++) {
			EXPECT_TRUE(file.write(example(n)));
			ends.push_back(f.size());
		}
		bytes = f.now();
	}
	image bytes;
	std::vector<uint64_t> ends;
};

enum class verdict : uint8_t { refused, pages_refused, earlier, last };

verdict judge(image i)
{
	memory_file f(std::move(i));
	log_file file(f);
	if (file.open() != outcome::done) {
		EXPECT_STRNE(file.why.text, "");
		return verdict::refused;
	}
	saved all;
	const bool whole = file.read(all);
	const saved &right = example(unsigned(file.state.generation - 1));
	for (const auto &[name, data] : all)
		EXPECT_EQ(data, right.at(name)) << name;
	if (!whole) {
		EXPECT_STRNE(file.why.text, "");
		return verdict::pages_refused;
	}
	EXPECT_EQ(all, right);
	return file.state.generation == generations ? verdict::last : verdict::earlier;
}

bool is_in(uint64_t at, uint64_t begin, uint64_t size)
{
	return at >= begin && at - begin < size;
}

TEST(checkpoint_damage_test, cut_anywhere_it_gives_what_came_before)
{
	const written w;
	ASSERT_EQ(judge(w.bytes), verdict::last);
	for (uint64_t n = 0; n<w.bytes.size(); n += n> 200 && n + 200 < w.bytes.size() ? 37 : 1)
		EXPECT_EQ(judge({w.bytes.begin(), w.bytes.begin() + long(n)}),
			  n < w.ends[0] ? verdict::refused : verdict::earlier)
			<< n;
}

TEST(checkpoint_damage_test, a_changed_byte_is_noticed)
{
	const written w;
	for (uint64_t at = 0; at < w.bytes.size(); at++) {
		const size_t g = size_t(std::ranges::upper_bound(w.ends, at) - w.ends.begin());
		const uint64_t begin = g ? w.ends[g - 1] : sizeof(file_head);
		generation_head head;
		memcpy(&head, &w.bytes[begin], sizeof(head));
		const bool is_page = is_in(at, begin + sizeof(head), head.pages_size);
		if (is_page && at % 97)
			continue;
		image changed = w.bytes;
		changed[at] ^= std::byte(1 << at % 8);
		const verdict v = judge(std::move(changed));
		if (at < sizeof(file_head))
			EXPECT_EQ(v, verdict::refused) << at;
		else if (is_page) // it may be of a page that has been written again since
			EXPECT_TRUE(v == verdict::pages_refused || (v == verdict::last && g + 1 < generations)) << at;
		else if (is_in(at, begin + sizeof(head) + head.pages_size, head.index_size))
			EXPECT_EQ(v, verdict::refused) << at;
		else // without its end the last one might be of a write that was broken off
			EXPECT_EQ(v,
				  at + sizeof(generation_end) >= w.bytes.size() ? verdict::earlier : verdict::refused)
				<< at;
	}
}

TEST(checkpoint_damage_test, it_says_what_is_wrong)
{
	const written w;
	const auto said_of = [](image i) {
		memory_file f(std::move(i));
		log_file file(f);
		EXPECT_NE(file.open(), outcome::done);
		return std::string(file.why.text);
	};
	EXPECT_EQ(said_of({}), "it has 0 bytes and is no checkpoint file");
	EXPECT_EQ(said_of(image(100)), "it is no checkpoint file");
	EXPECT_EQ(said_of({w.bytes.begin(), w.bytes.begin() + 100}), "its only generation is damaged");
	image other = w.bytes;
	other[20] ^= std::byte{1};
	EXPECT_EQ(said_of(other), "its head is damaged");
	file_head newer;
	memcpy(&newer, w.bytes.data(), sizeof(newer));
	newer.version = 2;
	newer.sum = het::fatbin::checksum(image_of(newer).first(offsetof(file_head, sum)));
	memcpy(other.data(), &newer, sizeof(newer));
	EXPECT_EQ(said_of(other), "it is of version 2 with pages of 4096 bytes, and this library knows version 1 with "
				  "pages of 4096");
	other = w.bytes;
	other[w.ends[0] + 3] ^= std::byte{1};
	EXPECT_EQ(said_of(other), "generation 2 is damaged, and others are behind it");
	other = w.bytes;
	other[w.ends[1] - sizeof(generation_end) - 1] ^= std::byte{1};
	EXPECT_EQ(said_of(other), "the index of generation 2 is damaged");
}

TEST(checkpoint_damage_test, what_another_file_has_left_is_no_part_of_this_one)
{
	const written w;
	memory_file f;
	log_file file(f);
	ASSERT_TRUE(begin_log(f, 7, 0, file.state) && file.write(example(0)));
	image mixed = f.now();
	// The second generation of the other file begins where this one's would.
	ASSERT_EQ(mixed.size(), w.ends[0]);
	mixed.insert(mixed.end(), w.bytes.begin() + long(w.ends[0]), w.bytes.end());
	uint64_t generation = 0;
	EXPECT_EQ(read_image(mixed, &generation), example(0));
	EXPECT_EQ(generation, 1u);
}

} // namespace
