// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares random sequences of everything that a program may do with arrays with a reference model.
#include "harness/fixture.h"

#include <memory>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

enum action {
	host_read,
	host_write,
	kernel_rw,
	kernel_wo,
	kernel_ro,
	range_rw,
	range_wo,
	open_reader,
	close_reader,
	bring_home,
	unlink_one,
	unlink_all,
	relink,
	relink_on_device,
	actions
};

const char *const action_names[] = {"host read",  "host write", "kernel RW", "kernel WO",     "kernel RO",
				    "range RW",   "range WO",   "open RO",   "close RO",      "host_begin",
				    "unlink one", "unlink all", "link",      "link on device"};
// Each weight is how often its action comes, out of their sum.
const unsigned weights[] = {40, 25, 14, 5, 5, 8, 4, 5, 6, 2, 1, 1, 8, 2};

struct step {
	action what;
	unsigned which, dev;
	size_t off, n;
};

struct subject {
	std::unique_ptr<array> a;
	bool linked[4] = {};
	bool reading[4] = {}; // a read-only kernel is between begin and end

	bool any(const bool (&flags)[4]) const { return flags[0] || flags[1] || flags[2] || flags[3]; }
};

class world
{
      public:
	world(context &t, int flags = GPUVM_STAT) : t_(t), fx_(t, flags)
	{
		on_failure([](void *self) { static_cast<world *>(self)->tell(); }, this);
		make_arrays();
	}
	~world() { on_failure(nullptr, nullptr); }

	void walk(uint64_t steps)
	{
		for (number_ = 0; number_ < steps; number_++) {
			step s = random_step();
			history_[number_ % history_size] = s;
			perform(s);
			if (number_ % 500 == 499)
				check_everything();
		}
		check_everything();
		for (auto &x : subjects_)
			for (unsigned i = 0; i < fx_.devices(); i++)
				close(x, i);
	}

      private:
	static constexpr size_t history_size = 24;

	void make_arrays()
	{
		// Three neighbours lie in the same pages, one of them small, ...
		const size_t cuts[] = {0, 3 * page + 1000, 3 * page + 1100, 20 * page};
		shared_ = block(t_.v.kind, 20 * page);
		for (int i = 0; i < 3; i++)
			add(std::make_unique<array>(fx_, shared_.data() + cuts[i], cuts[i + 1] - cuts[i], i));
		// ... one array has several chunks, and one lies by itself.
		add(std::make_unique<array>(fx_, t_.v.kind, std::min(largest_of(t_.v.kind), size_t(300000)), 3));
		add(std::make_unique<array>(fx_, t_.v.kind, 5 * page, 4));
	}

	void add(std::unique_ptr<array> a)
	{
		subject s;
		s.a = std::move(a);
		subjects_.push_back(std::move(s));
	}

	step random_step()
	{
		unsigned sum = 0;
		for (unsigned w : weights)
			sum += w;
		unsigned pick = t_.random.below(sum);
		int what = 0;
		while (pick >= weights[what])
			pick -= weights[what++];
		step s{action(what), unsigned(t_.random.below(subjects_.size())),
		       unsigned(t_.random.below(fx_.devices())), 0, 0};
		random_range(subjects_[s.which].a->size(), s);
		return s;
	}

	void random_range(size_t size, step &s)
	{
		size_t longest = t_.random.one_in(8) ? size : t_.random.one_in(2) ? 64 : 2 * page;
		s.off = t_.random.below(size);
		s.n = t_.random.between(1, std::min(longest, size - s.off));
	}

	void perform(const step &s)
	{
		subject &x = subjects_[s.which];
		array &a = *x.a;
		bool linked = x.linked[s.dev], reading = x.any(x.reading);
		kernel mix{kernel::mix, s.off, s.n, number_};
		switch (s.what) {
		case host_read:
			a.check(s.off, s.n, "host read");
			break;
		case host_write:
			if (!reading)
				a.write_on_host(s.off, s.n, number_);
			break;
		case kernel_rw:
			// A kernel may write a part of the array only.
			if (linked && !reading)
				a.kernel_on(s.dev, GPUVM_READ_WRITE, mix);
			break;
		case kernel_wo:
			if (linked && !reading)
				a.kernel_on(s.dev, GPUVM_WRITE_ONLY, {kernel::fill, 0, a.size(), number_});
			break;
		case kernel_ro:
			if (linked && !x.reading[s.dev])
				read_on_device(a, s.dev);
			break;
		case range_rw:
			if (linked && !reading)
				range_kernel(a, s, GPUVM_READ_WRITE, mix);
			break;
		case range_wo:
			if (linked && !reading)
				range_kernel(a, s, GPUVM_WRITE_ONLY, {kernel::fill, s.off, s.n, number_});
			break;
		case open_reader:
			if (linked && !x.reading[s.dev]) {
				CHECK_OK(gpuvm_kernel_begin(a.data(), s.dev, GPUVM_READ_ONLY));
				x.reading[s.dev] = true;
			}
			break;
		case close_reader:
			close(x, s.dev);
			break;
		case bring_home:
			if (x.any(x.linked) && !reading)
				CHECK_OK(gpuvm_host_begin(a.data() + s.off, s.n,
							  number_ % 2 ? GPUVM_READ_ONLY : GPUVM_READ_WRITE));
			break;
		case unlink_one:
			close(x, s.dev);
			CHECK_OK(x.any(x.linked) ? gpuvm_unlink(a.data() + s.off, s.dev) : 0);
			x.linked[s.dev] = false;
			break;
		case unlink_all:
			for (unsigned i = 0; i < fx_.devices(); i++)
				close(x, i);
			CHECK_OK(x.any(x.linked) ? gpuvm_unlink(a.data() + s.off, GPUVM_ALL_DEVICES) : 0);
			for (bool &l : x.linked)
				l = false;
			break;
		case relink:
			if (!linked) {
				a.link(s.dev);
				x.linked[s.dev] = true;
			}
			break;
		case relink_on_device:
			if (!x.any(x.linked))
				link_from_device(x, s.dev);
			break;
		case actions:
			break;
		}
	}

	void read_on_device(array &a, unsigned dev)
	{
		CHECK_OK(gpuvm_kernel_begin(a.data(), dev, GPUVM_READ_ONLY));
		if (number_ % 3)
			a.check_sum(dev);
		else
			a.check_buffer(dev, "buffer in a read-only kernel");
		CHECK_OK(gpuvm_kernel_end(a.data(), dev));
	}

	void range_kernel(array &a, const step &s, int access, const kernel &k)
	{
		CHECK_OK(gpuvm_kernel_begin_range(a.data() + s.off, s.n, s.dev, access));
		a.run(s.dev, k);
		CHECK_OK(gpuvm_kernel_end_range(a.data() + s.off, s.n, s.dev));
	}

	void close(subject &x, unsigned dev)
	{
		if (!x.reading[dev])
			return;
		x.a->check_buffer(dev, "buffer at the end of a read-only kernel");
		CHECK_OK(gpuvm_kernel_end(x.a->data(), dev));
		x.reading[dev] = false;
	}

	void link_from_device(subject &x, unsigned dev)
	{
		array &a = *x.a;
		apply({kernel::fill, 0, a.size(), number_}, a.model());
		fx_.dev().write(dev, a.buffer(dev), 0, a.model(), a.size());
		a.link(dev, GPUVM_ON_DEVICE);
		x.linked[dev] = true;
	}

	void check_everything()
	{
		for (auto &x : subjects_)
			x.a->check("all arrays");
	}

	void tell()
	{
		note("at step %llu; the last ones were:", (unsigned long long)number_);
		uint64_t first = number_ < history_size ? 0 : number_ - history_size + 1;
		for (uint64_t i = first; i <= number_; i++) {
			step &s = history_[i % history_size];
			note("  %llu: %s, array %u (%p, %zu bytes), device %u, bytes %zu to %zu", (unsigned long long)i,
			     action_names[s.what], s.which, static_cast<void *>(subjects_[s.which].a->data()),
			     subjects_[s.which].a->size(), s.dev, s.off, s.off + s.n);
		}
	}

	context &t_;
	fixture fx_;
	block shared_;
	std::vector<subject> subjects_;
	uint64_t number_ = 0;
	step history_[history_size];
};

uint64_t steps_for(const context &t)
{
	bool quick_device = t.v.device & (device::host | device::host2 | device::host3);
	bool quick_trap = t.v.trap != trap::sigsegv_stop;
	return quick_device && quick_trap ? t.rounds(20000, 1000000) : t.rounds(1500, 30000);
}
} // namespace

TEST(random_walk, .traps = trap::all | trap::sigsegv_stop, .devices = device::single | device::several,
     .kinds = kind::heap | kind::mmapped | kind::map | kind::library | kind::slice, .seconds = 40)
{
	world w(t);
	w.walk(steps_for(t));
}

TEST(spin_always, .traps = trap::all, .devices = device::host2)
{
	t.v.kind = kind::slice;
	world w(t, GPUVM_STAT | GPUVM_SPIN_ALWAYS);
	w.walk(t.rounds(3000, 100000));
}

TEST(spin_never, .traps = trap::all, .devices = device::host2)
{
	t.v.kind = kind::slice;
	world w(t, GPUVM_STAT | GPUVM_SPIN_NEVER);
	w.walk(t.rounds(3000, 100000));
}

// Each device writes its own half; the host reads all.
TEST(two_writers, .traps = trap::all, .devices = device::several, .kinds = kind::map | kind::library)
{
	fixture fx(t);
	const size_t half = 4 << 20, gap = 2 << 20; // no chunk reaches over the gap
	array a(fx, t.v.kind, 2 * half + gap);
	a.link_everywhere();
	for (uint64_t round = 0; round < t.rounds(5, 100); round++) {
		uint8_t *second = a.data() + half + gap;
		CHECK_OK(gpuvm_kernel_begin_range(a.data(), half, 0, GPUVM_READ_WRITE));
		CHECK_OK(gpuvm_kernel_begin_range(second, half, 1, GPUVM_READ_WRITE));
		a.run(0, {kernel::add, 0, half, 3});
		a.run(1, {kernel::add, half + gap, half, 5});
		// Two devices can't have the same bytes to write.
		CHECK_ERR(gpuvm_kernel_begin_range(a.data(), half, 1, GPUVM_READ_WRITE), GPUVM_ESTATE);
		CHECK_ERR(gpuvm_kernel_begin_range(second, 1, 0, GPUVM_READ_ONLY), GPUVM_ESTATE);
		CHECK_OK(gpuvm_kernel_end_range(a.data(), half, 0));
		CHECK_OK(gpuvm_kernel_end_range(second, half, 1));
		if (round % 2)
			a.check("after both kernels");
		else
			a.add_everywhere(round % fx.devices(), 1); // this gathers from both
	}
	a.check();
}
