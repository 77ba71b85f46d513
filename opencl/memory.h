// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Buffers are memory objects of the runtime's, and belong to no device.
#pragma once

#include "context.h"

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
	hetcl::farewells when_gone;

	// Returns whether these bytes are inside.
	bool has(size_t at, size_t n) const { return at <= size && n <= size - at; }
	// Returns the object that others may be parts of too, and where this begins in it.
	const _cl_mem *base() const { return whole ? whole.get() : this; }
	// A part must begin where the device can address it.
	bool suits(cl_device_id d) const { return !whole || offset % d->alignment == 0; }

	void add_map(void *pointer);
	bool take_map(void *pointer);
	cl_uint nmaps() const;

      private:
	mutable std::mutex lock_;
	std::vector<void *> maps_;
};
