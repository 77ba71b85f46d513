// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The environment is read once a process, so each case has a child of its own. This process never asks.
#include "os/settings.h"

#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace het;

namespace
{

using variable = std::pair<const char *, std::string>;

struct answer {
	bool ended_well;
	environment e;
	char trap[32], uffd_open[32]; // the child's strings, or "(null)" for null
};

void copy_text(char (&to)[32], const char *text)
{
	snprintf(to, sizeof(to), "%s", text ? text : "(null)");
}

class settings_test : public testing::Test
{
      protected:
	settings_test()
	{
		void *p = mmap(nullptr, sizeof(answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		shared_ = static_cast<answer *>(p);
		for (const char *name :
		     {"GPUVM_QUIET", "GPUVM_VERBOSE", "GPUVM_FORK_COPY", "GPUVM_STRICT", "GPUVM_UFFD_FEATURES",
		      "GPUVM_TRAP", "GPUVM_UFFD_OPEN", "GPUVM_SPIN_US", "GPUVM_RESOLVERS", "GPUVM_CHUNK",
		      "GPUVM_READ_AHEAD", "GPUVM_FORESIGHT", "GPUVM_MMAP_THRESHOLD", "GPUVM_WATCHDOG"})
			unsetenv(name);
	}
	~settings_test() override { munmap(shared_, sizeof(answer)); }

	// Returns what a process with these variables is told.
	const answer &ask(std::initializer_list<variable> variables)
	{
		*shared_ = {};
		pid_t child = fork();
		if (!child) {
			for (const auto &[name, value] : variables)
				setenv(name, value.c_str(), 1);
			shared_->e = settings();
			copy_text(shared_->trap, settings().trap);
			copy_text(shared_->uffd_open, settings().uffd_open);
			_exit(0);
		}
		int status = -1;
		waitpid(child, &status, 0);
		shared_->ended_well = status == 0;
		EXPECT_TRUE(shared_->ended_well);
		return *shared_;
	}
	size_t chunk_for(const std::string &text) { return ask({{"GPUVM_CHUNK", text}}).e.chunk; }

      private:
	answer *shared_;
};

TEST_F(settings_test, defaults)
{
	const answer &a = ask({});
	EXPECT_FALSE(a.e.quiet);
	EXPECT_FALSE(a.e.verbose);
	EXPECT_TRUE(a.e.fork_copy);
	EXPECT_FALSE(a.e.strict);
	EXPECT_FALSE(a.e.kernel_6_1);
	EXPECT_STREQ(a.trap, "(null)");
	EXPECT_STREQ(a.uffd_open, "(null)");
	EXPECT_EQ(a.e.spin_us, -1);
	EXPECT_EQ(a.e.resolvers, 0u);
	EXPECT_EQ(a.e.chunk, 0u);
	EXPECT_EQ(a.e.read_ahead, 8u << 20);
	EXPECT_EQ(a.e.foresight, foresight_kind::learned);
	EXPECT_EQ(a.e.mmap_threshold, 128u << 10);
	EXPECT_EQ(a.e.watchdog_s, 10u);
}

TEST_F(settings_test, each_variable_sets_its_own)
{
	const answer &a = ask({{"GPUVM_QUIET", "1"},
			       {"GPUVM_VERBOSE", "2"},
			       {"GPUVM_FORK_COPY", "0"},
			       {"GPUVM_STRICT", "1"},
			       {"GPUVM_UFFD_FEATURES", "6.1"},
			       {"GPUVM_TRAP", "sigsegv"},
			       {"GPUVM_UFFD_OPEN", "user"},
			       {"GPUVM_SPIN_US", "0"},
			       {"GPUVM_RESOLVERS", "3"},
			       {"GPUVM_CHUNK", "256K"},
			       {"GPUVM_READ_AHEAD", "16M"},
			       {"GPUVM_FORESIGHT", "0"},
			       {"GPUVM_MMAP_THRESHOLD", "0"},
			       {"GPUVM_WATCHDOG", "60"}});
	EXPECT_TRUE(a.e.quiet);
	EXPECT_TRUE(a.e.verbose);
	EXPECT_FALSE(a.e.fork_copy);
	EXPECT_TRUE(a.e.strict);
	EXPECT_TRUE(a.e.kernel_6_1);
	EXPECT_STREQ(a.trap, "sigsegv");
	EXPECT_STREQ(a.uffd_open, "user");
	EXPECT_EQ(a.e.spin_us, 0);
	EXPECT_EQ(a.e.resolvers, 3u);
	EXPECT_EQ(a.e.chunk, 256u << 10);
	EXPECT_EQ(a.e.read_ahead, 16u << 20);
	EXPECT_EQ(a.e.foresight, foresight_kind::off);
	EXPECT_EQ(a.e.mmap_threshold, 0u);
	EXPECT_EQ(a.e.watchdog_s, 60u);
}

TEST_F(settings_test, foresight_for_tests)
{
	auto kind_for = [&](const char *text) { return ask({{"GPUVM_FORESIGHT", text}}).e.foresight; };
	EXPECT_EQ(kind_for("1"), foresight_kind::learned);
	EXPECT_EQ(kind_for("eager"), foresight_kind::eager);
	EXPECT_EQ(kind_for("always"), foresight_kind::always);
	EXPECT_EQ(kind_for("random"), foresight_kind::random);
	EXPECT_EQ(kind_for("never heard of"), foresight_kind::learned);
}

TEST_F(settings_test, an_empty_variable_is_none)
{
	const answer &a =
		ask({{"GPUVM_TRAP", ""}, {"GPUVM_UFFD_FEATURES", ""}, {"GPUVM_WATCHDOG", ""}, {"GPUVM_FORK_COPY", ""}});
	EXPECT_STREQ(a.trap, "(null)");
	EXPECT_FALSE(a.e.kernel_6_1);
	EXPECT_EQ(a.e.watchdog_s, 10u);
	EXPECT_TRUE(a.e.fork_copy);
}

TEST_F(settings_test, suffixes_are_powers_of_1024)
{
	EXPECT_EQ(chunk_for("65536"), 65536u);
	EXPECT_EQ(chunk_for("64K"), 65536u);
	EXPECT_EQ(chunk_for("3M"), 3u << 20);
	EXPECT_EQ(chunk_for("5G"), size_t{5} << 30);
	EXPECT_EQ(chunk_for("0064K"), 65536u) << "decimal";
	EXPECT_EQ(chunk_for("9223372036854775807"), size_t{INT64_MAX});
	EXPECT_EQ(chunk_for("8589934591G"), size_t{8589934591} << 30);
}

TEST_F(settings_test, what_is_malformed_or_too_large_counts_as_unset)
{
	for (const char *text : {"K",
				 "M",
				 "G",
				 "x",
				 "-",
				 "-1",
				 "-64K",
				 "+4",
				 " 4",
				 "4 ",
				 "4k",
				 "4KK",
				 "4KB",
				 "4KM",
				 "4.5",
				 "0x10",
				 "1e3",
				 "ten",
				 "K4",
				 "9223372036854775808",
				 "18446744073709551616",
				 "99999999999999999999999",
				 "8589934592G",
				 "17179869184G",
				 "9007199254740992K"})
		EXPECT_EQ(ask({{"GPUVM_MMAP_THRESHOLD", text}}).e.mmap_threshold, 128u << 10) << text;
	EXPECT_EQ(ask({{"GPUVM_SPIN_US", "-1"}}).e.spin_us, -1);
	EXPECT_EQ(ask({{"GPUVM_SPIN_US", "9223372036854775807"}}).e.spin_us, -1) << "no room in nanoseconds";
	EXPECT_EQ(ask({{"GPUVM_RESOLVERS", "4294967297"}}).e.resolvers, 0u) << "not 1";
	EXPECT_EQ(ask({{"GPUVM_WATCHDOG", "4294967296"}}).e.watchdog_s, 10u) << "not 0";
	EXPECT_EQ(ask({{"GPUVM_WATCHDOG", "4294967295"}}).e.watchdog_s, UINT_MAX);
	EXPECT_EQ(ask({{"GPUVM_MMAP_THRESHOLD", "2G"}}).e.mmap_threshold, 128u << 10) << "malloc's option is an int";
}

TEST_F(settings_test, other_features_are_not_linux_6_1)
{
	for (const char *text : {"6.10", "6", "all"})
		EXPECT_FALSE(ask({{"GPUVM_UFFD_FEATURES", text}}).e.kernel_6_1) << text;
}

// Parses the text in 128-bit arithmetic, which can't overflow here.
int64_t expected(const std::string &text, int64_t otherwise, int64_t most)
{
	size_t digits = 0;
	unsigned __int128 value = 0;
	for (; digits < text.size() && isdigit(static_cast<unsigned char>(text[digits])); digits++) {
		if (value < uint64_t{1} << 63)
			value = value * 10 + unsigned(text[digits] - '0');
	}
	std::string suffix = text.substr(digits);
	if (!digits || suffix.size() > 1 || (suffix.size() == 1 && !strchr("KMG", suffix[0])))
		return otherwise;
	for (const char *s = "KMG"; !suffix.empty(); s++) {
		value <<= 10;
		if (*s == suffix[0])
			break;
	}
	return value <= uint64_t(most) ? int64_t(value) : otherwise;
}

std::string random_text(std::mt19937 &random)
{
	const char *alphabet = random() % 2 ? "0123456789" : "0123456789KMG-+ x.";
	std::string text;
	for (size_t n = random() % 22; n; n--)
		text += alphabet[random() % strlen(alphabet)];
	return random() % 3 ? text : text + "KMG"[random() % 3];
}

TEST_F(settings_test, random_texts)
{
	std::mt19937 random(1);
	for (int round = 0; round < 60; round++) {
		std::string t[6];
		for (std::string &text : t)
			text = random_text(random);
		const answer &a = ask({{"GPUVM_CHUNK", t[0]},
				       {"GPUVM_READ_AHEAD", t[1]},
				       {"GPUVM_MMAP_THRESHOLD", t[2]},
				       {"GPUVM_SPIN_US", t[3]},
				       {"GPUVM_RESOLVERS", t[4]},
				       {"GPUVM_WATCHDOG", t[5]}});
		SCOPED_TRACE(testing::PrintToString(t));
		ASSERT_EQ(a.e.chunk, size_t(expected(t[0], 0, INT64_MAX)));
		ASSERT_EQ(a.e.read_ahead, size_t(expected(t[1], 8 << 20, int64_t{1} << 40)));
		ASSERT_EQ(a.e.mmap_threshold, size_t(expected(t[2], 128 << 10, INT_MAX)));
		ASSERT_EQ(a.e.spin_us, expected(t[3], -1, INT64_MAX / 1000));
		ASSERT_EQ(a.e.resolvers, expected(t[4], 0, UINT_MAX));
		ASSERT_EQ(a.e.watchdog_s, expected(t[5], 10, UINT_MAX));
	}
}

} // namespace
