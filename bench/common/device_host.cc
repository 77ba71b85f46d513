// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/device.h"

#include "common/clock.h"

#include <cstdlib>
#include <cstring>
#include <gpuvm.h>
#include <new>

namespace bench
{

namespace
{

int copy_out(void *, const void *buffer, size_t offset, void *to, size_t n)
{
	memcpy(to, static_cast<const char *>(buffer) + offset, n);
	return 0;
}

int copy_in(void *, void *buffer, size_t offset, const void *from, size_t n)
{
	memcpy(static_cast<char *>(buffer) + offset, from, n);
	return 0;
}

gpuvm_host_device functions = {sizeof(functions), copy_out, copy_in, nullptr};

class host_device final : public device
{
      public:
	explicit host_device(bool with_functions) : with_functions_(with_functions) {}

	std::string name() const override { return with_functions_ ? "hostcb" : "host"; }
	std::string title() const override
	{
		return with_functions_ ? "host device with copy functions, as if it had a driver"
				       : "host device (separate host memory, kernels are C functions)";
	}
	json describe() const override { return {{"name", name()}, {"title", title()}}; }
	bool cpu() const override { return true; }
	int api() const override { return GPUVM_HOST; }
	void *handle() override { return with_functions_ ? &functions : nullptr; }

	void *allocate(size_t nbytes) override
	{
		void *p = aligned_alloc(4096, (nbytes + 4095) / 4096 * 4096);
		if (!p)
			throw std::bad_alloc();
		memset(p, 0, nbytes);
		return p;
	}
	void release(void *buffer) override { free(buffer); }

	void read(void *buffer, size_t offset, void *to, size_t nbytes) override
	{
		memcpy(to, static_cast<char *>(buffer) + offset, nbytes);
	}
	void write(void *buffer, size_t offset, const void *from, size_t nbytes) override
	{
		memcpy(static_cast<char *>(buffer) + offset, from, nbytes);
	}

	void launch(const kernel &k, size_t items, size_t, arguments args) override
	{
		double t = now_us();
		k.host(args, 0, items);
		kernel_time_ += now_us() - t;
	}
	void finish() override {}

	double take_kernel_time() override { return std::exchange(kernel_time_, 0); }

      private:
	const bool with_functions_;
	double kernel_time_ = 0;
};

} // namespace

std::unique_ptr<device> make_host_device(bool with_functions)
{
	return std::make_unique<host_device>(with_functions);
}

} // namespace bench
