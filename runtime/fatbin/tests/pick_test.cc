// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests which image a device gets from a fat binary that has three. No compiler needs to be here.
#include "fatbin/pick.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

using namespace het::fatbin;

namespace
{

// The binaries have OpenCL C, SPIR-V 1.0, native binaries of "a; b; c" and "a; b; d", PTX for sm_70, and a cubin for
// sm_90.
class picks : public testing::Test
{
      protected:
	void SetUp() override
	{
		std::ifstream file(HET_FATBIN_CORPUS "/images.het", std::ios::binary);
		bytes_.assign(std::istreambuf_iterator<char>(file), {});
		fault why;
		ASSERT_TRUE(images_.open(std::as_bytes(std::span(bytes_)), why)) << why.text;
	}

	// Returns the targets that such a device gets, in order.
	std::vector<target> order(const abilities &can) const
	{
		std::vector<target> all;
		image i;
		for (uint32_t n = 0; pick(images_, can, n, i); n++)
			all.push_back(i.target);
		return all;
	}

	container images_;

      private:
	std::vector<char> bytes_;
};

using order_of = std::vector<target>;

} // namespace

TEST_F(picks, the_own_binary_before_spirv_before_opencl_c)
{
	EXPECT_EQ(order({"a; b; c", 1, 2, true, 0}), (order_of{target::native, target::spirv, target::opencl_c}));
	image i;
	ASSERT_TRUE(pick(images_, {"a; b; d", 1, 2, true, 0}, 0, i));
	EXPECT_STREQ(i.name, "a; b; d");
}

TEST_F(picks, no_other_device_s_binary)
{
	EXPECT_EQ(order({"a; b; cc", 1, 2, true, 0}), (order_of{target::spirv, target::opencl_c}));
	EXPECT_EQ(order({nullptr, 0, 0, true, 0}), order_of{target::opencl_c});
}

TEST_F(picks, no_spirv_that_is_too_new)
{
	EXPECT_EQ(order({nullptr, 1, 0, false, 0}), order_of{target::spirv});
	EXPECT_EQ(order({nullptr, 0, 9, false, 0}), order_of{});
}

TEST_F(picks, a_cubin_of_the_generation_before_ptx)
{
	auto of_sm = [&](uint32_t sm) { return order({nullptr, 0, 0, false, sm}); };
	EXPECT_EQ(of_sm(90), (order_of{target::cubin, target::ptx}));
	EXPECT_EQ(of_sm(93), (order_of{target::cubin, target::ptx}));
	EXPECT_EQ(of_sm(100), order_of{target::ptx});
	EXPECT_EQ(of_sm(89), order_of{target::ptx});
	EXPECT_EQ(of_sm(70), order_of{target::ptx});
	EXPECT_EQ(of_sm(69), order_of{});
}

TEST_F(picks, images_with_right_checksums)
{
	image i;
	bytes data;
	fault why;
	ASSERT_TRUE(pick(images_, {"a; b; c", 0, 0, false, 0}, 0, i));
	ASSERT_TRUE(images_.contents(i, data, why));
	i.checksum++;
	EXPECT_FALSE(images_.contents(i, data, why));
	EXPECT_NE(strstr(why.text, "the native binary has a wrong checksum"), nullptr) << why.text;
}

TEST(il_versions, the_newest_counts)
{
	abilities can = {};
	take_il_version("", can);
	EXPECT_EQ(can.spirv_major, 0u);
	take_il_version("SPIR-V_1.0 SPIR-V_1.4 SPIR-V_1.2 OTHER_3.0 SPIR-V_", can);
	EXPECT_EQ(can.spirv_major, 1u);
	EXPECT_EQ(can.spirv_minor, 4u);
}
