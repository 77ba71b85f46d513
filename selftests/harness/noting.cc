// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noting.h"

#include "clock.h"

#include <thread>

namespace selftest
{

constinit std::atomic<bool> noting::let_go{false};
constinit std::atomic<unsigned> noting::count{0}, noting::wanted_between{0};
constinit std::atomic<int> noting::order[16] = {};

namespace
{

constinit std::atomic<bool> is_waiting{false};

void wait_on_host(const het_group *, void *const *)
{
	is_waiting = true;
	while (!noting::let_go)
		std::this_thread::yield();
}

void be_busy_on_host(const het_group *, void *const *)
{
	is_waiting = true;
	if (noting::count < noting::wanted_between)
		sleep_ms(1);
}

void note_on_host(const het_group *, void *const *args)
{
	const unsigned n = noting::count++;
	if (n < std::size(noting::order))
		noting::order[n] = *static_cast<const int *>(args[0]);
}

} // namespace

noting::noting(runtime_fixture &fx, unsigned until) : queue(fx.queue)
{
	constexpr size_t for_ever = 1 << 20;
	const het_function functions[] = {
		{"wait", wait_on_host, 0}, {"be_busy", be_busy_on_host, 0}, {"note", note_on_host, 1}};
	wanted_between = until;
	make_program(program_, nullptr, functions);
	HET_OK(het_kernel_create(program_, "note", note_.out()));
	kernel_handle first;
	HET_OK(het_kernel_create(program_, until ? "be_busy" : "wait", first.out()));
	launch({first, until ? for_ever : 1, {}, 0}, nullptr, nullptr, 0);
	wait_until([] { return is_waiting.load(); });
}

void noting::note(int number, int priority, het_event **event, het_event *after, uint64_t deadline_ns)
{
	const het_arg args[] = {value_arg(number)};
	launch({note_, 1, args, priority}, event, after, deadline_ns);
}

void noting::launch(const work &w, het_event **event, het_event *after, uint64_t deadline_ns)
{
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = w.kernel;
	l.dimensions = 1;
	l.global[0] = w.groups;
	l.local[0] = 1;
	l.arg_size = sizeof(het_arg);
	l.nargs = uint32_t(w.args.size());
	l.args = w.args.data();
	l.nwaits = after != nullptr;
	l.waits = &after;
	l.priority = w.priority;
	l.deadline_ns = deadline_ns;
	HET_OK(het_launch(queue, &l, event));
}

void noting::finish(unsigned all)
{
	let_go = true;
	wait_until([all] { return count >= all; });
	HET_OK(het_finish(queue));
}

} // namespace selftest
