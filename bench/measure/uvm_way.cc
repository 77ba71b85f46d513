// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/uvm_way.h"

#include "common/library.h"
#include "common/memory.h"
#include "measure/touch.h"

#include <cstring>
#include <stdexcept>
#include <vector>

namespace bench
{

using namespace het;

namespace
{

constexpr int this_device = 0;

// Copies are placed by hand: what was written goes over, what is touched comes back, and nothing else.
class pinned_array final : public uvm_array
{
      public:
	pinned_array(cuda_program &p, size_t nbytes) : program_(p)
	{
		cuda_check(cuda().allocate_host(&host_, nbytes, 0), "cuMemHostAlloc");
		cuda_check(cuda().allocate(&device_, nbytes), "cuMemAlloc");
		memset(host_, 0, nbytes);
		cuda_check(cuda().fill(device_, 0, nbytes), "cuMemsetD8");
	}
	~pinned_array() override
	{
		cuda().free_host(host_);
		cuda().free(device_);
	}
	void *host() override { return host_; }
	cu_deviceptr device() override { return device_; }
	void written(size_t offset, size_t nbytes) override
	{
		if (!dirty_.empty() && dirty_.back().offset + dirty_.back().nbytes == offset)
			dirty_.back().nbytes += nbytes;
		else
			dirty_.push_back({offset, nbytes});
	}
	// The kernel comes next in the same stream, so there is nothing to wait for.
	void before_kernel() override
	{
		for (const part &p : dirty_)
			cuda_check(cuda().copy_to_device(device_ + p.offset, static_cast<char *>(host_) + p.offset,
							 p.nbytes, program_.stream()),
				   "cuMemcpyHtoDAsync");
		dirty_.clear();
	}
	void after_kernel() override {}
	void before_touch(size_t offset, size_t nbytes) override
	{
		cuda_check(cuda().copy_to_host(static_cast<char *>(host_) + offset, device_ + offset, nbytes,
					       program_.stream()),
			   "cuMemcpyDtoHAsync");
		program_.finish();
	}

      private:
	struct part {
		size_t offset, nbytes;
	};
	cuda_program &program_;
	void *host_ = nullptr;
	cu_deviceptr device_ = 0;
	std::vector<part> dirty_;
};

class managed_array final : public uvm_array
{
      public:
	managed_array(cuda_program &p, size_t nbytes, bool prefetch) : program_(p), size_(nbytes), prefetch_(prefetch)
	{
		cuda_check(cuda().allocate_managed(&p_, nbytes, cu_attach_global), "cuMemAllocManaged");
		memset(host(), 0, nbytes);
	}
	~managed_array() override { cuda().free(p_); }
	void *host() override { return reinterpret_cast<void *>(uintptr_t(p_)); }
	cu_deviceptr device() override { return p_; }
	void written(size_t, size_t) override {}
	void before_kernel() override
	{
		if (prefetch_)
			prefetch({cu_location_device, this_device}, 0, size_);
	}
	void after_kernel() override {}
	void before_touch(size_t offset, size_t nbytes) override
	{
		if (!prefetch_)
			return;
		prefetch({cu_location_host, 0}, offset, nbytes);
		program_.finish();
	}

      private:
	void prefetch(cu_mem_location to, size_t offset, size_t nbytes)
	{
		cuda_check(cuda().prefetch(p_ + offset, nbytes, to, 0, program_.stream()), "cuMemPrefetchAsync");
	}

	cuda_program &program_;
	size_t size_;
	bool prefetch_;
	cu_deviceptr p_ = 0;
};

class libhet_array final : public uvm_array
{
      public:
	libhet_array(const std::string &memory, size_t nbytes) : from_malloc_(memory == "malloc")
	{
		if (from_malloc_) {
			malloced_ = host_array(nbytes, false);
			host_ = malloced_.data();
		} else {
			host_ = gpuvm_malloc(nbytes, this_device, memory == "huge" ? GPUVM_HUGE : GPUVM_NONE);
		}
		if (!host_)
			throw std::runtime_error("gpuvm_malloc failed");
		memset(host_, 0, nbytes);
		cuda_check(cuda().allocate(&device_, nbytes), "cuMemAlloc");
		linked_ = linked_array(host_, nbytes, this_device, buffer(), GPUVM_ON_HOST);
	}
	~libhet_array() override
	{
		linked_ = {};
		if (!from_malloc_)
			gpuvm_free(host_);
		cuda().free(device_);
	}
	void *host() override { return host_; }
	cu_deviceptr device() override { return device_; }
	void written(size_t, size_t) override {}
	void before_kernel() override
	{
		check(gpuvm_kernel_begin(host_, this_device, GPUVM_READ_WRITE), "gpuvm_kernel_begin");
	}
	void after_kernel() override { check(gpuvm_kernel_end(host_, this_device), "gpuvm_kernel_end"); }
	void before_touch(size_t, size_t) override {}

      private:
	void *buffer() const { return reinterpret_cast<void *>(uintptr_t(device_)); }

	bool from_malloc_;
	host_array malloced_;
	void *host_ = nullptr;
	cu_deviceptr device_ = 0;
	linked_array linked_;
};

} // namespace

std::string uvm_subject::name() const
{
	if (way != "libhet")
		return way;
	return way + "/" + trap + "/" + memory + (spin == "adaptive" ? "" : "-spin-" + spin) +
	       (foresight ? "-foresight" : "");
}

void start_uvm_way(const uvm_subject &subject, cuda_program &program)
{
	if (subject.way == "libhet") {
		start_library_on_first(GPUVM_CUDA, (subject.foresight ? 0 : GPUVM_NO_FORESIGHT) |
							   trap_flag(subject.trap) | spin_flag(subject.spin));
	} else if (subject.way != "pinned" && !program.attribute(cu_attribute_concurrent_managed_access)) {
		throw std::runtime_error("host and device can't share managed memory here");
	}
}

std::unique_ptr<uvm_array> make_uvm_array(const uvm_subject &subject, cuda_program &program, size_t nbytes)
{
	if (subject.way == "libhet")
		return std::make_unique<libhet_array>(subject.memory, nbytes);
	if (subject.way == "pinned")
		return std::make_unique<pinned_array>(program, nbytes);
	return std::make_unique<managed_array>(program, nbytes, subject.way == "managed-prefetch");
}

} // namespace bench
