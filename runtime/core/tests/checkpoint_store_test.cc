// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A real file, and processes that are killed in the middle of a write: the system kills one that writes a file past its
// limit, at the very byte that the test chooses.
#include "core/checkpoint_store.h"
#include "os/log.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <het.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace het::checkpoint;
using het::rt::checkpoint_store;
using het::rt::disk_file;
using het::rt::stored_launches;

namespace
{

int failure_of_fsync = 0;
bool knows_renameat2 = true;

} // namespace

// File systems that do not know the flags of it say so.
extern "C" int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) noexcept
{
	if (knows_renameat2)
		return int(syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
	errno = EINVAL;
	return -1;
}

// This is the one that the library finds. It synchronizes folders with it, and nothing else.
extern "C" int fsync(int fd)
{
	errno = failure_of_fsync;
	return failure_of_fsync ? -1 : int(syscall(SYS_fsync, fd));
}

namespace
{

constexpr size_t some = 3 * page_size + 10;

class checkpoint_store_test : public testing::Test
{
      protected:
	checkpoint_store_test()
	{
		char name[] = "/tmp/het-store-XXXXXX";
		folder_ = mkdtemp(name);
		path_ = folder_ / "file";
	}
	~checkpoint_store_test() override { fs::remove_all(folder_); }

	const char *path() const { return path_.c_str(); }
	size_t nfiles() const
	{
		return size_t(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
	}

      private:
	fs::path folder_, path_;
};

// Writes an item whose bytes have all this value. What is to happen before it counts does so.
int write(
	checkpoint_store &s, uint8_t value, size_t size = some,
	void (*meanwhile)(const char *path) = [](const char *) {})
{
	std::unique_ptr<generation_writer> w;
	if (int err = s.begin(0, w))
		return err;
	const std::vector<std::byte> data(size, std::byte(value));
	const item *old = s.held().find("a");
	old = old && old->nbytes == size ? old : nullptr;
	fault why;
	EXPECT_TRUE(w->add_item("a", size, why) && w->put_changed(0, old, 0, data, why));
	meanwhile(s.path());
	return s.commit(*w);
}

// Returns the value that all bytes have, or -1 if there is nothing, or something else.
int read(const char *path)
{
	checkpoint_store s;
	std::vector<std::byte> data(some);
	if (s.open(path, true) || s.read(*s.held().find("a"), 0, s.held().find("a")->npages(), data.data()))
		return -1;
	const bool same = std::ranges::all_of(data, [&](std::byte b) { return b == data[0]; });
	return same ? int(data[0]) : -1;
}

template <class F> int status_of_child(F body)
{
	const pid_t child = fork();
	if (!child) {
		const rlimit no_core = {};
		setrlimit(RLIMIT_CORE, &no_core);
		_exit(body());
	}
	int status = 0;
	waitpid(child, &status, 0);
	return status;
}

} // namespace

TEST_F(checkpoint_store_test, killed_at_any_byte_it_leaves_what_was_there)
{
	uint64_t kills = 0, size = 0;
	uint8_t value = 0;
	for (uint64_t limit = 0; value < 3; limit += 509) {
		const int status = status_of_child([&] {
			const rlimit most = {size + limit, RLIM_INFINITY};
			setrlimit(RLIMIT_FSIZE, &most);
			checkpoint_store s;
			return s.open(path(), false) || write(s, uint8_t(value + 1));
		});
		if (WIFSIGNALED(status)) {
			EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
			EXPECT_EQ(read(path()), value ? value : -1) << limit;
			kills++;
			continue;
		}
		ASSERT_EQ(status, 0);
		EXPECT_EQ(read(path()), ++value);
		EXPECT_EQ(nfiles(), 1u);
		size = fs::file_size(path());
		limit = 0;
	}
	EXPECT_GT(kills, 50u);
}

// What is left of a write that was killed is no part of the next one.
TEST_F(checkpoint_store_test, the_next_write_begins_in_the_place_of_one_that_was_killed)
{
	{
		checkpoint_store first;
		ASSERT_EQ(first.open(path(), false), 0);
		ASSERT_EQ(write(first, 1), 0);
	}
	const uint64_t size = fs::file_size(path());
	const int status = status_of_child([&] {
		const rlimit most = {size + some, RLIM_INFINITY};
		setrlimit(RLIMIT_FSIZE, &most);
		checkpoint_store again;
		return again.open(path(), false) || write(again, 2);
	});
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_GT(fs::file_size(path()), size);
	checkpoint_store s;
	ASSERT_EQ(s.open(path(), false), 0);
	ASSERT_EQ(write(s, 3), 0);
	EXPECT_EQ(read(path()), 3);
	EXPECT_EQ(fs::file_size(path()), s.look().file_bytes);
}

TEST_F(checkpoint_store_test, one_writes_and_others_read)
{
	checkpoint_store first, second, reader;
	std::unique_ptr<generation_writer> w;
	ASSERT_EQ(first.open(path(), false), 0);
	ASSERT_EQ(second.open(path(), false), 0); // nothing is there yet
	ASSERT_EQ(write(first, 1), 0);
	EXPECT_EQ(read(path()), 1);
	checkpoint_store late;
	EXPECT_EQ(late.open(path(), false), HET_ESTATE);
	ASSERT_EQ(reader.open(path(), true), 0);
	ASSERT_EQ(write(first, 2), 0);
	EXPECT_EQ(reader.look().generation, 1u);
	EXPECT_EQ(second.begin(0, w), HET_ESTATE);
	EXPECT_EQ(read(path()), 2);
}

// They are no item to who asks, and are gone with the next write.
TEST_F(checkpoint_store_test, it_has_the_launches_of_the_last_write)
{
	checkpoint_store s;
	ASSERT_EQ(s.open(path(), false), 0);
	ASSERT_EQ(write(s, 1), 0);
	launch_list_builder b;
	het::rt::reference<stored_launches> l(new stored_launches);
	ASSERT_TRUE(b.add_program("p", 7) && b.add_kernel("k", 0) && b.add_command({.kernel = 0}) &&
		    b.add_command({.kernel = no_kernel}) && b.build(l->bytes));
	fault why;
	std::unique_ptr<generation_writer> w;
	ASSERT_EQ(l->all.open(l->bytes.all(), why), outcome::done);
	const std::vector<std::byte> bytes(l->bytes.all().begin(), l->bytes.all().end());
	ASSERT_EQ(s.begin(0, w), 0);
	ASSERT_TRUE(w->add_item("a", some, why) && w->add_item(launches_name, bytes.size(), why) &&
		    w->put_changed(1, nullptr, 0, bytes, why));
	ASSERT_EQ(s.commit(*w, std::move(l)), 0);
	{
		checkpoint_store reader;
		ASSERT_EQ(reader.open(path(), true), 0);
		for (checkpoint_store *each : {&s, &reader}) {
			EXPECT_EQ(each->look().nlaunches, 1u);
			EXPECT_EQ(each->look().nitems, 1u);
			uint64_t generation = 0, nbytes = 0;
			char name[256];
			EXPECT_TRUE(each->find_item(0, name, &nbytes));
			EXPECT_FALSE(each->find_item(1, name, &nbytes));
			const auto found = each->launches(&generation);
			ASSERT_TRUE(found);
			EXPECT_EQ(generation, 2u);
			EXPECT_STREQ(found->all.text(found->all.kernel(0).name), "k");
		}
	}
	fs::copy(path(), std::string(path()) + ".damaged");
	std::fstream damaged(std::string(path()) + ".damaged", std::ios::in | std::ios::out | std::ios::binary);
	damaged.seekp(long(s.held().find(launches_name)->pages[0].at + 3));
	damaged.put('x');
	damaged.close();
	checkpoint_store bad;
	EXPECT_EQ(bad.open((std::string(path()) + ".damaged").c_str(), true), HET_EFILE);
	ASSERT_EQ(write(s, 2), 0);
	EXPECT_EQ(s.look().nlaunches, 0u);
	EXPECT_EQ(read(path()), 2);
}

// A few bytes may say that there are many of zeros: those take no memory, in items as in launches.
TEST_F(checkpoint_store_test, launches_of_zeros_take_no_memory)
{
	constexpr size_t many = size_t{512} << 20, ndata = many - sizeof(launch_head);
	const auto resident = [] {
		size_t all = 0, pages = 0;
		std::ifstream("/proc/self/statm") >> all >> pages;
		return pages * size_t(sysconf(_SC_PAGESIZE));
	};
	launch_head head = {};
	head.ndata = ndata;
	std::vector<std::byte> first(page_size);
	memcpy(first.data(), &head, sizeof(head));
	{
		checkpoint_store s;
		std::unique_ptr<generation_writer> w;
		fault why;
		ASSERT_EQ(s.open(path(), false), 0);
		ASSERT_EQ(s.begin(0, w), 0);
		ASSERT_TRUE(w->add_item(launches_name, many, why) && w->put_changed(0, nullptr, 0, first, why));
		ASSERT_EQ(s.commit(*w), 0);
	}
	const size_t before = resident();
	checkpoint_store reader;
	ASSERT_EQ(reader.open(path(), true), 0);
	EXPECT_LT(resident(), before + many / 2);
	uint64_t generation = 0;
	const auto found = reader.launches(&generation);
	ASSERT_TRUE(found);
	EXPECT_EQ(found->all.head().ndata, ndata);
}

// What would be written then nobody could find.
TEST_F(checkpoint_store_test, one_that_was_removed_is_not_written)
{
	checkpoint_store s;
	ASSERT_EQ(s.open(path(), false), 0);
	ASSERT_EQ(write(s, 1), 0);
	fs::rename(path(), std::string(path()) + ".old");
	std::unique_ptr<generation_writer> w;
	EXPECT_EQ(s.begin(0, w), HET_EFILE);
	fs::copy(std::string(path()) + ".old", path());
	EXPECT_EQ(s.begin(0, w), HET_EFILE);
	fs::rename(std::string(path()) + ".old", path());
	EXPECT_EQ(write(s, 2), 0);
	EXPECT_EQ(read(path()), 2);
}

// The next write leaves so much behind that is of no use that the file is made anew.
constexpr size_t much = size_t{17} << 20;

TEST_F(checkpoint_store_test, one_that_is_made_anew_has_the_rights_of_the_old_one)
{
	checkpoint_store s;
	ASSERT_EQ(s.open(path(), false), 0);
	ASSERT_EQ(write(s, 1, much), 0);
	ASSERT_EQ(chmod(path(), 0600), 0);
	ASSERT_EQ(write(s, 2), 0);
	ASSERT_LT(fs::file_size(path()), much);
	struct stat now;
	ASSERT_EQ(stat(path(), &now), 0);
	EXPECT_EQ(now.st_mode & 0777, 0600u);
	EXPECT_EQ(read(path()), 2);
}

// It is as it was before, wherever it is now.
TEST_F(checkpoint_store_test, one_that_is_removed_or_replaced_meanwhile_is_not_written)
{
	const std::string old = std::string(path()) + ".old";
	checkpoint_store s;
	ASSERT_EQ(s.open(path(), false), 0);
	ASSERT_EQ(write(s, 1), 0);
	EXPECT_EQ(write(s, 2, some, [](const char *at) { fs::rename(at, std::string(at) + ".old"); }), HET_EFILE);
	EXPECT_FALSE(fs::exists(path()));
	EXPECT_EQ(nfiles(), 1u);
	EXPECT_EQ(read(old.c_str()), 1);
	fs::rename(old, path());
	EXPECT_EQ(s.look().generation, 1u);
	EXPECT_EQ(write(s, 3), 0);
	EXPECT_EQ(write(s, 4, some,
			[](const char *at) {
				fs::copy(at, std::string(at) + ".copy");
				fs::rename(std::string(at) + ".copy", at);
			}),
		  HET_EFILE);
	EXPECT_EQ(read(path()), 3);
	fs::remove(path());
	std::unique_ptr<generation_writer> w;
	EXPECT_EQ(s.begin(0, w), HET_EFILE);
}

TEST_F(checkpoint_store_test, links_and_folders_may_change)
{
	const std::string link = std::string(path()) + ".link";
	fs::create_symlink(path(), link);
	const fs::path before = fs::current_path();
	fs::current_path(fs::path(path()).parent_path());
	{
		checkpoint_store s;
		const int opened = s.open("file", false);
		fs::current_path(before);
		ASSERT_EQ(opened, 0);
		ASSERT_EQ(write(s, 1, much), 0);
	}
	checkpoint_store by_link;
	ASSERT_EQ(by_link.open(link.c_str(), false), 0);
	ASSERT_EQ(write(by_link, 2), 0);
	EXPECT_TRUE(fs::is_symlink(link));
	EXPECT_LT(fs::file_size(path()), much);
	EXPECT_EQ(read(path()), 2);
}

// The second one that is written has all been made before.
TEST_F(checkpoint_store_test, of_two_first_writers_one_is_told)
{
	static checkpoint_store *other;
	checkpoint_store s, second;
	other = &second;
	ASSERT_EQ(s.open(path(), false), 0);
	ASSERT_EQ(second.open(path(), false), 0);
	EXPECT_EQ(write(s, 1, some, [](const char *) { EXPECT_EQ(write(*other, 2), 0); }), HET_ESTATE);
	EXPECT_EQ(read(path()), 2);
	EXPECT_EQ(nfiles(), 1u);
}

// No name beside the file's is the library's.
TEST_F(checkpoint_store_test, what_lies_beside_it_is_left_alone)
{
	const std::string beside = std::string(path()) + ".new", link = std::string(path()) + ".linked";
	std::ofstream(beside) << "mine";
	fs::create_hard_link(beside, link);
	checkpoint_store s;
	ASSERT_EQ(s.open(path(), false), 0);
	ASSERT_EQ(write(s, 1, much), 0);
	ASSERT_EQ(write(s, 2), 0);
	ASSERT_LT(fs::file_size(path()), much);
	EXPECT_EQ(read(path()), 2);
	EXPECT_EQ(nfiles(), 3u);
	for (const std::string &name : {beside, link}) {
		std::string text;
		std::getline(std::ifstream(name), text);
		EXPECT_EQ(text, "mine");
	}
}

// Not all file systems have files without a name.
TEST_F(checkpoint_store_test, files_in_the_making_may_have_names_of_their_own)
{
	for (const auto &[named, knows] : {std::pair{false, true}, {true, true}, {true, false}}) {
		knows_renameat2 = knows;
		for (const bool replaces : {false, true}) {
			{
				disk_file lost;
				ASSERT_TRUE(lost.make(path(), nullptr, named));
				EXPECT_EQ(nfiles(), size_t(named) + replaces);
			}
			EXPECT_EQ(nfiles(), size_t(replaces));
			disk_file f;
			ASSERT_TRUE(f.make(path(), nullptr, named));
			ASSERT_TRUE(f.write(0, std::as_bytes(std::span("12345"))));
			if (replaces) {
				EXPECT_FALSE(f.put_in_place(path(), false));
				EXPECT_EQ(errno, EEXIST);
			}
			ASSERT_TRUE(f.put_in_place(path(), replaces));
			EXPECT_TRUE(f.is_at(path()) && f.sync_name(path()));
			EXPECT_EQ(nfiles(), 1u);
		}
		fs::remove(path());
	}
	knows_renameat2 = true;
}

// No name is longer than this on most file systems.
TEST_F(checkpoint_store_test, its_name_may_be_as_long_as_names_can_be)
{
	const fs::path folder = fs::path(path()).parent_path();
	const std::string longest = folder / std::string(NAME_MAX, 'n');
	for (const bool named : {false, true}) {
		for (const bool replaces : {false, true}) {
			disk_file f;
			ASSERT_TRUE(f.make(longest.c_str(), nullptr, named));
			ASSERT_TRUE(f.put_in_place(longest.c_str(), replaces)) << strerror(errno);
			EXPECT_TRUE(f.is_at(longest.c_str()));
			EXPECT_EQ(nfiles(), 1u);
		}
		fs::remove(longest);
	}
}

// It can't be opened to be synchronized.
TEST_F(checkpoint_store_test, its_folder_may_be_unreadable)
{
	const fs::path folder = fs::path(path()).parent_path();
	ASSERT_EQ(chmod(folder.c_str(), 0733), 0);
	const int status = status_of_child([&] {
		checkpoint_store s;
		if (!geteuid() && setuid(65534))
			return 1;
		if (!access(folder.c_str(), R_OK))
			return 2;
		return s.open(path(), false) || write(s, 1) || write(s, 2) ? 3 : 0;
	});
	ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(read(path()), 2);
}

// What was written is there, so the next write goes on from it. Until the name is on the disk each of them says so.
TEST_F(checkpoint_store_test, that_its_folder_can_not_be_synchronized_is_told)
{
	checkpoint_store s;
	ASSERT_EQ(s.open(path(), false), 0);
	for (const uint8_t value : {1, 2}) {
		failure_of_fsync = EIO;
		EXPECT_EQ(write(s, value), HET_EFILE);
		EXPECT_NE(strstr(het::last_error(), "it holds what was written"), nullptr);
		EXPECT_EQ(s.look().generation, value);
		EXPECT_EQ(read(path()), value);
	}
	failure_of_fsync = EINVAL; // folders can't be there
	EXPECT_EQ(write(s, 3), 0);
	failure_of_fsync = EIO; // the name is on the disk
	EXPECT_EQ(write(s, 4), 0);
	failure_of_fsync = 0;
	EXPECT_EQ(read(path()), 4);
}

TEST_F(checkpoint_store_test, nobody_waits_for_a_pipe)
{
	ASSERT_EQ(mkfifo(path(), 0600), 0);
	checkpoint_store s, reader;
	EXPECT_EQ(reader.open(path(), true), HET_EFILE);
	EXPECT_EQ(s.open(path(), false), HET_EFILE);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(checkpoint_store_test, without_memory_it_is_told_and_may_be_tried_again)
{
	checkpoint_store s;
	ASSERT_EQ(s.open(path(), false), 0);
	std::unique_ptr<generation_writer> w;
	ASSERT_EQ(s.begin(0, w), 0);
	fault why;
	// A table of 256 MiB tells that all are zeros.
	ASSERT_TRUE(w->add_item("a", uint64_t{64} << 30, why));
	ASSERT_EQ(s.commit(*w), 0);
	const int status = status_of_child([&] {
		rlimit all;
		getrlimit(RLIMIT_AS, &all);
		const rlimit little = {uint64_t{200} << 20, all.rlim_max};
		checkpoint_store again;
		setrlimit(RLIMIT_AS, &little);
		const int without = again.open(path(), true);
		setrlimit(RLIMIT_AS, &all);
		checkpoint_store third;
		return without == HET_ENOMEM && third.open(path(), true) == 0 ? 0 : 1;
	});
	EXPECT_EQ(status, 0);
}
#endif
