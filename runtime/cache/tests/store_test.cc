// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "cache/entry.h"
#include "cache/user_store.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace het::cache;

namespace
{

constexpr uint64_t plenty = 1 << 20;
// Where no more may be there each entry that is written has the folder looked after.
constexpr uint64_t little = 64 << 10;

std::string text_of(const contents &c)
{
	return {reinterpret_cast<const char *>(c.value.data()), c.value.size()};
}

// Each test gets a folder, in which the store makes its own.
class in_folder : public testing::Test
{
      protected:
	in_folder()
	{
		char name[] = "/tmp/het-store-XXXXXX";
		above = mkdtemp(name);
	}
	~in_folder() override { fs::remove_all(above); }

	fs::path place() const { return above / "libhet"; }
	store make(uint64_t most = plenty) const { return {place(), most}; }
	// Returns the only file there is.
	fs::path file() const { return *fs::directory_iterator(place()); }
	size_t nfiles() const
	{
		return size_t(std::distance(fs::directory_iterator(place()), fs::directory_iterator()));
	}

	fs::path above;
};

using store_test = in_folder;

// The key has one word.
struct word_key {
	explicit word_key(std::string_view w) : part(bytes_of(w)) {}
	operator key() const { return {"word", {&part, 1}}; }
	const bytes part;
};

std::string read_file(const fs::path &file)
{
	std::ifstream in(file, std::ios::binary);
	return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const fs::path &file, const std::string &bytes)
{
	std::ofstream(file, std::ios::binary) << bytes;
}

} // namespace

TEST_F(store_test, keeps_what_was_put)
{
	EXPECT_FALSE(make().get(word_key("a")));
	make().put(word_key("a"), bytes_of("first"));
	make().put(word_key("b"), bytes_of(""));
	EXPECT_EQ(text_of(make().get(word_key("a"))), "first");
	EXPECT_TRUE(make().get(word_key("b")));
	EXPECT_EQ(text_of(make().get(word_key("b"))), "");
	make().put(word_key("a"), bytes_of("second"));
	EXPECT_EQ(text_of(make().get(word_key("a"))), "second");
	EXPECT_EQ(nfiles(), 2u);
}

TEST_F(store_test, kinds_and_parts_are_kept_apart)
{
	const bytes one[] = {bytes_of("ab"), bytes_of("c")}, other[] = {bytes_of("a"), bytes_of("bc")};
	make().put({"speed", one}, bytes_of("1"));
	EXPECT_FALSE(make().get({"speed", other}));
	EXPECT_FALSE(make().get({"program", one}));
	EXPECT_FALSE(make().get({"speed", std::span(one, 1)}));
	EXPECT_EQ(text_of(make().get({"speed", one})), "1");
}

TEST_F(store_test, takes_no_entry_of_another_key)
{
	make().put(word_key("a"), bytes_of("of a"));
	fs::rename(file(), place() / name_of(word_key("b")).text);
	EXPECT_FALSE(make().get(word_key("b")));
	make().put(word_key("b"), bytes_of("of b"));
	EXPECT_EQ(text_of(make().get(word_key("b"))), "of b");
}

TEST_F(store_test, takes_no_damaged_entry)
{
	make().put(word_key("a"), bytes_of("a longer text, so that all ways of the checksum are gone"));
	const std::string whole = read_file(file());
	for (size_t n = 0; n < whole.size(); n++) {
		write_file(file(), whole.substr(0, n));
		EXPECT_FALSE(make().get(word_key("a"))) << "cut off at " << n;
		std::string changed = whole;
		changed[n] ^= 4;
		write_file(file(), changed);
		EXPECT_FALSE(make().get(word_key("a"))) << "changed at " << n;
	}
	write_file(file(), whole + "x");
	EXPECT_FALSE(make().get(word_key("a")));
	write_file(file(), whole);
	EXPECT_TRUE(make().get(word_key("a")));
}

TEST_F(store_test, trusts_only_what_nobody_else_can_write)
{
	make().put(word_key("a"), bytes_of("text"));
	fs::permissions(file(), fs::perms::group_write, fs::perm_options::add);
	EXPECT_FALSE(make().get(word_key("a")));
	fs::permissions(file(), fs::perms::group_write, fs::perm_options::remove);
	EXPECT_TRUE(make().get(word_key("a")));
	fs::permissions(place(), fs::perms::others_write, fs::perm_options::add);
	EXPECT_FALSE(make().get(word_key("a")));
	make().put(word_key("b"), bytes_of("text"));
	EXPECT_EQ(nfiles(), 1u);
}

TEST_F(store_test, follows_no_links)
{
	make().put(word_key("a"), bytes_of("text"));
	fs::rename(file(), above / "elsewhere");
	fs::create_symlink(above / "elsewhere", place() / name_of(word_key("a")).text);
	EXPECT_FALSE(make().get(word_key("a")));
	make().put(word_key("a"), bytes_of("new"));
	EXPECT_EQ(text_of(make().get(word_key("a"))), "new");
}

TEST_F(store_test, removes_what_was_used_longest_ago)
{
	const std::string value(1000, 'x');
	store s = make(4000); // a sweep leaves 3500
	for (const char *w : {"a", "b", "c"}) {
		s.put(word_key(w), bytes_of(value));
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
	}
	EXPECT_TRUE(s.get(word_key("a")));
	s.put(word_key("d"), bytes_of(value));
	EXPECT_FALSE(s.get(word_key("b")));
	for (const char *w : {"a", "c", "d"})
		EXPECT_TRUE(s.get(word_key(w))) << w;
	s.put(word_key("e"), bytes_of(std::string(3600, 'x')));
	EXPECT_EQ(nfiles(), 3u);
	EXPECT_EQ(s.used().entries, 3u);
	EXPECT_GT(s.used().bytes, 3000u);
	EXPECT_LE(s.used().bytes, 3500u);
}

TEST_F(store_test, removes_what_killed_processes_have_left)
{
	make().put(word_key("a"), bytes_of("text"));
	const fs::path old = place() / "new-0123456789abcdef", young = place() / "new-0123456789abcdee";
	const fs::path foreign = place() / "notes";
	for (const fs::path &p : {old, young, foreign})
		write_file(p, "part of an entry");
	for (const fs::path &p : {old, foreign})
		fs::last_write_time(p, fs::file_time_type::clock::now() - std::chrono::hours(2));
	make(little).put(word_key("b"), bytes_of("text"));
	EXPECT_FALSE(fs::exists(old));
	EXPECT_TRUE(fs::exists(young));
	EXPECT_TRUE(fs::exists(foreign));
}

// Small entries come often, and looking at all files is for few of them: what it would have removed is still there.
TEST_F(store_test, looks_at_the_whole_folder_now_and_then)
{
	constexpr uint64_t most = 256 << 20;
	constexpr double each = most / 64, all = 0x1p32;
	for (uint64_t size : {0u, 100u, 4096u, 100'000u, 3u << 20}) {
		const double chance = double(std::max<uint64_t>(size, 4096)) / each;
		EXPECT_TRUE(is_time_to_sweep(size, most, 0));
		EXPECT_TRUE(is_time_to_sweep(size, most, uint32_t(chance * all * 0.999)));
		EXPECT_FALSE(is_time_to_sweep(size, most, uint32_t(chance * all * 1.001)));
	}
	EXPECT_TRUE(is_time_to_sweep(4 << 20, most, UINT32_MAX));
	EXPECT_TRUE(is_time_to_sweep(1, little, UINT32_MAX));
	EXPECT_TRUE(is_time_to_sweep(1, 0, UINT32_MAX));
	make().put(word_key("a"), bytes_of("text"));
	const fs::path old = place() / "new-0123456789abcdef";
	unsigned sweeps = 0;
	for (unsigned i = 0; i < 64; i++) {
		write_file(old, "part of an entry");
		fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
		make(most).put(word_key("b"), bytes_of("text"));
		sweeps += !fs::exists(old);
	}
	EXPECT_LT(sweeps, 32u) << "of 64, each with a chance of a thousandth";
}

TEST_F(store_test, does_without_a_folder)
{
	const store none("", plenty), unreachable("/nowhere/at/all/libhet", plenty),
		in_file(above / "file" / "libhet", plenty);
	write_file(above / "file", "");
	for (const store *s : {&none, &unreachable, &in_file}) {
		s->put(word_key("a"), bytes_of("text"));
		EXPECT_FALSE(s->get(word_key("a")));
	}
}

TEST_F(store_test, reads_where_it_can_not_write)
{
	make().put(word_key("a"), bytes_of("text"));
	fs::permissions(place(), fs::perms::owner_read | fs::perms::owner_exec);
	make().put(word_key("b"), bytes_of("text"));
	EXPECT_EQ(text_of(make().get(word_key("a"))), "text");
	EXPECT_EQ(bool(make().get(word_key("b"))), geteuid() == 0); // nothing stops root
	fs::permissions(place(), fs::perms::owner_all);
}

// Each value is of one letter, so a mixture would be seen.
TEST_F(store_test, many_processes_write_one_entry)
{
	constexpr int processes = 4, rounds = 100;
	constexpr size_t size = 30'000;
	for (int p = 0; p < processes; p++) {
		if (fork())
			continue;
		bool good = true;
		const std::string mine(size, char('a' + p));
		for (int i = 0; i < rounds && good; i++) {
			make().put(word_key("a"), bytes_of(mine));
			contents c = make().get(word_key("a"));
			good = c && text_of(c) == std::string(size, text_of(c)[0]);
		}
		_exit(good ? 0 : 1);
	}
	for (int p = 0, status; p < processes; p++) {
		wait(&status);
		EXPECT_EQ(status, 0);
	}
	EXPECT_EQ(nfiles(), 1u);
}

TEST(user_folder, follows_the_specification)
{
	EXPECT_EQ(user_folder("/c", "/home/u"), "/c/libhet");
	EXPECT_EQ(user_folder(nullptr, "/home/u"), "/home/u/.cache/libhet");
	EXPECT_EQ(user_folder("relative", "/home/u"), "/home/u/.cache/libhet");
	EXPECT_EQ(user_folder("", ""), "");
	EXPECT_EQ(user_folder(nullptr, nullptr), "");
}
