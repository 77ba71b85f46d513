// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/host_buffer.h"

#include "os/mapping.h"

#include <atomic>
#include <cstdint>
#include <new>

namespace het::rt
{

namespace
{

// It stands before the first byte, in a mapping of its own: what only the library's own memory points to would be a
// leak to sanitizers.
struct alignas(128) buffer_head {
	std::atomic<uint32_t> references;
	size_t mapped;
};

buffer_head &head_of(void *buffer)
{
	return static_cast<buffer_head *>(buffer)[-1];
}

} // namespace

void *make_host_buffer(size_t nbytes, bool is_sparse)
{
	size_t mapped = round_up(sizeof(buffer_head) + nbytes, page_size());
	void *p = is_sparse ? map_sparse(mapped) : map_private(mapped);
	return p ? new (p) buffer_head{1, mapped} + 1 : nullptr;
}

size_t host_buffer_size(void *buffer)
{
	return head_of(buffer).mapped - sizeof(buffer_head);
}

void retain_host_buffer(void *buffer)
{
	head_of(buffer).references.fetch_add(1);
}

void drop_host_buffer(void *buffer)
{
	buffer_head &head = head_of(buffer);
	if (head.references.fetch_sub(1) == 1)
		unmap(range_of(&head, head.mapped));
}

} // namespace het::rt
