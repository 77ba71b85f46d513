// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/tasks.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace het;

namespace
{

TEST(tasks, the_list_holds_all_threads)
{
	task_list list;
	ASSERT_TRUE(list.read());
	EXPECT_TRUE(list.contains(this_task()));
	EXPECT_EQ(list.tids().size(), task_count());

	constexpr unsigned many = 200; // one read of the directory returns fewer
	size_t alone = list.tids().size();
	std::atomic<bool> stop{false};
	std::atomic<pid_t> some{0};
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < many; i++)
		threads.emplace_back([&] {
			some.store(this_task());
			while (!stop.load())
				usleep(1000);
		});
	while (!some.load())
		usleep(100);
	EXPECT_TRUE(list.read());
	EXPECT_GE(list.tids().size(), alone + many); // a sanitizer starts a thread of its own beside the first
	EXPECT_EQ(task_count(), list.tids().size());
	EXPECT_TRUE(list.contains(some.load()));
	EXPECT_TRUE(task_exists(some.load()));
	EXPECT_FALSE(task_ended(some.load()));

	stop.store(true);
	for (auto &t : threads)
		t.join();
	for (unsigned i = 0; i < 1000 && task_exists(some.load()); i++) // a joined thread is not reaped at once
		usleep(100);
	EXPECT_FALSE(task_exists(some.load()));
	EXPECT_TRUE(task_ended(some.load()));
}

} // namespace
