// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches with the promise that the host touches their bytes only when it is told that they have finished: what it
// touches is home by then, its pages stay, and other commands do not wait for that.
#include "harness/block.h"
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/process.h"
#include "harness/runtime.h"

#include <atomic>
#include <deque>
#include <gpuvm.h>
#include <thread>
#include <vector>

using namespace selftest;

namespace
{

using settings = std::vector<const char *>;

constexpr size_t chunk = 64 << 10;
constexpr uint32_t promise = HET_TOUCH_AFTER_WAIT;
constexpr uint32_t devices = device::runtime_apart | device::host3 | device::mixed | device::cuda2;

struct counts {
	unsigned long long touches = count_of(GPUVM_STAT_TOUCHES), home = count_of(GPUVM_STAT_BYTES_TO_HOST),
			   there = count_of(GPUVM_STAT_BYTES_TO_DEVICE), foreseen = count_of(GPUVM_STAT_FORESEEN);
	counts since() const
	{
		counts now;
		return {now.touches - touches, now.home - home, now.there - there, now.foreseen - foreseen};
	}
};

// Who hears of the end of a command, and how.
enum class told_by : uint8_t { wait, status, callback, follower, marker, finish };
constexpr told_by all_ways[] = {told_by::wait,     told_by::status, told_by::callback,
				told_by::follower, told_by::marker, told_by::finish};

void hear(runtime_fixture &fx, het_event *e, told_by how)
{
	event_handle later;
	std::atomic<bool> called{false};
	switch (how) {
	case told_by::wait:
		wait_for(e);
		break;
	case told_by::status:
		while (status_of(e) > HET_COMPLETE)
			std::this_thread::yield();
		break;
	case told_by::callback:
		HET_OK(het_event_callback(
			e, [](het_event *, int, void *arg) { *static_cast<std::atomic<bool> *>(arg) = true; },
			&called));
		while (!called)
			std::this_thread::yield();
		break;
	case told_by::follower:
		HET_OK(het_marker(fx.queue, 1, &e, later.out()));
		wait_for(later);
		break;
	case told_by::marker:
		HET_OK(het_marker(fx.queue, 0, nullptr, later.out()));
		wait_for(later);
		break;
	case told_by::finish:
		HET_OK(het_finish(fx.queue));
		break;
	}
}

// An array, and what it should contain.
struct model_array {
	model_array(uint32_t kind, size_t n, uint32_t seed = 1) : b(kind, n), model(n)
	{
		fill_pattern(b.data(), 0, n, seed);
		fill_pattern(model.data(), 0, n, seed);
	}
	size_t size() const { return b.size(); }
	het_arg all(uint32_t access) const { return range_arg(b.data(), b.size(), access); }
	het_arg part(size_t off, size_t n, uint32_t access) const { return range_arg(b.data() + off, n, access); }
	void check(size_t off, size_t n, const char *what) const
	{
		CHECK_BYTES(b.data() + off, model.data() + off, n, what);
	}
	void check(const char *what) const { check(0, size(), what); }

	block b;
	std::vector<uint8_t> model;
};

void launch_add(runtime_fixture &fx, model_array &a, size_t off, size_t n, uint8_t value, het_event **e,
		runtime_fixture::options o)
{
	HET_OK(fx.launch(fx.add, n, {a.part(off, n, HET_READ_WRITE), value_arg(value)}, e, o));
	add_to_model(a.model, off, n, value);
}

// So many rounds of a launch on all of the array, after each of which the host does something.
template <class F> void rounds_of(runtime_fixture &fx, model_array &a, unsigned n, uint32_t flags, F host)
{
	for (unsigned i = 0; i < n; i++) {
		event_handle e;
		launch_add(fx, a, 0, a.size(), 1, e.out(), {.flags = flags});
		hear(fx, e, all_ways[i % std::size(all_ways)]);
		host();
	}
}

// Of 32 chunks two groups of 8 have one that is asked, each eighth time; and drivers may allocate a whole one for
// edges.
void check_steady_state(runtime_fixture &fx, uint32_t flags)
{
	skip_under_tsan("so many kernels that work byte by byte take minutes there");
	model_array a(kind::mmapped, 32 * chunk);
	auto host = [&] { a.check("after a launch"); };
	rounds_of(fx, a, 6, flags, host);
	counts before;
	rounds_of(fx, a, 64, flags, host);
	counts c = before.since();
	CHECK_LE(c.touches, 64 / 8 * 4 * 2 + 8);
	note("home %llu, foreseen %llu, touches %llu, there %llu", c.home / chunk, c.foreseen / chunk, c.touches,
	     c.there / chunk);
	CHECK(c.foreseen >= 56ull * 26 * chunk);
	CHECK_LE(c.home, 64ull * 34 * chunk);
}

} // namespace

TEST(a_loop_takes_few_faults, .traps = trap::all, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=eager"});
	check_steady_state(fx, promise);
}

TEST(a_queue_promises_for_its_launches, .traps = trap::best, .devices = device::host | device::cuda)
{
	runtime_fixture fx(t, HET_QUEUE_TOUCH_AFTER_WAIT, settings{"GPUVM_FORESIGHT=eager"});
	check_steady_state(fx, 0);
}

TEST(the_environment_promises, .traps = trap::best, .devices = device::host | device::cuda)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=eager", "HET_TOUCH_AFTER_WAIT=1"});
	check_steady_state(fx, 0);
}

TEST(what_is_written_stays_writable, .traps = trap::all, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=eager"});
	skip_under_tsan("so many kernels that work byte by byte take minutes there");
	model_array a(kind::mmapped, 16 * chunk);
	uint8_t round = 0;
	auto host = [&] {
		for (size_t c = 0; c < 16; c++) {
			size_t at = c * chunk + 100;
			a.check(at, 1000, "before a write");
			memset(a.b.data() + at, ++round, 1000);
			memset(a.model.data() + at, round, 1000);
		}
	};
	rounds_of(fx, a, 6, promise, host);
	counts before;
	rounds_of(fx, a, 32, promise, host);
	CHECK_LE(before.since().touches, 4 * 2 * 2 * 2 + 8);
	a.check("at the end");
}

// Nobody has promised anything: each launch takes the pages, and they come by touches.
TEST(without_the_promise, .traps = trap::best, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(kind::mmapped, 8 * chunk);
	for (unsigned i = 0; i < 20; i++) {
		counts before;
		rounds_of(fx, a, 1, 0, [&] { a.check("after a launch"); });
		CHECK(before.since().home >= 8 * chunk);
	}
	CHECK_EQ(count_of(GPUVM_STAT_FORESEEN), 0);
}

TEST(off_means_off, .traps = trap::best, .devices = device::host)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=0"});
	model_array a(kind::mmapped, 8 * chunk);
	rounds_of(fx, a, 20, promise, [&] { a.check("after a launch"); });
	CHECK_EQ(count_of(GPUVM_STAT_FORESEEN), 0);
}

TEST(unknown_flags_are_refused, .devices = device::none)
{
	runtime_fixture fx(t);
	het_queue_args q = {};
	q.size = sizeof q;
	q.flags = 4;
	queue_handle other;
	HET_ERR(het_queue_create(&q, other.out()), HET_EARG);
	model_array a(kind::mmapped, chunk);
	uint8_t one = 1;
	for (uint32_t flags : {8u, promise | HET_SPLIT_UNSAFE})
		HET_ERR(fx.launch(fx.add, chunk, {a.all(HET_READ_WRITE), value_arg(one)}, nullptr, {.flags = flags}),
			HET_EARG);
	event_handle e;
	launch_add(fx, a, 0, chunk, 1, e.out(), {.flags = promise | HET_SPLIT | HET_SPLIT_UNSAFE});
	wait_for(e);
	a.check("on the host");
}

// Many queued steps on one array, all of them known before the first has ended: what the next will write does not come
// home.
TEST(what_is_written_again_stays_away, .traps = trap::best, .devices = device::runtime_apart)
{
	runtime_fixture fx(t, HET_QUEUE_TOUCH_AFTER_WAIT, settings{"GPUVM_FORESIGHT=always"});
	model_array a(kind::mmapped, 16 * chunk);
	constexpr unsigned steps = 12;
	for (unsigned round = 0; round < 10; round++) {
		counts before;
		event_handle start, last;
		HET_OK(het_user_event_create(start.out()));
		het_event *waits[] = {start.get()};
		for (unsigned i = 0; i < steps; i++)
			launch_add(fx, a, 0, a.size(), uint8_t(i), last.out(),
				   {.waits = i ? std::span<het_event *const>{} : waits});
		HET_OK(het_user_event_set(start, HET_COMPLETE));
		wait_for(last);
		a.check("after all steps");
		counts c = before.since();
		note("home %llu, foreseen %llu, touches %llu, there %llu", c.home / chunk, c.foreseen / chunk,
		     c.touches, c.there / chunk);
		CHECK_LE(c.home, 17ull * chunk);
	}
	CHECK(count_of(GPUVM_STAT_FORESEEN) >= 8ull * 16 * chunk);
}

// The host writes what no launch has, in chunks that have bytes of one, while that is at work.
TEST(neighbours_of_its_bytes_are_free, .traps = trap::all, .devices = device::runtime_apart, .kinds = kind::mmapped)
{
	skip_under_tsan("touches order the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(t.v.kind, 4 * chunk);
	const size_t off = chunk / 2, n = 3 * chunk;
	event_handle e;
	launch_add(fx, a, 0, a.size(), 1, e.out(), {.flags = promise});
	wait_for(e);
	for (unsigned round = 0; round < t.rounds(60, 1000); round++) {
		launch_add(fx, a, off, n, 1, e.out(), {.flags = promise});
		for (size_t at : {off - 10, off + n, off - 3000, off + n + 5000}) {
			CHECK_EQ(a.b.data()[at], a.model[at]);
			a.b.data()[at] = a.model[at] = uint8_t(round + at);
		}
		hear(fx, e, all_ways[round % std::size(all_ways)]);
		a.check("its bytes and others");
	}
}

// The copy fails, once or for good, and no touch is the first to hear of it: the launch does not fail, the device has
// the bytes, and the host gets them later.
TEST(a_copy_that_fails_fails_nothing, .traps = trap::all, .devices = device::cuda, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, settings{"GPUVM_FORESIGHT=always"});
	model_array a(t.v.kind, 8 * chunk);
	rounds_of(fx, a, 4, promise, [&] { a.check("after a launch"); });
	unsigned failed = 0;
	for (unsigned round = 0; round < 24; round++) {
		const char *const symbols[] = {"cuMemcpyDtoHAsync_v2", "work of cuMemcpyDtoHAsync_v2",
					       "cuMemcpyBatchAsync_v2", "work of cuMemcpyBatchAsync_v2"};
		event_handle e;
		counts before;
		{
			stderr_capture quiet;
			fail_cuda_call(symbols[round % std::size(symbols)], cuda_out_of_memory);
			launch_add(fx, a, 0, a.size(), 1, e.out(), {.flags = promise});
			hear(fx, e, all_ways[round / 4 % std::size(all_ways)]);
			fail_cuda_call(nullptr, 0);
		}
		failed += before.since().foreseen < 8 * chunk;
		CHECK_EQ(status_of(e), HET_COMPLETE);
		a.check("after a copy that may have failed");
	}
	CHECK(failed > 0);
}

// --- programs ----------------------------------------------------------------

namespace
{

// Random commands on a few arrays. The host touches one when it has heard in some way that all commands on it are over.
class program
{
      public:
	explicit program(context &t, runtime_fixture &fx) : t_(t), fx_(fx)
	{
		for (size_t chunks : {size_t(1), size_t(5), size_t(24)})
			arrays_.emplace_back(kind::mmapped, chunks * chunk + 140000 - chunks % 2 * 1000,
					     unsigned(chunks));
		arrays_.emplace_back(kind::slice, 3 * chunk, 9);
		het_queue_args q = {};
		q.size = sizeof q;
		q.flags = HET_QUEUE_IN_ORDER | HET_QUEUE_TOUCH_AFTER_WAIT;
		HET_OK(het_queue_create(&q, in_order_.out()));
		uint32_t n = 0;
		HET_OK(het_devices(0, nullptr, &n));
		devices_.resize(n);
		HET_OK(het_devices(n, devices_.data(), &n));
	}

	// Loops of a few steps, so that there is something to foresee.
	void run(uint64_t steps)
	{
		for (uint64_t done = 0; done < steps;) {
			std::vector<step> body(t_.random.between(1, 5));
			for (step &s : body)
				s = random_step();
			for (unsigned i = 0, n = unsigned(t_.random.between(1, 10)); i < n; i++) {
				for (const step &s : body)
					perform(s);
				done += body.size();
			}
			if (t_.random.one_in(3))
				for (unsigned i = 0; i < arrays_.size(); i++)
					check_all(i);
		}
		for (unsigned i = 0; i < arrays_.size(); i++)
			check_all(i);
	}

	// Whatever the program was, this loop has something to foresee.
	void run_sure_loop()
	{
		model_array &a = arrays_[2];
		for (unsigned i = 0; i < 8; i++) {
			event_handle e;
			launch_add(fx_, a, 0, a.size(), 1, e.out(), {.device = device_apart(), .flags = promise});
			hear(fx_, e, all_ways[i % std::size(all_ways)]);
			a.check("after a launch of a loop");
		}
	}

      private:
	// A device with memory of its own.
	het_device *device_apart() const
	{
		for (het_device *d : devices_) {
			het_device_info info = {};
			info.size = sizeof info;
			HET_OK(het_device_describe(d, &info));
			if (info.kind != HET_DEVICE_HOST)
				return d;
		}
		FAIL("all devices are in place");
	}

	enum action : uint8_t { add, combine, overwrite, host_read, host_write, host_copy, actions };
	struct step {
		action what;
		unsigned which, other;
		size_t off, n;
		bool promised, in_order;
		het_device *device;
		told_by how;
	};

	step random_step()
	{
		const unsigned weights[actions] = {8, 6, 4, 8, 5, 1};
		unsigned pick = unsigned(t_.random.below(32));
		int what = 0;
		while (pick >= weights[what])
			pick -= weights[what++];
		step s{action(what),
		       unsigned(t_.random.below(arrays_.size())),
		       unsigned(t_.random.below(arrays_.size())),
		       0,
		       0,
		       !t_.random.one_in(4),
		       t_.random.one_in(3),
		       t_.random.one_in(2) ? devices_[t_.random.below(devices_.size())] : nullptr,
		       all_ways[t_.random.below(std::size(all_ways))]};
		if (s.other == s.which)
			s.other = (s.which + 1) % unsigned(arrays_.size());
		size_t size = std::min(arrays_[s.which].size(), arrays_[s.other].size());
		bool all = t_.random.one_in(2);
		s.off = all ? 0 : t_.random.below(size);
		s.n = all ? size : t_.random.between(1, size - s.off);
		return s;
	}

	het_event **keep(std::initializer_list<unsigned> used)
	{
		events_.emplace_back();
		for (unsigned i : used)
			users_[i].push_back(&events_.back());
		return events_.back().out();
	}

	// The host hears that all commands on the array are over.
	void hear_of(unsigned which, told_by how)
	{
		std::vector<event_handle *> &users = users_[which];
		if (how == told_by::finish || how == told_by::marker) {
			HET_OK(het_finish(in_order_));
			hear(fx_, nullptr, how);
		} else {
			for (event_handle *e : users)
				hear(fx_, *e, how);
		}
		users.clear();
	}

	void check_all(unsigned which)
	{
		hear_of(which, told_by::wait);
		arrays_[which].check("array");
	}

	void perform(const step &s)
	{
		model_array &a = arrays_[s.which], &b = arrays_[s.other];
		runtime_fixture::options o = {.queue = s.in_order ? in_order_.get() : nullptr,
					      .device = s.device,
					      .flags = s.promised ? promise : 0};
		auto value = uint8_t(s.off + s.n);
		switch (s.what) {
		case add:
			launch_add(fx_, a, s.off, s.n, value, keep({s.which}), o);
			break;
		case combine:
			HET_OK(fx_.launch(fx_.combine, s.n,
					  {b.part(s.off, s.n, HET_READ_ONLY), a.part(s.off, s.n, HET_READ_WRITE)},
					  keep({s.which, s.other}), o));
			for (size_t i = s.off; i < s.off + s.n; i++)
				a.model[i] = uint8_t(3 * a.model[i] + b.model[i]);
			break;
		case overwrite:
			HET_OK(fx_.launch(fx_.copy, s.n,
					  {b.part(s.off, s.n, HET_READ_ONLY), a.part(s.off, s.n, HET_WRITE_ONLY)},
					  keep({s.which, s.other}), o));
			memcpy(a.model.data() + s.off, b.model.data() + s.off, s.n);
			break;
		case host_read:
			hear_of(s.which, s.how);
			a.check(s.off, std::min<size_t>(s.n, 5000), "host read");
			break;
		case host_write:
			hear_of(s.which, s.how);
			fill_pattern(a.b.data() + s.off, 0, std::min<size_t>(s.n, 5000), value);
			fill_pattern(a.model.data() + s.off, 0, std::min<size_t>(s.n, 5000), value);
			break;
		case host_copy: {
			het_copy_args c = {};
			c.size = sizeof c;
			c.to_pointer = a.b.data() + s.off;
			c.from_pointer = b.b.data() + s.off;
			c.nbytes = s.n;
			HET_OK(het_copy(fx_.queue, &c, keep({s.which, s.other})));
			memcpy(a.model.data() + s.off, b.model.data() + s.off, s.n);
			break;
		}
		case actions:
			break;
		}
	}

	context &t_;
	runtime_fixture &fx_;
	std::deque<model_array> arrays_;
	queue_handle in_order_;
	std::vector<het_device *> devices_;
	std::deque<event_handle> events_;
	std::vector<event_handle *> users_[4]; // are those of each array since the host has heard of all
};

void run_program(context &t, const char *foresight)
{
	runtime_fixture fx(t, 0, settings{foresight});
	program p(t, fx);
	// Without a GPU its kernels are interpreted.
	bool slow = t.v.device & device::with_cuda;
	p.run(slow ? t.rounds(120, 4000) : t.rounds(600, 20000));
	p.run_sure_loop();
}

} // namespace

TEST(programs_with_always, .traps = trap::all, .devices = devices, .seconds = 60)
{
	run_program(t, "GPUVM_FORESIGHT=always");
	CHECK(count_of(GPUVM_STAT_FORESEEN) > 0);
}

TEST(programs_with_anything, .traps = trap::all, .devices = devices, .seconds = 60)
{
	run_program(t, "GPUVM_FORESIGHT=random");
	CHECK(count_of(GPUVM_STAT_FORESEEN) > 0);
}

TEST(programs_that_are_learned, .traps = trap::best, .devices = devices, .seconds = 60)
{
	run_program(t, "GPUVM_FORESIGHT=eager");
}
