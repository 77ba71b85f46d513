// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <cstdint>
#include <het.h>
#include <vector>

namespace het::python
{

class queue
{
      public:
	queue(std::vector<het_device *> devices, uint32_t flags, int32_t priority);
	queue(const queue &) = delete;
	queue &operator=(const queue &) = delete;
	~queue();

	het_queue *get() const { return q_; }
	void finish();
	void set_priority(int priority);
	void announce(uint64_t ns);

	// Returns that of all devices, which is made when it is first asked for and lives as long as the process.
	static het_queue *usual();
	// Python is about to end: waits some seconds for commands that can finish, as they may call Python.
	static void finish_all();

      private:
	het_queue *q_ = nullptr;
};

} // namespace het::python
