// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/real.h"

#include "common/clock.h"
#include "micro/claims.h"

#include <gpuvm.h>

namespace micro
{

namespace
{

class real_target final : public target
{
      public:
	explicit real_target(std::unique_ptr<bench::device> d) : device_(std::move(d)), traits_(traits_of(*device_)) {}

	std::string name() const override { return device_->name(); }
	std::string title() const override { return device_->title(); }
	json describe() const override { return device_->describe(); }
	const traits &what() const override { return traits_; }

	void *allocate(size_t nbytes) override { return device_->allocate(nbytes); }
	void release(void *buffer) override { device_->release(buffer); }
	void *allocate_constant(const kernel &k, size_t nbytes) override
	{
		return device_->allocate_constant(k, nbytes);
	}
	void *make_texture(void *buffer, size_t nbytes) override { return device_->make_texture(buffer, nbytes); }
	void release_texture(void *texture) override { device_->release_texture(texture); }
	void read(void *buffer, size_t offset, void *to, size_t nbytes) override
	{
		device_->read(buffer, offset, to, nbytes);
	}
	void write(void *buffer, size_t offset, const void *from, size_t nbytes) override
	{
		device_->write(buffer, offset, from, nbytes);
	}

	void *near_memory(size_t nbytes) override
	{
		return device_->api() == GPUVM_CUDA ? device_->near_memory(nbytes) : nullptr;
	}

	std::unique_ptr<target> open(const std::string &name) const override { return open_real(name); }
	std::vector<std::string> alike() const override { return names_like(name()); }

	double run(const kernel &k, size_t items, size_t group, arguments args) override
	{
		device_->launch(k, items, group, args);
		device_->finish();
		return device_->take_kernel_time() * 1e3;
	}

	double now() const override { return bench::now_us() * 1e-6; }

      private:
	std::unique_ptr<bench::device> device_;
	traits traits_;
};

} // namespace

std::unique_ptr<target> open_real(const std::string &name)
{
	return std::make_unique<real_target>(bench::open_device(name));
}

std::vector<std::string> real_names()
{
	std::vector<std::string> all = bench::cuda_device_names();
	for (const std::string &name : bench::opencl_device_names())
		all.push_back(name);
	all.emplace_back("host");
	return all;
}

std::vector<std::string> names_like(const std::string &name)
{
	const auto kind = [](const std::string &n) { return n.substr(0, n.find_first_of("0123456789")); };
	std::vector<std::string> all;
	const std::string title = bench::open_device(name)->title();
	for (const std::string &other : real_names())
		if (other == name || (kind(other) == kind(name) && bench::open_device(other)->title() == title))
			all.push_back(other);
	return all;
}

} // namespace micro
