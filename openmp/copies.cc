// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "copies.h"

#include "copy_kernel.h"
#include "lazy.h"
#include "waiting.h"

#include <gpuvm.h>

namespace het_omp
{

namespace
{

constexpr size_t bytes_of_item = 16, items_of_group = 256; // of the kernel
constexpr size_t most_seen = 4096;

het_arg range_arg(const void *p, size_t nbytes, uint32_t access)
{
	return {HET_ARG_RANGE, access, nbytes, const_cast<void *>(p), nullptr, nullptr};
}

het_arg address_arg(const void *p)
{
	return {HET_ARG_ADDRESS, 0, 0, const_cast<void *>(p), nullptr, nullptr};
}

} // namespace

copies::copies(het_device *device, het_queue *queue) : device_(device), queue_(queue), kernel_("copy", copy_kernel_ptx)
{
}

bool copies::to_host(void *to, const void *from, size_t nbytes)
{
	if (now_watched(to, nbytes) && by_kernel(range_arg(to, nbytes, HET_WRITE_ONLY), address_arg(from), nbytes))
		return true;
	return copy(nullptr, to, device_, from, nbytes);
}

bool copies::to_device(void *to, const void *from, size_t nbytes)
{
	if (touches_watched(from, nbytes) && by_kernel(address_arg(to), range_arg(from, nbytes, HET_READ_ONLY), nbytes))
		return true;
	return copy(device_, to, nullptr, from, nbytes);
}

bool copies::on_device(void *to, const void *from, size_t nbytes)
{
	return copy(device_, to, device_, from, nbytes);
}

bool copies::copy(het_device *to_on, void *to, het_device *from_on, const void *from, size_t nbytes)
{
	het_copy_args a = {};
	a.size = sizeof a;
	a.to_device = to_on;
	a.to_pointer = to;
	a.from_device = from_on;
	a.from_pointer = from;
	a.nbytes = nbytes;
	het_event *e = nullptr;
	return !nbytes || (!het_copy(queue_, &a, &e) && !finish(e));
}

// Counts, and returns whether they come lazily; without the kernel none does. What is an array already can't be looked
// at again: its memory is not what it was.
bool copies::now_watched(const void *p, size_t nbytes)
{
	if (nbytes < least_watched || !lazy_from())
		return false;
	std::lock_guard g(lock_);
	if (seen_.size() > most_seen)
		seen_.clear();
	bytes_of_host &b = seen_[reinterpret_cast<uintptr_t>(p)];
	if (b.nbytes != nbytes)
		b = {nbytes, 0};
	b.times++;
	if (kernel_.get() && gpuvm_is_linked(p, nbytes))
		return true;
	return b.times >= lazy_from() && can_be_watched(p, nbytes) && calls_may_use_watched() && kernel_.make();
}

// Memory that was watched and has been freed is no longer an array, whatever lies there now.
bool copies::touches_watched(const void *p, size_t nbytes)
{
	if (nbytes < least_watched || !lazy_from())
		return false;
	std::lock_guard g(lock_);
	return kernel_.get() && gpuvm_is_linked(p, nbytes);
}

// What is watched has a place of its own on the device, beside the mapped block. Other arrays can make room for it, the
// program's memory can't.
bool copies::has_room(size_t nbytes) const
{
	het_memory_info m = {};
	m.size = sizeof m;
	return !het_device_memory(device_, &m) && m.raw + m.textures + m.copies + nbytes <= m.budget;
}

// Returns false, too, if there is no room: an ordinary copy does without.
bool copies::by_kernel(const het_arg &to, const het_arg &from, size_t nbytes)
{
	if (!has_room(nbytes))
		return false;
	const het_arg args[] = {to, from, {HET_ARG_VALUE, 0, sizeof nbytes, &nbytes, nullptr, nullptr}};
	const size_t bytes_of_group = bytes_of_item * items_of_group;
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel_.get();
	l.dimensions = 1;
	l.local[0] = items_of_group;
	l.global[0] = (nbytes + bytes_of_group - 1) / bytes_of_group * items_of_group;
	l.arg_size = sizeof args[0];
	l.nargs = std::size(args);
	l.args = args;
	l.device = device_;
	het_event *e = nullptr;
	return !het_launch(queue_, &l, &e) && !finish(e);
}

} // namespace het_omp
