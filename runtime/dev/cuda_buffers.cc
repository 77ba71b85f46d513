// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_buffers.h"

#include "os/log.h"

#include <memory>
#include <new>

namespace het::rt
{

// The driver aligns what it allocates to 512 bytes at least.
cuda_buffers::count **cuda_buffers::find(void *buffer)
{
	count **p = &lists_[reinterpret_cast<uintptr_t>(buffer) / 512 % most_lists];
	while (*p && (*p)->buffer != buffer)
		p = &(*p)->next;
	return p;
}

int cuda_buffers::allocate(size_t nbytes, void **buffer)
{
	std::unique_ptr<count> c(new (std::nothrow) count);
	cu_deviceptr address = 0;
	int err = c ? cu_.allocate(&address, nbytes) : int(cu_error_out_of_memory);
	if (err)
		return err;
	*buffer = reinterpret_cast<void *>(uintptr_t(address));
	*c = {*buffer, 1, nullptr};
	lock_.lock(lock_rank::leaf);
	*find(*buffer) = c.release();
	lock_.unlock(lock_rank::leaf);
	return 0;
}

void cuda_buffers::retain(void *buffer)
{
	lock_.lock(lock_rank::leaf);
	(*find(buffer))->references++;
	lock_.unlock(lock_rank::leaf);
}

void cuda_buffers::release(void *buffer, cu_context context)
{
	std::unique_ptr<count> last;
	lock_.lock(lock_rank::leaf);
	count **p = find(buffer);
	if (!--(*p)->references) {
		last.reset(*p);
		*p = last->next;
	}
	lock_.unlock(lock_rank::leaf);
	if (!last)
		return;
	cuda_current c(cu_, context);
	int err = c.error() ? c.error() : cu_.free(reinterpret_cast<uintptr_t>(buffer));
	if (err)
		warn("freeing device memory failed: %s (%d)", cu_.name_of(err), err);
}

} // namespace het::rt
