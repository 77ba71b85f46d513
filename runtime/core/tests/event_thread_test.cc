// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Several may ask for the thread for the first time at once.
#include "core/event_thread.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using het::rt::event_thread;

namespace
{

void sees_to_none(het_event &) {}

// Their threads never end, so neither do they. A leak checker finds them here, as a thread that has not begun to run
// has none of them where it would look.
auto &all_of_them = *new std::vector<event_thread *>;

event_thread &new_thread()
{
	all_of_them.push_back(new event_thread("het-test", sees_to_none));
	return *all_of_them.back();
}

} // namespace

TEST(event_thread, all_who_need_it_at_once_have_it)
{
	constexpr unsigned askers = 8;
	for (int round = 0; round < 30; round++) {
		event_thread &asked = new_thread();
		std::atomic<unsigned> here{0}, have{0};
		std::vector<std::jthread> threads;
		for (unsigned i = 0; i < askers; i++) {
			threads.emplace_back([&] {
				for (here++; here < askers;)
					std::this_thread::yield();
				have += asked.start(true);
			});
		}
		threads.clear();
		EXPECT_EQ(have, askers);
	}
}
