// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "clock.h"
#include "machine.h"

#include <cstdlib>
#include <gpuvm.h>
#include <thread>

namespace selftest
{

namespace
{
constexpr uint8_t host_poison = 0xdb;

// Holds one kernel that runs on a thread: gpuvm_kernel_end_event() gets the flag.
struct running_kernel {
	int flag = 0; // must be first, as the event is a pointer to it
	std::thread thread;
};

int wait_and_see(host_faults &f, uint64_t seed, std::atomic<unsigned> &calls, const std::atomic<bool> &failing)
{
	unsigned call = ++calls;
	if (unsigned most = f.delay_us)
		std::this_thread::sleep_for(std::chrono::microseconds(random_source(seed + call).below(most)));
	if (!failing)
		return 0;
	return f.error ? f.error.load() : GPUVM_ERROR;
}

int read_callback(void *arg, const void *devbuf, size_t off, void *dst, size_t n)
{
	auto &f = *static_cast<host_faults *>(arg);
	while (f.block_reads)
		sleep_ms(1);
	int err = wait_and_see(f, 1, f.reads, f.fail_reads);
	size_t copied = !err ? n : f.leave_half ? n / 2 : 0;
	memcpy(dst, static_cast<const uint8_t *>(devbuf) + off, copied);
	return err;
}

int write_callback(void *arg, void *devbuf, size_t off, const void *src, size_t n)
{
	auto &f = *static_cast<host_faults *>(arg);
	int err = wait_and_see(f, 2, f.writes, f.fail_writes);
	if (!err)
		memcpy(static_cast<uint8_t *>(devbuf) + off, src, n);
	return err;
}

class host_machine final : public machine
{
      public:
	host_machine(unsigned count, bool callbacks) : count_(count), callbacks_(callbacks)
	{
		if (!callbacks)
			return;
		faults_.delay_us = 200;
		device_ = {sizeof device_, read_callback, write_callback, &faults_};
	}

	unsigned count() const override { return count_; }

	int init(int flags) override
	{
		if (!callbacks_)
			return gpuvm_init(count_, nullptr, GPUVM_HOST | flags);
		std::vector<void *> devs(count_, &device_);
		return gpuvm_init(count_, devs.data(), GPUVM_HOST | flags);
	}

	gpuvm_device entry(unsigned) override { return {GPUVM_HOST, callbacks_ ? &device_ : nullptr}; }

	void *new_buffer(unsigned, size_t n) override
	{
		void *p = malloc(n);
		if (!p)
			FAIL("no memory for a buffer of %zu bytes", n);
		memset(p, host_poison, n);
		return p;
	}
	void free_buffer(unsigned, void *buffer) override { free(buffer); }

	void read(unsigned, void *buffer, size_t off, void *dst, size_t n) override
	{
		memcpy(dst, static_cast<uint8_t *>(buffer) + off, n);
	}
	void write(unsigned, void *buffer, size_t off, const void *src, size_t n) override
	{
		memcpy(static_cast<uint8_t *>(buffer) + off, src, n);
	}
	void run(unsigned, void *buffer, const kernel &k) override
	{
		if (k.what == kernel::slow_add)
			sleep_ms(50);
		apply(k, static_cast<uint8_t *>(buffer));
	}
	uint64_t sum(unsigned, void *buffer, size_t off, size_t n) override
	{
		auto p = static_cast<const uint8_t *>(buffer) + off;
		uint64_t total = 0;
		for (size_t i = 0; i < n; i++)
			total += p[i];
		return total;
	}

	void *start(unsigned dev, void *buffer, const kernel &k) override
	{
		auto *r = new running_kernel;
		r->thread = std::thread([=, this] {
			run(dev, buffer, k);
			__atomic_store_n(&r->flag, 1, __ATOMIC_RELEASE);
		});
		return &r->flag;
	}
	// The flag is left alone: the library may still look at it.
	void finish(unsigned, void *event) override { reinterpret_cast<running_kernel *>(event)->thread.join(); }

	host_faults *faults() override { return callbacks_ ? &faults_ : nullptr; }

      private:
	unsigned count_;
	bool callbacks_;
	host_faults faults_;
	gpuvm_host_device device_ = {};
};
} // namespace

std::unique_ptr<machine> make_host_machine(unsigned count, bool callbacks)
{
	return std::make_unique<host_machine>(count, callbacks);
}

} // namespace selftest
