// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs the unit tests of a folder, which are one program. If it is called by the name of one of its sources, without
// the suffix, it runs those that stand there.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace
{
std::string those_of(const std::string &source)
{
	std::string names;
	const testing::UnitTest &all = *testing::UnitTest::GetInstance();
	for (int s = 0; s < all.total_test_suite_count(); s++) {
		const testing::TestSuite &suite = *all.GetTestSuite(s);
		for (int t = 0; t < suite.total_test_count(); t++) {
			const testing::TestInfo &test = *suite.GetTestInfo(t);
			if (std::filesystem::path(test.file()).stem() == source)
				names += std::string(suite.name()) + "." + test.name() + ":";
		}
	}
	return names;
}
} // namespace

int main(int argc, char **argv)
{
	std::string called = std::filesystem::path(argv[0]).filename();
	testing::InitGoogleTest(&argc, argv);
	if (!called.starts_with("in-") && GTEST_FLAG_GET(filter) == "*") {
		std::string names = those_of(called);
		if (names.empty()) {
			fprintf(stderr, "%s: no test stands in %s.cc\n", argv[0], called.c_str());
			return 1;
		}
		GTEST_FLAG_SET(filter, names);
	}
	return RUN_ALL_TESTS();
}
