// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_sheets.h"

#include <algorithm>
#include <bit>
#include <new>

namespace het::rt
{

namespace
{

constexpr size_t smallest = 64 << 10;

} // namespace

// Takes the smallest sheet that is large enough out of the list, or returns null if there is none.
cuda_sheet *cuda_sheets::find(size_t nbytes)
{
	lock_.lock(lock_rank::leaf);
	cuda_sheet **best = nullptr;
	for (cuda_sheet **p = &free_; *p; p = &(*p)->next) {
		if ((*p)->size >= nbytes && (!best || (*p)->size < (*best)->size))
			best = p;
	}
	cuda_sheet *found = best ? *best : nullptr;
	if (found)
		*best = found->next;
	lock_.unlock(lock_rank::leaf);
	return found;
}

int cuda_sheets::take(size_t nbytes, cuda_sheet **taken)
{
	*taken = find(nbytes);
	if (*taken)
		return 0;
	size_t size = std::bit_ceil(std::max(nbytes, smallest));
	std::unique_ptr<cuda_sheet> s(new (std::nothrow) cuda_sheet{size, 0, nullptr, nullptr});
	void *host = nullptr;
	int err = s ? cu_.allocate(&s->device, size) : int(cu_error_out_of_memory);
	if (!err)
		err = cu_.allocate_host(&host, size, cu_host_alloc_portable);
	if (err) {
		if (s && s->device)
			cu_.free(s->device);
		return err;
	}
	s->host = static_cast<char *>(host);
	*taken = s.release();
	return 0;
}

void cuda_sheets::give_back(cuda_sheet *s)
{
	lock_.lock(lock_rank::leaf);
	s->next = free_;
	free_ = s;
	lock_.unlock(lock_rank::leaf);
}

} // namespace het::rt
