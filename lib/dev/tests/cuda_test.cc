// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the device `cuda` on the fake driver of selftests/fake, which also does what a test can't ask a GPU for: fail.
#include "dev/cuda.h"
#include "fake/fake_cuda.h"
#include "os/log.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gpuvm.h>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <thread>

namespace het::test
{

namespace
{

constexpr unsigned lanes = 4;
constexpr size_t page = 4096;

void *handle_of(unsigned ordinal)
{
	return reinterpret_cast<void *>(uintptr_t{ordinal});
}

// The test plays the program's part, too, and opens the same driver for that.
class cuda_test : public testing::Test
{
      protected:
	void SetUp() override
	{
		setenv("GPUVM_QUIET", "1", 1);
		library_ = dlopen(HET_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
		ASSERT_NE(library_, nullptr) << dlerror();
		fake_ = static_cast<fake_cuda_state *>(dlsym(library_, "fake_cuda"));
#define FIND(member, symbol, parameters) cu_.member = reinterpret_cast<decltype(cu_.member)>(dlsym(library_, #symbol));
		HET_CUDA_DEVICE_FUNCTIONS(FIND)
		HET_CUDA_PROGRAM_FUNCTIONS(FIND)
#undef FIND
		fake_->devices = 2;
		fake_->version = 13000;
		fake_->fail_symbol = nullptr;
		fake_->slow_us = 0;
		fake_->pageable_copies = 0;
		fake_->peer_copies = 0;
	}

	std::unique_ptr<device> make(unsigned ordinal = 0, int *error = nullptr)
	{
		int ignored;
		error = error ? error : &ignored;
		cuda_api api;
		*error = load_cuda(api, HET_FAKE_CUDA);
		return *error ? nullptr : make_cuda_device(api, ordinal, handle_of(ordinal), lanes, error);
	}

	void fail(const char *symbol, int after = 0, int code = cu_error_launch_failed)
	{
		fake_->fail_after = after;
		fake_->fail_code = code;
		fake_->fail_symbol = symbol;
	}

	// Calls f() in the primary context of a device, as the program would.
	template <typename F> void in_context(unsigned ordinal, F f)
	{
		cu_context c, ours;
		ASSERT_EQ(cu_.retain_context(&c, int(ordinal)), 0);
		ASSERT_EQ(cu_.push_context(c), 0);
		f();
		ASSERT_EQ(cu_.pop_context(&ours), 0);
		ASSERT_EQ(cu_.release_context(int(ordinal)), 0);
	}

	void *new_buffer(size_t n, unsigned ordinal = 0)
	{
		cu_deviceptr p = 0;
		in_context(ordinal, [&] { ASSERT_EQ(cu_.allocate(&p, n), 0); });
		return reinterpret_cast<void *>(uintptr_t(p));
	}
	void put(void *buffer, const std::vector<char> &bytes)
	{
		in_context(0, [&] { ASSERT_EQ(cu_.write(device_address(buffer), bytes.data(), bytes.size()), 0); });
	}
	std::vector<char> get(void *buffer, size_t n)
	{
		std::vector<char> bytes(n);
		in_context(0, [&] { ASSERT_EQ(cu_.read(bytes.data(), device_address(buffer), n), 0); });
		return bytes;
	}
	static cu_deviceptr device_address(void *p)
	{
		return cu_deviceptr(reinterpret_cast<uintptr_t>(p));
	}

	void *library_ = nullptr;
	fake_cuda_state *fake_ = nullptr;
	cuda_functions cu_ = {};
};

std::vector<char> pattern(size_t n)
{
	std::vector<char> bytes(n);
	std::iota(bytes.begin(), bytes.end(), char(7));
	return bytes;
}

void expect_failure(int got, int want, const char *word)
{
	EXPECT_EQ(got, want);
	EXPECT_NE(std::string(last_error()).find(word), std::string::npos) << last_error();
}

} // namespace

// --- the start ---------------------------------------------------------------

TEST_F(cuda_test, without_a_driver)
{
	cuda_api api;
	expect_failure(load_cuda(api, "libno-such-cuda.so.1"), GPUVM_EAPI, "no NVIDIA driver");
}

TEST_F(cuda_test, library_without_the_functions)
{
	cuda_api api;
	expect_failure(load_cuda(api, "libm.so.6"), GPUVM_EAPI, "cuInit");
}

TEST_F(cuda_test, old_driver)
{
	fake_->version = 10010;
	cuda_api api;
	expect_failure(load_cuda(api, HET_FAKE_CUDA), GPUVM_EAPI, "10.1");
}

TEST_F(cuda_test, no_device)
{
	cuda_api api;
	fake_->devices = 0;
	expect_failure(load_cuda(api, HET_FAKE_CUDA), GPUVM_EAPI, "no GPU");
	fake_->devices = 1;
	int error;
	EXPECT_EQ(make(1, &error), nullptr);
	expect_failure(error, GPUVM_EARG, "there are 1");
}

TEST_F(cuda_test, driver_that_does_not_start)
{
	cuda_api api;
	fail("cuInit", 0, 999);
	expect_failure(load_cuda(api, HET_FAKE_CUDA), GPUVM_EAPI, "999");
}

// Each call of the start fails once, and nothing may be left behind.
TEST_F(cuda_test, start_undoes_itself)
{
	int streams = fake_->streams, blocks = fake_->host_blocks, contexts = fake_->contexts_held;
	for (const char *symbol :
	     {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuCtxGetStreamPriorityRange",
	      "cuMemHostAlloc", "cuStreamCreateWithPriority", "cuEventCreate"}) {
		for (int after : {0, 2}) {
			fail(symbol, after);
			int error = 0;
			auto d = make(0, &error);
			EXPECT_EQ(d == nullptr, fake_->fail_symbol == nullptr) << symbol;
			if (!d)
				expect_failure(error, GPUVM_EDEVALLOC, "LAUNCH_FAILED");
			d.reset();
			fake_->fail_symbol = nullptr;
			EXPECT_EQ(fake_->streams, streams) << symbol;
			EXPECT_EQ(fake_->host_blocks, blocks) << symbol;
			EXPECT_EQ(fake_->contexts_held, contexts) << symbol;
		}
	}
}

TEST_F(cuda_test, names_the_device)
{
	auto d = make(1);
	ASSERT_NE(d, nullptr);
	EXPECT_STREQ(d->name(), "cuda 1: fake GPU 1");
	EXPECT_EQ(d->api(), GPUVM_CUDA);
}

// --- buffers -----------------------------------------------------------------

TEST_F(cuda_test, checks_buffers)
{
	auto d = make();
	void *buffer = new_buffer(10 * page), *elsewhere = new_buffer(page, 1);
	EXPECT_EQ(d->retain(buffer, 10 * page), 0);
	d->release(buffer);
	EXPECT_EQ(d->retain(static_cast<char *>(buffer) + page, 9 * page), 0);
	expect_failure(d->retain(static_cast<char *>(buffer) + page, 10 * page), GPUVM_EARG, "has 36864 bytes");
	expect_failure(d->retain(nullptr, 1), GPUVM_ENULL, "null");
	int on_host;
	expect_failure(d->retain(&on_host, 1), GPUVM_EARG, "no device memory");
	expect_failure(d->retain(elsewhere, page), GPUVM_EARG, "CUDA device 1");
}

TEST_F(cuda_test, refuses_another_context)
{
	auto other = reinterpret_cast<fake_cuda_other_context_fn *>(dlsym(library_, "fake_cuda_other_context"));
	ASSERT_NE(other, nullptr);
	auto d = make();
	cu_context ours;
	cu_deviceptr p = 0;
	ASSERT_EQ(cu_.push_context(other(0)), 0);
	ASSERT_EQ(cu_.allocate(&p, page), 0);
	ASSERT_EQ(cu_.pop_context(&ours), 0);
	expect_failure(d->retain(reinterpret_cast<void *>(uintptr_t(p)), page), GPUVM_EARG, "another context");
}

TEST_F(cuda_test, leaves_the_programs_context_alone)
{
	auto d = make();
	void *buffer = new_buffer(page);
	std::vector<char> bytes(page);
	in_context(1, [&] {
		transfer t{buffer, 0, bytes.data(), page};
		EXPECT_EQ(d->read(0, {&t, 1}), 0);
		cu_deviceptr p = 0;
		ASSERT_EQ(cu_.allocate(&p, page), 0);
		int ordinal = -1;
		ASSERT_EQ(cu_.pointer_attribute(&ordinal, cu_pointer_device_ordinal, p), 0);
		EXPECT_EQ(ordinal, 1);
	});
}

// --- copies ------------------------------------------------------------------

// What is not pinned goes through the ring, in parts, whatever its size.
TEST_F(cuda_test, stages_what_is_not_pinned)
{
	auto d = make();
	for (size_t n : {size_t(1), page + 1, size_t(128) << 10, (size_t(128) << 10) + 1, size_t(1) << 20}) {
		void *buffer = new_buffer(n + 3);
		std::vector<char> out = pattern(n), in(n);
		transfer write{buffer, 3, out.data(), n}, read{buffer, 3, in.data(), n};
		EXPECT_EQ(d->write(1, {&write, 1}), 0);
		EXPECT_EQ(d->read(2, {&read, 1}), 0);
		EXPECT_EQ(in, out) << n;
		read_ticket ticket;
		std::fill(in.begin(), in.end(), 0);
		EXPECT_EQ(d->start_read(0, read, ticket), 0);
		EXPECT_EQ(d->finish_read(0, ticket), 0);
		EXPECT_EQ(in, out) << n;
	}
	EXPECT_EQ(fake_->pageable_copies, 0);
}

TEST_F(cuda_test, copies_pinned_memory_directly)
{
	auto d = make();
	constexpr size_t n = 1 << 20;
	void *host = aligned_alloc(page, n), *buffer = new_buffer(n);
	memcpy(host, pattern(n).data(), n);
	int before = fake_->registered;
	ASSERT_TRUE(d->pin(host, n));
	EXPECT_EQ(fake_->registered, before + 1);
	transfer t{buffer, 0, host, n, true};
	EXPECT_EQ(d->write(0, {&t, 1}), 0);
	EXPECT_EQ(get(buffer, n), pattern(n));
	memset(host, 0, n);
	EXPECT_EQ(d->read(0, {&t, 1}), 0);
	EXPECT_EQ(memcmp(host, pattern(n).data(), n), 0);
	EXPECT_EQ(fake_->pageable_copies, 0);
	d->unpin(host);
	EXPECT_EQ(fake_->registered, before);
	free(host);
}

// What is the program's alone is the driver's to stage, unless a slot of the ring takes it whole, or to be read the
// large one.
TEST_F(cuda_test, leaves_large_plain_memory_to_the_driver)
{
	auto d = make();
	constexpr size_t slot = size_t(128) << 10, large = size_t(2) << 20;
	int before = 0;
	for (size_t n : {size_t(1), slot, slot + 1, large, large + 1}) {
		void *buffer = new_buffer(n + 3);
		std::vector<char> out = pattern(n), in(n);
		transfer write{.devbuf = buffer, .offset = 3, .host = out.data(), .size = n, .plain = true},
			read = write;
		read.host = in.data();
		EXPECT_EQ(d->write(1, {&write, 1}), 0);
		EXPECT_EQ(d->read(2, {&read, 1}), 0);
		EXPECT_EQ(in, out) << n;
		before += (n > slot) + (n > large);
		EXPECT_EQ(fake_->pageable_copies, before) << n;
	}
}

// Without pinned memory for it the driver is asked.
TEST_F(cuda_test, large_plain_reads_without_pinned_memory)
{
	auto d = make();
	constexpr size_t n = size_t(1) << 20;
	void *buffer = new_buffer(n);
	std::vector<char> out = pattern(n), in(n);
	transfer t{.devbuf = buffer, .offset = 0, .host = out.data(), .size = n, .plain = true};
	EXPECT_EQ(d->write(0, {&t, 1}), 0);
	t.host = in.data();
	fail("cuMemHostAlloc");
	EXPECT_EQ(d->read(0, {&t, 1}), 0);
	EXPECT_EQ(in, out);
	EXPECT_EQ(fake_->pageable_copies, 2);
	EXPECT_EQ(d->read(0, {&t, 1}), 0);
	EXPECT_EQ(fake_->pageable_copies, 2);
}

// They fail when they are asked for, or on the way. What was refused may be asked for again.
TEST_F(cuda_test, plain_copies_fail_as_others_do)
{
	constexpr size_t n = size_t(1) << 20;
	std::vector<char> bytes = pattern(2 * n);
	for (const char *symbol : {"cuMemcpyHtoDAsync_v2", "work of cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
				   "work of cuMemcpyDtoHAsync_v2"}) {
		auto d = make();
		void *buffer = new_buffer(2 * n);
		transfer half{.devbuf = buffer, .offset = 0, .host = bytes.data(), .size = n, .plain = true};
		transfer halves[] = {half, half};
		halves[1].offset = n;
		halves[1].host = bytes.data() + n;
		const bool writes = strstr(symbol, "HtoD");
		fail(symbol, 1);
		expect_failure(writes ? d->write(0, halves) : d->read(0, halves), GPUVM_EDEVALLOC,
			       writes ? "a write failed" : "a read failed");
		if (strstr(symbol, "work of"))
			continue;
		EXPECT_EQ(d->write(0, halves), 0) << symbol;
		EXPECT_EQ(get(buffer, 2 * n), bytes) << symbol;
		std::vector<char> back(2 * n);
		half.host = back.data();
		half.size = 2 * n;
		EXPECT_EQ(d->read(0, {&half, 1}), 0) << symbol;
		EXPECT_EQ(back, bytes) << symbol;
	}
}

// One call has pinned and other pieces, more than go in one batch. A driver without batches gets them one by one.
TEST_F(cuda_test, many_pieces)
{
	auto d = make();
	constexpr size_t count = 300, n = count * page;
	auto *host = static_cast<char *>(aligned_alloc(page, n));
	void *buffer = new_buffer(n);
	ASSERT_TRUE(d->pin(host, n));
	for (int code : {0, int(cu_error_not_supported)}) {
		memcpy(host, pattern(n).data(), n);
		std::vector<transfer> pieces;
		for (size_t i = 0; i < count; i++)
			pieces.push_back({buffer, i * page, host + i * page, page - i % 3, i % 100 != 7});
		if (code)
			fail("cuMemcpyBatchAsync_v2", 0, code);
		int before = fake_->batches;
		EXPECT_EQ(d->write(0, pieces), 0);
		EXPECT_GT(fake_->batches, before);
		memset(host, 0, n);
		EXPECT_EQ(d->read(0, pieces), 0);
		std::vector<char> all = pattern(n);
		for (const transfer &t : pieces)
			EXPECT_EQ(memcmp(t.host, all.data() + t.offset, t.size), 0) << t.offset;
	}
	fail("cuMemcpyBatchAsync_v2");
	std::vector<transfer> four(4, {buffer, 0, host, page, true});
	expect_failure(d->write(0, four), GPUVM_EDEVALLOC, "a write failed");
	EXPECT_EQ(fake_->pageable_copies, 0);
	d->unpin(host);
	free(host);
}

TEST_F(cuda_test, does_without_a_registration)
{
	auto d = make();
	void *host = aligned_alloc(page, 16 * page);
	fail("cuMemHostRegister_v2");
	EXPECT_FALSE(d->pin(host, 16 * page));
	EXPECT_FALSE(d->pin(host, page)); // so small a range is not worth it
	free(host);
}

// Two reads a lane are under way, and the second is finished later. Plain reads between them do not disturb them.
TEST_F(cuda_test, two_reads_under_way)
{
	auto d = make();
	fake_->slow_us = 2000;
	std::vector<char> bytes = pattern(64 * page), a(32 * page), b(32 * page), c(page);
	void *buffer = new_buffer(bytes.size());
	put(buffer, bytes);
	transfer first{buffer, 0, a.data(), a.size()}, second{buffer, a.size(), b.data(), b.size()},
		third{buffer, 5, c.data(), c.size()};
	read_ticket one, two;
	EXPECT_EQ(d->start_read(0, first, one), 0);
	EXPECT_EQ(d->start_read(0, second, two), 0);
	EXPECT_EQ(d->read(0, {&third, 1}), 0);
	EXPECT_EQ(d->finish_read(0, one), 0);
	EXPECT_EQ(d->finish_read(0, two), 0);
	EXPECT_TRUE(std::equal(a.begin(), a.end(), bytes.begin()));
	EXPECT_TRUE(std::equal(b.begin(), b.end(), bytes.begin() + ptrdiff_t(a.size())));
	EXPECT_TRUE(std::equal(c.begin(), c.end(), bytes.begin() + 5));
}

class pinned_reads : public cuda_test
{
      protected:
	void SetUp() override
	{
		cuda_test::SetUp();
		device_ = make();
		bytes_ = pattern(reads * piece);
		buffer_ = new_buffer(bytes_.size());
		put(buffer_, bytes_);
		host_ = static_cast<char *>(aligned_alloc(page, bytes_.size()));
		memset(host_, '?', bytes_.size());
		ASSERT_TRUE(device_->pin(host_, bytes_.size()));
	}
	void TearDown() override
	{
		device_->unpin(host_);
		free(host_);
	}
	int start(size_t i)
	{
		return device_->start_read(0, {buffer_, i * piece, host_ + i * piece, piece, true}, tickets_[i]);
	}
	int finish(size_t i) { return device_->finish_read(0, tickets_[i]); }
	bool is_there(size_t i) const { return !memcmp(host_ + i * piece, bytes_.data() + i * piece, piece); }

	static constexpr size_t reads = 4, piece = 16 * page;
	std::unique_ptr<device> device_;
	std::vector<char> bytes_;
	void *buffer_ = nullptr;
	char *host_ = nullptr;
	read_ticket tickets_[reads];
};

TEST_F(pinned_reads, end_in_their_order)
{
	fake_->slow_us = 2000;
	for (unsigned round = 0; round < 3; round++) {
		memset(host_, '?', bytes_.size());
		EXPECT_EQ(start(0), 0);
		EXPECT_EQ(start(1), 0);
		EXPECT_EQ(finish(0), 0);
		EXPECT_TRUE(is_there(0));
		EXPECT_EQ(start(2), 0);
		EXPECT_EQ(finish(1), 0);
		EXPECT_TRUE(is_there(1));
		EXPECT_EQ(finish(2), 0);
		EXPECT_TRUE(is_there(2));
		EXPECT_EQ(start(3), 0);
		EXPECT_EQ(finish(3), 0);
		EXPECT_TRUE(is_there(3));
	}
}

// One that is alone needs no event; behind one that can get none, none is started.
TEST_F(pinned_reads, alone_do_without_an_event)
{
	fake_->slow_us = 2000;
	fail("cuEventRecord");
	EXPECT_EQ(start(0), 0);
	EXPECT_EQ(finish(0), 0);
	EXPECT_TRUE(is_there(0));
	EXPECT_EQ(start(1), 0);
	expect_failure(start(2), GPUVM_EDEVALLOC, "starting a read");
	EXPECT_EQ(finish(1), 0);
	EXPECT_TRUE(is_there(1));
	fake_->fail_symbol = nullptr;
	EXPECT_EQ(start(2), 0);
	EXPECT_EQ(finish(2), 0);
	EXPECT_TRUE(is_there(2));
}

TEST_F(pinned_reads, fail_as_others_do)
{
	fail("work of cuMemcpyDtoHAsync_v2");
	EXPECT_EQ(start(0), 0);
	expect_failure(finish(0), GPUVM_EDEVALLOC, "a read");
}

TEST_F(cuda_test, lanes_side_by_side)
{
	auto d = make();
	std::vector<std::thread> threads;
	for (unsigned lane = 0; lane < lanes; lane++) {
		threads.emplace_back([&, lane] {
			void *buffer = new_buffer(50 * page);
			for (char round = 0; round < 20; round++) {
				std::vector<char> out(50 * page, char(round + char(lane))), in(50 * page);
				transfer write{buffer, 0, out.data(), out.size()},
					read{buffer, 0, in.data(), in.size()};
				EXPECT_EQ(d->write(lane, {&write, 1}), 0);
				EXPECT_EQ(d->read(lane, {&read, 1}), 0);
				EXPECT_EQ(in, out);
			}
		});
	}
	for (auto &t : threads)
		t.join();
}

TEST_F(cuda_test, copies_between_devices)
{
	auto first = make(0), second = make(1);
	void *from = new_buffer(3 * page), *to = new_buffer(3 * page, 1), *here = new_buffer(3 * page);
	put(from, pattern(3 * page));
	EXPECT_EQ(second->copy_from(0, to, page, *first, from, page, 2 * page), 0);
	EXPECT_EQ(fake_->peer_copies, 1);
	EXPECT_EQ(first->copy_from(0, here, 0, *second, to, page, 2 * page), 0);
	EXPECT_EQ(fake_->peer_copies, 2);
	std::vector<char> all = pattern(3 * page), got = get(here, 2 * page);
	EXPECT_TRUE(std::equal(got.begin(), got.end(), all.begin() + page));
	EXPECT_EQ(first->copy_from(0, here, 0, *first, from, 0, page), 0);
	EXPECT_EQ(fake_->peer_copies, 2);
	int error;
	auto host = make_host_device(2, nullptr, lanes, &error);
	EXPECT_EQ(first->copy_from(0, here, 0, *host, from, 0, page), GPUVM_EAPI);
}

// In each kind of copy a call fails, and then work fails later. The copy after it works again.
TEST_F(cuda_test, failed_copies)
{
	auto d = make();
	// Four slots of the ring, of which three get an event as another goes behind them.
	std::vector<char> bytes = pattern(112 * page);
	void *buffer = new_buffer(bytes.size());
	transfer t{buffer, 0, bytes.data(), bytes.size()};
	for (int after : {0, 1, 2}) {
		fail("cuMemcpyHtoDAsync_v2", after);
		expect_failure(d->write(0, {&t, 1}), GPUVM_EDEVALLOC, "a write failed: CUDA_ERROR_LAUNCH_FAILED");
		fail("cuMemcpyDtoHAsync_v2", after);
		expect_failure(d->read(0, {&t, 1}), GPUVM_EDEVALLOC, "a read failed");
		fail("cuEventRecord", after);
		expect_failure(d->read(0, {&t, 1}), GPUVM_EDEVALLOC, "a read failed");
	}
	read_ticket ticket;
	transfer small{buffer, 0, bytes.data(), page};
	fail("cuMemcpyDtoHAsync_v2");
	expect_failure(d->start_read(0, small, ticket), GPUVM_EDEVALLOC, "starting a read");
	EXPECT_EQ(d->start_read(0, small, ticket), 0);
	fail("cuStreamQuery");
	expect_failure(d->finish_read(0, ticket), GPUVM_EDEVALLOC, "a read failed");
	read_ticket behind;
	EXPECT_EQ(d->start_read(0, small, ticket), 0);
	EXPECT_EQ(d->start_read(0, small, behind), 0);
	fail("cuEventQuery");
	expect_failure(d->finish_read(0, ticket), GPUVM_EDEVALLOC, "a read failed");
	EXPECT_EQ(d->finish_read(0, behind), 0);
	fail("cuCtxPushCurrent_v2");
	expect_failure(d->read(0, {&t, 1}), GPUVM_EDEVALLOC, "a read failed");
	EXPECT_EQ(d->write(0, {&t, 1}), 0);
	EXPECT_EQ(get(buffer, bytes.size()), bytes);
	fail("work of cuMemcpyDtoHAsync_v2");
	expect_failure(d->read(1, {&small, 1}), GPUVM_EDEVALLOC, "a read failed");
}

// --- events ------------------------------------------------------------------

// The program may destroy or record its event again at once.
TEST_F(cuda_test, keeps_events)
{
	auto d = make();
	in_context(0, [&] {
		cu_stream stream;
		cu_event event;
		ASSERT_EQ(cu_.create_stream(&stream, cu_stream_non_blocking, 0), 0);
		ASSERT_EQ(cu_.create_event(&event, cu_event_disable_timing), 0);
		void *buffer = new_buffer(page);
		std::vector<char> bytes(page);
		void *kept[2] = {};
		for (void *&k : kept) {
			fake_->slow_us = 20000;
			ASSERT_EQ(cu_.copy_on_device(device_address(buffer), device_address(buffer), page, stream), 0);
			ASSERT_EQ(cu_.record_event(event, stream), 0);
			ASSERT_EQ(d->retain_event(event, &k), 0);
			fake_->slow_us = 0;
		}
		ASSERT_EQ(cu_.destroy_event(event), 0);
		EXPECT_EQ(d->look_at_event(kept[1]), event_state::under_way);
		for (void *k : kept) {
			EXPECT_EQ(d->wait_event(k), 0);
			EXPECT_EQ(d->look_at_event(k), event_state::done);
			d->release_event(k);
		}
		EXPECT_EQ(cu_.query_stream(stream), 0);
		int streams = fake_->streams;
		ASSERT_EQ(cu_.create_event(&event, cu_event_disable_timing), 0);
		ASSERT_EQ(d->retain_event(event, &kept[0]), 0); // an event that was never recorded counts as finished
		EXPECT_EQ(d->wait_event(kept[0]), 0);
		d->release_event(kept[0]);
		EXPECT_EQ(fake_->streams, streams);
		cu_.destroy_event(event);
		cu_.destroy_stream(stream);
	});
}

TEST_F(cuda_test, failed_events)
{
	auto d = make();
	void *kept = nullptr;
	expect_failure(d->retain_event(nullptr, &kept), GPUVM_ENULL, "null");
	cu_event event;
	in_context(0, [&] { ASSERT_EQ(cu_.create_event(&event, cu_event_disable_timing), 0); });
	fail("cuStreamWaitEvent", 0, cu_error_invalid_handle);
	expect_failure(d->retain_event(event, &kept), GPUVM_EARG, "INVALID_HANDLE");
	ASSERT_EQ(d->retain_event(event, &kept), 0);
	fail("cuStreamQuery");
	EXPECT_EQ(d->look_at_event(kept), event_state::failed);
	fail("cuStreamQuery");
	expect_failure(d->wait_event(kept), GPUVM_EDEVALLOC, "the kernel before this access");
	d->release_event(kept);
	cu_.destroy_event(event);
}

} // namespace het::test
