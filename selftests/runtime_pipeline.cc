// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches begin behind those in flight on their device that they depend on, if no byte has to travel for them.
#include "fake/fake_cuda.h"
#include "harness/clock.h"
#include "harness/rounds.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{

constexpr size_t chunk = 64 << 10;
constexpr uint32_t arrays = kind::mmapped | kind::library | kind::slice;
// Such devices have a queue.
constexpr uint32_t with_queue = device::opencl | device::cuda;
// So many commands are in flight on a device at most.
constexpr unsigned depth = 32;

// The fake driver's kernels wait while one of these lives, but for those that are let go.
class held_kernels
{
      public:
	held_kernels() { driver_.kernels_let = driver_.kernels_begun.load(); }
	~held_kernels() { driver_.kernels_let = INT_MAX; }
	held_kernels(const held_kernels &) = delete;
	held_kernels &operator=(const held_kernels &) = delete;

	void let(int n) { driver_.kernels_let += n; }

      private:
	fake_cuda_state &driver_ = fake_cuda_driver();
};

// Launches that may choose go to another device when this one has much to do.
het_device *first_device()
{
	het_device *d;
	uint32_t count;
	HET_OK(het_devices(1, &d, &count));
	return d;
}

// Each step does to = 3 * to + from, and the next one goes the other way.
class steps
{
      public:
	steps(runtime_fixture &fx, uint32_t kind, size_t n) : fx_(fx), pair_{{kind, n, 1}, {kind, n, 2}} {}

	void launch(het_event **e, runtime_fixture::options o = {})
	{
		model_array &from = pair_[done_ % 2], &to = pair_[(done_ + 1) % 2];
		o.device = o.device ? o.device : first_device();
		HET_OK(fx_.launch(fx_.combine, from.size(), {from.all(HET_READ_ONLY), to.all(HET_READ_WRITE)}, e, o));
		for (size_t i = 0; i < from.size(); i++)
			to.model[i] = uint8_t(3 * to.model[i] + from.model[i]);
		done_++;
	}
	void check(const char *what) const
	{
		for (const model_array &a : pair_)
			a.check(what);
	}
	// Of the last step.
	model_array &from() { return pair_[(done_ + 1) % 2]; }
	model_array &to() { return pair_[done_ % 2]; }

      private:
	runtime_fixture &fx_;
	model_array pair_[2];
	unsigned done_ = 0;
};

} // namespace

TEST(steps_follow_on_the_device, .traps = trap::best, .devices = device::cuda, .kinds = arrays)
{
	runtime_fixture fx(t);
	steps s(fx, t.v.kind, 3 * chunk + 100);
	for (unsigned round = 0; round < 3; round++) {
		event_handle events[depth + 8];
		{
			held_kernels held;
			for (auto &e : events)
				s.launch(e.out());
			for (unsigned i = 0; i < depth; i++)
				CHECK_EQ(status_of(events[i]), HET_SUBMITTED);
			CHECK_EQ(status_of(events[depth + 1]), HET_QUEUED);
		}
		for (auto &e : events)
			wait_for(e);
		s.check("after a chain of steps");
	}
}

TEST(off_means_off, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, 0, "HET_PIPELINE=0");
	steps s(fx, kind::mmapped, chunk);
	event_handle first, second;
	{
		held_kernels held;
		s.launch(first.out());
		s.launch(second.out());
		CHECK_EQ(status_of(first), HET_SUBMITTED);
		CHECK_EQ(status_of(second), HET_QUEUED);
	}
	wait_for(second);
	s.check("without a pipeline");
}

// The bytes are sent when nobody on the device uses them.
TEST(what_must_travel_waits, .traps = trap::best, .devices = device::cuda, .kinds = arrays)
{
	runtime_fixture fx(t);
	model_array a(t.v.kind, 2 * chunk), b(t.v.kind, 2 * chunk, 2);
	event_handle first, second, third;
	{
		held_kernels held;
		runtime_fixture::options there = {.device = first_device()};
		launch_add(fx, a, 0, a.size(), 1, first.out(), there);
		HET_OK(fx.launch(fx.combine, a.size(), {b.all(HET_READ_ONLY), a.all(HET_READ_WRITE)}, second.out(),
				 there));
		launch_add(fx, a, 0, a.size(), 5, third.out(), there);
		CHECK_EQ(status_of(first), HET_SUBMITTED);
		CHECK_EQ(status_of(second), HET_QUEUED);
		CHECK_EQ(status_of(third), HET_QUEUED);
	}
	wait_for(third);
	for (size_t i = 0; i < a.size(); i++)
		a.model[i] = uint8_t(3 * (a.model[i] - 5) + b.model[i] + 5);
	a.check("what was sent late");
	b.check("what was read");
}

// The end of the first one reads the edges, where the second one must not write yet. Other arrays have none.
TEST(writers_of_other_bytes_of_an_edge_wait, .traps = trap::best, .devices = device::cuda,
     .kinds = kind::slice | kind::library)
{
	runtime_fixture fx(t);
	const bool has_edges = t.v.kind == kind::slice;
	model_array a(t.v.kind, 2 * chunk);
	runtime_fixture::options there = {.device = first_device()};
	for (unsigned round = 0; round < 2; round++) {
		event_handle first, second, third;
		{
			held_kernels held;
			launch_add(fx, a, 0, a.size(), 1, first.out(), there);
			launch_add(fx, a, 0, 1000, 2, second.out(), there);
			launch_add(fx, a, 0, a.size(), 3, third.out(), there);
			CHECK_EQ(status_of(first), HET_SUBMITTED);
			CHECK_EQ(status_of(second), has_edges ? HET_QUEUED : HET_SUBMITTED);
			CHECK_EQ(status_of(third), has_edges ? HET_QUEUED : HET_SUBMITTED);
		}
		wait_for(third);
		a.check("after writers of parts");
	}
}

// So are bytes at the ends of an array that the host has written, also where a kernel in flight writes others beside
// them.
TEST(edges_that_must_travel_wait, .traps = trap::best, .devices = device::cuda, .kinds = kind::slice)
{
	runtime_fixture fx(t);
	runtime_fixture::options there = {.device = first_device()};
	model_array a(t.v.kind, 2 * chunk), b(t.v.kind, 2 * chunk, 2);
	auto combine = [&](het_event **e) {
		HET_OK(fx.launch(fx.combine, a.size(), {b.all(HET_READ_ONLY), a.all(HET_READ_WRITE)}, e, there));
		for (size_t i = 0; i < a.size(); i++)
			a.model[i] = uint8_t(3 * a.model[i] + b.model[i]);
	};
	for (bool writes_beside : {false, true}) {
		event_handle before, first, second;
		combine(before.out());
		wait_for(before);
		{
			held_kernels held;
			launch_add(fx, writes_beside ? b : a, 0, 4, 1, first.out(), there);
			b.b.data()[7] = b.model[7] = uint8_t(b.model[7] + 1);
			combine(second.out());
			CHECK_EQ(status_of(first), HET_SUBMITTED);
			CHECK_EQ(status_of(second), HET_QUEUED);
		}
		wait_for(second);
		a.check("what was made of the edge");
		b.check("the edge");
	}
}

// The one behind it reads what the host does, so the host does not wait for that.
TEST(the_host_reads_beside_the_next_step, .traps = trap::all, .devices = device::cuda,
     .kinds = kind::mmapped | kind::library)
{
	runtime_fixture fx(t);
	steps s(fx, t.v.kind, 4 * chunk);
	event_handle first, second;
	{
		held_kernels held;
		s.launch(first.out());
		model_array &written = s.to();
		std::vector<uint8_t> expected = written.model;
		s.launch(second.out());
		held.let(1);
		wait_for(first);
		CHECK_EQ(status_of(second), HET_SUBMITTED);
		CHECK_BYTES(written.b.data(), expected.data(), expected.size(), "the first step");
	}
	wait_for(second);
	s.check("both steps");
}

// What came from a step that failed is no good.
TEST(a_failure_is_inherited, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	steps s(fx, kind::mmapped, chunk);
	event_handle before;
	s.launch(before.out());
	wait_for(before);
	event_handle events[4];
	{
		held_kernels held;
		fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed, 1);
		for (auto &e : events)
			s.launch(e.out());
		CHECK_EQ(status_of(events[3]), HET_SUBMITTED);
	}
	for (auto &e : events) {
		het_event *one[] = {e};
		(void)het_event_wait(1, one);
	}
	bool failed = false;
	for (auto &e : events) {
		int status = status_of(e);
		CHECK_EQ(status, failed ? HET_EWAIT : status);
		failed |= status < 0;
	}
	CHECK(failed);
	_exit(0); // the fake device is lost
}

// Nobody hears of what goes wrong there.
TEST(what_fails_behind_others_is_tried_again, .traps = trap::best, .devices = device::cuda, .kinds = arrays)
{
	runtime_fixture fx(t);
	steps s(fx, t.v.kind, chunk + 100);
	event_handle before;
	s.launch(before.out());
	wait_for(before);
	event_handle events[4];
	held_kernels held;
	fail_cuda_call("cuLaunchKernel", cuda_out_of_memory, 1);
	// Who has seen the failure waits for the kernels in flight, to know whether the device is lost.
	std::thread lets_go([&] {
		while (fake_cuda_driver().fail_symbol.load())
			std::this_thread::yield();
		held.let(depth);
	});
	for (auto &e : events)
		s.launch(e.out());
	lets_go.join();
	for (auto &e : events)
		wait_for(e);
	s.check("after a failure");
}

// A callback may free memory, and with it what a step uses that is behind this one.
TEST(an_error_callback_frees_what_is_used_behind, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	model_array a(kind::mmapped, chunk), b(kind::mmapped, chunk, 2);
	runtime_fixture::options there = {.device = first_device()};
	HET_OK(fx.launch(fx.combine, chunk, {a.all(HET_READ_ONLY), b.all(HET_READ_WRITE)}, nullptr, there));
	HET_OK(het_finish(fx.queue));
	het_queue_args q = {};
	q.size = sizeof q;
	q.on_error = [](int, het_event *, const char *, void *arg) { static_cast<block *>(arg)->release(); };
	q.on_error_arg = &b.b;
	queue_handle telling;
	HET_OK(het_queue_create(&q, telling.out()));
	event_handle first, second;
	{
		held_kernels held;
		fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed);
		uint8_t one = 1;
		HET_OK(fx.launch(fx.add, chunk, {a.all(HET_READ_WRITE), value_arg(one)}, first.out(),
				 {.queue = telling, .device = there.device}));
		HET_OK(fx.launch(fx.combine, chunk, {a.all(HET_READ_ONLY), b.all(HET_READ_WRITE)}, second.out(),
				 there));
		CHECK_EQ(status_of(second), HET_SUBMITTED);
	}
	het_event *both[] = {first, second};
	CHECK_EQ(het_event_wait(2, both), HET_EWAIT);
	CHECK_EQ(status_of(first), HET_EDEVICE);
	CHECK_EQ(status_of(second), HET_EWAIT);
	_exit(0); // the fake device is lost
}

// As many as can be in flight, in an order that events alone say, and more behind the last of them: an idle device with
// the kernel could do the rest, but too early.
TEST(what_is_behind_is_not_stolen, .traps = trap::best, .devices = device::cuda2)
{
	// The other one is so slow that it is not chosen.
	runtime_fixture fx(t, 0, std::vector<const char *>{"FAKE_CUDA_DEVICES=1"}, "HET_DEVICES=cuda,apart/5000");
	fake_cuda_driver(); // others may have two devices
	std::vector<std::unique_ptr<block>> blocks;
	std::vector<event_handle> events(depth + 12);
	for (size_t i = 0; i < events.size(); i++)
		blocks.push_back(std::make_unique<block>(kind::library, 4096));
	// Nothing travels for them: what they read is on both devices.
	block from(kind::library, 4096);
	memset(from.data(), 'f', from.size());
	auto launch = [&](size_t i, runtime_fixture::options o) {
		HET_OK(fx.launch(fx.copy, from.size(),
				 {range_arg(from.data(), from.size(), HET_READ_ONLY),
				  range_arg(blocks[i]->data(), blocks[i]->size(), HET_WRITE_ONLY)},
				 events[i].out(), o));
	};
	het_device *devices[3];
	uint32_t count = 0;
	HET_OK(het_devices(3, devices, &count));
	CHECK_EQ(count, 2);
	for (het_device *d : {devices[0], devices[1]}) {
		for (size_t i = 0; i < 3; i++)
			launch(i, {.device = d});
		HET_OK(het_finish(fx.queue));
	}
	unsigned held_rounds = 0;
	for (unsigned round = 0; round < 5; round++) {
		for (auto &b : blocks)
			memset(b->data(), 0, b->size());
		{
			held_kernels held;
			launch(0, {});
			bool is_held = status_of(events[0]) == HET_SUBMITTED;
			for (size_t i = 1; i < events.size(); i++) {
				het_event *waits[] = {events[std::min<size_t>(i, depth) - 1]};
				launch(i, {.waits = waits});
			}
			sleep_ms(50);
			for (size_t i = depth + 4; is_held && i < events.size(); i++)
				CHECK_EQ(blocks[i]->data()[0], 0);
			held_rounds += is_held;
		}
		HET_OK(het_finish(fx.queue));
	}
	if (!held_rounds)
		skip("the other device was chosen each time");
}

// Another kernel comes between, which is no part of the chain.
TEST(others_come_between, .traps = trap::best, .devices = with_queue, .kinds = arrays)
{
	runtime_fixture fx(t);
	steps s(fx, t.v.kind, 2 * chunk + 5);
	model_array other(t.v.kind, chunk, 3);
	for (unsigned round = 0; round < t.rounds(20, 200); round++) {
		event_handle e, before;
		for (unsigned i = 0; i < 1 + round % 7; i++) {
			s.launch(i % 2 ? before.out() : e.out());
			launch_add(fx, other, 0, other.size(), 1, nullptr, {});
		}
		bool ends_with_e = round % 7 % 2 == 0;
		if (round % 7) {
			wait_for(ends_with_e ? before : e);
			s.from().check("beside the last step");
		}
		wait_for(ends_with_e ? e : before);
		s.check("after a few steps");
	}
	HET_OK(het_finish(fx.queue));
	other.check("what came between");
}

// What the host touches after each chain comes home as if there were no pipeline.
TEST(what_is_read_next_comes_home_too, .traps = trap::best, .devices = with_queue)
{
	runtime_fixture fx(t, 0, std::vector<const char *>{"GPUVM_FORESIGHT=always", "HET_TOUCH_AFTER_WAIT=1"});
	steps s(fx, kind::map, 4 * chunk);
	for (unsigned round = 0; round < 20; round++) {
		counts before;
		event_handle first, second;
		s.launch(first.out());
		s.launch(second.out());
		wait_for(second);
		s.check("after two steps");
		if (round > 2)
			CHECK_EQ(before.since().touches, 0);
	}
}

TEST(chains_of_many_threads, .traps = trap::best, .devices = with_queue | device::cuda2, .kinds = arrays)
{
	runtime_fixture fx(t);
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 4; i++)
		threads.emplace_back([&, i] {
			queue_handle q;
			HET_OK(het_queue_create(nullptr, q.out()));
			steps s(fx, t.v.kind, chunk / 2 + 777 * i);
			for (unsigned round = 0; round < t.rounds(15, 150); round++) {
				event_handle e;
				for (unsigned k = 0; k < 1 + (round + i) % 40; k++)
					s.launch(e.out(), {.queue = q});
				wait_for(e);
				s.check("after a chain");
			}
		});
	for (auto &thread : threads)
		thread.join();
}

namespace
{

constexpr uint32_t all_kinds[] = {kind::mmapped, kind::library, kind::slice, kind::heap};

// Adds that several threads make to the same bytes.
struct common_array {
	explicit common_array(size_t n) : b(kind::mmapped, n), changes(new std::atomic<uint32_t>[n + 1]())
	{
		memset(b.data(), 0, n);
	}
	void check() const
	{
		std::vector<uint8_t> model(b.size());
		uint32_t sum = 0;
		for (size_t i = 0; i < b.size(); i++)
			model[i] = uint8_t(sum += changes[i]);
		CHECK_BYTES(b.data(), model.data(), b.size(), "what all have added to");
	}

	block b;
	std::unique_ptr<std::atomic<uint32_t>[]> changes; // how much more is added to a byte than to the one before
};

// One thread launches on random parts of its arrays, and of a common one. It touches bytes when it has heard that
// nobody uses them any longer, and no earlier.
class random_chain
{
      public:
	random_chain(runtime_fixture &fx, common_array &common, uint64_t seed) : fx_(fx), common_(common), random_(seed)
	{
		het_queue_args q = {};
		q.size = sizeof q;
		q.flags = random_.one_in(2) ? uint32_t{HET_QUEUE_IN_ORDER} : 0;
		HET_OK(het_queue_create(&q, queue_.out()));
		for (auto &a : arrays_)
			a = any_array();
	}

	void run(unsigned steps)
	{
		while (steps--)
			step();
		if (held_)
			let_go();
		HET_OK(het_finish(queue_));
		HET_OK(het_finish(fx_.queue));
		for (auto &a : arrays_)
			a->check("at the end");
	}

      private:
	struct part {
		model_array *of;
		size_t off, n;
		bool overlaps(const part &o) const { return of == o.of && off < o.off + o.n && o.off < off + n; }
		het_arg arg(uint32_t access) const { return of->part(off, n, access); }
		uint8_t *model() const { return of->model.data() + off; }
	};
	struct use {
		part bytes;
		bool writes;
		std::shared_ptr<event_handle> event;
	};

	std::unique_ptr<model_array> any_array()
	{
		uint32_t k = all_kinds[random_.below(std::size(all_kinds))];
		size_t most = k == kind::heap ? 20000 : 3 * chunk;
		return std::make_unique<model_array>(k, random_.between(most / 3, most), uint32_t(random_.next()));
	}
	part any_part()
	{
		model_array *of = arrays_[random_.below(std::size(arrays_))].get();
		size_t n = of->size();
		if (random_.one_in(2))
			return {of, 0, n};
		size_t off = random_.below(n);
		return {of, off, 1 + random_.below(random_.one_in(2) ? n - off : std::min<size_t>(n - off, 100))};
	}
	runtime_fixture::options options()
	{
		runtime_fixture::options o = {.queue = random_.one_in(8) ? fx_.queue.get() : queue_.get()};
		if (!random_.one_in(4))
			o.device = first_device();
		return o;
	}
	void note_use(const part &p, bool writes, const std::shared_ptr<event_handle> &e)
	{
		uses_.push_back({p, writes, e});
	}

	// Hears that nobody uses the bytes.
	void wait_for_users(const part &p, bool writes)
	{
		for (size_t i = 0; i < uses_.size();) {
			if (!uses_[i].bytes.overlaps(p) || !(writes || uses_[i].writes)) {
				i++;
				continue;
			}
			if (held_)
				let_go();
			if (status_of(*uses_[i].event) != HET_COMPLETE || random_.one_in(2))
				hear(fx_, *uses_[i].event, all_ways[random_.below(4)]);
			uses_.erase(uses_.begin() + ptrdiff_t(i));
		}
	}
	void let_go()
	{
		HET_OK(het_user_event_set(held_, HET_COMPLETE));
		held_.reset();
	}

	void add()
	{
		part p = any_part();
		auto e = std::make_shared<event_handle>();
		auto value = uint8_t(random_.next());
		HET_OK(fx_.launch(fx_.add, p.n, {p.arg(HET_READ_WRITE), value_arg(value)}, e->out(), options()));
		add_to_model(p.of->model, p.off, p.n, value);
		note_use(p, true, e);
	}
	// to = 3 * to + from, or to = from
	void mix(bool copies)
	{
		part from = any_part(), to = any_part();
		if (from.of == to.of)
			return;
		from.n = to.n = std::min(from.n, to.n);
		auto e = std::make_shared<event_handle>();
		HET_OK(fx_.launch(copies ? fx_.copy : fx_.combine, to.n,
				  {from.arg(HET_READ_ONLY), to.arg(copies ? HET_WRITE_ONLY : HET_READ_WRITE)}, e->out(),
				  options()));
		for (size_t i = 0; i < to.n; i++)
			to.model()[i] = uint8_t((copies ? 0 : 3 * to.model()[i]) + from.model()[i]);
		note_use(from, false, e);
		note_use(to, true, e);
	}
	void add_to_common()
	{
		size_t n = common_.b.size(), off = random_.below(n);
		n = 1 + random_.below(n - off);
		uint8_t one = 1;
		HET_OK(fx_.launch(fx_.add, n, {range_arg(common_.b.data() + off, n, HET_READ_WRITE), value_arg(one)},
				  nullptr, options()));
		common_.changes[off]++;
		common_.changes[off + n]--;
	}
	void copy_bytes()
	{
		part from = any_part(), to = any_part();
		if (from.of == to.of)
			return;
		het_copy_args c = {};
		c.size = sizeof c;
		c.from_pointer = from.of->b.data() + from.off;
		c.to_pointer = to.of->b.data() + to.off;
		c.nbytes = from.n = to.n = std::min(from.n, to.n);
		auto e = std::make_shared<event_handle>();
		HET_OK(het_copy(queue_, &c, e->out()));
		memcpy(to.model(), from.model(), to.n);
		note_use(from, false, e);
		note_use(to, true, e);
	}
	void read()
	{
		part p = any_part();
		wait_for_users(p, false);
		p.of->check(p.off, p.n, "what the host reads");
	}
	void write()
	{
		part p = any_part();
		wait_for_users(p, true);
		auto value = uint8_t(random_.next());
		for (size_t i = p.off; i < p.off + p.n; i++)
			p.of->b.data()[i] = p.of->model[i] = uint8_t(value + i);
	}
	// What is launched next waits for the program.
	void hold()
	{
		if (held_)
			return let_go();
		HET_OK(het_user_event_create(held_.out()));
		het_event *waits[] = {held_};
		event_handle e;
		if (random_.one_in(2)) {
			HET_OK(het_barrier(queue_, 1, waits, e.out()));
			return;
		}
		auto launched = std::make_shared<event_handle>();
		part p = any_part();
		runtime_fixture::options o = options();
		o.waits = waits;
		uint8_t value = 7;
		HET_OK(fx_.launch(fx_.add, p.n, {p.arg(HET_READ_WRITE), value_arg(value)}, launched->out(), o));
		add_to_model(p.of->model, p.off, p.n, value);
		note_use(p, true, launched);
	}

	void step()
	{
		switch (random_.below(24)) {
		case 0:
			return read();
		case 1:
			return write();
		case 2:
			return copy_bytes();
		case 3:
			return hold();
		case 4:
		case 5:
			return add_to_common();
		case 6:
			HET_OK(het_marker(queue_, 0, nullptr, nullptr));
			return;
		case 7:
			HET_OK(het_barrier(queue_, 0, nullptr, nullptr));
			return;
		case 8:
		case 9:
		case 10:
			return mix(true);
		case 11:
		case 12:
		case 13:
		case 14:
		case 15:
			return add();
		default:
			return mix(false);
		}
	}

	runtime_fixture &fx_;
	common_array &common_;
	random_source random_;
	queue_handle queue_;
	std::unique_ptr<model_array> arrays_[3];
	std::vector<use> uses_;
	event_handle held_;
};

void run_random_chains(context &t, std::vector<const char *> settings)
{
	runtime_fixture fx(t, 0, std::move(settings));
	for (uint64_t round = 0; round < t.rounds(4, 60); round++) {
		if (t.v.device & device::with_cuda)
			fake_cuda_driver().slow_us = round % 3 * 100;
		common_array common(2 * chunk);
		uint64_t seed = t.random.next();
		note("seed %llu", static_cast<unsigned long long>(seed));
		std::vector<std::thread> threads;
		for (unsigned i = 0; i < 1 + round % 4; i++)
			threads.emplace_back([&, i] { random_chain(fx, common, seed + i).run(150); });
		for (auto &thread : threads)
			thread.join();
		HET_OK(het_finish(fx.queue));
		common.check();
	}
}

} // namespace

#define RANDOM_CHAINS(NAME, ...)                                                                       \
	TEST(random_##NAME, .traps = trap::best, .devices = with_queue | device::cuda2, .seconds = 60) \
	{                                                                                              \
		run_random_chains(t, {__VA_ARGS__});                                                   \
	}

RANDOM_CHAINS(chains, "HET_POLICY=steal")
RANDOM_CHAINS(chains_foreseen, "GPUVM_FORESIGHT=always")
RANDOM_CHAINS(chains_promised, "GPUVM_FORESIGHT=always", "HET_TOUCH_AFTER_WAIT=1")
RANDOM_CHAINS(chains_sent_ahead, "GPUVM_FORESIGHT=always", "GPUVM_SEND_AHEAD=always")
