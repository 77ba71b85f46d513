// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches on the host whose order shows how urgent they were: tests of levels and of deadlines share this.
#pragma once

#include "runtime.h"

#include <atomic>

namespace selftest
{

class noting
{
      public:
	// A launch keeps the worker busy from now on: it is one group, until finish(); or many, between which something
	// more urgent comes, until so many launches have noted their number. Who waits for a launch would run it
	// himself, whatever else is ready; the worker takes what comes first.
	explicit noting(runtime_fixture &fx, unsigned until = 0);

	// The launch notes its number when it runs.
	void note(int number, int priority, het_event **event, het_event *after = nullptr, uint64_t deadline_ns = 0);
	// Lets the worker go on, and waits until so many have run.
	void finish(unsigned count);

	static std::atomic<bool> let_go;
	// They have run in this order.
	static std::atomic<unsigned> count, wanted_between;
	static std::atomic<int> order[16];

	het_queue *queue;

      private:
	struct work {
		het_kernel *kernel;
		size_t groups;
		std::span<const het_arg> args;
		int priority;
	};
	void launch(const work &w, het_event **event, het_event *after, uint64_t deadline_ns);

	program_handle program_;
	kernel_handle note_;
};

} // namespace selftest
