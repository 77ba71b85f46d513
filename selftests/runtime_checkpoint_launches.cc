// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests launches in checkpoint files: what had not begun is given back, to whatever process and device, with the result
// of a run that never stopped.
#include "harness/checkpoint.h"
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/process.h"
#include "harness/runtime.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace selftest;

namespace
{

// The device's queue has room for so many: they have begun, or are not in the file.
constexpr uint64_t most_begun = 33;

// The only device's worker is in a callback while this lives, or until it goes on. So what is added meanwhile, and
// nobody waits for, does not end, but for what the calling thread itself begins.
class stopped_worker
{
      public:
	explicit stopped_worker(runtime_fixture &fx) : bytes_(100)
	{
		event_handle user, launched;
		HET_OK(het_user_event_create(user.out()));
		const std::array<het_event *, 1> waits = {user};
		const uint8_t one = 1;
		HET_OK(fx.launch(fx.add, bytes_.size(),
				 {range_arg(bytes_.data(), bytes_.size(), HET_READ_WRITE), value_arg(one)},
				 launched.out(), {.waits = waits}));
		HET_OK(het_event_callback(launched, stop, this));
		HET_OK(het_user_event_set(user, 0));
		wait_until([&] { return in_.load(); });
	}
	~stopped_worker() { go_on(); }
	void go_on()
	{
		released_.store(true);
		wait_until([&] { return out_.load(); });
	}

      private:
	static void stop(het_event *, int, void *arg)
	{
		auto &s = *static_cast<stopped_worker *>(arg);
		s.in_.store(true);
		wait_until([&] { return s.released_.load(); });
		s.out_.store(true);
	}

	std::vector<uint8_t> bytes_;
	std::atomic<bool> in_{false}, released_{false}, out_{false};
};

struct models {
	explicit models(const world &w) : object(w.object_model), heap(w.heap_model), wrapped(w.wrapped_model) {}
	void give(world &w) const
	{
		w.object_model = object;
		w.heap_model = heap;
		w.wrapped_model = wrapped;
	}
	std::vector<uint8_t> object, heap, wrapped;
};

// Where a device has memory of its own, what is used for the first time waits for what is in use beside it: not while
// the worker is stopped.
void use_all(runtime_fixture &fx, world &w)
{
	const uint8_t nothing = 0;
	for (const het_arg &a : {memory_arg(w.object, HET_READ_WRITE), range_arg(w.range(), world::n, HET_READ_WRITE),
				 memory_arg(w.wrapper, HET_READ_WRITE)})
		HET_OK(fx.launch(fx.add, world::n, {a, value_arg(nothing)}));
	HET_OK(het_finish(fx.queue));
}

items named_with_launches(runtime_fixture &fx, world &w)
{
	return w.named().with_launches_of("kernels", fx.program);
}

// Restores the file into other memory, by another handle, and ends its launches.
void check_restored(runtime_fixture &fx, const char *path, const models &then)
{
	checkpoint_handle reader;
	HET_OK(het_checkpoint_open(path, HET_CHECKPOINT_READ_ONLY, reader.out()));
	queue_handle queue;
	HET_OK(het_queue_create(nullptr, queue.out()));
	world other(99);
	HET_OK(named_with_launches(fx, other).restore(queue, reader, nullptr));
	then.give(other);
	// What comes later comes behind them.
	const uint8_t two = 2;
	HET_OK(fx.launch(fx.add, world::n, {memory_arg(other.object, HET_READ_WRITE), value_arg(two)}, nullptr,
			 {.queue = queue}));
	add_to_model(other.object_model, 0, world::n, two);
	HET_OK(het_finish(queue));
	other.check("restored");
}

} // namespace

// All that has not begun is in the file, and nothing that came later.
TEST(what_has_not_begun_is_in_the_file, .traps = trap::best, .devices = device::runtime, .seconds = 60)
{
	for (uint32_t flags : {0, int(HET_QUEUE_IN_ORDER)}) {
		runtime_fixture fx(t, flags);
		temporary_file f;
		checkpoint_handle c;
		HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
		world w(1);
		use_all(fx, w);
		constexpr uint64_t many = 40;
		for (uint64_t round = 0; round < t.rounds(2, 20); round++) {
			stopped_worker stopped(fx);
			for (uint64_t k = 0; k < many; k++)
				w.change(fx, t);
			event_handle written;
			HET_OK(named_with_launches(fx, w).write(fx.queue, c, written.out()));
			const models then(w);
			for (int k = 0; k < 3; k++)
				w.change(fx, t);
			stopped.go_on();
			CHECK_EQ(items::end_of(written), 0);
			CHECK_EQ(info_of(c).generation, round + 1);
			CHECK_EQ(info_of(c).nitems, 3);
			CHECK_LE(many - most_begun, info_of(c).nlaunches);
			CHECK_LE(info_of(c).nlaunches, many);
			check_restored(fx, f.path(), then);
			HET_OK(het_finish(fx.queue));
		}
		w.check("at the end");
		// When all is over there is nothing to be in it.
		CHECK_EQ(named_with_launches(fx, w).write_all(fx.queue, c), 0);
		CHECK_EQ(info_of(c).nlaunches, 0);
		CHECK_EQ(info_of(c).nitems, 3);
		check_restored(fx, f.path(), models(w));
	}
}

// Queues, events, markers and barriers tell what comes before what, as do the bytes of four objects. Commands that use
// others stand between some.
TEST(they_come_in_their_order, .traps = trap::best, .devices = device::runtime, .seconds = 60)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	constexpr size_t n = 5000, nobjects = 4;
	queue_handle in_order, urgent;
	het_queue_args args = {};
	args.size = sizeof args;
	args.flags = HET_QUEUE_IN_ORDER;
	HET_OK(het_queue_create(&args, in_order.out()));
	args.flags = 0;
	args.priority = 2;
	HET_OK(het_queue_create(&args, urgent.out()));
	het_queue *const queues[] = {fx.queue, in_order, urgent};
	std::array<memory_handle, nobjects> objects, others;
	std::array<std::vector<uint8_t>, nobjects> model;
	memory_handle unnamed;
	HET_OK(het_memory_create(n, unnamed.out()));
	items all, restored;
	all.with_launches_of("kernels", fx.program);
	restored.with_launches_of("kernels", fx.program);
	const char *const names[] = {"a", "b", "c", "d"};
	for (size_t i = 0; i < nobjects; i++) {
		HET_OK(het_memory_create(n, objects[i].out()));
		HET_OK(het_memory_create(n, others[i].out()));
		model[i].resize(n);
		fill_pattern(model[i].data(), 0, n, uint32_t(i));
		memcpy(het_memory_pointer(objects[i]), model[i].data(), n);
		all.object(names[i], objects[i]);
	}
	for (size_t i = nobjects; i > 0; i--)
		restored.object(names[i - 1], others[i - 1]);
	for (uint64_t round = 0; round < t.rounds(4, 60); round++) {
		std::vector<event_handle> events(80);
		stopped_worker stopped(fx);
		for (size_t k = 0; k < events.size(); k++) {
			runtime_fixture::options o = {.queue = queues[t.random.below(3)]};
			std::array<het_event *, 2> waits = {};
			if (k >= 2)
				waits = {events[t.random.below(k)], events[k - 1 - t.random.below(2)]};
			o.waits = std::span(waits).first(k < 2 ? 0 : t.random.below(3));
			const size_t to = t.random.below(nobjects),
				     from = (to + 1 + t.random.below(nobjects - 1)) % nobjects;
			const uint8_t one = 1;
			switch (t.random.below(8)) {
			case 0:
				HET_OK(het_marker(o.queue, o.waits.size(), o.waits.data(), events[k].out()));
				break;
			case 1:
				HET_OK(het_barrier(o.queue, o.waits.size(), o.waits.data(), events[k].out()));
				break;
			case 2:
				HET_OK(fx.launch(fx.add, n, {memory_arg(unnamed, HET_READ_WRITE), value_arg(one)},
						 events[k].out(), o));
				break;
			default:
				o.flags = t.random.below(2) ? uint32_t(HET_SPLIT) : 0;
				HET_OK(fx.launch(
					fx.combine, n,
					{range_arg(het_memory_pointer(objects[from]), n, HET_READ_ONLY, each_byte),
					 memory_arg(objects[to], HET_READ_WRITE)},
					events[k].out(), o));
				for (size_t i = 0; i < n; i++)
					model[to][i] = uint8_t(3 * model[to][i] + model[from][i]);
			}
		}
		event_handle written;
		HET_OK(all.write(fx.queue, c, written.out()));
		stopped.go_on();
		CHECK_EQ(items::end_of(written), 0);
		std::vector<event_handle> launched(info_of(c).nlaunches);
		std::vector<het_event *> room(launched.size());
		het_checkpoint_args a = restored.args(c);
		a.launches = room.data();
		a.nlaunches = room.size();
		HET_OK(het_checkpoint_restore(queues[t.random.below(3)], &a, nullptr));
		for (size_t i = 0; i < room.size(); i++) {
			*launched[i].out() = room[i];
			wait_for(launched[i]);
		}
		for (het_queue *q : queues)
			HET_OK(het_finish(q));
		for (size_t i = 0; i < nobjects; i++) {
			CHECK_BYTES(het_memory_pointer(others[i]), model[i].data(), n, names[i]);
			CHECK_BYTES(het_memory_pointer(objects[i]), model[i].data(), n, names[i]);
		}
	}
}

namespace
{

// Of all states of two objects, to which one thread adds 1 in turns, those are whole in which all bytes of each are the
// same, and the first is as the second or one further.
void check_turns(const uint8_t *a, const uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(a[i], a[0]);
		CHECK_EQ(b[i], b[0]);
	}
	CHECK(a[0] == b[0] || a[0] == uint8_t(b[0] + 1));
}

} // namespace

// One thread launches, two others write to files of their own at any moment.
TEST(they_are_whole_at_any_moment, .traps = trap::best, .devices = device::runtime | device::host2, .seconds = 60)
{
	runtime_fixture fx(t, HET_QUEUE_IN_ORDER);
	constexpr size_t n = 3000;
	memory_handle a;
	HET_OK(het_memory_create(n, a.out()));
	std::vector<uint8_t> b(n);
	std::atomic<bool> is_over{false};
	const uint64_t writes = t.rounds(4, 100);
	const auto write = [&] {
		temporary_file f;
		checkpoint_handle c;
		queue_handle queue;
		HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
		HET_OK(het_queue_create(nullptr, queue.out()));
		items all;
		all.object("a", a).range("b", b.data(), n).with_launches_of("kernels", fx.program);
		for (uint64_t k = 0; k < writes; k++) {
			CHECK_EQ(all.write_all(queue, c), 0);
			std::vector<uint8_t> then(n);
			memory_handle object;
			HET_OK(het_memory_create(n, object.out()));
			items other;
			other.range("a", then.data(), n).object("b", object).with_launches_of("kernels", fx.program);
			HET_OK(other.restore(queue, c, nullptr));
			HET_OK(het_finish(queue));
			check_turns(then.data(), static_cast<const uint8_t *>(het_memory_pointer(object)), n);
		}
	};
	std::thread writers[2];
	for (std::thread &w : writers)
		w = std::thread(write);
	std::thread launcher([&] {
		const uint8_t one = 1;
		while (!is_over.load()) {
			for (int k = 0; k < 20; k++) {
				HET_OK(fx.launch(fx.add, n, {memory_arg(a, HET_READ_WRITE), value_arg(one)}));
				HET_OK(fx.launch(fx.add, n, {range_arg(b.data(), n, HET_READ_WRITE), value_arg(one)}));
			}
			HET_OK(het_finish(fx.queue));
		}
	});
	for (std::thread &w : writers)
		w.join();
	is_over.store(true);
	launcher.join();
	check_turns(static_cast<const uint8_t *>(het_memory_pointer(a)), b.data(), n);
	CHECK_EQ(static_cast<const uint8_t *>(het_memory_pointer(a))[0], b[0]);
}

// --- what can't be -----------------------------------------------------------------

TEST(what_can_not_be_in_a_file_is_refused, .traps = trap::best, .devices = device::host)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	constexpr size_t n = 1000;
	std::vector<uint8_t> bytes(n), model(n), unnamed(n);
	memory_handle object;
	HET_OK(het_memory_create(n, object.out()));
	items all;
	all.range("bytes", bytes.data(), n).object("object", object).with_launches_of("kernels", fx.program);
	const uint8_t one = 1;
	const auto add = [&](het_memory *o, std::span<het_event *const> waits = {}) {
		HET_OK(fx.launch(fx.add, n,
				 {o ? memory_arg(o, HET_READ_WRITE) : range_arg(bytes.data(), n, HET_READ_WRITE),
				  value_arg(one)},
				 nullptr, {.waits = waits}));
		if (!o)
			add_to_model(model, 0, n, one);
	};
	const auto refused = [&](const items &list, int code, const char *why) {
		HET_ERR(list.write(fx.queue, c, nullptr), code);
		if (!strstr(het_last_error(), why))
			FAIL("\"%s\" does not say \"%s\"", het_last_error(), why);
	};
	// After each refusal all goes on.
	const auto finish = [&](stopped_worker &s) {
		s.go_on();
		HET_OK(het_finish(fx.queue));
		CHECK_BYTES(bytes.data(), model.data(), n, "bytes");
		CHECK_EQ(info_of(c).generation, 0);
	};
	{
		stopped_worker stopped(fx);
		HET_OK(fx.launch(
			fx.combine, n,
			{range_arg(bytes.data(), n, HET_READ_ONLY), range_arg(unnamed.data(), n, HET_READ_WRITE)}));
		refused(all, HET_EARG, "argument 1 is memory that is not in one item");
		items part = all;
		part.all[0].nbytes--;
		refused(part, HET_EARG, "argument 0 is memory that is not in one item");
		finish(stopped);
	}
	{
		stopped_worker stopped(fx);
		add(nullptr);
		items no_program = all;
		no_program.programs[0].name = "other";
		program_handle other;
		make_program(other, "kernel void nothing() {}", {});
		no_program.programs[0].program = other;
		refused(no_program, HET_EARG, "give its program a name");
		finish(stopped);
	}
	{
		stopped_worker stopped(fx);
		event_handle user;
		HET_OK(het_user_event_create(user.out()));
		const std::array<het_event *, 1> waits = {user};
		add(nullptr, waits);
		refused(all, HET_ESTATE, "an event of the program's own");
		HET_OK(het_user_event_set(user, 0));
		finish(stopped);
	}
	{
		stopped_worker stopped(fx);
		het_fill_args fill = {};
		fill.size = sizeof fill;
		fill.to_pointer = bytes.data();
		fill.nbytes = n;
		fill.pattern = &one;
		fill.pattern_size = 1;
		event_handle user;
		HET_OK(het_user_event_create(user.out()));
		const std::array<het_event *, 1> waits = {user};
		fill.waits = waits.data();
		fill.nwaits = 1;
		HET_OK(het_fill(fx.queue, &fill, nullptr));
		std::fill(model.begin(), model.end(), one);
		refused(all, HET_ESTATE, "a command that is no launch");
		HET_OK(het_user_event_set(user, 0));
		finish(stopped);
	}
	{
		het_map_args map = {};
		map.size = sizeof map;
		map.memory = object;
		map.nbytes = n;
		map.access = HET_READ_WRITE;
		void *p = nullptr;
		event_handle mapped;
		HET_OK(het_map(fx.queue, &map, &p, mapped.out()));
		wait_for(mapped);
		add(object);
		refused(all, HET_ESTATE, "are mapped");
		het_unmap_args unmap = {};
		unmap.size = sizeof unmap;
		unmap.memory = object;
		unmap.pointer = p;
		HET_OK(het_unmap(fx.queue, &unmap, nullptr));
		HET_OK(het_finish(fx.queue));
	}
	{
		std::vector<het_device *> devices = all_devices();
		void *raw = nullptr;
		HET_OK(het_device_alloc(devices[0], n, &raw));
		stopped_worker stopped(fx);
		het_arg address = {};
		address.kind = HET_ARG_ADDRESS;
		address.pointer = raw;
		HET_OK(fx.launch(fx.combine, n, {address, memory_arg(object, HET_READ_WRITE)}));
		refused(all, HET_EARG, "an address of raw device memory");
		finish(stopped);
		HET_OK(het_device_free(devices[0], raw));
	}
	event_handle user;
	HET_OK(het_user_event_create(user.out()));
	het_event *const waits[] = {user};
	const auto refused_args = [&](int code, auto change) {
		het_checkpoint_args a = all.args(c);
		change(a);
		HET_ERR(het_checkpoint_write(fx.queue, &a, nullptr), code);
	};
	refused_args(HET_EARG, [&](het_checkpoint_args &a) {
		a.waits = waits;
		a.nwaits = 1;
	});
	refused_args(HET_EARG, [](het_checkpoint_args &a) { a.flags = 4; });
	refused_args(HET_EARG, [](het_checkpoint_args &a) { a.flags |= HET_CHECKPOINT_WITHOUT_LAUNCHES; });
	refused_args(HET_EARG, [](het_checkpoint_args &a) { a.flags = HET_CHECKPOINT_WITHOUT_LAUNCHES; });
	refused_args(HET_EARG, [](het_checkpoint_args &a) { a.flags = 0; });
	refused_args(HET_EARG, [](het_checkpoint_args &a) { a.reserved = 1; });
	refused_args(HET_EARG, [](het_checkpoint_args &a) { a.program_size--; });
	refused_args(HET_ENULL, [](het_checkpoint_args &a) { a.programs = nullptr; });
	HET_OK(het_user_event_set(user, 0));
	// Nothing of all that is left.
	CHECK_EQ(all.write_all(fx.queue, c), 0);
}

TEST(what_does_not_fit_is_not_given_back, .traps = trap::best, .devices = device::none | device::host)
{
	runtime_fixture fx(t);
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	world w(1), other(2);
	const models before(w);
	use_all(fx, w);
	{
		stopped_worker stopped(fx);
		w.change(fx, t);
		w.change(fx, t);
		event_handle written;
		HET_OK(named_with_launches(fx, w).write(fx.queue, c, written.out()));
		// Nothing that uses the items has begun, so it waits for nothing, and holds nothing back any longer.
		CHECK_EQ(items::end_of(written), 0);
		CHECK_EQ(info_of(c).nlaunches, 2);
	}
	HET_OK(het_finish(fx.queue));
	const auto refused = [&](const items &list, const char *why) {
		HET_ERR(list.restore(fx.queue, c, nullptr), HET_EARG);
		if (!strstr(het_last_error(), why))
			FAIL("\"%s\" does not say \"%s\"", het_last_error(), why);
		HET_OK(het_finish(fx.queue));
		other.check("untouched");
	};
	CHECK_EQ(other.named().restore_all(fx.queue, c), HET_ESTATE); // it does not say what to do with them
	other.check("untouched");
	items less = named_with_launches(fx, other), sized = less, renamed = less, remade = less;
	less.all.clear();
	less.range("other", other.range(), world::n);
	refused(less, "the file's launches use item");
	sized.all[1].nbytes--;
	refused(sized, "bytes for the file's launches");
	renamed.programs[0].name = "something else";
	refused(renamed, "there are launches of program kernels");
	program_handle program;
	make_program(program, "kernel void nothing() {}", {});
	remade.programs[0].program = program;
	refused(remade, "is not made of what it was");
	het_event *room[2];
	const items good = named_with_launches(fx, other);
	het_checkpoint_args a = good.args(c);
	a.launches = room;
	a.nlaunches = 1;
	HET_ERR(het_checkpoint_restore(fx.queue, &a, nullptr), HET_EARG);

	// Without them it is as it was before.
	a = other.named().args(c);
	const items alone = other.named();
	a = alone.args(c);
	a.flags = HET_CHECKPOINT_WITHOUT_LAUNCHES;
	event_handle restored;
	HET_OK(het_checkpoint_restore(fx.queue, &a, restored.out()));
	CHECK_EQ(items::end_of(restored), 0);
	before.give(other);
	other.check("without launches");
	// A write comes between the call and its turn.
	event_handle user;
	HET_OK(het_user_event_create(user.out()));
	het_event *const waits[] = {user};
	a = good.args(c);
	a.waits = waits;
	a.nwaits = 1;
	HET_OK(het_checkpoint_restore(fx.queue, &a, restored.out()));
	int x = 0;
	CHECK_EQ(items().range("x", &x, sizeof(x)).write_all(fx.queue, c), 0);
	HET_OK(het_user_event_set(user, 0));
	CHECK_EQ(items::end_of(restored), HET_ESTATE);
	HET_OK(het_finish(fx.queue));
	other.check("nothing has changed");
}

// What had begun fails, so nobody knows what the items are: the write fails, and what it has held back goes on.
TEST(a_failure_of_what_has_begun_is_told, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	fake_cuda_driver();
	temporary_file f;
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(f.path(), 0, c.out()));
	world w(1);
	event_handle held, written;
	const uint8_t one = 1;
	use_all(fx, w);
	{
		stopped_worker stopped(fx);
		fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed);
		for (uint64_t k = 0; k < 2 * most_begun; k++)
			HET_OK(fx.launch(fx.add, world::n,
					 {range_arg(w.range(), world::n, HET_READ_WRITE), value_arg(one)}, held.out()));
		HET_OK(named_with_launches(fx, w).write(fx.queue, c, written.out()));
		CHECK_EQ(status_of(written), HET_QUEUED);
	}
	CHECK_EQ(items::end_of(written), HET_EWAIT);
	CHECK_EQ(items::end_of(held), HET_EWAIT);
	CHECK_EQ(info_of(c).generation, 0);
}

// --- other processes -----------------------------------------------------------------

namespace
{

constexpr int steps = 20, launches_a_step = 3;

} // namespace

// The process is gone before its launches have ended.
TEST(first_half, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	temporary_file own;
	const char *path = path_of_halves();
	checkpoint_handle c;
	HET_OK(het_checkpoint_open(path ? path : own.path(), 0, c.out()));
	world w(7);
	use_all(fx, w);
	event_handle written;
	{
		stopped_worker stopped(fx);
		w.take_steps(fx, 0, steps);
		HET_OK(named_with_launches(fx, w).write(fx.queue, c, written.out()));
	}
	CHECK_EQ(items::end_of(written), 0);
	CHECK_LE(launches_a_step * steps - most_begun, info_of(c).nlaunches);
	if (path)
		_exit(0);
	HET_OK(het_finish(fx.queue));
}

TEST(second_half, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const char *path = path_of_halves();
	if (!path)
		skip("begun_on_a_gpu_they_are_ended_elsewhere runs it");
	world w(7);
	w.take_steps_in_models(steps);
	check_restored(fx, path, models(w));
}

// The result is that of a run that never stopped. With the fake CUDA driver this needs no GPU.
TEST(begun_on_a_gpu_they_are_ended_elsewhere, .devices = device::cuda, .seconds = 60)
{
	two_halves(t);
}
