// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "base/process.h"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace het
{

TEST(process, copy_ends_with_its_body)
{
	child_process fine([] {}), wrong([] { _exit(3); });
	fine.wait();
	wrong.wait();
	EXPECT_EQ(text_of_status(fine.status()), "ended with status 0");
	EXPECT_EQ(text_of_status(wrong.status()), "ended with status 3");
}

// A process that is asked for its end again, or ended twice, is not waited for twice: its number may be another's by
// then.
TEST(process, is_ended_once)
{
	child_process sleeper([] { pause(); });
	EXPECT_FALSE(sleeper.has_ended());
	sleeper.end();
	EXPECT_TRUE(sleeper.has_ended());
	EXPECT_TRUE(text_of_status(sleeper.status()).starts_with("was killed by signal 9 ("));
	EXPECT_EQ(waitpid(sleeper.id(), nullptr, 0), -1);
	sleeper.end();
	EXPECT_EQ(WTERMSIG(sleeper.status()), SIGKILL);
}

TEST(process, ends_with_its_owner)
{
	pid_t id;
	{
		child_process sleeper([] { pause(); });
		id = sleeper.id();
		EXPECT_EQ(kill(id, 0), 0);
	}
	EXPECT_EQ(kill(id, 0), -1);
	EXPECT_EQ(errno, ESRCH);
}

// The grandchild has the write end, so the pipe ends when it does.
TEST(process, ends_with_its_parent)
{
	tube t = make_tube();
	child_process parent([&] {
		child_process sleeper([] { pause(); });
		_exit(0);
	});
	parent.wait();
	t.in = descriptor();
	char byte;
	EXPECT_EQ(read(t.out.get(), &byte, 1), 0);
}

TEST(process, programs)
{
	const program_end both = run_program({"sh", "-c", "echo out; echo err >&2; exit 2"});
	EXPECT_EQ(both.printed, "out\nerr\n");
	EXPECT_EQ(WEXITSTATUS(both.status), 2);
	EXPECT_FALSE(both.well());
	const program_end one = run_program({"sh", "-c", "echo out; echo err >&2"}, errors::dropped);
	EXPECT_EQ(one.printed, "out\n");
	EXPECT_TRUE(one.well());
	EXPECT_EQ(run_program({"het-no-such-program"}).error, ENOENT);
	// This is more than a pipe holds.
	EXPECT_EQ(run_program({"sh", "-c", "yes | head -c 300000"}).printed.size(), 300000u);
}

} // namespace het
