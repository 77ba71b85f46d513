// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The benchmarks see a compute device like this: it has buffers, kernels, and the raw copies that libhet is compared
// with. There are three kinds: OpenCL and CUDA devices, and the host device, where buffers are host memory and kernels
// C functions. The latter comes in two forms: the library copies by itself, or calls functions of ours ("hostcb"),
// which it does from its own threads alone, as with any device that has a driver.
#pragma once

#include "common/kernel_text.h"
#include "json/json.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

using het::json;

// An argument of a kernel is a buffer, an int or a float.
struct argument {
	enum class kind { buffer, integer, real };
	argument(void *b) : which(kind::buffer), buffer(b) {}
	argument(int i) : which(kind::integer), integer(i) {}
	argument(float f) : which(kind::real), real(f) {}

	kind which;
	union {
		void *buffer;
		int integer;
		float real;
	};
};

using arguments = std::span<const argument>;

// One kernel is here in all languages. Its address is its identity, so it must have static storage.
struct kernel {
	const char *name;        // the function in @text
	const kernel_text &text; // CPU_DEVICE is defined when OpenCL compiles it for a CPU
	void (*host)(arguments args, size_t first, size_t end); // does work-items [first, end)
};

class device
{
      public:
	virtual ~device() = default;

	virtual std::string name() const = 0;  // for results: "host", "hostcb", "opencl0", "cuda0"
	virtual std::string title() const = 0; // for people
	virtual json describe() const = 0;
	virtual bool cpu() const = 0; // true if work-items are lanes of a core, not threads of a GPU

	// gpuvm_init() wants these: GPUVM_OPENCL, GPUVM_CUDA or GPUVM_HOST, and the element of devs.
	virtual int api() const = 0;
	virtual void *handle() = 0;

	virtual void *allocate(size_t nbytes) = 0;
	virtual void release(void *buffer) = 0;
	// Returns memory that kernel @k can only read, to be its argument. In PTX it is the variable constant_table.
	virtual void *allocate_constant(const kernel &k, size_t nbytes)
	{
		(void)k;
		return allocate(nbytes);
	}

	// Returns a texture of 32-bit words over a buffer, to be a kernel's argument; null where there are none.
	virtual void *make_texture(void *buffer, size_t nbytes)
	{
		(void)buffer, (void)nbytes;
		return nullptr;
	}
	virtual void release_texture(void *texture) { (void)texture; }

	// These are blocking copies on the program's own queue.
	virtual void read(void *buffer, size_t offset, void *to, size_t nbytes) = 0;
	virtual void write(void *buffer, size_t offset, const void *from, size_t nbytes) = 0;
	// Returns memory of the host, of this device's until the next call, that those copies are fastest with.
	virtual void *near_memory(size_t nbytes)
	{
		near_.resize(nbytes);
		return near_.data();
	}

	// Hands a kernel of @items work-items, in groups of @group, to the device; finish() waits for all.
	virtual void launch(const kernel &k, size_t items, size_t group, arguments args) = 0;
	virtual void finish() = 0;

	// Returns how many µs kernels ran since the last call, as the device reports it. It is called after finish().
	virtual double take_kernel_time() = 0;

      private:
	std::vector<char> near_;
};

std::unique_ptr<device> make_host_device(bool with_functions);
// @index counts the devices of all platforms.
std::unique_ptr<device> make_opencl_device(unsigned index);
std::unique_ptr<device> make_cuda_device(unsigned ordinal);

// Opens a device by one of the names above. Throws if there is no such device.
std::unique_ptr<device> open_device(const std::string &name);

// Opens every OpenCL device. Where there is none, it says so and returns the host device.
std::vector<std::unique_ptr<device>> open_all_devices();

// Returns the names of the OpenCL devices, or none without an ICD. This starts the OpenCL runtime.
std::vector<std::string> opencl_device_names();
// Returns the names of the CUDA devices, or none without a driver. This starts the driver.
std::vector<std::string> cuda_device_names();

// Owns one buffer.
class buffer
{
      public:
	buffer() = default;
	buffer(device &d, size_t nbytes) : device_(&d), handle_(d.allocate(nbytes)) {}
	buffer(buffer &&o) noexcept : device_(o.device_), handle_(std::exchange(o.handle_, nullptr)) {}
	buffer &operator=(buffer &&o) noexcept
	{
		std::swap(device_, o.device_);
		std::swap(handle_, o.handle_);
		return *this;
	}
	~buffer()
	{
		if (handle_)
			device_->release(handle_);
	}
	void *get() const { return handle_; }

      private:
	device *device_ = nullptr;
	void *handle_ = nullptr;
};

} // namespace bench
