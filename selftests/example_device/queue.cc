// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "example_device/queue.h"

#include "dev/crew.h"
#include "example_device/faults.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/thread.h"

namespace example
{

namespace
{

int run(command &c)
{
	if (is_hit(het_example_faults.kernels))
		return het::fail(HET_EDEVICE, "example: a kernel failed");
	return het::rt::run_groups({c.run, &c.shape, {c.args.get(), c.nargs}});
}

} // namespace

// The thread lives as long as the process, as devices do.
bool queue::start()
{
	return het::start_thread(
		"het-example", [](void *q) { static_cast<queue *>(q)->work(); }, this);
}

void queue::push(command &c)
{
	std::lock_guard g(lock_);
	*last_ = &c;
	last_ = &c.next;
	news_.notify_all();
}

void queue::wait(const command &c)
{
	std::unique_lock g(lock_);
	news_.wait(g, [&] { return c.is_done; });
}

command &queue::next()
{
	std::unique_lock g(lock_);
	news_.wait(g, [&] { return first_ != nullptr; });
	command &c = *first_;
	first_ = c.next;
	last_ = first_ ? last_ : &first_;
	return c;
}

void queue::work()
{
	for (;;) {
		command &c = next();
		c.times.started = het::now_ns();
		c.error = run(c);
		c.times.ended = het::now_ns();
		std::lock_guard g(lock_);
		c.is_done = true;
		news_.notify_all();
	}
}

} // namespace example
