// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/kept_frames.h"

#include "core/make_room.h"

#include <new>
#include <utility>

namespace het::rt
{

namespace
{

struct frames_keeper {
	futex_lock lock; // has rank leaf, and guards is_lent
	bool is_lent = false;
	std::atomic<granule_frames *> frames{nullptr}; // once there are any they live as long as the process
};

constinit frames_keeper frame_keepers[most_devices];

frames_keeper &keeper_of(const het_device &d)
{
	return frame_keepers[d.executor.number()];
}

bool lend_frames(frames_keeper &p)
{
	runtime_guard l(p.lock);
	return !std::exchange(p.is_lent, true);
}

} // namespace

granule_frames *borrow_frames(het_device &d)
{
	frames_keeper &p = keeper_of(d);
	if (!lend_frames(p))
		return nullptr;
	drop_idle_frames_by(drop_idle_frames);
	if (!p.frames.load())
		p.frames.store(new (std::nothrow) granule_frames);
	if (!p.frames.load())
		return_frames(d);
	return p.frames.load();
}

void return_frames(het_device &d)
{
	frames_keeper &p = keeper_of(d);
	runtime_guard l(p.lock);
	p.is_lent = false;
}

bool drop_idle_frames(het_device &d)
{
	frames_keeper &p = keeper_of(d);
	if (!p.frames.load() || !lend_frames(p))
		return false;
	const bool any = p.frames.load()->nbytes() != 0;
	p.frames.load()->give_back();
	return_frames(d);
	return any;
}

void forget_frames_but(range in_buffer, const granule_frames *but)
{
	for (frames_keeper &p : frame_keepers) {
		granule_frames *f = p.frames.load();
		if (f && f != but)
			f->forget(in_buffer);
	}
}

} // namespace het::rt
