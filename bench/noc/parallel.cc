// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/parallel.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace noc
{

void in_parallel(unsigned threads, size_t jobs, const std::function<void(size_t)> &job)
{
	std::atomic<size_t> next = 0;
	std::mutex lock;
	std::exception_ptr failed;
	const auto work = [&] {
		for (size_t i = next++; i < jobs; i = next++) {
			try {
				job(i);
			} catch (...) {
				std::lock_guard held(lock);
				if (!failed)
					failed = std::current_exception();
				next = jobs;
			}
		}
	};
	{
		std::vector<std::jthread> others;
		for (unsigned i = 1; i < threads && i < jobs; i++)
			others.emplace_back(work);
		work();
	}
	if (failed)
		std::rethrow_exception(failed);
}

} // namespace noc
