// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "puts.h"

#include "put_kernel.h"
#include "waiting.h"

#include <algorithm>
#include <cstring>

namespace het_omp
{

namespace
{

constexpr size_t word_bytes = sizeof(uint32_t);

} // namespace

puts::puts(het_device *device, het_queue *queue)
    : device_(device), queue_(queue), small_("put", small_put_ptx.data()), large_("put", large_put_ptx.data())
{
}

puts::~puts()
{
	if (last_)
		het_event_release(last_);
}

bool puts::fits(const void *to, size_t nbytes)
{
	return nbytes && nbytes <= sizeof(large_put::word) &&
	       (reinterpret_cast<uintptr_t>(to) | nbytes) % word_bytes == 0;
}

bool puts::put(void *to, const void *from, size_t nbytes)
{
	return nbytes <= sizeof(small_put::word) ? send<small_put>(small_, to, from, nbytes)
						 : send<large_put>(large_, to, from, nbytes);
}

template <class Block> bool puts::send(own_kernel &kernel, void *to, const void *from, size_t nbytes)
{
	Block block;
	block.to = reinterpret_cast<uintptr_t>(to);
	block.words = nbytes / word_bytes;
	memcpy(block.word, from, nbytes); // may be a touch, for which no lock is held
	memset(reinterpret_cast<char *>(block.word) + nbytes, 0, sizeof block.word - nbytes);
	const het_arg all = {HET_ARG_BLOCK, 0, sizeof block, &block, nullptr, nullptr};
	std::lock_guard g(lock_);
	if (!kernel.make())
		return false;
	het_event *before = last_locked(), *e = nullptr;
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel.get();
	l.dimensions = 1;
	l.global[0] = l.local[0] = put_threads;
	l.arg_size = sizeof all;
	l.nargs = 1;
	l.args = &all;
	l.nwaits = before != nullptr;
	l.waits = &before;
	l.device = device_;
	if (het_launch(queue_, &l, &e)) {
		kernel.give_up(); // het has said why, and need not say it again
		return false;
	}
	if (before)
		het_event_release(before);
	begin_ = before ? std::min(begin_, block.to) : block.to;
	end_ = before ? std::max(end_, block.to + nbytes) : block.to + nbytes;
	last_ = e;
	return true;
}

// The lock is held. What is over need not be waited for, if it has not failed.
het_event *puts::last_locked()
{
	int status = 0;
	if (last_ && !het_event_status(last_, &status) && status == HET_COMPLETE) {
		het_event_release(last_);
		last_ = nullptr;
	}
	return last_;
}

het_event *puts::last()
{
	std::lock_guard g(lock_);
	if (het_event *e = last_locked()) {
		het_event_retain(e);
		return e;
	}
	return nullptr;
}

bool puts::settle()
{
	het_event *e = last();
	return !e || !finish(e);
}

bool puts::settle(const void *there, size_t nbytes)
{
	const auto begin = reinterpret_cast<uintptr_t>(there);
	{
		std::lock_guard g(lock_);
		if (!last_locked() || begin >= end_ || begin + nbytes <= begin_)
			return true;
	}
	return settle();
}

} // namespace het_omp
