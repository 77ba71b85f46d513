// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory that can't be adopted is refused with the reason, or, with GPUVM_COPY, copied whole at begin and end.
#include "harness/fixture.h"

#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr size_t size = 9 * page + 123;

uint8_t initialised_data[size + 2 * page] = {1, 2, 3};

uint8_t *mapped(int flags, int fd, size_t n = size)
{
	void *p = mmap(nullptr, n, PROT_READ | PROT_WRITE, flags, fd, 0);
	CHECK(p != MAP_FAILED);
	return static_cast<uint8_t *>(p);
}

int scratch_file(size_t n)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR, 0600);
	if (fd == -1)
		skip("no scratch file: %s", strerror(errno));
	CHECK_SYS(ftruncate(fd, n));
	return fd;
}

struct source {
	const char *name;
	std::function<uint8_t *()> memory;
};

// Returns every sort of memory that is not private, anonymous and from an allocator.
std::vector<source> sources(uint8_t *on_stack)
{
	return {
		{"stack", [=] { return on_stack; }},
		{"initialised data", [] { return initialised_data; }},
		{"shared file mapping", [] { return mapped(MAP_SHARED, scratch_file(size)); }},
		{"private file mapping", [] { return mapped(MAP_PRIVATE, scratch_file(size)); }},
		{"shared anonymous memory", [] { return mapped(MAP_SHARED | MAP_ANONYMOUS, -1); }},
		{"memfd",
		 [] {
			 int fd = memfd_create("selftest", MFD_CLOEXEC);
			 CHECK_SYS(ftruncate(fd, size));
			 return mapped(MAP_SHARED, fd);
		 }},
	};
}

void live(fixture &fx, array &a)
{
	a.link(0, GPUVM_ON_HOST | GPUVM_COPY);
	for (int round = 0; round < 3; round++) {
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		a.check_buffer(0, "buffer at begin");
		a.run(0, {kernel::mix, 0, a.size(), 3});
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		a.check("after a read-write kernel");
		a.write_on_host(a.size() / 2, 1000, round);
		a.kernel_on(0, GPUVM_WRITE_ONLY, {kernel::fill, 0, a.size(), uint64_t(round)});
		a.check("after a write-only kernel");
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		a.check_buffer(0, "buffer in a read-only kernel");
		a.check("during a read-only kernel");
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
	CHECK_EQ(count_of(GPUVM_STAT_TOUCHES), 0);
	a.unlink_everywhere();
	a.check("after unlink");
	// This checks the way from the device.
	fx.dev().write(0, a.buffer(0), 0, a.model(), a.size());
	memset(a.data(), 0, a.size());
	a.link(0, GPUVM_ON_DEVICE | GPUVM_COPY);
	a.add_everywhere(0, 1);
	a.check("of an array that began on the device");
	a.unlink_everywhere();
	a.check();
}
} // namespace

TEST(refused_without_the_flag, .traps = trap::all, .devices = device::host)
{
	fixture fx(t);
	alignas(page) uint8_t stack[size + page];
	for (auto &s : sources(stack)) {
		note("%s", s.name);
		array a(fx, s.memory(), size);
		stderr_capture capture;
		int err = gpuvm_link(a.data(), size, 0, a.buffer(0), GPUVM_ON_HOST);
		std::string text = capture.text();
		CHECK_ERR(err, GPUVM_EPROT);
		CHECK(text.size() > 20); // the report must give the reason
		a.check("refused memory");
		a.write_on_host(0, size, 9);
		CHECK(gpuvm_xlate(a.data(), 0) == nullptr);
	}
}

TEST(copied_with_the_flag, .traps = trap::all, .devices = device::single)
{
	fixture fx(t);
	alignas(page) uint8_t stack[size + page];
	for (auto &s : sources(stack + 77)) {
		note("%s", s.name);
		array a(fx, s.memory(), size);
		live(fx, a);
	}
}

TEST(read_only_copies_nothing_back, .traps = trap::best, .devices = device::single)
{
	fixture fx(t);
	array a(fx, mapped(MAP_SHARED | MAP_ANONYMOUS, -1), size);
	a.link(0, GPUVM_ON_HOST | GPUVM_COPY);
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	auto home = count_of(GPUVM_STAT_BYTES_TO_HOST);
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_HOST), home);
}

TEST(several_devices, .traps = trap::all, .devices = device::several)
{
	fixture fx(t);
	array a(fx, mapped(MAP_SHARED | MAP_ANONYMOUS, -1), size);
	for (unsigned i = 0; i < fx.devices(); i++)
		a.link(i, GPUVM_ON_HOST | GPUVM_COPY);
	for (int round = 0; round < 12; round++) {
		a.add_everywhere(t.random.below(fx.devices()), 1);
		if (round % 3 == 0)
			a.write_on_host(t.random.below(size - 50), 50, round);
		a.check();
	}
}

// The same pages have two names: the second mapping sees what kernels write.
TEST(shared_memory_stays_shared, .traps = trap::best, .devices = device::plain)
{
	fixture fx(t);
	int fd = memfd_create("selftest", MFD_CLOEXEC);
	CHECK_SYS(ftruncate(fd, 16 * page));
	uint8_t *first = mapped(MAP_SHARED, fd, 16 * page), *second = mapped(MAP_SHARED, fd, 16 * page);
	array a(fx, first, 16 * page);
	a.link(0, GPUVM_ON_HOST | GPUVM_COPY);
	a.add_everywhere(0, 1);
	CHECK_BYTES(second, a.model(), a.size(), "the other mapping");
	a.unlink_everywhere();
	a.write_on_host(0, a.size(), 3);
	CHECK_BYTES(second, a.model(), a.size(), "the other mapping after unlink");
}

// Memory that can be adopted is adopted, with or without the flag.
TEST(flag_does_no_harm, .traps = trap::all, .devices = device::single,
     .kinds = kind::heap | kind::mmapped | kind::library | kind::slice | kind::bss)
{
	fixture fx(t);
	array a(fx, t.v.kind, 20 * page);
	a.link(0, GPUVM_ON_HOST | GPUVM_COPY);
	for (int round = 0; round < 3; round++) {
		a.add_everywhere(0, 1);
		a.check();
	}
	CHECK(count_of(GPUVM_STAT_TOUCHES) > 0);
	a.unlink_everywhere();
	a.check();
}

// Another thread links its own stack, and unlinks it.
TEST(stack_of_a_thread, .traps = trap::all, .devices = device::host)
{
	fixture fx(t);
	std::thread([&] {
		uint8_t local[3 * page + 5];
		array a(fx, local, sizeof local);
		CHECK_ERR(gpuvm_link(local, sizeof local, 0, a.buffer(0), GPUVM_ON_HOST), GPUVM_EPROT);
		a.link(0, GPUVM_ON_HOST | GPUVM_COPY);
		a.add_everywhere(0, 1);
		a.check();
	}).join();
}
