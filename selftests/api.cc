// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests every documented result of every function, and the meaning that libgpuvm 0.0.1 gave them.
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/process.h"

#include <climits>
#include <cstdlib>
#include <set>
#include <sys/mman.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

// The pages lie in the middle of a mapping, and are enough for two arrays.
struct pages {
	explicit pages(size_t n, int kind = MAP_PRIVATE) : bytes(n * page)
	{
		void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
		CHECK(p != MAP_FAILED);
		data = static_cast<uint8_t *>(p);
		memset(data, 0x11, bytes);
	}
	uint8_t *data;
	size_t bytes;
};

bool one_of(int got, std::initializer_list<int> allowed)
{
	for (int a : allowed)
		if (got == a)
			return true;
	return false;
}
} // namespace

#define CHECK_NEGATIVE(CALL)                                                 \
	do {                                                                 \
		int err_ = (CALL);                                           \
		if (err_ >= 0)                                               \
			FAIL("%s: %d, where an error was due", #CALL, err_); \
	} while (0)

TEST(before_init)
{
	pages m(4);
	uint8_t buffer[64];
	int n;
	CHECK_EQ(gpuvm_library_exists(), 1);
	CHECK_ERR(gpuvm_link(m.data, page, 0, buffer, GPUVM_ON_HOST), GPUVM_ESTATE);
	CHECK(one_of(gpuvm_kernel_begin(m.data, 0, GPUVM_READ_WRITE), {GPUVM_ESTATE, GPUVM_EHOSTPTR}));
	CHECK(one_of(gpuvm_kernel_end(m.data, 0), {GPUVM_ESTATE, GPUVM_EHOSTPTR}));
	CHECK_OK(gpuvm_unlink(nullptr, 0));
	CHECK(gpuvm_xlate(m.data, 0) == nullptr);
	CHECK(gpuvm_alias(m.data) == nullptr);
	CHECK_ERR(gpuvm_stat(GPUVM_STAT_NDEVS, &n), GPUVM_ESTATE);
	int served = 1;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_SYSTEM_TOUCHES, &served));
	CHECK_EQ(served, -1);
	CHECK_OK(gpuvm_set_error_callback(nullptr, nullptr));
}

TEST(pre_init_flags)
{
	CHECK_ERR(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT), GPUVM_ESTATE);
	CHECK_ERR(gpuvm_pre_init(GPUVM_OPENCL), GPUVM_EARG);
	CHECK_ERR(gpuvm_pre_init(1 << 30), GPUVM_EARG);
	CHECK_OK(gpuvm_pre_init(GPUVM_THREADS_BEFORE_INIT));
	CHECK_OK(gpuvm_pre_init(GPUVM_THREADS_AFTER_INIT));
	CHECK_OK(gpuvm_init(1, nullptr, GPUVM_HOST));
}

TEST(init_arguments)
{
	void *devs[40] = {};
	CHECK_ERR(gpuvm_init(0, devs, GPUVM_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(32, devs, GPUVM_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(UINT_MAX, devs, GPUVM_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, devs, 0), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_OPENCL | GPUVM_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_API), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_HOST | 1 << 30), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_HOST | GPUVM_ON_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_HOST | GPUVM_READ_ONLY), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_HOST | GPUVM_TRAP_MASK), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_HOST | GPUVM_SPIN_MASK), GPUVM_EARG);
	CHECK_ERR(gpuvm_init(1, nullptr, GPUVM_OPENCL), GPUVM_ENULL);
	CHECK_NEGATIVE(gpuvm_init(1, devs, GPUVM_OPENCL));
	gpuvm_host_device bad = {sizeof bad - 1, nullptr, nullptr, nullptr};
	devs[0] = &bad;
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_HOST), GPUVM_EARG);
	// None of these counts as the one init.
	devs[0] = nullptr;
	CHECK_OK(gpuvm_init(1, devs, GPUVM_HOST));
	CHECK_ERR(gpuvm_init(1, devs, GPUVM_HOST), GPUVM_ETWICE);
}

TEST(init_without_cuda)
{
	int err = gpuvm_init(1, nullptr, GPUVM_CUDA);
	if (err == 0)
		skip("there is a CUDA device");
	CHECK_ERR(err, GPUVM_EAPI);
}

TEST(init_without_module)
{
	int err = gpuvm_init(1, nullptr, GPUVM_HOST | GPUVM_TRAP_KMOD);
	if (err == 0)
		skip("the module is loaded");
	CHECK_ERR(err, GPUVM_EPROT);
	CHECK_OK(gpuvm_init(1, nullptr, GPUVM_HOST));
}

TEST(init_takes_all_flags)
{
	CHECK_OK(gpuvm_init(31, nullptr,
			    GPUVM_HOST | GPUVM_STAT | GPUVM_UNLINK_NO_SYNC_BACK | GPUVM_WRITER_SIG_BLOCK |
				    GPUVM_STRICT | GPUVM_SPIN_NEVER));
	unsigned n = 0;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_NDEVS, &n));
	CHECK_EQ(n, 31);
}

TEST(init_devices_arguments)
{
	gpuvm_device devs[2] = {{GPUVM_HOST, nullptr}, {0, nullptr}};
	CHECK_ERR(gpuvm_init_devices(1, nullptr, GPUVM_NONE), GPUVM_ENULL);
	CHECK_ERR(gpuvm_init_devices(0, devs, GPUVM_NONE), GPUVM_EARG);
	CHECK_ERR(gpuvm_init_devices(32, devs, GPUVM_NONE), GPUVM_EARG);
	CHECK_ERR(gpuvm_init_devices(2, devs, GPUVM_NONE), GPUVM_EARG);
	CHECK_ERR(gpuvm_init_devices(1, devs, GPUVM_HOST), GPUVM_EARG);
	devs[1].api = GPUVM_HOST;
	CHECK_OK(gpuvm_init_devices(2, devs, GPUVM_NONE));
	CHECK_ERR(gpuvm_init_devices(2, devs, GPUVM_NONE), GPUVM_ETWICE);
}

TEST(trap_is_what_was_asked_for, .traps = trap::all | trap::sigsegv_stop, .devices = device::host)
{
	fixture fx(t);
	const char *name = nullptr, *reason = nullptr;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_TRAP, &name));
	CHECK_OK(gpuvm_stat(GPUVM_STAT_TRAP_REASON, &reason));
	CHECK(name && reason);
	if (strcmp(name, name_of(trap_values(), t.v.trap)))
		FAIL("the trap is '%s'", name);
	CHECK(*reason);
}

TEST(link_arguments, .traps = trap::best, .devices = device::host2)
{
	fixture fx(t);
	pages m(16);
	std::vector<uint8_t> buffer(m.bytes);
	uint8_t *a = m.data;
	CHECK_ERR(gpuvm_link(nullptr, page, 0, buffer.data(), GPUVM_ON_HOST), GPUVM_ENULL);
	CHECK_ERR(gpuvm_link(a, page, 0, nullptr, GPUVM_ON_HOST), GPUVM_ENULL);
	CHECK_ERR(gpuvm_link(a, 0, 0, buffer.data(), GPUVM_ON_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_link(a, page, 2, buffer.data(), GPUVM_ON_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_link(a, page, GPUVM_ALL_DEVICES, buffer.data(), GPUVM_ON_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_link(a, page, 0, buffer.data(), GPUVM_ON_HOST | GPUVM_ON_DEVICE), GPUVM_EARG);
	CHECK_ERR(gpuvm_link(a, page, 0, buffer.data(), GPUVM_ON_HOST | 1 << 30), GPUVM_EARG);
	CHECK_ERR(gpuvm_link(a, page, 0, buffer.data(), GPUVM_READ_WRITE), GPUVM_EARG);
	CHECK_ERR(gpuvm_link(a, page, 0, buffer.data(), GPUVM_ON_HOST | GPUVM_HUGE), GPUVM_EARG);
	CHECK_ERR(gpuvm_link(a, page, 0, buffer.data(), GPUVM_OPENCL | GPUVM_ON_HOST), GPUVM_EARG);
	CHECK_NEGATIVE(gpuvm_link(a, SIZE_MAX, 0, buffer.data(), GPUVM_ON_HOST));
	CHECK_NEGATIVE(gpuvm_link(a, SIZE_MAX - page, 0, buffer.data(), GPUVM_ON_HOST));
	CHECK(gpuvm_xlate(a, 0) == nullptr);
	// The API flag is optional, and so is the place.
	CHECK_OK(gpuvm_link(a, page, 0, buffer.data(), GPUVM_HOST | GPUVM_ON_HOST));
	CHECK_OK(gpuvm_link(a + 2 * page, page, 0, buffer.data() + 2 * page, GPUVM_NONE));
	CHECK_OK(gpuvm_unlink(a, 0));
	CHECK_OK(gpuvm_unlink(a + 2 * page, GPUVM_ALL_DEVICES));
}

// A copy of the one would touch the other, and wait for itself.
TEST(link_to_memory_of_arrays, .traps = trap::all, .devices = device::host2)
{
	fixture fx(t);
	pages m(64), shared(4, MAP_SHARED);
	uint8_t *a = m.data + 8 * page + 100, *b = m.data + 40 * page, *buffer = m.data + 26 * page;
	const size_t n = 8 * page;
	auto refused = [&](uint8_t *at, size_t size, uint8_t *devbuf, int flags = GPUVM_ON_HOST) {
		for (unsigned dev = 0; dev < 2; dev++) {
			CHECK_ERR(gpuvm_link(at, size, dev, devbuf, flags), GPUVM_EARG);
			CHECK(!gpuvm_xlate(at, dev));
		}
	};
	for (ptrdiff_t by :
	     {ptrdiff_t(0), ptrdiff_t(1), -ptrdiff_t(1), ptrdiff_t(page), ptrdiff_t(n) - 1, 1 - ptrdiff_t(n)})
		refused(a, n, a + by);
	refused(a, 16, a + 15);
	refused(shared.data, page, shared.data, GPUVM_COPY);
	refused(shared.data, page, shared.data + page - 1, GPUVM_COPY);
	refused(a, n, a, GPUVM_ON_DEVICE);

	CHECK_OK(gpuvm_link(a, n, 0, buffer, GPUVM_ON_HOST));
	// A buffer may not lie over the array's edges, its body or all of it, on whatever device; nor may the array be
	// its own buffer.
	for (ptrdiff_t by : {ptrdiff_t(0), ptrdiff_t(n) - 1, 1 - ptrdiff_t(n), ptrdiff_t(2 * page)})
		refused(b, n, a + by);
	refused(shared.data, page, a + page, GPUVM_COPY);
	CHECK_ERR(gpuvm_link(a, n, 1, a, GPUVM_ON_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_link(a, n, 1, a + n - 1, GPUVM_ON_HOST), GPUVM_EARG);
	// Nor may the buffer's bytes become an array.
	for (ptrdiff_t by : {ptrdiff_t(0), ptrdiff_t(n) - 1, 1 - ptrdiff_t(n), ptrdiff_t(2 * page)})
		refused(buffer + by, n, b);
	refused(buffer, n, b, GPUVM_COPY);

	// Neighbours in one page are none of these, and what is unlinked may be used again.
	CHECK_OK(gpuvm_link(b, n, 0, a + n, GPUVM_ON_HOST));
	CHECK_OK(gpuvm_link(buffer + n, page, 1, b + n, GPUVM_ON_HOST));
	CHECK_OK(gpuvm_unlink(a, 0));
	CHECK_OK(gpuvm_link(buffer, n, 0, a, GPUVM_ON_HOST));
	for (uint8_t *array : {b, buffer}) {
		fill_pattern(array, 0, n, 3);
		CHECK_OK(gpuvm_kernel_begin(array, 0, GPUVM_READ_WRITE));
		fill_pattern(static_cast<uint8_t *>(gpuvm_xlate(array, 0)), 0, n, 4);
		CHECK_OK(gpuvm_kernel_end(array, 0));
		std::vector<uint8_t> model(n);
		fill_pattern(model.data(), 0, n, 4);
		CHECK_BYTES(array, model.data(), n, "array");
	}
	for (uint8_t *array : {b, buffer, buffer + n})
		CHECK_OK(gpuvm_unlink(array, GPUVM_ALL_DEVICES));
}

TEST(link_overlaps, .traps = trap::best, .devices = device::host2)
{
	fixture fx(t);
	pages m(32);
	std::vector<uint8_t> buffer(m.bytes);
	uint8_t *a = m.data + 8 * page + 100;
	const size_t n = 8 * page;
	CHECK_OK(gpuvm_link(a, n, 0, buffer.data(), GPUVM_ON_HOST));
	CHECK_ERR(gpuvm_link(a, n, 0, buffer.data(), GPUVM_ON_HOST), GPUVM_ELINK);
	struct {
		ptrdiff_t from, to;
	} overlapping[] = {
		{0, ptrdiff_t(n) - 1},
		{0, ptrdiff_t(n) + 1},
		{1, ptrdiff_t(n)},
		{-1, ptrdiff_t(n)},
		{-1, 1},
		{ptrdiff_t(n) - 1, ptrdiff_t(n) + 1},
		{page, 2 * page},
		{-ptrdiff_t(page), ptrdiff_t(n) + ptrdiff_t(page)},
	};
	for (unsigned dev = 0; dev < 2; dev++)
		for (auto &o : overlapping)
			CHECK_ERR(gpuvm_link(a + o.from, o.to - o.from, dev, buffer.data(), GPUVM_ON_HOST),
				  GPUVM_ERANGE);
	// Neighbours may share its pages, and the same range may be linked on another device.
	CHECK_OK(gpuvm_link(a - 10, 10, 0, buffer.data(), GPUVM_ON_HOST));
	CHECK_OK(gpuvm_link(a + n, 10, 1, buffer.data(), GPUVM_ON_HOST));
	CHECK_OK(gpuvm_link(a, n, 1, buffer.data(), GPUVM_ON_HOST));
	CHECK_ERR(gpuvm_link(a, n, 1, buffer.data(), GPUVM_ON_HOST), GPUVM_ELINK);
	for (uint8_t *p : {a - 10, a, a + n})
		CHECK_OK(gpuvm_unlink(p, GPUVM_ALL_DEVICES));
	// The memory may be divided in another way now.
	CHECK_OK(gpuvm_link(a + 1, n, 0, buffer.data(), GPUVM_ON_HOST));
	CHECK_OK(gpuvm_unlink(a + 1, 0));
}

TEST(link_refuses_bad_memory, .traps = trap::all, .devices = device::host)
{
	fixture fx(t);
	std::vector<uint8_t> buffer(8 * page);
	pages m(4);
	CHECK_SYS(munmap(m.data + page, page));
	CHECK_ERR(gpuvm_link(m.data + page, page, 0, buffer.data(), GPUVM_ON_HOST), GPUVM_EPROT);
	CHECK_ERR(gpuvm_link(m.data, 3 * page, 0, buffer.data(), GPUVM_ON_HOST), GPUVM_EPROT);
	for (size_t i = 0; i < page; i++)
		CHECK_EQ(m.data[i], 0x11);
	CHECK_NEGATIVE(gpuvm_link(reinterpret_cast<void *>(~0ul - 4 * page), page, 0, buffer.data(), GPUVM_ON_HOST));
}

namespace
{
const uint8_t few_constants[] = {1, 2, 3, 4}, many_constants[3 * page] = {1};
}

// An array without a whole page is not adopted, but it must be writable all the same.
TEST(link_refuses_constants, .traps = trap::all, .devices = device::host)
{
	fixture fx(t);
	std::vector<uint8_t> buffer(4 * page);
	pages m(3);
	CHECK_SYS(mprotect(m.data, m.bytes, PROT_READ));
	struct {
		const uint8_t *data;
		size_t size;
	} constants[] = {{few_constants, sizeof few_constants},
			 {many_constants, sizeof many_constants},
			 {m.data, m.bytes},
			 {m.data + 100, 2 * page},
			 {m.data + page - 8, 16},
			 {m.data + page, 8}};
	for (auto &c : constants)
		for (int flags : {GPUVM_NONE, GPUVM_COPY}) {
			auto p = const_cast<uint8_t *>(c.data);
			CHECK_ERR(gpuvm_link(p, c.size, 0, buffer.data(), flags), GPUVM_EPROT);
			CHECK(gpuvm_xlate(p, 0) == nullptr);
			CHECK_ERR(gpuvm_kernel_begin(p, 0, GPUVM_READ_WRITE), GPUVM_EHOSTPTR);
		}
}

// Another mapping, such as one of the sanitizer's, may have come where there was none.
static bool is_mapped(uint8_t *p)
{
	unsigned char resident;
	return mincore(p, page, &resident) == 0;
}

TEST(link_refuses_missing_edges, .traps = trap::all, .devices = device::host)
{
	fixture fx(t);
	std::vector<uint8_t> buffer(8 * page);
	pages m(6);
	CHECK_SYS(munmap(m.data, page));
	CHECK_SYS(munmap(m.data + 5 * page, page));
	uint8_t *first = m.data + page, *last = m.data + 5 * page;
	struct {
		uint8_t *data;
		size_t size;
	} arrays[] = {{first - 10, 3 * page},
		      {last - 3 * page, 3 * page + 10},
		      {first - 10, 4 * page + 20},
		      {first - 10, 20},
		      {last - 10, 20},
		      {first - 10, 10},
		      {last, 10}};
	for (auto &a : arrays)
		for (int flags : {GPUVM_NONE, GPUVM_COPY}) {
			int err = gpuvm_link(a.data, a.size, 0, buffer.data(), flags);
			if (!err && (is_mapped(first - page) || is_mapped(last)))
				skip("something was mapped into a hole meanwhile");
			CHECK_NEGATIVE(err);
			CHECK(gpuvm_xlate(a.data, 0) == nullptr);
		}
	for (uint8_t *p = first; p < last; p++)
		CHECK_EQ(*p, 0x11);
	memset(first, 0x12, last - first);
	CHECK_OK(gpuvm_link(first, last - first, 0, buffer.data(), GPUVM_NONE));
	CHECK_OK(gpuvm_unlink(first, 0));
}

TEST(unlink_results, .traps = trap::best, .devices = device::host2)
{
	fixture fx(t);
	array a(fx, kind::map, 4 * page);
	CHECK_OK(gpuvm_unlink(nullptr, 0));
	CHECK_OK(gpuvm_unlink(nullptr, GPUVM_ALL_DEVICES));
	a.link(0);
	CHECK_ERR(gpuvm_unlink(a.data(), 2), GPUVM_EARG);
	CHECK_OK(gpuvm_unlink(a.data(), 1)); // there is no link on that device
	CHECK(gpuvm_xlate(a.data(), 0) == a.buffer(0));
	a.link(1);
	CHECK_OK(gpuvm_kernel_begin(a.data(), 1, GPUVM_READ_WRITE));
	CHECK_ERR(gpuvm_unlink(a.data(), 1), GPUVM_ESTATE);
	CHECK_ERR(gpuvm_unlink(a.data(), GPUVM_ALL_DEVICES), GPUVM_ESTATE);
	CHECK_OK(gpuvm_kernel_end(a.data(), 1));
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	CHECK_ERR(gpuvm_unlink(a.data(), 0), GPUVM_ESTATE);
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	CHECK_OK(gpuvm_unlink(a.data(), GPUVM_ALL_DEVICES));
	CHECK(gpuvm_xlate(a.data(), 0) == nullptr && gpuvm_xlate(a.data(), 1) == nullptr);
	// There is no array any more: success and EHOSTPTR are both documented.
	CHECK(one_of(gpuvm_unlink(a.data(), 0), {0, GPUVM_EHOSTPTR}));
}

TEST(kernel_arguments, .traps = trap::best, .devices = device::host2)
{
	fixture fx(t);
	array a(fx, kind::map, 4 * page), other(fx, kind::map, page);
	uint8_t *p = a.data();
	a.link(0);
	CHECK_ERR(gpuvm_kernel_begin(nullptr, 0, GPUVM_READ_ONLY), GPUVM_ENULL);
	CHECK_ERR(gpuvm_kernel_begin(other.data(), 0, GPUVM_READ_ONLY), GPUVM_EHOSTPTR);
	CHECK_ERR(gpuvm_kernel_begin(p + a.size(), 0, GPUVM_READ_ONLY), GPUVM_EHOSTPTR);
	CHECK_ERR(gpuvm_kernel_begin(p, 2, GPUVM_READ_ONLY), GPUVM_EARG);
	CHECK_ERR(gpuvm_kernel_begin(p, GPUVM_ALL_DEVICES, GPUVM_READ_ONLY), GPUVM_EARG);
	CHECK_ERR(gpuvm_kernel_begin(p, 0, 0), GPUVM_EARG);
	CHECK_ERR(gpuvm_kernel_begin(p, 0, GPUVM_READ_ONLY | GPUVM_ON_HOST), GPUVM_EARG);
	CHECK_ERR(gpuvm_kernel_begin(p, 0, GPUVM_READ_ONLY | 1 << 30), GPUVM_EARG);
	CHECK_ERR(gpuvm_kernel_begin(p, 1, GPUVM_READ_ONLY), GPUVM_ENOLINK);
	CHECK_ERR(gpuvm_kernel_end(nullptr, 0), GPUVM_ENULL);
	CHECK_ERR(gpuvm_kernel_end(other.data(), 0), GPUVM_EHOSTPTR);
	CHECK_ERR(gpuvm_kernel_end(p, 2), GPUVM_EARG);
	CHECK_ERR(gpuvm_kernel_end(p, 1), GPUVM_ENOLINK);
	CHECK_ERR(gpuvm_kernel_end(p, 0), GPUVM_ESTATE);
	CHECK_OK(gpuvm_kernel_begin(p, 0, GPUVM_READ_WRITE));
	CHECK_OK(gpuvm_kernel_end(p, 0));
	CHECK_ERR(gpuvm_kernel_end(p, 0), GPUVM_ESTATE);
	a.check();
}

TEST(one_writer_at_a_time, .traps = trap::best, .devices = device::several, .kinds = kind::map | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 8 * page);
	a.link_everywhere();
	for (int writing : {GPUVM_WRITE_ONLY, GPUVM_READ_WRITE}) {
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, writing));
		for (int other : {GPUVM_READ_ONLY, GPUVM_WRITE_ONLY, GPUVM_READ_WRITE})
			CHECK_ERR(gpuvm_kernel_begin(a.data(), 1, other), GPUVM_ESTATE);
		CHECK_ERR(gpuvm_kernel_end(a.data(), 1), GPUVM_ESTATE);
		a.run(0, {kernel::fill, 0, a.size(), 7});
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
	// All devices may read at once.
	for (unsigned i = 0; i < fx.devices(); i++)
		CHECK_OK(gpuvm_kernel_begin(a.data(), i, GPUVM_READ_ONLY));
	for (unsigned i = 0; i < fx.devices(); i++)
		a.check_buffer(i);
	for (unsigned i = 0; i < fx.devices(); i++)
		CHECK_OK(gpuvm_kernel_end(a.data(), i));
	a.check();
}

TEST(interior_pointers, .traps = trap::best, .devices = device::single, .kinds = kind::map | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 5 * page + 17);
	a.link();
	for (size_t off : {size_t(0), size_t(1), size_t(page), size_t(2 * page + 5), a.size() - 1}) {
		CHECK(gpuvm_xlate(a.data() + off, 0) == a.buffer(0));
		CHECK_OK(gpuvm_kernel_begin(a.data() + off, 0, GPUVM_READ_WRITE));
		a.run(0, {kernel::add, 0, a.size(), 3});
		CHECK_OK(gpuvm_kernel_end(a.data() + a.size() - 1 - off, 0));
		a.check();
	}
	CHECK(gpuvm_xlate(a.data() + a.size(), 0) == nullptr);
	CHECK_OK(gpuvm_unlink(a.data() + 2 * page, 0));
	CHECK(gpuvm_xlate(a.data(), 0) == nullptr);
	a.check();
}

TEST(xlate_results, .traps = trap::best, .devices = device::host2)
{
	fixture fx(t);
	array a(fx, kind::map, page);
	CHECK(gpuvm_xlate(a.data(), 0) == nullptr);
	CHECK(gpuvm_xlate(nullptr, 0) == nullptr);
	a.link(1);
	CHECK(gpuvm_xlate(a.data(), 0) == nullptr);
	CHECK(gpuvm_xlate(a.data(), 1) == a.buffer(1));
	CHECK(gpuvm_xlate(a.data(), 2) == nullptr);
	CHECK(gpuvm_xlate(a.data(), GPUVM_ALL_DEVICES) == nullptr);
	CHECK(gpuvm_xlate(nullptr, 1) == nullptr);
}

TEST(array_begins_on_device, .traps = trap::all, .devices = device::single | device::several,
     .kinds = kind::map | kind::slice | kind::library)
{
	fixture fx(t);
	unsigned last = fx.devices() - 1;
	array a(fx, t.v.kind, 9 * page + 100);
	std::vector<uint8_t> bytes(a.size());
	apply({kernel::fill, 0, a.size(), 99}, bytes.data());
	fx.dev().write(last, a.buffer(last), 0, bytes.data(), bytes.size());
	memcpy(a.model(), bytes.data(), bytes.size());
	memset(a.data(), 0xee, a.size());
	a.link(last, GPUVM_ON_DEVICE);
	a.check("contents of an array that is on the device");
	a.add_everywhere(last, 1);
	a.check();
	a.unlink_everywhere();
	a.check("after unlink");
	// The bytes come home again without a touch in between.
	fx.dev().write(last, a.buffer(last), 0, bytes.data(), bytes.size());
	memcpy(a.model(), bytes.data(), bytes.size());
	a.link(last, GPUVM_ON_DEVICE);
	a.unlink_everywhere();
	a.check("after link on the device and unlink");
}

TEST(unlink_brings_home, .traps = trap::all, .devices = device::single | device::several,
     .kinds = kind::map | kind::slice | kind::library)
{
	fixture fx(t);
	array a(fx, t.v.kind, 70 * page + 9);
	a.link_everywhere();
	for (unsigned i = 0; i < fx.devices(); i++) {
		a.add_everywhere(i, 5 + i);
		CHECK_OK(gpuvm_unlink(a.data(), i));
	}
	CHECK(gpuvm_xlate(a.data(), 0) == nullptr);
	auto touches = count_of(GPUVM_STAT_TOUCHES);
	a.check("after the last unlink");
	CHECK_EQ(count_of(GPUVM_STAT_TOUCHES), touches);
}

TEST(no_sync_back, .traps = trap::best, .devices = device::host2 | device::opencl, .kinds = kind::map | kind::slice)
{
	fixture fx(t, GPUVM_STAT | GPUVM_UNLINK_NO_SYNC_BACK);
	array a(fx, t.v.kind, 40 * page);
	a.link_everywhere();
	unsigned last = fx.devices() - 1;
	a.add_everywhere(0, 5);
	if (last) {
		// This is not the last link, so nothing changes for the host.
		CHECK_OK(gpuvm_unlink(a.data(), 0));
		a.check();
		a.add_everywhere(last, 5);
	}
	auto before = count_of(GPUVM_STAT_BYTES_TO_HOST);
	CHECK_OK(gpuvm_unlink(a.data(), last));
	CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_HOST), before);
	// Whatever the contents are, it must be memory again.
	memset(a.data(), 0x77, a.size());
	for (size_t i = 0; i < a.size(); i++)
		CHECK_EQ(a.data()[i], 0x77);
}

TEST(malloc_and_free, .traps = trap::all, .devices = device::plain)
{
	fixture fx(t);
	CHECK(gpuvm_malloc(page, 7, GPUVM_NONE) == nullptr);
	CHECK(gpuvm_malloc(page, 0, 1 << 30) == nullptr);
	CHECK(gpuvm_malloc(SIZE_MAX - page, 0, GPUVM_NONE) == nullptr);
	uint8_t local, *from_malloc = static_cast<uint8_t *>(malloc(100));
	CHECK_ERR(gpuvm_free(&local), GPUVM_EHOSTPTR);
	CHECK_ERR(gpuvm_free(from_malloc), GPUVM_EHOSTPTR);
	free(from_malloc);
	for (int flags : {int(GPUVM_NONE), int(GPUVM_HUGE)})
		for (size_t n : {size_t(1), size_t(page), size_t(3 << 20)}) {
			auto p = static_cast<uint8_t *>(gpuvm_malloc(n, 0, flags));
			CHECK(p);
			CHECK_EQ(reinterpret_cast<uintptr_t>(p) % page, 0);
			for (size_t i = 0; i < n; i++)
				CHECK_EQ(p[i], 0);
			memset(p, 0x5a, n);
			CHECK_OK(gpuvm_free(p));
			CHECK_ERR(gpuvm_free(p), GPUVM_EHOSTPTR);
		}
}

TEST(free_of_linked_memory, .traps = trap::all, .devices = device::plain)
{
	fixture fx(t);
	array a(fx, kind::library, 100 * page);
	uint8_t *p = a.data();
	a.link();
	CHECK_OK(gpuvm_kernel_begin(p, 0, GPUVM_READ_WRITE));
	CHECK_ERR(gpuvm_free(p), GPUVM_ESTATE);
	a.run(0, {kernel::add, 0, a.size(), 1});
	CHECK_OK(gpuvm_kernel_end(p, 0));
	auto before = count_of(GPUVM_STAT_BYTES_TO_HOST);
	CHECK_OK(gpuvm_free(p));
	CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_HOST), before);
	CHECK(gpuvm_xlate(p, 0) == nullptr);
	a.abandon();
	// One allocation may hold several arrays.
	auto q = static_cast<uint8_t *>(gpuvm_malloc(16 * page, 0, GPUVM_NONE));
	{
		array first(fx, q + 100, 3 * page), second(fx, q + 5 * page, 4 * page);
		first.link();
		second.link();
		first.add_everywhere(0, 1);
		second.add_everywhere(0, 1);
		first.check();
		CHECK_OK(gpuvm_free(q));
		CHECK(!gpuvm_xlate(q + 100, 0) && !gpuvm_xlate(q + 5 * page, 0));
		first.abandon();
		second.abandon();
	}
}

TEST(range_arguments, .traps = trap::best, .devices = device::host2)
{
	fixture fx(t);
	array a(fx, kind::map, 16 * page), other(fx, kind::map, page);
	uint8_t *p = a.data();
	a.link(0);
	CHECK_ERR(gpuvm_kernel_begin_range(nullptr, page, 0, GPUVM_READ_ONLY), GPUVM_ENULL);
	CHECK_ERR(gpuvm_kernel_begin_range(other.data(), page, 0, GPUVM_READ_ONLY), GPUVM_EHOSTPTR);
	CHECK_ERR(gpuvm_kernel_begin_range(p, page, 1, GPUVM_READ_ONLY), GPUVM_ENOLINK);
	CHECK_ERR(gpuvm_kernel_begin_range(p, page, 0, 0), GPUVM_EARG);
	CHECK_NEGATIVE(gpuvm_kernel_begin_range(p, 0, 0, GPUVM_READ_ONLY));
	CHECK_NEGATIVE(gpuvm_kernel_begin_range(p, a.size() + 1, 0, GPUVM_READ_ONLY));
	CHECK_NEGATIVE(gpuvm_kernel_begin_range(p + page, a.size(), 0, GPUVM_READ_ONLY));
	CHECK_NEGATIVE(gpuvm_kernel_begin_range(p + page, SIZE_MAX, 0, GPUVM_READ_ONLY));
	CHECK_ERR(gpuvm_kernel_end_range(p, page, 0), GPUVM_ESTATE);
	CHECK_OK(gpuvm_kernel_begin_range(p, a.size(), 0, GPUVM_READ_WRITE));
	CHECK_OK(gpuvm_kernel_end_range(p, a.size(), 0));
	CHECK_ERR(gpuvm_kernel_end_range(p, a.size(), 0), GPUVM_ESTATE);
	CHECK_ERR(gpuvm_host_begin(nullptr, page, GPUVM_READ_ONLY), GPUVM_ENULL);
	CHECK_ERR(gpuvm_host_begin(other.data(), page, GPUVM_READ_ONLY), GPUVM_EHOSTPTR);
	CHECK_ERR(gpuvm_host_begin(p, page, 0), GPUVM_EARG);
	CHECK_NEGATIVE(gpuvm_host_begin(p, a.size() + 1, GPUVM_READ_ONLY));
	CHECK_OK(gpuvm_host_begin(p, a.size(), GPUVM_READ_ONLY));
}

TEST(event_arguments, .traps = trap::best, .devices = device::host)
{
	fixture fx(t);
	array whole(fx, kind::map, 4 * page), edges(fx, kind::slice, 4 * page);
	int done = 1;
	whole.link();
	edges.link();
	CHECK_ERR(gpuvm_kernel_end_event(nullptr, 0, &done), GPUVM_ENULL);
	CHECK_ERR(gpuvm_kernel_end_event(whole.data(), 0, nullptr), GPUVM_ENULL);
	CHECK_ERR(gpuvm_kernel_end_event(&done, 0, &done), GPUVM_EHOSTPTR);
	CHECK_ERR(gpuvm_kernel_end_event(whole.data(), 1, &done), GPUVM_EARG);
	CHECK_ERR(gpuvm_kernel_end_event(whole.data(), 0, &done), GPUVM_ESTATE);
	CHECK_OK(gpuvm_kernel_begin(edges.data(), 0, GPUVM_READ_WRITE));
	CHECK_ERR(gpuvm_kernel_end_event(edges.data(), 0, &done), GPUVM_ESTATE);
	CHECK_OK(gpuvm_kernel_end(edges.data(), 0)); // the kernel can still be ended
	edges.check();
}

TEST(stat_parameters, .traps = trap::best, .devices = device::host2)
{
	fixture fx(t, GPUVM_STAT);
	array a(fx, kind::map, 64 * page);
	a.link_everywhere();
	a.add_everywhere(0, 1);
	a.check();
	int enabled = 0;
	unsigned n = 0;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_ENABLED, &enabled));
	CHECK(enabled);
	CHECK_OK(gpuvm_stat(GPUVM_STAT_NDEVS, &n));
	CHECK_EQ(n, 2);
	CHECK_OK(gpuvm_stat(GPUVM_STAT_RESOLVERS, &n));
	CHECK(count_of(GPUVM_STAT_TOUCHES) > 0);
	CHECK_EQ(count_of(GPUVM_STAT_TOUCHES), count_of(GPUVM_STAT_PAGEFAULTS));
	CHECK(count_of(GPUVM_STAT_FETCHES) > 0);
	CHECK(count_of(GPUVM_STAT_BOOKKEEPING) > 0);
	CHECK_EQ(count_of(GPUVM_STAT_FAILURES), 0);
	CHECK_LE(count_of(GPUVM_STAT_FORESEEN_USED), count_of(GPUVM_STAT_FORESEEN));
	CHECK_LE(count_of(GPUVM_STAT_FORESEEN_IN_VAIN), count_of(GPUVM_STAT_FORESEEN));
	CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_DEVICE), a.size());
	CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_HOST), a.size());
	double copy = -1, home = -1, faults = -1;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_COPY_TIME, &copy));
	CHECK_OK(gpuvm_stat(GPUVM_STAT_HOST_COPY_TIME, &home));
	CHECK_OK(gpuvm_stat(GPUVM_STAT_PAGEFAULT_TIME, &faults));
	CHECK(home > 0 && copy >= home && faults > 0 && copy < 10 && faults < 10);
	double least = -1, median = -1, p99 = -1, most = -1;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_STALL_MIN, &least));
	CHECK_OK(gpuvm_stat(GPUVM_STAT_STALL_MEDIAN, &median));
	CHECK_OK(gpuvm_stat(GPUVM_STAT_STALL_P99, &p99));
	CHECK_OK(gpuvm_stat(GPUVM_STAT_STALL_MAX, &most));
	note("stalls: %g %g %g %g", least, median, p99, most);
	CHECK(least > 0 && least <= median && median <= p99 && p99 <= most && most < 10);
	const char *text = nullptr;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_FAILURE, &text));
	CHECK(text && !*text);
	CHECK_ERR(gpuvm_stat(GPUVM_STAT_NDEVS, nullptr), GPUVM_ENULL);
	for (int unknown : {-1, 0, 7, 63, 90, 1000})
		CHECK_ERR(gpuvm_stat(unknown, &copy), GPUVM_EARG);
}

// The times of a touch are in order, whoever serves it and whether a handler hands it over.
TEST(times_of_the_last_touch, .traps = trap::all, .devices = device::single)
{
	fixture fx(t, GPUVM_NO_FORESIGHT);
	array a(fx, kind::map, 64 * page);
	a.link_everywhere();
	gpuvm_touch_times at = {};
	CHECK_ERR(gpuvm_stat(GPUVM_STAT_LAST_TOUCH, &at), GPUVM_EARG);
	at.size = sizeof(at);
	a.add_everywhere(0, 1);
	a.check(5 * page, 1);
	CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_TOUCH, &at));
	CHECK_EQ(at.caught, 0);
	a.add_everywhere(0, 1);
	a.check(5 * page, 1);
	// The toucher goes on before the times are kept.
	while (!at.shown)
		CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_TOUCH, &at));
	CHECK(at.caught && at.caught <= at.locked && at.locked <= at.given && at.given <= at.copied);
	CHECK_LE(at.copied, at.shown);
	CHECK_EQ(!at.handed, !at.taken);
	if (at.handed)
		CHECK(at.caught <= at.handed && at.handed <= at.taken && at.taken <= at.locked);
	bool by_handler = t.v.trap & (trap::uffd_sigbus | trap::sigsegv);
	CHECK_EQ(at.handed != 0, by_handler && t.v.device != device::host);
	at.size = sizeof(at) - 1;
	CHECK_ERR(gpuvm_stat(GPUVM_STAT_LAST_TOUCH, &at), GPUVM_EARG);
}

TEST(stat_without_times, .traps = trap::best, .devices = device::host)
{
	fixture fx(t, 0);
	int enabled = 1;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_ENABLED, &enabled));
	CHECK_EQ(enabled, 0);
	double time;
	CHECK_ERR(gpuvm_stat(GPUVM_STAT_COPY_TIME, &time), GPUVM_ESTATE);
	CHECK_ERR(gpuvm_stat(GPUVM_STAT_HOST_COPY_TIME, &time), GPUVM_ESTATE);
	CHECK_ERR(gpuvm_stat(GPUVM_STAT_PAGEFAULT_TIME, &time), GPUVM_ESTATE);
	// The counters are kept all the same.
	CHECK_EQ(count_of(GPUVM_STAT_TOUCHES), 0);
}

TEST(strerror_names_every_code)
{
	std::set<std::string> texts;
	for (int code = 0; code >= GPUVM_EAPI; code--) {
		const char *text = gpuvm_strerror(code);
		CHECK(text && *text);
		texts.insert(text);
	}
	CHECK_EQ(texts.size(), 1 - GPUVM_EAPI);
	for (int code : {1, -14, -1000, INT_MIN, INT_MAX})
		CHECK(gpuvm_strerror(code) && *gpuvm_strerror(code));
}

TEST(errors_are_one_line)
{
	CHECK_OK(gpuvm_init(1, nullptr, GPUVM_HOST));
	uint8_t buffer[16];
	stderr_capture capture;
	int err = gpuvm_link(buffer, 0, 0, buffer, GPUVM_ON_HOST);
	std::string text = capture.text();
	CHECK_ERR(err, GPUVM_EARG);
	if (text.size() < 10 || text.find('\n') != text.size() - 1)
		FAIL("not one line: '%s'", text.c_str());
}

TEST(quiet)
{
	restart_with(t, {"GPUVM_QUIET=1"});
	CHECK_OK(gpuvm_init(1, nullptr, GPUVM_HOST));
	uint8_t buffer[16];
	stderr_capture capture;
	int err = gpuvm_link(buffer, 0, 0, buffer, GPUVM_ON_HOST);
	std::string text = capture.text();
	CHECK_ERR(err, GPUVM_EARG);
	if (!text.empty())
		FAIL("said '%s'", text.c_str());
}
