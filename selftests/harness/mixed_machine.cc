// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Puts two unlike devices into one library.
#include "machine.h"

namespace selftest
{

namespace
{
class mixed_machine final : public machine
{
      public:
	mixed_machine(std::unique_ptr<machine> first, std::unique_ptr<machine> second)
	    : first_(std::move(first)), second_(std::move(second))
	{
	}

	unsigned count() const override { return 2; }

	int init(int flags) override
	{
		gpuvm_device devs[2] = {entry(0), entry(1)};
		return gpuvm_init_devices(2, devs, flags);
	}
	gpuvm_device entry(unsigned dev) override { return of(dev).entry(0); }
	void *new_buffer(unsigned dev, size_t n) override { return of(dev).new_buffer(0, n); }
	void free_buffer(unsigned dev, void *buffer) override { of(dev).free_buffer(0, buffer); }
	void read(unsigned dev, void *buffer, size_t off, void *dst, size_t n) override
	{
		of(dev).read(0, buffer, off, dst, n);
	}
	void write(unsigned dev, void *buffer, size_t off, const void *src, size_t n) override
	{
		of(dev).write(0, buffer, off, src, n);
	}
	void run(unsigned dev, void *buffer, const kernel &k) override { of(dev).run(0, buffer, k); }
	uint64_t sum(unsigned dev, void *buffer, size_t off, size_t n) override
	{
		return of(dev).sum(0, buffer, off, n);
	}
	void *start(unsigned dev, void *buffer, const kernel &k) override { return of(dev).start(0, buffer, k); }
	void finish(unsigned dev, void *event) override { of(dev).finish(0, event); }

      private:
	machine &of(unsigned dev) { return dev ? *second_ : *first_; }

	std::unique_ptr<machine> first_, second_;
};
} // namespace

std::unique_ptr<machine> make_mixed_machine(std::unique_ptr<machine> first, std::unique_ptr<machine> second)
{
	return std::make_unique<mixed_machine>(std::move(first), std::move(second));
}

} // namespace selftest
