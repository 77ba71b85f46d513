// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Buffers and images are memory objects of the runtime's, and belong to no device.
#pragma once

#include "context.h"
#include "image.h"

#include <het.h>

struct _cl_mem : hetcl::object<hetcl::kind::memory> {
	~_cl_mem();

	hetcl::held<_cl_context> context;
	cl_mem_flags flags = 0;
	size_t size = 0;
	void *host_pointer = nullptr; // of CL_MEM_USE_HOST_PTR
	std::vector<cl_mem_properties> properties;
	hetcl::held<_cl_mem> whole; // this is a part of it
	size_t offset = 0;          // in the whole
	hetcl::owner<het_memory, het_memory_release> memory;
	std::unique_ptr<hetcl::image> image; // null for a buffer
	hetcl::farewells when_gone;

	// Returns whether these bytes are inside.
	bool has(size_t at, size_t n) const { return at <= size && n <= size - at; }
	// Returns the object that others may be parts of too, and where this begins in it.
	const _cl_mem *base() const { return whole ? whole.get() : this; }
	// Returns the object that has the bytes of this, which may be a part of a part.
	_cl_mem &root() { return whole ? whole->root() : *this; }
	const _cl_mem &root() const { return whole ? whole->root() : *this; }
	// Commands get the bytes here: what none has used need not wait for any when it goes.
	het_memory *for_command() const
	{
		root().is_used.store(true, std::memory_order_relaxed);
		return memory.get();
	}
	mutable std::atomic<bool> is_used{false};
	// Textures of an image of a buffer are copies of its bytes. So who has enqueued a command that writes these
	// says so before the program can enqueue another one that comes after it.
	void note_written() { root().writes.fetch_add(1); }
	std::atomic<uint64_t> writes{0};
	// With the images in order (image_places.h): what the host has written is complete when these have ended.
	std::vector<hetcl::owner<het_event, het_event_release>> unmaps;

	// A part must begin where the device can address it.
	bool suits(cl_device_id d) const { return !whole || offset % d->alignment == 0; }

	struct mapping {
		void *pointer;
		bool is_written;
	};
	void add_map(mapping m);
	// The pointer is null if there is none.
	mapping take_map(void *pointer);
	cl_uint nmaps() const;

      private:
	mutable std::mutex lock_;
	std::vector<mapping> maps_;
};

namespace hetcl
{

// Calls are for one of the two, and the other is no valid object to them.
inline cl_mem buffer_or_none(cl_mem m)
{
	return is_valid(m) && !m->image ? m : nullptr;
}
inline cl_mem image_or_none(cl_mem m)
{
	return is_valid(m) && m->image ? m : nullptr;
}

// Objects are made with flags, and parts of buffers, and images of them, have some from the whole.
bool are_possible_flags(cl_mem_flags f);
cl_mem_flags with_access(cl_mem_flags f);
bool part_may_have(cl_mem_flags whole, cl_mem_flags part);
cl_mem_flags flags_of_part(cl_mem_flags whole, cl_mem_flags part);

} // namespace hetcl
