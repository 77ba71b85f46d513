// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/device.h"

#include "common/cuda.h"
#include "common/cuda_texture.h"
#include "common/format.h"

#include <gpuvm.h>
#include <set>
#include <stdexcept>
#include <utility>

namespace bench
{

using namespace het;

namespace
{

// Holds a pair of events around one launch.
struct timed_launch {
	cu_event before, after;
};

class cuda_device final : public device
{
      public:
	explicit cuda_device(unsigned ordinal) : ordinal_(ordinal), program_(ordinal) {}
	~cuda_device() override
	{
		if (near_)
			cuda().free_host(near_);
		for (auto *list : {&launches_, &spare_}) {
			for (const timed_launch &t : *list) {
				cuda().destroy_event(t.before);
				cuda().destroy_event(t.after);
			}
		}
	}

	std::string name() const override { return "cuda" + std::to_string(ordinal_); }
	std::string title() const override { return program_.device_name() + " (CUDA)"; }
	json describe() const override
	{
		return {{"name", name()},
			{"title", program_.device_name()},
			{"platform", "CUDA"},
			{"version", "driver for CUDA " + cuda_program::driver_version()}};
	}
	bool cpu() const override { return false; }
	int api() const override { return GPUVM_CUDA; }
	void *handle() override { return reinterpret_cast<void *>(uintptr_t{ordinal_}); }

	void *allocate(size_t nbytes) override
	{
		cu_deviceptr p = 0;
		cuda_check(cuda().allocate(&p, nbytes), "cuMemAlloc");
		cuda_check(cuda().fill(p, 0, nbytes), "cuMemsetD8");
		cuda_check(cuda().synchronize(), "cuCtxSynchronize");
		return reinterpret_cast<void *>(uintptr_t(p));
	}
	void release(void *buffer) override
	{
		if (!constants_.contains(buffer))
			cuda().free(address(buffer, 0));
	}
	void *allocate_constant(const kernel &k, size_t nbytes) override;
	void *make_texture(void *buffer, size_t nbytes) override
	{
		return cuda_has_textures() ? reinterpret_cast<void *>(make_cuda_texture(address(buffer, 0), nbytes))
					   : nullptr;
	}
	void release_texture(void *texture) override { destroy_cuda_texture(reinterpret_cast<uintptr_t>(texture)); }

	void read(void *buffer, size_t offset, void *to, size_t nbytes) override
	{
		cuda_check(cuda().copy_to_host(to, address(buffer, offset), nbytes, program_.stream()), "cuMemcpyDtoH");
		program_.finish();
	}
	void write(void *buffer, size_t offset, const void *from, size_t nbytes) override
	{
		cuda_check(cuda().copy_to_device(address(buffer, offset), from, nbytes, program_.stream()),
			   "cuMemcpyHtoD");
		program_.finish();
	}

	void *near_memory(size_t nbytes) override
	{
		if (nbytes <= near_size_)
			return near_;
		if (near_)
			cuda().free_host(std::exchange(near_, nullptr));
		cuda_check(cuda().allocate_host(&near_, nbytes, 0), "cuMemHostAlloc");
		near_size_ = nbytes;
		return near_;
	}

	void launch(const kernel &k, size_t items, size_t group, arguments args) override;
	void finish() override { program_.finish(); }
	double take_kernel_time() override;

      private:
	static cu_deviceptr address(void *buffer, size_t offset)
	{
		return cu_deviceptr(reinterpret_cast<uintptr_t>(buffer)) + offset;
	}
	timed_launch spare_pair();

	unsigned ordinal_;
	cuda_program program_;
	std::vector<timed_launch> launches_, spare_;
	std::set<void *> constants_; // modules' variables
	void *near_ = nullptr;       // pinned
	size_t near_size_ = 0;
};

timed_launch cuda_device::spare_pair()
{
	timed_launch t;
	if (!spare_.empty()) {
		t = spare_.back();
		spare_.pop_back();
		return t;
	}
	cuda_check(cuda().create_event(&t.before, 0), "cuEventCreate");
	cuda_check(cuda().create_event(&t.after, 0), "cuEventCreate");
	return t;
}

void *cuda_device::allocate_constant(const kernel &k, size_t nbytes)
{
	const auto [at, size] = program_.variable(k.text, "constant_table");
	if (nbytes > size)
		throw std::runtime_error(format("%s has %zu bytes of constant memory", k.name, size));
	void *handle = reinterpret_cast<void *>(uintptr_t(at));
	constants_.insert(handle);
	return handle;
}

void cuda_device::launch(const kernel &k, size_t items, size_t group, arguments args)
{
	std::vector<void *> values;
	for (const argument &a : args)
		values.push_back(const_cast<void **>(&a.buffer)); // all kinds lie at one place
	timed_launch t = spare_pair();
	cuda_check(cuda().record_event(t.before, program_.stream()), "cuEventRecord");
	program_.launch(k.text, k.name, unsigned((items + group - 1) / group), unsigned(group), values);
	cuda_check(cuda().record_event(t.after, program_.stream()), "cuEventRecord");
	launches_.push_back(t);
}

double cuda_device::take_kernel_time()
{
	double sum = 0;
	for (const timed_launch &t : launches_) {
		float ms = 0;
		cuda_check(cuda().elapsed(&ms, t.before, t.after), "cuEventElapsedTime");
		sum += double(ms) * 1e3;
		spare_.push_back(t);
	}
	launches_.clear();
	return sum;
}

} // namespace

std::unique_ptr<device> make_cuda_device(unsigned ordinal)
{
	return std::make_unique<cuda_device>(ordinal);
}

std::vector<std::string> cuda_device_names()
{
	std::vector<std::string> names;
	for (unsigned i = 0; i < cuda_device_count(); ++i)
		names.push_back("cuda" + std::to_string(i));
	return names;
}

} // namespace bench
