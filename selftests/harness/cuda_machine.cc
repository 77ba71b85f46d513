// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// CUDA is called directly here, as the program under test would: in the primary contexts, on streams of the program's
// own. The driver is opened at run time: NVIDIA's, or selftests/fake where LD_LIBRARY_PATH leads there.
#include "cuda_kernels.h"
#include "machine.h"

#include "base/cuda_driver.h"

#include <gpuvm.h>
#include <mutex>

namespace selftest
{

namespace
{
using namespace het;

constexpr unsigned threads = 256, group = 64;
constexpr uint8_t cuda_poison = 0xdb;
const char *const kernel_names[] = {"test_add", "test_mix", "test_fill", "test_stamp", "test_slow_add"};
// These take tens of milliseconds on a GPU, and no more for the interpreter.
constexpr unsigned slow_turns = 10'000'000, slow_turns_of_fake = 3000;

struct driver : cuda_driver {
	const bool fake = symbol("fake_cuda");

	driver() : cuda_driver(cuda_calls::program)
	{
		if (!why_not().empty())
			skip("%s", why_not().c_str());
	}
};

#define CHECK_CU(CALL)                                                                   \
	do {                                                                             \
		int err_ = (CALL);                                                       \
		const char *name_ = nullptr;                                             \
		if (err_ && (cu_.error_name(err_, &name_), true))                        \
			FAIL("%s: CUDA error %d, %s", #CALL, err_, name_ ? name_ : "?"); \
	} while (0)

struct one_device {
	cu_context context;
	cu_stream stream;
	cu_function kernels[5];
	cu_function sum;
	cu_deviceptr partial;
};

void *pointer(cu_deviceptr p)
{
	return reinterpret_cast<void *>(uintptr_t(p));
}

cu_deviceptr address(void *p, size_t off = 0)
{
	return cu_deviceptr(reinterpret_cast<uintptr_t>(p)) + off;
}

class cuda_machine final : public machine
{
      public:
	explicit cuda_machine(unsigned count) : devices_(count)
	{
		int found = 0, err = cu_.init(0);
		if (!err)
			err = cu_.device_count(&found);
		if (err || unsigned(found) < count)
			skip("%d CUDA devices (error %d), %u are needed", found, err, count);
		for (unsigned i = 0; i < count; i++)
			prepare(devices_[i], int(i));
	}

	unsigned count() const override { return devices_.size(); }

	int init(int flags) override { return gpuvm_init(devices_.size(), nullptr, GPUVM_CUDA | flags); }

	gpuvm_device entry(unsigned dev) override { return {GPUVM_CUDA, reinterpret_cast<void *>(uintptr_t{dev})}; }

	void *new_buffer(unsigned dev, size_t n) override
	{
		enter e(*this, dev);
		cu_deviceptr p = 0;
		CHECK_CU(cu_.allocate(&p, n));
		CHECK_CU(cu_.fill(p, cuda_poison, n));
		CHECK_CU(cu_.synchronize());
		return pointer(p);
	}
	void free_buffer(unsigned dev, void *buffer) override
	{
		enter e(*this, dev);
		CHECK_CU(cu_.free(address(buffer)));
	}
	void read(unsigned dev, void *buffer, size_t off, void *dst, size_t n) override
	{
		enter e(*this, dev);
		CHECK_CU(cu_.read(dst, address(buffer, off), n));
	}
	void write(unsigned dev, void *buffer, size_t off, const void *src, size_t n) override
	{
		enter e(*this, dev);
		CHECK_CU(cu_.write(address(buffer, off), src, n));
		CHECK_CU(cu_.synchronize());
	}

	void run(unsigned dev, void *buffer, const kernel &k) override { finish(dev, start(dev, buffer, k)); }

	uint64_t sum(unsigned dev, void *buffer, size_t off, size_t n) override
	{
		one_device &d = devices_[dev];
		enter e(*this, dev);
		std::lock_guard guard(using_partial_);
		unsigned long long first = off, bytes = n;
		void *arguments[] = {&buffer, &first, &bytes, &d.partial};
		launch(d.sum, d.stream, arguments);
		CHECK_CU(cu_.synchronize_stream(d.stream));
		unsigned long long partial[threads], total = 0;
		CHECK_CU(cu_.read(partial, d.partial, sizeof partial));
		for (unsigned long long p : partial)
			total += p;
		return total;
	}

	void *start(unsigned dev, void *buffer, const kernel &k) override
	{
		one_device &d = devices_[dev];
		enter e(*this, dev);
		unsigned long long first = k.off, bytes = k.n, arg = k.arg;
		unsigned turns = cu_.fake ? slow_turns_of_fake : slow_turns;
		void *arguments[] = {&buffer, &first, &bytes, &arg, &turns};
		cu_event event;
		CHECK_CU(cu_.create_event(&event, cu_event_disable_timing));
		launch(d.kernels[k.what], d.stream, arguments);
		CHECK_CU(cu_.record_event(event, d.stream));
		return event;
	}
	void finish(unsigned dev, void *event) override
	{
		enter e(*this, dev);
		CHECK_CU(cu_.synchronize_event(static_cast<cu_event>(event)));
		CHECK_CU(cu_.destroy_event(static_cast<cu_event>(event)));
	}

      private:
	// Enters the device's context for one call, on whatever thread it comes.
	class enter
	{
	      public:
		enter(cuda_machine &m, unsigned dev) : cu_(m.cu_)
		{
			CHECK_CU(cu_.push_context(m.devices_[dev].context));
		}
		~enter()
		{
			cu_context ours;
			cu_.pop_context(&ours);
		}

	      private:
		driver &cu_;
	};

	void prepare(one_device &d, int ordinal)
	{
		cu_device device;
		CHECK_CU(cu_.get_device(&device, ordinal));
		CHECK_CU(cu_.retain_context(&d.context, device));
		CHECK_CU(cu_.push_context(d.context));
		CHECK_CU(cu_.create_stream(&d.stream, cu_stream_non_blocking, 0));
		cu_module module;
		CHECK_CU(cu_.load_module(&module, cuda_kernels_ptx));
		for (size_t i = 0; i < std::size(kernel_names); i++)
			CHECK_CU(cu_.get_function(&d.kernels[i], module, kernel_names[i]));
		CHECK_CU(cu_.get_function(&d.sum, module, "test_sum"));
		CHECK_CU(cu_.allocate(&d.partial, threads * sizeof(unsigned long long)));
		cu_context ours;
		CHECK_CU(cu_.pop_context(&ours));
	}

	void launch(cu_function f, cu_stream stream, void **arguments)
	{
		CHECK_CU(cu_.launch(f, threads / group, 1, 1, group, 1, 1, 0, stream, arguments, nullptr));
	}

	driver cu_;
	std::vector<one_device> devices_;
	std::mutex using_partial_;
};

} // namespace

bool has_cuda()
{
	return cuda_driver(cuda_calls::device).is_there();
}

std::unique_ptr<machine> make_cuda_machine(unsigned count)
{
	return std::make_unique<cuda_machine>(count);
}

} // namespace selftest
