// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Initialises the library as the variant says, and makes arrays with a reference model.
#pragma once

#include "block.h"
#include "machine.h"
#include "test.h"

#include <gpuvm.h>

namespace selftest
{

// Returns the flag of gpuvm_init() for a trap of the axis.
int trap_flag(uint32_t trap);

class fixture
{
      public:
	// Calls gpuvm_init(); skips the case, with the library's reason, if the trap can't be had.
	explicit fixture(const context &t, int flags = GPUVM_STAT);
	fixture(const fixture &) = delete;
	fixture &operator=(const fixture &) = delete;

	machine &dev() { return *machine_; }
	unsigned devices() const { return machine_->count(); }

      private:
	std::unique_ptr<machine> machine_;
};

// Returns one of the counters of gpuvm_stat().
unsigned long long count_of(int parameter);

// Takes what the library writes to stderr during a call.
class stderr_capture
{
      public:
	stderr_capture();
	~stderr_capture();
	// Ends the capture.
	std::string text();

      private:
	int saved_, file_;
};

// Holds a host array, a buffer on each device, and what the array should contain.
class array
{
      public:
	// Makes memory of the kind, filled with a pattern.
	array(fixture &fx, uint32_t kind, size_t n, uint32_t seed = 1);
	// Takes memory that somebody else owns.
	array(fixture &fx, uint8_t *data, size_t n, uint32_t seed = 1);
	array(const array &) = delete;
	array &operator=(const array &) = delete;
	// Unlinks the array; the block is freed.
	~array();

	uint8_t *data() const { return data_; }
	size_t size() const { return size_; }
	uint8_t *model() { return model_.data(); }
	void *buffer(unsigned dev) const { return buffers_[dev]; }

	void link(unsigned dev = 0, int flags = GPUVM_ON_HOST);
	void link_everywhere();
	void unlink_everywhere();

	// Does begin, kernel and end; the model follows unless the access is read-only.
	void kernel_on(unsigned dev, int access, const kernel &k);
	void add_everywhere(unsigned dev, uint8_t value)
	{
		kernel_on(dev, GPUVM_READ_WRITE, {kernel::add, 0, size_, value});
	}
	// Runs on the device between begin and end made by the test; the model follows.
	void run(unsigned dev, const kernel &k);

	void write_on_host(size_t off, size_t n, uint32_t seed);
	void check(const char *what = "array") { check(0, size_, what); }
	void check(size_t off, size_t n, const char *what = "array");
	// Checks the buffer of a device, read behind the library's back.
	void check_buffer(unsigned dev, const char *what = "buffer");
	void check_sum(unsigned dev);

	// Leaves the memory alone from now on, since it has been freed or moved.
	void abandon();

      private:
	void prepare(uint32_t seed);

	fixture &fx_;
	block block_;
	uint8_t *data_;
	size_t size_;
	std::vector<uint8_t> model_;
	std::vector<void *> buffers_;
};

} // namespace selftest
