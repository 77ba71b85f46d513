// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/device.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <gpuvm.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace het;

namespace
{

std::unique_ptr<device> make(gpuvm_host_device *functions = nullptr)
{
	int error = 1;
	auto d = make_host_device(0, functions, 4, &error);
	EXPECT_EQ(error, 0);
	return d;
}

// The functions give access to this memory, count their calls, and fail on request.
struct program_memory {
	int reads = 0, writes = 0;
	int answer = 0;

	static int read(void *arg, const void *devbuf, size_t off, void *dst, size_t n)
	{
		auto *self = static_cast<program_memory *>(arg);
		self->reads++;
		memcpy(dst, static_cast<const char *>(devbuf) + off, n);
		return self->answer;
	}
	static int write(void *arg, void *devbuf, size_t off, const void *src, size_t n)
	{
		auto *self = static_cast<program_memory *>(arg);
		self->writes++;
		memcpy(static_cast<char *>(devbuf) + off, src, n);
		return self->answer;
	}
};

} // namespace

TEST(host_device, copies_all_pieces)
{
	auto d = make();
	std::string buffer = "0123456789", a = "...", b = "....";
	transfer out[] = {{buffer.data(), 1, a.data(), 3}, {buffer.data(), 6, b.data(), 4}};
	EXPECT_EQ(d->read(0, out), 0);
	EXPECT_EQ(a + b, "1236789");

	std::string x = "ab", y = "c";
	transfer in[] = {{buffer.data(), 0, x.data(), 2}, {buffer.data(), 9, y.data(), 1}};
	EXPECT_EQ(d->write(0, in), 0);
	EXPECT_EQ(buffer, "ab2345678c");
}

TEST(host_device, plain_memory_can_be_copied_in_signal_handlers_and_directly)
{
	auto d = make(), e = make();
	EXPECT_TRUE(d->signal_safe());
	EXPECT_EQ(d->api(), GPUVM_HOST);
	std::string from = "0123456789", to = "..........";
	EXPECT_EQ(d->copy_from(0, to.data(), 2, *e, from.data(), 5, 3), 0);
	EXPECT_EQ(to, "..567.....");
}

TEST(host_device, reads_in_two_halves)
{
	auto d = make();
	std::string buffer = "0123456789", a = "...", b = "...";
	read_ticket first, second;
	EXPECT_EQ(d->start_read(0, {buffer.data(), 0, a.data(), 3}, first), 0);
	EXPECT_EQ(d->start_read(0, {buffer.data(), 3, b.data(), 3}, second), 0);
	EXPECT_EQ(d->finish_read(0, first), 0);
	EXPECT_EQ(d->finish_read(0, second), 0);
	EXPECT_EQ(a + b, "012345");
}

TEST(host_device, calls_the_programs_functions)
{
	program_memory memory;
	gpuvm_host_device functions = {sizeof(functions), program_memory::read, program_memory::write, &memory};
	auto d = make(&functions);
	functions = {}; // the device must have its own copy
	EXPECT_FALSE(d->signal_safe());

	std::string buffer = "0123456789", a = "ab";
	transfer t[] = {{buffer.data(), 4, a.data(), 1}, {buffer.data(), 5, a.data() + 1, 1}};
	EXPECT_EQ(d->write(0, t), 0);
	EXPECT_EQ(buffer, "0123ab6789");
	a = "..";
	EXPECT_EQ(d->read(0, t), 0);
	EXPECT_EQ(a, "ab");
	EXPECT_EQ(memory.reads, 2);
	EXPECT_EQ(memory.writes, 2);

	auto plain = make();
	EXPECT_EQ(d->copy_from(0, buffer.data(), 0, *plain, a.data(), 0, 1), GPUVM_EAPI);
	EXPECT_EQ(plain->copy_from(0, buffer.data(), 0, *d, a.data(), 0, 1), GPUVM_EAPI);
}

TEST(host_device, a_null_function_means_memcpy)
{
	program_memory memory;
	gpuvm_host_device functions = {sizeof(functions), program_memory::read, nullptr, &memory};
	auto d = make(&functions);
	EXPECT_FALSE(d->signal_safe());
	char buffer = 'x', host = 'y';
	transfer t[] = {{&buffer, 0, &host, 1}};
	EXPECT_EQ(d->write(0, t), 0);
	EXPECT_EQ(buffer, 'y');
	EXPECT_EQ(memory.writes, 0);
}

TEST(host_device, passes_the_programs_errors_on)
{
	program_memory memory;
	gpuvm_host_device functions = {sizeof(functions), program_memory::read, program_memory::write, &memory};
	auto d = make(&functions);
	char buffer = 'x', host = 'y';
	transfer t[] = {{&buffer, 0, &host, 1}, {&buffer, 0, &host, 1}};
	read_ticket ticket;
	memory.answer = GPUVM_ERROR;
	EXPECT_EQ(d->read(0, t), GPUVM_ERROR);
	EXPECT_EQ(memory.reads, 1);
	EXPECT_EQ(d->write(0, t), GPUVM_ERROR);
	EXPECT_EQ(memory.writes, 1);
	EXPECT_EQ(d->start_read(0, t[0], ticket), GPUVM_ERROR);
	for (int unknown : {1, -1000}) {
		memory.answer = unknown;
		EXPECT_EQ(d->read(0, t), GPUVM_EDEVALLOC);
	}
}

TEST(host_device, refuses_structures_that_it_does_not_know)
{
	int error = 0;
	gpuvm_host_device small = {sizeof(small) - 1, nullptr, nullptr, nullptr};
	EXPECT_EQ(make_host_device(0, &small, 1, &error), nullptr);
	EXPECT_EQ(error, GPUVM_EARG);

	struct {
		gpuvm_host_device known;
		size_t more;
	} large = {{sizeof(large), nullptr, nullptr, nullptr}, 0};
	EXPECT_NE(make_host_device(0, &large, 1, &error), nullptr);
	EXPECT_EQ(error, 0);
	large.more = 1;
	EXPECT_EQ(make_host_device(0, &large, 1, &error), nullptr);
	EXPECT_EQ(error, GPUVM_EARG);
}

TEST(host_device, refuses_null)
{
	void *kept = nullptr;
	auto d = make();
	char buffer;
	EXPECT_EQ(d->retain(nullptr, 1), GPUVM_ENULL);
	EXPECT_EQ(d->retain(&buffer, 1), 0);
	d->release(&buffer);
	EXPECT_EQ(d->retain_event(nullptr, &kept), GPUVM_ENULL);
}

TEST(host_device, waits_for_events)
{
	void *kept = nullptr;
	auto d = make();
	int finished = 1;
	ASSERT_EQ(d->retain_event(&finished, &kept), 0);
	EXPECT_EQ(d->wait_event(&finished), 0);

	EXPECT_EQ(d->look_at_event(&finished), event_state::done);

	finished = 0;
	EXPECT_EQ(d->look_at_event(&finished), event_state::under_way);
	std::thread kernel([&] {
		std::this_thread::sleep_for(std::chrono::milliseconds(10));
		std::atomic_ref(finished).store(7, std::memory_order_release);
	});
	EXPECT_EQ(d->wait_event(&finished), 0);
	EXPECT_EQ(std::atomic_ref(finished).load(), 7);
	kernel.join();
	d->release_event(&finished);
}
