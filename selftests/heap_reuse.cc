// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Linked arrays are freed, reallocated, unmapped and moved, and their addresses used again at once. What the program
// then finds must be right, and the error callback must say that the program did this. Silent corruption is never
// allowed.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <thread>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

// The compiler does not see through these what becomes of the pointer, which is looked at afterwards.
void (*volatile free_memory)(void *) = free;
void *(*volatile resize_memory)(void *, size_t) = realloc;

struct report {
	std::atomic<unsigned> calls{0};
	std::mutex lock;
	int code = 0;
	void *hostptr = nullptr;
	std::string message;
};

void on_error(int code, void *hostptr, const char *message, void *arg)
{
	auto &r = *static_cast<report *>(arg);
	std::lock_guard guard(r.lock);
	r.code = code;
	r.hostptr = hostptr;
	r.message = message;
	r.calls++;
}

// The callback runs on another thread, a little later.
void expect_report(report &r, unsigned calls, void *hostptr)
{
	wait_until([&] { return r.calls >= calls; });
	CHECK_EQ(r.calls, calls);
	std::lock_guard guard(r.lock);
	CHECK_EQ(r.code, GPUVM_ESTATE);
	CHECK(r.hostptr == hostptr);
	CHECK(!r.message.empty() && r.message.find('\n') == std::string::npos);
}

uint8_t *map_pages(size_t n)
{
	void *p = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED);
	return static_cast<uint8_t *>(p);
}

// --- random rounds -----------------------------------------------------------

// A life is that of one allocation, linked or not, and always has a model.
struct life {
	enum { from_malloc, from_mmap } origin;
	uint8_t *data;
	size_t size;
	std::vector<uint8_t> model;
	void *buffer = nullptr;
	size_t buffer_size = 0;
};

class churn
{
      public:
	churn(context &t, fixture &fx) : t_(t), fx_(fx), lives_(12)
	{
		on_failure([](void *self) { static_cast<churn *>(self)->tell(); }, this);
		for (auto &l : lives_)
			allocate(l);
	}
	~churn()
	{
		for (auto &l : lives_) {
			verify(l);
			end(l);
		}
		on_failure(nullptr, nullptr);
	}

	void round(uint64_t number)
	{
		number_ = number;
		life &l = lives_[t_.random.below(lives_.size())];
		switch (last_ = t_.random.below(10)) {
		case 0:
		case 1:
		case 2:
			use_on_device(l);
			break;
		case 3:
			verify(l);
			break;
		case 4:
			write_some(l);
			break;
		case 5:
			verify_part(l);
			break;
		case 6:
		case 7:
			// Perhaps the memory goes straight from the device's hands.
			end(l);
			allocate(l);
			break;
		case 8:
			resize(l);
			break;
		case 9:
			unlink(l);
			break;
		}
		if (number % 256 == 255)
			for (auto &each : lives_)
				verify(each);
	}

      private:
	void allocate(life &l)
	{
		static const size_t sizes[] = {200, 5000, 3 * page, 8 * page, 20 * page, 34 * page, 150000};
		l.size = sizes[t_.random.below(std::size(sizes))] + t_.random.below(2000);
		l.origin = t_.random.one_in(4) ? life::from_mmap : life::from_malloc;
		l.data = l.origin == life::from_mmap ? map_pages(l.size) : static_cast<uint8_t *>(malloc(l.size));
		CHECK(l.data);
		if (gpuvm_xlate(l.data, 0) || gpuvm_xlate(l.data + l.size - 1, 0))
			FAIL("fresh memory at %p is linked", static_cast<void *>(l.data));
		l.model.resize(l.size);
		fill_pattern(l.model.data(), 0, l.size, number_);
		memcpy(l.data, l.model.data(), l.size);
	}

	// Frees the memory, linked or not.
	void end(life &l)
	{
		if (l.origin == life::from_mmap)
			CHECK_SYS(munmap(l.data, l.size));
		else
			free(l.data);
		drop_buffer(l);
	}

	void drop_buffer(life &l)
	{
		if (!l.buffer)
			return;
		// A late transfer would be seen: by the next user of a freed buffer, or as poison in an array.
		fx_.dev().free_buffer(0, l.buffer);
		l.buffer = nullptr;
	}

	void use_on_device(life &l)
	{
		if (!l.buffer) {
			l.buffer = fx_.dev().new_buffer(0, l.size);
			l.buffer_size = l.size;
			CHECK_OK(gpuvm_link(l.data, l.size, 0, l.buffer, GPUVM_ON_HOST));
		}
		kernel k{kernel::mix, 0, l.size, number_};
		CHECK_OK(gpuvm_kernel_begin(l.data, 0, GPUVM_READ_WRITE));
		fx_.dev().run(0, l.buffer, k);
		CHECK_OK(gpuvm_kernel_end(l.data, 0));
		apply(k, l.model.data());
	}

	void unlink(life &l)
	{
		if (!l.buffer)
			return;
		CHECK_OK(gpuvm_unlink(l.data, 0));
		drop_buffer(l);
	}

	void verify(life &l) { CHECK_BYTES(l.data, l.model.data(), l.size, "contents"); }

	void verify_part(life &l)
	{
		size_t off = t_.random.below(l.size), n = t_.random.between(1, std::min(l.size - off, page));
		CHECK_BYTES(l.data + off, l.model.data() + off, n, "part of the contents");
	}

	void write_some(life &l)
	{
		size_t off = t_.random.below(l.size), n = t_.random.between(1, std::min(l.size - off, page));
		fill_pattern(l.data, off, n, number_);
		fill_pattern(l.model.data(), off, n, number_);
	}

	void resize(life &l)
	{
		size_t n = t_.random.between(1, 2 * l.size);
		void *p = l.origin == life::from_mmap ? mremap(l.data, l.size, n, MREMAP_MAYMOVE) : realloc(l.data, n);
		if (!p || p == MAP_FAILED)
			FAIL("resize of %zu bytes to %zu: %s", l.size, n, strerror(errno));
		l.data = static_cast<uint8_t *>(p);
		size_t kept = std::min(n, l.size);
		CHECK_BYTES(l.data, l.model.data(), kept, "contents after a resize");
		bool was_linked = l.buffer != nullptr;
		if (was_linked && gpuvm_xlate(l.data, 0))
			FAIL("%p is linked after a resize", p);
		l.size = n;
		l.model.resize(n);
		fill_pattern(l.model.data(), kept, n - kept, number_);
		memcpy(l.data + kept, l.model.data() + kept, n - kept);
		drop_buffer(l);
	}

	void tell() { note("in round %llu, action %llu", (unsigned long long)number_, (unsigned long long)last_); }

	context &t_;
	fixture &fx_;
	std::vector<life> lives_;
	uint64_t number_ = 0, last_ = 0;
};
} // namespace

// The three traps do more than 100,000 rounds in all.
TEST(random_rounds, .traps = trap::all, .devices = device::host, .seconds = 60)
{
	skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	report r;
	CHECK_OK(gpuvm_set_error_callback(on_error, &r));
	churn c(t, fx);
	for (uint64_t i = 0; i < t.rounds(34000, 100000); i++)
		c.round(i);
	CHECK(r.calls > 0);
}

TEST(random_rounds_slow_device, .traps = trap::all, .devices = device::hostcb | device::opencl)
{
	skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	churn c(t, fx);
	for (uint64_t i = 0; i < t.rounds(500, 10000); i++)
		c.round(i);
}

TEST(random_rounds_beside_threads, .traps = trap::all, .devices = device::host, .seconds = 60)
{
	skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	std::atomic<bool> stop{false};
	std::vector<std::thread> others;
	for (int i = 0; i < 2; i++)
		others.emplace_back([&, i] {
			random_source random(t.seed + i);
			while (!stop) {
				size_t n = random.between(1, 200000);
				auto p = static_cast<uint8_t *>(malloc(n));
				memset(p, i, n);
				for (size_t k = 0; k < n; k += 997)
					if (p[k] != i)
						FAIL("byte %zu of a stranger's %zu bytes has changed", k, n);
				free(p);
			}
		});
	{
		churn c(t, fx);
		for (uint64_t i = 0; i < t.rounds(1500, 30000); i++)
			c.round(i);
	}
	stop = true;
	for (auto &th : others)
		th.join();
}

// --- one at a time -----------------------------------------------------------

TEST(free_is_reported, .traps = trap::all, .devices = device::single,
     .kinds = kind::heap | kind::mmapped | kind::zeroed | kind::memalign_page)
{
	skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	report r;
	CHECK_OK(gpuvm_set_error_callback(on_error, &r));
	for (unsigned round = 1; round <= 5; round++) {
		size_t n = std::min(largest_of(t.v.kind), 50 * page);
		array a(fx, t.v.kind, n, round);
		a.link();
		a.add_everywhere(0, 1);
		uint8_t *p = a.data();
		free_memory(p);
		expect_report(r, round, p);
		CHECK(gpuvm_xlate(p, 0) == nullptr);
		a.abandon();
	}
	CHECK_OK(gpuvm_set_error_callback(nullptr, nullptr));
}

TEST(realloc_keeps_contents, .traps = trap::all, .devices = device::single, .kinds = kind::heap | kind::mmapped)
{
	skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	report r;
	CHECK_OK(gpuvm_set_error_callback(on_error, &r));
	unsigned calls = 0;
	for (size_t factor : {2, 1, 3})
		for (size_t n : {30 * page - 500, 25 * page + 10}) {
			if (t.v.kind == kind::mmapped)
				n *= 20;
			array a(fx, t.v.kind, n, calls);
			a.link();
			a.add_everywhere(0, 1);
			uint8_t *old = a.data();
			size_t larger = n * factor / 2;
			auto p = static_cast<uint8_t *>(resize_memory(old, larger));
			CHECK(p);
			expect_report(r, ++calls, old);
			CHECK(gpuvm_xlate(old, 0) == nullptr && gpuvm_xlate(p, 0) == nullptr);
			CHECK_BYTES(p, a.model(), std::min(n, larger), "after realloc");
			memset(p, 0x44, larger);
			free(p);
			a.abandon();
		}
}

TEST(munmap_of_a_part, .traps = trap::all, .devices = device::single)
{
	fixture fx(t);
	report r;
	CHECK_OK(gpuvm_set_error_callback(on_error, &r));
	const size_t n = 60 * page;
	array a(fx, map_pages(n), n);
	a.link();
	a.add_everywhere(0, 1);
	CHECK_SYS(munmap(a.data() + 20 * page, 20 * page));
	expect_report(r, 1, a.data());
	CHECK(gpuvm_xlate(a.data(), 0) == nullptr);
	// The rest is the program's, with its contents.
	a.check(0, 20 * page, "before the hole");
	a.check(40 * page, 20 * page, "behind the hole");
	// The hole gets other memory.
	void *hole = mmap(a.data() + 20 * page, 20 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	CHECK(hole == a.data() + 20 * page);
	for (size_t i = 0; i < 20 * page; i++)
		CHECK_EQ(static_cast<uint8_t *>(hole)[i], 0);
	memset(hole, 0x12, 20 * page);
	// The addresses can be linked again.
	memcpy(a.model() + 20 * page, hole, 20 * page);
	a.link();
	a.add_everywhere(0, 1);
	a.check("linked again");
	CHECK_EQ(r.calls, 1);
}

TEST(munmap_of_nothing, .traps = trap::all, .devices = device::host)
{
	fixture fx(t);
	report r;
	CHECK_OK(gpuvm_set_error_callback(on_error, &r));
	const size_t n = 20 * page;
	array a(fx, map_pages(n), n);
	a.link();
	a.add_everywhere(0, 1);
	CHECK_EQ(munmap(a.data() + 5 * page, 0), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK(gpuvm_xlate(a.data(), 0) == a.buffer(0));
	a.check();
	CHECK_EQ(r.calls, 0);
	a.unlink_everywhere();
	CHECK_SYS(munmap(a.data(), n));
	a.abandon();
}

TEST(mremap_moves_contents, .traps = trap::all, .devices = device::single)
{
	fixture fx(t);
	report r;
	CHECK_OK(gpuvm_set_error_callback(on_error, &r));
	const size_t n = 60 * page;
	array a(fx, map_pages(n), n);
	a.link();
	a.add_everywhere(0, 1);
	uint8_t *old = a.data();
	auto moved = static_cast<uint8_t *>(mremap(old, n, 2 * n, MREMAP_MAYMOVE));
	CHECK(moved != MAP_FAILED);
	expect_report(r, 1, old);
	CHECK_BYTES(moved, a.model(), n, "after mremap");
	for (size_t i = n; i < 2 * n; i += page)
		CHECK_EQ(moved[i], 0);
	a.abandon();
	// The memory moves onto a linked array, so that one is gone, too.
	array b(fx, map_pages(n), n, 5);
	b.link();
	b.add_everywhere(0, 1);
	CHECK(mremap(moved, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, b.data()) == b.data());
	expect_report(r, 2, b.data());
	CHECK_BYTES(b.data(), a.model(), n, "array replaced by mremap");
	CHECK_SYS(munmap(b.data(), n));
	CHECK_SYS(munmap(moved + n, n));
	b.abandon();
}

// malloc gives the address out again at once.
TEST(reuse_while_revoked, .traps = trap::all, .devices = device::single,
     .kinds = kind::heap | kind::mmapped | kind::map)
{
	if (t.v.kind != kind::map)
		skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	const size_t n = 30 * page;
	unsigned same = 0;
	for (uint64_t round = 0; round < t.rounds(50, 3000); round++) {
		uint8_t *before;
		{
			array a(fx, t.v.kind, n, round);
			a.link();
			a.add_everywhere(0, 1);
			before = a.data();
			if (t.v.kind == kind::map)
				CHECK_SYS(munmap(before, n));
			else
				free(before);
			a.abandon();
		}
		array b(fx, t.v.kind, n, round + 7);
		same += b.data() == before;
		b.check("new owner of the address");
		b.link();
		b.add_everywhere(0, 3);
		b.check("new owner of the address, linked");
	}
	CHECK(same > 0);
}

// Memory is freed while a kernel works on it. The kernel's end then finds no array, or an error, but never a stranger's
// memory.
TEST(free_between_begin_and_end, .traps = trap::all, .devices = device::plain, .kinds = kind::heap | kind::mmapped)
{
	skip_under_sanitizers("its allocator comes before the library's interposers");
	fixture fx(t);
	for (uint64_t round = 0; round < t.rounds(20, 500); round++) {
		array a(fx, t.v.kind, 30 * page, round);
		a.link();
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
		uint8_t *p = a.data();
		free_memory(p);
		a.abandon();
		block next(t.v.kind, 30 * page);
		memset(next.data(), 0x21, next.size());
		fx.dev().run(0, a.buffer(0), {kernel::add, 0, a.size(), 1});
		CHECK(gpuvm_kernel_end(p, 0) != 0);
		for (size_t i = 0; i < next.size(); i++)
			CHECK_EQ(next.data()[i], 0x21);
	}
}
