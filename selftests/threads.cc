// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Many threads touch at once, come and go, and use arrays that share pages.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <functional>
#include <sys/mman.h>
#include <thread>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr size_t smallest_chunk = 64 << 10;

// Runs body(0) … body(n - 1), each on a thread of its own, and starts all at once.
void in_parallel(unsigned n, const std::function<void(unsigned)> &body)
{
	std::barrier start(n);
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < n; i++)
		threads.emplace_back([&, i] {
			start.arrive_and_wait();
			body(i);
		});
	for (auto &th : threads)
		th.join();
}

// These threads run until they are told to stop.
class background
{
      public:
	background(unsigned n, std::function<void(unsigned, const std::atomic<bool> &)> body) : body_(std::move(body))
	{
		for (unsigned i = 0; i < n; i++)
			threads_.emplace_back([this, i] { body_(i, stop_); });
	}
	~background()
	{
		stop_ = true;
		for (auto &th : threads_)
			th.join();
	}

      private:
	std::function<void(unsigned, const std::atomic<bool> &)> body_;
	std::atomic<bool> stop_{false};
	std::vector<std::thread> threads_;
};

uint64_t load_word(const uint8_t *p)
{
	return __atomic_load_n(reinterpret_cast<const uint64_t *>(p), __ATOMIC_RELAXED);
}

// The mapping surely is one chunk: it begins where every chunk size has a boundary, and is as large as the smallest.
uint8_t *map_one_chunk()
{
	const size_t unit = 2 << 20;
	void *p = mmap(nullptr, 2 * unit, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED);
	return reinterpret_cast<uint8_t *>((reinterpret_cast<uintptr_t>(p) + unit - 1) & ~(unit - 1));
}
} // namespace

TEST(one_chunk_one_fetch, .traps = trap::all, .devices = device::single)
{
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT); // touches are to be fetched
	array a(fx, map_one_chunk(), smallest_chunk);
	a.link();
	for (uint64_t round = 0; round < t.rounds(30, 1000); round++) {
		a.add_everywhere(0, 1);
		auto before = count_of(GPUVM_STAT_FETCHES);
		in_parallel(16, [&](unsigned i) { a.check(i * page, page, "page of a chunk that all touch"); });
		CHECK_EQ(count_of(GPUVM_STAT_FETCHES) - before, 1);
	}
}

TEST(chunks_in_parallel, .traps = trap::all, .devices = device::single, .kinds = kind::mmapped | kind::library)
{
	fixture fx(t);
	const unsigned threads = 8;
	const size_t part = 1 << 20;
	array a(fx, t.v.kind, threads * part);
	a.link();
	for (uint64_t round = 0; round < t.rounds(3, 100); round++) {
		a.add_everywhere(0, 1);
		in_parallel(threads, [&](unsigned i) {
			// Half of them read first, and half write.
			if (i % 2)
				a.write_on_host(i * part + part / 2, 100, round);
			a.check(i * part, part, "part of one thread");
		});
		a.check();
	}
}

TEST(writes_of_all_threads_survive, .traps = trap::all, .devices = device::single, .kinds = kind::map | kind::slice)
{
	fixture fx(t);
	const unsigned threads = 8;
	array a(fx, t.v.kind, smallest_chunk + 100);
	a.link();
	for (uint64_t round = 0; round < t.rounds(40, 2000); round++) {
		if (round % 2)
			a.add_everywhere(0, 1);
		else
			CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY)
					 ?: gpuvm_kernel_end(a.data(), 0)); // leaves the host the right to read
		in_parallel(threads, [&](unsigned i) {
			for (size_t at = i; at < a.size(); at += 61 * threads)
				a.data()[at] = a.model()[at] = pattern_byte(at, round);
		});
		a.check("after writes of many threads");
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		a.check_buffer(0);
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
}

TEST(born_and_dying, .traps = trap::all | trap::sigsegv_stop, .devices = device::plain,
     .kinds = kind::mmapped | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 40 * page);
	a.link();
	// These threads have nothing to do with the array.
	background others(2, [](unsigned, const std::atomic<bool> &stop) {
		while (!stop)
			std::thread([] { std::vector<char> v(1000, 'x'); }).join();
	});
	for (uint64_t round = 0; round < t.rounds(15, 500); round++) {
		a.add_everywhere(0, 1);
		std::vector<std::thread> touchers;
		for (unsigned i = 0; i < 20; i++)
			touchers.emplace_back([&, off = t.random.below(a.size() - 50)] { a.check(off, 50); });
		for (auto &th : touchers)
			th.join();
		a.check();
	}
}

TEST(two_arrays_in_one_page, .traps = trap::all, .devices = device::host2 | device::opencl,
     .kinds = kind::heap | kind::slice | kind::map)
{
	fixture fx(t);
	block memory(t.v.kind, 6 * page);
	// The boundaries lie inside pages, and one array has no whole page.
	const size_t cuts[] = {100, 2 * page + 17, 2 * page + 900, 5 * page + 3000};
	std::vector<std::unique_ptr<array>> arrays;
	for (int i = 0; i < 3; i++)
		arrays.push_back(std::make_unique<array>(fx, memory.data() + cuts[i], cuts[i + 1] - cuts[i], i));
	in_parallel(3, [&](unsigned i) {
		array &a = *arrays[i];
		random_source random(t.seed + i);
		for (uint64_t round = 0; round < t.rounds(150, 5000); round++) {
			unsigned dev = random.below(fx.devices());
			if (!gpuvm_xlate(a.data(), dev))
				a.link(dev);
			a.add_everywhere(dev, round);
			a.check("array of one thread");
			a.write_on_host(random.below(a.size()), 1, round);
			a.check("array of one thread, after a write");
			if (random.one_in(4))
				CHECK_OK(gpuvm_unlink(a.data(), GPUVM_ALL_DEVICES));
		}
	});
}

TEST(arrays_of_their_own, .traps = trap::all, .devices = device::host3 | device::opencl2 | device::cuda2,
     .kinds = kind::heap | kind::mmapped | kind::library)
{
	fixture fx(t);
	in_parallel(6, [&](unsigned i) {
		random_source random(t.seed + i);
		for (uint64_t round = 0; round < t.rounds(10, 300); round++) {
			size_t most = std::min(largest_of(t.v.kind), size_t(200000));
			array a(fx, t.v.kind, random.between(1, most), round);
			a.link_everywhere();
			for (int k = 0; k < 5; k++) {
				a.add_everywhere(random.below(fx.devices()), k + 1);
				a.check();
			}
		}
	});
}

// There are more threads than the library has lanes for its callers, so none may hold one while it waits for the
// others.
TEST(link_and_unlink_in_many_threads, .traps = trap::all, .devices = device::single,
     .kinds = kind::heap | kind::mmapped | kind::library)
{
	fixture fx(t);
	// A sanitizer's free() comes before the library's.
	const bool free_linked = t.v.kind == kind::library || !with_sanitizer;
	in_parallel(20, [&](unsigned i) {
		for (uint64_t round = 0; round < t.rounds(40, 1000); round++) {
			array a(fx, t.v.kind, 5 * page, i);
			a.link();
			if (round % 2) {
				a.add_everywhere(0, round);
				a.check("array of one thread");
			}
			if (round % 4 == 0) {
				CHECK_OK(gpuvm_unlink(a.data(), GPUVM_ALL_DEVICES));
			} else if (round % 16 == 1 && free_linked) {
				t.v.kind == kind::library ? (void)gpuvm_free(a.data()) : free(a.data());
				a.abandon();
			}
		}
	});
}

// Threads go on counting in the array while it is linked and unlinked, and nothing that they write may be lost.
TEST(writers_during_link, .traps = trap::all, .devices = device::host,
     .kinds = kind::mmapped | kind::heap | kind::slice)
{
	skip_under_tsan("the library copies what writers write, and makes them wait by other means than locks");
	fixture fx(t);
	const size_t n = t.v.kind == kind::heap ? 25 * page : 200 * page;
	array a(fx, t.v.kind, n);
	const unsigned writers = 3;
	// Each writer has one word in each page.
	auto word = [&](unsigned i, size_t p) {
		size_t start = -reinterpret_cast<uintptr_t>(a.data()) & 7;
		return reinterpret_cast<uint64_t *>(a.data() + start + p * page + i * 8);
	};
	const size_t pages = n / page - 1;
	for (size_t p = 0; p < pages; p++)
		for (unsigned i = 0; i < writers; i++)
			__atomic_store_n(word(i, p), 0, __ATOMIC_RELAXED);
	background counting(writers, [&](unsigned i, const std::atomic<bool> &stop) {
		std::vector<uint64_t> written(pages, 0);
		random_source random(t.seed + i);
		while (!stop) {
			size_t p = random.below(pages);
			uint64_t seen = __atomic_load_n(word(i, p), __ATOMIC_RELAXED);
			if (seen != written[p])
				FAIL("writer %u wrote %llu to page %zu and finds %llu", i,
				     (unsigned long long)written[p], p, (unsigned long long)seen);
			__atomic_store_n(word(i, p), ++written[p], __ATOMIC_RELAXED);
		}
	});
	for (uint64_t round = 0; round < t.rounds(60, 3000); round++) {
		a.link();
		if (round % 3 == 0)
			sleep_ms(1);
		CHECK_OK(gpuvm_unlink(a.data(), 0));
	}
}

// The host reads at full speed while read-only kernels come and go.
TEST(readers_beside_read_only_kernels, .traps = trap::all, .devices = device::host2 | device::opencl,
     .kinds = kind::mmapped | kind::slice)
{
	fixture fx(t);
	array a(fx, t.v.kind, 100 * page);
	a.link_everywhere();
	background readers(3, [&](unsigned i, const std::atomic<bool> &stop) {
		random_source random(t.seed + i);
		while (!stop)
			a.check(random.below(a.size() - 100), 100, "read beside a read-only kernel");
	});
	for (uint64_t round = 0; round < t.rounds(100, 5000); round++) {
		unsigned dev = round % fx.devices();
		CHECK_OK(gpuvm_kernel_begin(a.data(), dev, GPUVM_READ_ONLY));
		if (round % 10 == 0)
			a.check_buffer(dev);
		CHECK_OK(gpuvm_kernel_end(a.data(), dev));
	}
}

namespace
{
// Threads look at an array's generation numbers, one in each page, all the time. No thread may ever see time go
// backwards.
class watchers
{
      public:
	static constexpr size_t pages = 63; // makes several chunks
	static constexpr size_t bytes = (pages + 1) * page;

	enum habit {
		reading,
		one_writes, // one writes beside the numbers
		seldom,     // look a few thousand times a second, so that most kernels come and go unseen
	};

	watchers(const context &t, array &a, habit h = reading)
	    : array_(a), start_(-reinterpret_cast<uintptr_t>(a.data()) & 7), seed_(t.seed),
	      threads_(3, [this, h](unsigned i, const std::atomic<bool> &stop) {
		      if (h == one_writes && i == 0)
			      scribble(stop);
		      else
			      watch(i, h == seldom, stop);
	      })
	{
	}

	// Returns what a kernel of generation @g does.
	kernel stamp(uint64_t g) const { return {kernel::stamp, start_, bytes - start_, g}; }
	void begin(uint64_t g) { newest_ = g; }

	// After the end of kernel @g nobody may see what was before it.
	void ended(uint64_t g) { oldest_ = g; }
	void check_ended(uint64_t g)
	{
		ended(g);
		for (size_t p = g % 3; p < pages; p += 1 + g % 4)
			if (uint64_t value = load(p); value != g)
				FAIL("page %zu: generation %llu after the end of kernel %llu", p,
				     (unsigned long long)value, (unsigned long long)g);
	}

      private:
	uint64_t load(size_t p) const { return load_word(array_.data() + start_ + p * page); }

	void watch(unsigned i, bool pausing, const std::atomic<bool> &stop)
	{
		random_source random(seed_ + i);
		uint64_t seen[pages] = {};
		while (!stop) {
			if (pausing)
				std::this_thread::sleep_for(std::chrono::microseconds(random.below(500)));
			size_t p = random.below(pages);
			// The looks that follow the touch find what it left behind.
			for (int look = 0; look < (pausing ? 300 : 1); look++)
				check_look(p, seen[p]);
		}
	}

	void check_look(size_t p, uint64_t &seen)
	{
		uint64_t oldest = oldest_, value = load(p);
		if (value < std::max(seen, oldest) || value > newest_)
			FAIL("page %zu: generation %llu after %llu, kernel %llu has ended and %llu is the newest", p,
			     (unsigned long long)value, (unsigned long long)seen, (unsigned long long)oldest,
			     (unsigned long long)newest_.load());
		seen = value;
	}

	void scribble(const std::atomic<bool> &stop)
	{
		for (uint64_t n = 0; !stop; n++) {
			uint8_t *beside = array_.data() + start_ + n % pages * page + 512;
			__atomic_store_n(reinterpret_cast<uint64_t *>(beside), n, __ATOMIC_RELAXED);
		}
	}

	array &array_;
	const size_t start_; // aligns the words
	const uint64_t seed_;
	std::atomic<uint64_t> newest_{0}, oldest_{0};
	background threads_;
};

// A suite that sets foresight for all tests has nothing to add to those that set it themselves.
void skip_where_foresight_is_set_but(const char *own)
{
	const char *set = getenv("GPUVM_FORESIGHT");
	if (set && (!own || strcmp(set, own)))
		skip("the test sets foresight itself");
}

double race_seconds(const context &t)
{
	return t.full ? 30 : 0.6;
}

void clear_stamps(array &a)
{
	memset(a.data(), 0, a.size());
	memset(a.model(), 0, a.size());
}
} // namespace

// Threads touch all the time, also while the array is taken away. Foresight would leave it where it is, so it is off.
TEST(revoke_race, .traps = trap::all, .devices = device::host, .kinds = kind::map | kind::slice | kind::library)
{
	skip_under_tsan("threads race with kernels on purpose");
	skip_where_foresight_is_set_but(nullptr);
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, watchers::bytes);
	clear_stamps(a);
	a.link();
	watchers w(t, a);
	uint64_t begin = now_ns();
	for (uint64_t g = 1; seconds_since(begin) < race_seconds(t); g++) {
		w.begin(g);
		a.kernel_on(0, GPUVM_READ_WRITE, w.stamp(g));
		w.check_ended(g);
	}
}

// One thread writes to pages that the others, and the host, only read until then. What it writes while a kernel
// runs is lost, but it must not bring back what was before the kernel. A resolver that checks the chunk's state and
// then maps it without holding the array's lock loses here.
TEST(revoke_race_with_writes, .traps = trap::all, .devices = device::host,
     .kinds = kind::map | kind::slice | kind::library)
{
	skip_under_tsan("threads race with kernels on purpose");
	skip_where_foresight_is_set_but(nullptr);
	fixture fx(t, GPUVM_STAT | GPUVM_NO_FORESIGHT);
	array a(fx, t.v.kind, watchers::bytes);
	clear_stamps(a);
	a.link();
	watchers w(t, a, watchers::one_writes);
	uint64_t begin = now_ns();
	for (uint64_t g = 1; seconds_since(begin) < race_seconds(t); g++) {
		w.begin(g);
		a.kernel_on(0, GPUVM_READ_WRITE, w.stamp(g));
		w.check_ended(g);
		// All may read now, and the writer is the first to write.
		CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
		CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	}
}

// The array comes and goes as well; the others keep their hands on the memory throughout.
TEST(revoke_race_after_link, .traps = trap::all, .devices = device::host,
     .kinds = kind::map | kind::slice | kind::library)
{
	skip_under_tsan("threads race with kernels on purpose");
	fixture fx(t);
	array a(fx, t.v.kind, watchers::bytes);
	clear_stamps(a);
	watchers w(t, a);
	uint64_t begin = now_ns();
	for (uint64_t g = 1; seconds_since(begin) < race_seconds(t); g++) {
		w.begin(g);
		a.link();
		a.kernel_on(0, GPUVM_READ_WRITE, w.stamp(g));
		w.ended(g);
		if (g % 4 == 0)
			w.check_ended(g); // unlink would bring home what the others have left on the device
		CHECK_OK(gpuvm_unlink(a.data(), 0));
		w.check_ended(g);
	}
}

// Most kernels find the array where they left it. Now and then a look at it falls into the middle of a begin, an end or
// an unlink.
static void touch_seldom(context &t)
{
	skip_under_tsan("threads race with kernels on purpose");
	fixture fx(t);
	array a(fx, t.v.kind, watchers::bytes);
	clear_stamps(a);
	a.link();
	watchers w(t, a, watchers::seldom);
	uint64_t begin = now_ns();
	for (uint64_t g = 1; seconds_since(begin) < race_seconds(t); g++) {
		w.begin(g);
		a.kernel_on(0, GPUVM_READ_WRITE, w.stamp(g));
		w.ended(g);
		if (g % 16 == 0) {
			CHECK_OK(gpuvm_unlink(a.data(), 0));
			w.check_ended(g);
			a.link();
		}
	}
}

TEST(seldom_touched, .traps = trap::all, .devices = device::plain, .kinds = kind::map | kind::slice | kind::library)
{
	touch_seldom(t);
}

// What comes home at an end goes over pages that the watchers may see; they must see nothing older than the kernel
// before.
TEST(seldom_touched_and_foreseen, .traps = trap::all, .devices = device::host, .kinds = kind::map | kind::library)
{
	skip_where_foresight_is_set_but("always");
	restart_with(t, {"GPUVM_FORESIGHT=always"});
	touch_seldom(t);
}

TEST(seldom_touched_and_not_shared, .traps = trap::uffd | trap::uffd_sigbus, .devices = device::host,
     .kinds = kind::map | kind::library)
{
	skip_where_foresight_is_set_but("always");
	restart_with(t, {"GPUVM_FORESIGHT=always", "GPUVM_UFFD_FEATURES=6.1"});
	touch_seldom(t);
}
