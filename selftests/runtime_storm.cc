// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Many threads launch on random parts of one array, which overlap, on devices with memory of their own and the host in
// place together. Nothing may be lost, no command may fail, and nobody may wait for ever.
#include "harness/process.h"
#include "harness/runtime.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

using namespace selftest;

namespace
{

constexpr size_t most_bytes = 400000;

struct free_memory {
	void operator()(uint8_t *p) const { free(p); }
};
using bytes = std::unique_ptr<uint8_t, free_memory>;

// During one array's life all threads add ones to it, each through its own queue and through the fixture's.
class storm
{
      public:
	storm(runtime_fixture &fx, uint32_t flags, uint64_t seed, unsigned nthreads)
	    : fx_(fx), flags_(flags), seed_(seed), nthreads_(nthreads)
	{
		random_source random(seed);
		size_ = random.between(1000, random.one_in(3) ? 20000 : most_bytes);
		array_.reset(static_cast<uint8_t *>(malloc(size_)));
		memset(array_.get(), 0, size_);
		changes_.reset(new std::atomic<uint32_t>[size_ + 1]());
	}

	void run()
	{
		note("%u threads, %zu bytes, seed %llu", nthreads_, size_, static_cast<unsigned long long>(seed_));
		std::vector<std::thread> threads;
		for (unsigned i = 0; i < nthreads_; i++)
			threads.emplace_back([this, i] { add_ones(i); });
		for (std::thread &one : threads)
			one.join();
		HET_OK(het_finish(fx_.queue));
		compare();
	}

      private:
	void add_one(random_source &random, het_queue *own)
	{
		size_t first = random.below(size_), n = 1 + random.below(size_ - first);
		if (random.one_in(2))
			n = 1 + n / 16;
		uint8_t one = 1;
		event_handle e;
		HET_OK(fx_.launch(fx_.add, n,
				  {range_arg(array_.get() + first, n, HET_READ_WRITE, each_byte), value_arg(one)},
				  e.out(), {.queue = random.one_in(2) ? own : fx_.queue.get(), .flags = flags_}));
		changes_[first].fetch_add(1);
		changes_[first + n].fetch_sub(1);
		if (random.one_in(4))
			wait_for(e);
	}

	void add_ones(unsigned thread)
	{
		random_source random(seed_ * 1000 + thread);
		het_queue_args q = {};
		q.size = sizeof q;
		queue_handle own;
		HET_OK(het_queue_create(&q, own.out()));
		for (unsigned n = nthreads_ > 8 ? 6 : 24; n; n--)
			add_one(random, own);
		HET_OK(het_finish(own));
	}

	void compare() const
	{
		std::vector<uint8_t> model(size_);
		uint32_t sum = 0;
		for (size_t i = 0; i < size_; i++)
			model[i] = uint8_t(sum += changes_[i]);
		CHECK_BYTES(array_.get(), model.data(), size_, "array");
	}

	runtime_fixture &fx_;
	const uint32_t flags_;
	const uint64_t seed_;
	const unsigned nthreads_;
	size_t size_ = 0;
	bytes array_;
	std::unique_ptr<std::atomic<uint32_t>[]> changes_; // how much more is added to a byte than to the one before
};

void run_storms(context &t, const char *devices, uint32_t flags, const char *policy)
{
	skip_under_tsan("touches order kernels on the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, policy, devices);
	for (uint64_t round = 0; round < t.rounds(3, 60); round++) {
		for (unsigned nthreads : {1, 2, 16, 64})
			storm(fx, flags, t.random.next(), nthreads).run();
	}
}

constexpr char opencl_and_host[] = "HET_DEVICES=opencl,host", apart_and_host[] = "HET_DEVICES=apart,host",
	       three[] = "HET_DEVICES=opencl,apart,host";

} // namespace

TEST(launches_on_opencl_and_host, .traps = trap::best | trap::sigsegv, .devices = device::opencl, .seconds = 120)
{
	run_storms(t, opencl_and_host, 0, "HET_POLICY=steal");
}

TEST(launches_on_apart_and_host, .traps = trap::best | trap::sigsegv, .seconds = 120)
{
	run_storms(t, apart_and_host, 0, "HET_POLICY=steal");
}

TEST(launches_on_three_devices, .traps = trap::best, .devices = device::opencl, .seconds = 120)
{
	run_storms(t, three, 0, "HET_POLICY=steal");
}

// When arrays are linked anew, or gone, while others look at them, that is nobody's mistake.
TEST(nothing_is_said, .traps = trap::best, .seconds = 120)
{
	for (const char *name :
	     {"launches_on_apart_and_host.best.none.none", "split_by_dynamic_on_apart_and_host.best.none.none"}) {
		std::string words = stderr_of_case(t, name);
		if (words.find("libhet:") != std::string::npos)
			FAIL("a storm without failures has messages");
	}
}

#define SPLIT_STORM(POLICY)                                                                                          \
	TEST(split_by_##POLICY##_on_opencl_and_host, .traps = trap::best, .devices = device::opencl, .seconds = 120) \
	{                                                                                                            \
		run_storms(t, opencl_and_host, HET_SPLIT, "HET_POLICY=" #POLICY);                                    \
	}                                                                                                            \
	TEST(split_by_##POLICY##_on_apart_and_host, .traps = trap::best, .seconds = 120)                             \
	{                                                                                                            \
		run_storms(t, apart_and_host, HET_SPLIT, "HET_POLICY=" #POLICY);                                     \
	}                                                                                                            \
	TEST(split_by_##POLICY##_on_three_devices, .traps = trap::best, .devices = device::opencl, .seconds = 120)   \
	{                                                                                                            \
		run_storms(t, three, HET_SPLIT, "HET_POLICY=" #POLICY);                                              \
	}

SPLIT_STORM(single)
SPLIT_STORM(static)
SPLIT_STORM(dynamic)
SPLIT_STORM(hguided)
SPLIT_STORM(steal)
