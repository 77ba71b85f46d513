// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/event_waiter.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace het
{

bool event_waiter::open(const char **why)
{
	int ends[2] = {-1, -1};
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		*why = "no file descriptor is left (ulimit -n)";
	interrupts_ = own_descriptor(ends[0]);
	interrupter_ = own_descriptor(ends[1]);
	return bool(interrupter_);
}

bool event_waiter::sleep(int fd)
{
	pollfd fds[] = {{fd, POLLIN, 0}, {interrupts_.number(), POLLIN, 0}};
	poll(fds, 2, -1);
	if (!fds[1].revents)
		return true;
	char all[64];
	[[maybe_unused]] ssize_t n = read(interrupts_.get(), all, sizeof(all));
	interrupted_.store(false, std::memory_order_relaxed);
	return false;
}

// A full pipe interrupts as well.
void event_waiter::interrupt()
{
	interrupted_.store(true, std::memory_order_relaxed);
	[[maybe_unused]] ssize_t n = write(interrupter_.get(), "", 1);
}

} // namespace het
