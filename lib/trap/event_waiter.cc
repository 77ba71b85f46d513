// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/event_waiter.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace het
{

event_waiter::~event_waiter()
{
	forked_child();
}

bool event_waiter::open(const char **why)
{
	event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_ < 0)
		*why = "no file descriptor is left (ulimit -n)";
	return event_ >= 0;
}

bool event_waiter::sleep(int fd)
{
	pollfd fds[] = {{fd, POLLIN, 0}, {event_, POLLIN, 0}};
	poll(fds, 2, -1);
	if (!fds[1].revents)
		return true;
	uint64_t count;
	[[maybe_unused]] ssize_t n = read(event_, &count, sizeof(count));
	interrupted_.store(false, std::memory_order_relaxed);
	return false;
}

void event_waiter::interrupt()
{
	interrupted_.store(true, std::memory_order_relaxed);
	uint64_t one = 1;
	[[maybe_unused]] ssize_t n = write(event_, &one, sizeof(one));
}

void event_waiter::forked_child()
{
	if (event_ >= 0)
		close(event_);
	event_ = -1;
}

} // namespace het
