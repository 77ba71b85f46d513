// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/no_memory.h"

#include "dev/memory_device.h"
#include "os/log.h"

#include <gpuvm.h>
#include <new>

namespace het::rt
{

namespace
{

class no_memory final : public memory_device
{
      public:
	using memory_device::memory_device;
	int retain(void *, size_t) override { return fail(GPUVM_EDEVALLOC, "the device's memory could not be had"); }
	void release(void *) override {}
};

} // namespace

std::unique_ptr<device> make_no_memory(unsigned index, unsigned lanes, int *error)
{
	std::unique_ptr<device> inner = make_host_device(index, nullptr, lanes, error);
	if (!inner)
		return nullptr;
	std::unique_ptr<device> made(new (std::nothrow) no_memory(std::move(inner)));
	*error = made ? 0 : GPUVM_ESALLOC;
	return made;
}

} // namespace het::rt
