// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bodies and blocks are not inherited (MADV_DONTFORK): a child that shared their pages would read and write the
// parent's arrays unseen. Instead the parent makes a private copy of each before the fork; the child moves it into place.
// Between copy and fork all touches wait, so the copies are of one moment.
#include "memory/fork.h"

#include "memory/adopt.h"
#include "memory/allocate.h"
#include "memory/home.h"
#include "memory/kernel.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "os/log.h"
#include "os/settings.h"

#include <csignal>
#include <cstring>
#include <pthread.h>

namespace het
{

namespace
{

// The forking thread holds the structure lock from prepare to parent or child, with all signals blocked.
sigset_t saved_signals;
bool prepared;

void *private_copy(const char *from, size_t n)
{
	void *copy = map_private(n);
	if (copy)
		memcpy(copy, from, n);
	else
		warn("fork: no memory for a copy of %zu bytes; the child will have none", n);
	return copy;
}

void prepare_array(array &a)
{
	if (a.place.body.empty())
		return;
	lane_lease lane;
	caller_guard g(a);
	layout::span all{0, a.place.chunks};
	if (bring_home(a, g, all, event::fetch, lane))
		warn("fork: the child gets stale contents of array %p", a.place.user.ptr());
	wait_until_idle(a, g, all);
	hold_array(a);
	if (a.from == origin::adopted)
		a.fork_copy = private_copy(alias_of(a, a.place.body.begin), a.place.body.size());
}

void prepare_block(block &b)
{
	b.fork_copy = private_copy(lib().file.alias(b.offset), b.pages.size());
}

void drop_copy(void *&copy, size_t n)
{
	if (copy)
		unmap(range_of(copy, n));
	copy = nullptr;
}

void move_copy(void *copy, range to)
{
	if (copy)
		move_mapping(range_of(copy, to.size()), to);
}

void prepare()
{
	library &l = lib();
	prepared = l.ready.load() && settings().fork_copy;
	if (!prepared)
		return;
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved_signals);
	l.structure.lock(lock_rank::structure);
	l.arrays.for_each(prepare_array);
	for_each_block(prepare_block);
}

void in_parent()
{
	if (!prepared)
		return;
	library &l = lib();
	for_each_block([](block &b) { drop_copy(b.fork_copy, b.pages.size()); });
	l.arrays.for_each([](array &a) {
		if (a.place.body.empty())
			return;
		drop_copy(a.fork_copy, a.place.body.size());
		release_array(a);
	});
	l.structure.unlock(lock_rank::structure);
	pthread_sigmask(SIG_SETMASK, &saved_signals, nullptr);
}

void in_child()
{
	library &l = lib();
	if (!l.ready.load())
		return;
	l.ready.store(false);
	l.forked.store(true);
	if (prepared) {
		for_each_block([](block &b) { move_copy(b.fork_copy, b.pages); });
		l.arrays.for_each([](array &a) {
			if (!a.place.body.empty())
				move_copy(a.fork_copy, a.place.body);
		});
	}
	l.catcher->forked_child();
	if (prepared)
		pthread_sigmask(SIG_SETMASK, &saved_signals, nullptr);
}

} // namespace

void open_fork()
{
	pthread_atfork(prepare, in_parent, in_child);
}

} // namespace het
