// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "puts.h"

#include "put_kernel.h"
#include "waiting.h"

#include <cstring>

namespace het_omp
{

namespace
{

constexpr size_t word_bytes = sizeof(put_block::word[0]);

bool fits(const void *to, size_t nbytes)
{
	return nbytes && nbytes <= sizeof(put_block::word) &&
	       !((reinterpret_cast<uintptr_t>(to) | nbytes) % word_bytes);
}

} // namespace

puts::~puts()
{
	if (last_)
		het_event_release(last_);
	if (kernel_)
		het_kernel_release(kernel_);
	if (program_)
		het_program_release(program_);
}

bool puts::make_kernel()
{
	if (kernel_was_tried_)
		return kernel_;
	kernel_was_tried_ = true;
	const het_image image = {HET_IMAGE_PTX, 0, put_kernel_ptx, sizeof put_kernel_ptx - 1};
	het_program_args args = {};
	args.size = sizeof args;
	args.images = &image;
	args.nimages = 1;
	args.instruments = HET_PLAIN;
	return !het_program_create(&args, &program_) && !het_kernel_create(program_, "put", &kernel_);
}

bool puts::put(void *to, const void *from, size_t nbytes)
{
	put_block block;
	if (!fits(to, nbytes))
		return false;
	block.to = reinterpret_cast<uintptr_t>(to);
	block.words = nbytes / word_bytes;
	memcpy(block.word, from, nbytes); // may be a touch, for which no lock is held
	memset(reinterpret_cast<char *>(block.word) + nbytes, 0, sizeof block.word - nbytes);
	const het_arg all = {HET_ARG_BLOCK, 0, sizeof block, &block, nullptr, nullptr};
	std::lock_guard g(lock_);
	if (!make_kernel())
		return false;
	het_event *before = last_locked(), *e = nullptr;
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel_;
	l.dimensions = 1;
	l.global[0] = l.local[0] = put_block::most_words;
	l.arg_size = sizeof all;
	l.nargs = 1;
	l.args = &all;
	l.nwaits = before != nullptr;
	l.waits = &before;
	l.device = device_;
	if (het_launch(queue_, &l, &e)) {
		het_kernel_release(kernel_); // het has said why, and need not say it again
		kernel_ = nullptr;
		return false;
	}
	if (before)
		het_event_release(before);
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

} // namespace het_omp
