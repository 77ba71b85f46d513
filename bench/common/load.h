// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The traps have to live with other threads of the process, which these are.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace bench
{

// While it lives, @live threads work 10 µs and sleep 1 ms, and @busy threads never sleep.
class thread_load
{
      public:
	thread_load(unsigned live, unsigned busy);
	~thread_load();
	thread_load(const thread_load &) = delete;
	thread_load &operator=(const thread_load &) = delete;

      private:
	std::atomic<bool> stop_{false};
	std::vector<std::thread> threads_;
};

} // namespace bench
