// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "cache/device_profile.h"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace het::cache;

namespace
{

device_profile example()
{
	return {1790000000, {{"l1.size", 32768, 32000, 33000, 0.99}, {"memory.read", 12.5, 12.4, 12.6, 0.96}}};
}

class device_profile_test : public testing::Test
{
      protected:
	device_profile_test()
	{
		char name[] = "/tmp/het-profile-XXXXXX";
		above = mkdtemp(name);
	}
	~device_profile_test() override { fs::remove_all(above); }

	fs::path above;
};

} // namespace

TEST_F(device_profile_test, is_found_under_its_device_and_driver)
{
	const store s(above / "libhet", 1 << 20);
	device_profile p;
	EXPECT_FALSE(get_profile(s, {"a GPU", "1.0"}, p));
	put_profile(s, {"a GPU", "1.0"}, example());
	ASSERT_TRUE(get_profile(s, {"a GPU", "1.0"}, p));
	EXPECT_EQ(p.made, 1790000000);
	ASSERT_NE(p.find("memory.read"), nullptr);
	EXPECT_EQ(p.find("memory.read")->value, 12.5);
	EXPECT_EQ(p.find("l1.size")->high, 33000);
	EXPECT_EQ(p.find("l2.size"), nullptr);
	// A driver that was changed may have changed everything.
	EXPECT_FALSE(get_profile(s, {"a GPU", "1.1"}, p));
	EXPECT_FALSE(get_profile(s, {"another GPU", "1.0"}, p));
	EXPECT_TRUE(p.all.empty());
}

TEST_F(device_profile_test, what_makes_no_sense_is_left_out)
{
	device_profile p = example();
	p.all.push_back({"negative", -1, -2, 0, 0.5});
	p.all.push_back({"infinite", INFINITY, 1, INFINITY, 0.5});
	p.all.push_back({"outside", 5, 6, 7, 0.5});
	p.all.push_back({"", 5, 4, 7, 0.5});
	device_profile read;
	ASSERT_TRUE(from_bytes(to_bytes(p), read));
	EXPECT_EQ(read.all.size(), 2u);
}

TEST_F(device_profile_test, is_absent_if_it_was_cut_or_has_another_version)
{
	const std::vector<std::byte> whole = to_bytes(example());
	device_profile p;
	for (size_t n = 0; n < whole.size(); n++) {
		EXPECT_FALSE(from_bytes(bytes(whole).first(n), p)) << n;
		EXPECT_TRUE(p.all.empty());
	}
	for (size_t at : {0u, 4u, 8u, 12u}) { // mark, version, number of entries, what must be zero
		std::vector<std::byte> other = whole;
		other[at] ^= std::byte{1};
		EXPECT_FALSE(from_bytes(other, p)) << at;
	}
	std::vector<std::byte> longer = whole;
	longer.push_back({});
	EXPECT_FALSE(from_bytes(longer, p));
}

// Whatever the bytes are, what is read makes sense.
TEST_F(device_profile_test, takes_any_bytes)
{
	std::mt19937 random(1);
	const std::vector<std::byte> whole = to_bytes(example());
	unsigned read = 0;
	for (int round = 0; round < 20000; round++) {
		std::vector<std::byte> other = whole;
		for (unsigned n = random() % 4 + 1; n > 0; n--)
			other[random() % other.size()] = std::byte(random());
		if (random() % 4 == 0)
			other.resize(random() % (2 * whole.size()));
		device_profile p;
		if (!from_bytes(other, p))
			continue;
		read++;
		for (const measured &m : p.all) {
			EXPECT_TRUE(std::isfinite(m.value) && m.value > 0 && m.low <= m.value && m.value <= m.high);
			EXPECT_LT(m.name.size(), 48u);
		}
	}
	EXPECT_GT(read, 100u); // so the test has looked at more than refusals
}
