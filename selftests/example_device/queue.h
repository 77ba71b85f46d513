// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The example's queue is a thread that runs one command after the other.
#pragma once

#include "dev/compute_device.h"

#include <condition_variable>
#include <mutex>

namespace example
{

struct command {
	het_kernel_fn run;
	het::rt::launch_shape shape;
	std::unique_ptr<het::rt::device_arg[]> args;
	size_t nargs;
	// Only the queue may use these until the command is done.
	int error = 0;
	het::rt::command_times times = {};
	bool is_done = false;
	command *next = nullptr;
};

// No thread of the program's holds its lock while it touches memory, so std::mutex will do.
class queue
{
      public:
	// Returns false if there is no thread.
	bool start();
	// The command lives until wait() has returned.
	void push(command &c);
	void wait(const command &c);

      private:
	void work();
	command &next();

	std::mutex lock_;
	std::condition_variable news_; // tells that a command came, or is done
	command *first_ = nullptr;
	command **last_ = &first_;
};

} // namespace example
