// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "device_memory.h"

#include "errors.h"
#include "object.h"

namespace het::python
{

device_memory::block::block(het_device *device, size_t nbytes) : device(device), nbytes(nbytes), address(nullptr)
{
	int err;
	{
		// Arrays may have to leave the device for it.
		without_gil g;
		err = het_device_alloc(device, nbytes, &address);
	}
	check(err);
}

device_memory::block::~block()
{
	without_gil g;
	het_device_free(device, address);
}

device_memory::device_memory(het_device *device, size_t nbytes) : block_(std::make_shared<block>(device, nbytes)) {}

device_memory device_memory::from(size_t offset) const
{
	if (offset >= nbytes())
		raise(PyExc_ValueError, "the memory has %zu bytes, and none at %zu", nbytes(), offset);
	device_memory rest = *this;
	rest.offset_ += offset;
	return rest;
}

} // namespace het::python
