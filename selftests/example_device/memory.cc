// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "example_device/memory.h"

#include "dev/memory_device.h"
#include "example_device/faults.h"
#include "os/log.h"
#include "os/mapping.h"

#include <atomic>
#include <cstring>
#include <gpuvm.h>
#include <new>

namespace example
{

namespace
{

// The head lies before the bytes, in a mapping of its own, as a driver's memory is.
struct alignas(64) head {
	std::atomic<uint32_t> references;
	size_t mapped;
};

// A driver makes copies like these, except that these have happened when the call returns.
class copies final : public het::device
{
      public:
	const char *name() const override { return "example"; }
	int retain(void *, size_t) override { return 0; }
	void release(void *) override {}

	int read(unsigned, std::span<const het::transfer> pieces) override
	{
		for (const het::transfer &t : pieces) {
			if (is_hit(het_example_faults.reads))
				return het::fail(GPUVM_EDEVALLOC, "example: a read failed");
			memcpy(t.host, bytes_of(t.devbuf) + t.offset, t.size);
		}
		return 0;
	}
	int write(unsigned, std::span<const het::transfer> pieces) override
	{
		for (const het::transfer &t : pieces) {
			if (is_hit(het_example_faults.writes))
				return het::fail(GPUVM_EDEVALLOC, "example: a write failed");
			memcpy(bytes_of(t.devbuf) + t.offset, t.host, t.size);
		}
		return 0;
	}
	int start_read(unsigned lane, const het::transfer &piece, het::read_ticket &) override
	{
		return read(lane, {&piece, 1});
	}
	int finish_read(unsigned, het::read_ticket &) override { return 0; }

	// Only programs without the runtime have events for the memory core.
	int retain_event(void *, void **) override { return het::fail(GPUVM_EARG, "example: there are no events"); }
	int wait_event(void *) override { return 0; }
	het::event_state look_at_event(void *) override { return het::event_state::done; }
	void release_event(void *) override {}
};

// The runtime has made the buffers, and the memory core keeps those that are linked.
class memory final : public het::rt::memory_device
{
      public:
	using memory_device::memory_device;
	int retain(void *buffer, size_t) override
	{
		retain_buffer(buffer);
		return 0;
	}
	void release(void *buffer) override { drop_buffer(buffer); }
};

} // namespace

bool make_buffer(size_t nbytes, void **buffer)
{
	size_t mapped = het::round_up(sizeof(head) + nbytes, het::page_size());
	void *p = het::map_private(mapped);
	*buffer = p ? new (p) head{1, mapped} : nullptr;
	return p != nullptr;
}

void retain_buffer(void *buffer)
{
	static_cast<head *>(buffer)->references.fetch_add(1);
}

void drop_buffer(void *buffer)
{
	auto *h = static_cast<head *>(buffer);
	if (h->references.fetch_sub(1) == 1)
		het::unmap(het::range_of(h, h->mapped));
}

std::byte *bytes_of(void *buffer)
{
	return reinterpret_cast<std::byte *>(static_cast<head *>(buffer) + 1);
}

std::unique_ptr<het::device> make_memory()
{
	std::unique_ptr<het::device> inner(new (std::nothrow) copies);
	return std::unique_ptr<het::device>(inner ? new (std::nothrow) memory(std::move(inner)) : nullptr);
}

} // namespace example
