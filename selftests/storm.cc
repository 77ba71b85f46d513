// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// In these random programs many threads read, write, copy and run kernels on many arrays, which are linked anew, freed,
// moved and unmapped meanwhile, and the process forks. Every byte that is looked at is compared with a model. The seed
// is printed, and --seed repeats a program (not the order in which its threads come to act).
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/process.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <sys/mman.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{
constexpr size_t stripe = 512;
constexpr uint32_t kinds[] = {kind::heap,      kind::mmapped, kind::zeroed, kind::memalign_page, kind::memalign_line,
			      kind::array_new, kind::library, kind::map,    kind::slice};

struct storm_size {
	unsigned threads, arrays;
	uint64_t steps; // those of one thread
	bool signals = false;
};

// Whoever has the lock alone may do anything. Whoever shares it has the stripes of its thread to itself: nobody else
// looks at or writes these bytes, in the array or in the model, while others do as they like with their neighbours in
// the same pages.
struct place {
	std::shared_mutex lock;
	uint32_t kind = 0;
	std::unique_ptr<array> a;
};

struct bytes {
	size_t off, n;
};

// A handler that touches must not interrupt the driver, nor run on one of its threads.
class undisturbed
{
      public:
	undisturbed() { mask(SIG_BLOCK, &before_); }
	~undisturbed() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
	undisturbed(const undisturbed &) = delete;
	undisturbed &operator=(const undisturbed &) = delete;

	static void mask(int how, sigset_t *before)
	{
		sigset_t prof;
		sigemptyset(&prof);
		sigaddset(&prof, SIGPROF);
		pthread_sigmask(how, &prof, before);
	}

      private:
	sigset_t before_;
};

class storm
{
      public:
	storm(const context &t, fixture &fx, storm_size size) : t_(t), fx_(fx), size_(size), places_(size.arrays)
	{
		random_source random = t.random;
		for (place &p : places_) {
			p.kind = kinds[random.below(std::size(kinds))];
			renew(p, random);
		}
		int served = 0;
		CHECK_OK(gpuvm_stat(GPUVM_STAT_SYSTEM_TOUCHES, &served));
		system_calls_ = served;
	}

	void run()
	{
		std::vector<std::thread> threads;
		for (unsigned i = 0; i < size_.threads; i++)
			threads.emplace_back([this, i] { act(i); });
		for (auto &th : threads)
			th.join();
		for (place &p : places_) {
			p.a->check("after the storm");
			p.a->unlink_everywhere();
			p.a->check("unlinked after the storm");
		}
		note("%llu forks", (unsigned long long)forks_);
	}

      private:
	void act(unsigned thread)
	{
		undisturbed::mask(SIG_UNBLOCK, nullptr);
		random_source random(t_.seed * 1000 + thread);
		for (uint64_t step = 0; step < size_.steps; step++) {
			if (size_.signals && random.one_in(10))
				raise(SIGPROF);
			uint64_t what = random.below(1000);
			if (what < 2)
				fork_and_look(thread);
			else if (what < 8)
				change(random);
			else if (what < 90)
				run_kernel(random);
			else if (what < 110)
				read_on_device(thread, random);
			else if (what < 300)
				copy(thread, random);
			else
				use(thread, random);
		}
	}

	place &any(random_source &random) { return places_[random.below(places_.size())]; }

	// Returns a part of a stripe of the thread's.
	bytes own(const array &a, unsigned thread, random_source &random) const
	{
		size_t stripes = (a.size() + stripe - 1) / stripe;
		size_t k = random.below(stripes) / size_.threads * size_.threads + thread;
		if (k >= stripes)
			return {0, 0};
		size_t begin = k * stripe, end = std::min(begin + stripe, a.size());
		size_t off = random.between(begin, end - 1);
		return {off, random.between(1, end - off)};
	}

	// --- the host ---------------------------------------------------------------

	void use(unsigned thread, random_source &random)
	{
		place &p = any(random);
		std::shared_lock shared(p.lock);
		bytes b = own(*p.a, thread, random);
		if (random.one_in(20))
			CHECK_OK(b.n ? gpuvm_host_begin(p.a->data() + b.off, b.n,
							random.one_in(2) ? GPUVM_READ_ONLY : GPUVM_READ_WRITE)
				     : 0);
		if (random.one_in(3))
			p.a->write_on_host(b.off, b.n, uint32_t(random.next()));
		p.a->check(b.off, b.n, "own bytes");
	}

	void copy(unsigned thread, random_source &random)
	{
		place &from = any(random), &to = any(random);
		std::shared_lock first(std::min(&from, &to)->lock);
		std::shared_lock<std::shared_mutex> second;
		if (&from != &to)
			second = std::shared_lock(std::max(&from, &to)->lock);
		bytes source = own(*from.a, thread, random), target = own(*to.a, thread, random);
		size_t n = std::min(source.n, target.n);
		if (system_calls_ && random.one_in(4))
			copy_by_system(to.a->data() + target.off, from.a->data() + source.off, n);
		else
			memmove(to.a->data() + target.off, from.a->data() + source.off, n);
		memmove(to.a->model() + target.off, from.a->model() + source.off, n);
		to.a->check(target.off, target.n, "copied bytes");
	}

	static void copy_by_system(uint8_t *to, const uint8_t *from, size_t n)
	{
		int ends[2];
		CHECK_SYS(pipe(ends));
		CHECK_EQ(write(ends[1], from, n), n);
		close(ends[1]);
		CHECK_EQ(read(ends[0], to, n), n);
		close(ends[0]);
	}

	// --- devices ----------------------------------------------------------------

	void run_kernel(random_source &random)
	{
		place &p = any(random);
		std::unique_lock alone(p.lock);
		array &a = *p.a;
		unsigned dev = unsigned(random.below(fx_.devices()));
		uint64_t arg = random.next() & 0xffff;
		if (random.one_in(4)) {
			a.check("before a kernel");
			return;
		}
		undisturbed now;
		if (random.one_in(3)) {
			size_t off = random.below(a.size()), n = random.between(1, a.size() - off);
			bool all = random.one_in(2);
			CHECK_OK(gpuvm_kernel_begin_range(a.data() + off, n, dev,
							  all ? GPUVM_WRITE_ONLY : GPUVM_READ_WRITE));
			a.run(dev, {all ? kernel::fill : kernel::add, off, n, arg});
			CHECK_OK(gpuvm_kernel_end_range(a.data() + off, n, dev));
		} else if (random.one_in(3)) {
			a.kernel_on(dev, GPUVM_WRITE_ONLY, {kernel::fill, 0, a.size(), arg});
		} else {
			a.kernel_on(dev, GPUVM_READ_WRITE, {kernel::mix, 0, a.size(), arg});
		}
		if (random.one_in(4))
			a.check("after a kernel");
	}

	// Others write beside what this thread looks at, and ThreadSanitizer would say that the library copies what
	// they write.
	void read_on_device(unsigned thread, random_source &random)
	{
		place &p = any(random);
		std::shared_lock<std::shared_mutex> shared(p.lock, std::defer_lock);
		std::unique_lock<std::shared_mutex> alone(p.lock, std::defer_lock);
		with_tsan ? alone.lock() : shared.lock();
		array &a = *p.a;
		bytes b = own(a, thread, random);
		unsigned dev = unsigned(random.below(fx_.devices()));
		undisturbed now;
		uint8_t there[stripe];
		CHECK_OK(gpuvm_kernel_begin(a.data(), dev, GPUVM_READ_ONLY));
		if (b.n) {
			fx_.dev().read(dev, a.buffer(dev), b.off, there, b.n);
			CHECK_BYTES(there, a.model() + b.off, b.n, "own bytes on a device");
		}
		CHECK_OK(gpuvm_kernel_end(a.data(), dev));
	}

	// --- arrays come and go -----------------------------------------------------

	void change(random_source &random)
	{
		place &p = any(random);
		std::unique_lock alone(p.lock);
		array &a = *p.a;
		undisturbed now;
		if (random.one_in(2)) {
			unsigned dev = unsigned(random.below(fx_.devices()));
			CHECK_OK(gpuvm_unlink(a.data(), random.one_in(2) ? GPUVM_ALL_DEVICES : int(dev)));
			a.check("after an unlink");
			for (unsigned d = 0; d < fx_.devices(); d++) {
				if (!gpuvm_xlate(a.data(), d))
					a.link(d);
			}
		} else {
			part_with(p, random);
			renew(p, random);
		}
	}

	// The program is not so kind as to unlink first. (The sanitizers' free() comes before the library's.)
	void part_with(place &p, random_source &random)
	{
		array &a = *p.a;
		bool from_malloc = p.kind & (kind::heap | kind::mmapped | kind::zeroed | kind::memalign_page |
					     kind::memalign_line);
		if (p.kind == kind::map) {
			CHECK_SYS(munmap(a.data(), a.size()));
			a.abandon();
		} else if (p.kind == kind::library) {
			CHECK_OK(gpuvm_free(a.data()));
			a.abandon();
		} else if (from_malloc && !with_sanitizer) {
			void *memory = a.data();
			if (random.one_in(2)) {
				size_t n = random.between(1, 2 * a.size());
				memory = realloc(memory, n);
				CHECK(memory);
				CHECK_BYTES(memory, a.model(), std::min(n, a.size()), "reallocated array");
			}
			free(memory);
			a.abandon();
		}
		p.a.reset();
	}

	void renew(place &p, random_source &random)
	{
		size_t most = std::min(random.one_in(8) ? size_t(3) << 20 : size_t(200) << 10, largest_of(p.kind));
		p.a = std::make_unique<array>(fx_, p.kind, random.between(1, most), uint32_t(random.next()));
		p.a->link_everywhere();
	}

	// The child looks at all that nobody changes, which are its own bytes of what is shared. A fork copies what
	// kernels are writing, of which the child expects nothing; ThreadSanitizer would name that copy a race, so it
	// waits for them there. All who hold several locks take them in this order.
	void fork_and_look(unsigned thread)
	{
		std::vector<std::shared_lock<std::shared_mutex>> held;
		for (place &p : places_) {
			held.emplace_back(p.lock, std::defer_lock);
			with_tsan ? held.back().lock() : void(held.back().try_lock());
		}
		expect_success(run_process(60 * t_.patience, [&] { look(held, thread); }), "child");
		forks_++;
	}

	void look(const std::vector<std::shared_lock<std::shared_mutex>> &held, unsigned thread)
	{
		for (size_t i = 0; i < places_.size(); i++) {
			if (!held[i])
				continue;
			array &a = *places_[i].a;
			size_t stripes = (a.size() + stripe - 1) / stripe;
			for (size_t k = thread; k < stripes; k += size_.threads)
				a.check(k * stripe, std::min(stripe, a.size() - k * stripe), "own bytes in a child");
			memset(a.data(), 0xc5, a.size());
		}
	}

	const context &t_;
	fixture &fx_;
	const storm_size size_;
	std::vector<place> places_;
	bool system_calls_ = false;
	std::atomic<uint64_t> forks_{0};
};

storm_size sized(const context &t, unsigned threads)
{
	return {with_sanitizer ? threads / 2 : threads, with_sanitizer ? 20u : 50u, t.rounds(100, 20000)};
}

// The handler touches a thousand times a second.
struct {
	const uint8_t *data;
	size_t size;
	uint32_t seed;
	std::atomic<uint64_t> calls;
} looked_at;

void look_in_handler(int)
{
	int saved = errno;
	uint64_t call = looked_at.calls++;
	for (size_t i = 0; i < 4; i++) {
		size_t at = (call * 4 + i) * 0x9e3779b97f4a7c15u % looked_at.size;
		uint8_t got = __atomic_load_n(looked_at.data + at, __ATOMIC_RELAXED);
		if (got != pattern_byte(at, looked_at.seed))
			FAIL("in a handler: byte %zu is %#x, not %#x", at, got, pattern_byte(at, looked_at.seed));
	}
	errno = saved;
}

void start_profiling()
{
	struct sigaction action = {};
	action.sa_handler = look_in_handler;
	action.sa_flags = SA_RESTART;
	CHECK_SYS(sigaction(SIGPROF, &action, nullptr));
	const itimerval timer = {{0, 1000}, {0, 1000}};
	CHECK_SYS(setitimer(ITIMER_PROF, &timer, nullptr));
}

void stop_profiling()
{
	const itimerval none = {};
	CHECK_SYS(setitimer(ITIMER_PROF, &none, nullptr));
	signal(SIGPROF, SIG_IGN); // discards one that is pending, too
}
} // namespace

constexpr uint32_t storm_devices = device::host | device::hostcb2 | device::opencl | device::opencl2 | device::mixed;

TEST(eight_threads, .traps = trap::all, .devices = storm_devices, .seconds = 60)
{
	restart_with(t, {"GPUVM_QUIET=1"});
	fixture fx(t);
	storm(t, fx, sized(t, 8)).run();
}

TEST(thirty_two_threads, .traps = trap::all, .devices = device::host2 | device::opencl, .seconds = 60)
{
	restart_with(t, {"GPUVM_QUIET=1"});
	fixture fx(t);
	storm(t, fx, sized(t, 32)).run();
}

TEST(chunks_of_4_KiB, .traps = trap::all, .devices = device::host2, .seconds = 60)
{
	restart_with(t, {"GPUVM_QUIET=1", "GPUVM_CHUNK=4096"});
	fixture fx(t);
	storm(t, fx, sized(t, 8)).run();
}

TEST(features_of_6_1, .traps = trap::uffd | trap::uffd_sigbus, .devices = device::host2, .seconds = 60)
{
	restart_with(t, {"GPUVM_QUIET=1", "GPUVM_UFFD_FEATURES=6.1"});
	fixture fx(t);
	storm(t, fx, sized(t, 8)).run();
}

TEST(without_a_core_to_spare, .traps = trap::all, .devices = device::host2, .seconds = 60)
{
	restart_with(t, {"GPUVM_QUIET=1", "GPUVM_RESOLVERS=2", "GPUVM_SPIN_US=0"});
	fixture fx(t);
	storm(t, fx, sized(t, 16)).run();
}

// The handler's array keeps its contents, though kernels write them anew all the time.
TEST(profiled, .traps = trap::all, .devices = device::host | device::opencl, .seconds = 60)
{
	skip_under_tsan("it runs handlers with all signals blocked");
	restart_with(t, {"GPUVM_QUIET=1"});
	undisturbed driver_and_main;
	fixture fx(t);
	array a(fx, kind::map, 1 << 20, 5);
	a.link();
	looked_at.data = a.data();
	looked_at.size = a.size();
	looked_at.seed = 5;
	storm_size size = sized(t, 8);
	size.signals = true;
	storm s(t, fx, size);
	start_profiling();
	std::atomic<bool> over{false};
	std::thread writer([&] {
		while (!over)
			a.add_everywhere(0, 0);
	});
	s.run();
	over = true;
	writer.join();
	stop_profiling();
	note("%llu signals", (unsigned long long)looked_at.calls);
}
