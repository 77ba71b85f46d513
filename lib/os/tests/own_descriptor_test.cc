// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/own_descriptor.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace het;

namespace
{

own_descriptor some_file()
{
	return own_descriptor(memfd_create("test", MFD_CLOEXEC));
}

bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) != -1;
}

bool is_listed(int fd)
{
	int room[16];
	auto all = own_descriptors(room);
	return std::find(all.begin(), all.end(), fd) != all.end();
}

} // namespace

TEST(own_descriptor, lies_out_of_the_way)
{
	int low = memfd_create("test", MFD_CLOEXEC);
	own_descriptor d(low);
	EXPECT_GT(d.get(), low);
	EXPECT_FALSE(is_open(low));
	EXPECT_TRUE(fcntl(d.get(), F_GETFD) & FD_CLOEXEC);
	rlimit limit;
	ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	EXPECT_GE(rlim_t(d.get()), std::min<rlim_t>(limit.rlim_cur, 1024) / 2);
}

TEST(own_descriptor, keeps_its_number_where_no_other_is_free)
{
	int low = memfd_create("test", MFD_CLOEXEC);
	rlimit old, few;
	ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = {rlim_t(low) + 1, old.rlim_max};
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	own_descriptor d(low);
	ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old), 0);
	EXPECT_EQ(d.get(), low);
}

TEST(own_descriptor, is_known_by_its_number_while_it_lives)
{
	int number;
	{
		own_descriptor d = some_file();
		number = d.get();
		EXPECT_TRUE(is_own_descriptor(number));
		EXPECT_TRUE(is_listed(number));
		own_descriptor moved = std::move(d);
		EXPECT_FALSE(bool(d)); // NOLINT(bugprone-use-after-move)
		EXPECT_EQ(moved.get(), number);
	}
	EXPECT_FALSE(is_own_descriptor(number));
	EXPECT_FALSE(is_listed(number));
	EXPECT_FALSE(is_open(number));
	EXPECT_FALSE(is_own_descriptor(-1));
	EXPECT_FALSE(is_own_descriptor(0));
}

TEST(own_descriptor, leaves_a_file_alone_that_took_its_number)
{
	own_descriptor d = some_file();
	int number = d.number(), other = memfd_create("other", MFD_CLOEXEC);
	ASSERT_EQ(syscall(SYS_dup3, other, number, 0), number);
	d.reset();
	EXPECT_TRUE(is_open(number));
	close(number);
	close(other);
}

TEST(own_descriptor_death_test, ends_the_process_where_it_would_use_another_file)
{
	own_descriptor d = some_file();
	syscall(SYS_close, d.number());
	EXPECT_EXIT((void)d.get(), testing::KilledBySignal(SIGABRT), "libhet: file descriptor .*close_range");
	int other = memfd_create("other", MFD_CLOEXEC);
	ASSERT_EQ(syscall(SYS_dup3, other, d.number(), 0), d.number());
	EXPECT_EXIT(d.check(), testing::KilledBySignal(SIGABRT), "libhet: file descriptor .*another file");
	close(d.number());
	close(other);
}

TEST(own_descriptor, is_nothing_special_in_a_child)
{
	own_descriptor d = some_file();
	int number = d.get();
	pid_t child = fork();
	if (!child) {
		bool special = is_own_descriptor(number) || is_listed(number);
		close_own_descriptors();
		_exit(special || is_open(number));
	}
	int status = -1;
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(d.get(), number);
}

// What the system does for a file ends when nobody has it any more: a pipe whose writer is gone ends.
TEST(own_descriptor, is_kept_when_the_number_is_closed)
{
	int ends[2], programs[2];
	ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
	ASSERT_EQ(pipe2(programs, O_NONBLOCK), 0);
	own_descriptor writer(ends[1]);
	ASSERT_TRUE(keep_own_descriptors());
	char c;
	syscall(SYS_close, writer.number());
	EXPECT_EQ(read(ends[0], &c, 1), -1);
	EXPECT_EQ(errno, EAGAIN);
	// What belongs to the program is not kept.
	close(programs[1]);
	EXPECT_EQ(read(programs[0], &c, 1), 0);
	close(programs[0]);
	close(ends[0]);
}
