// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches on several devices need no order, as each had an array to itself when they came. They use one chunk at once
// when they begin, as the arrays were made one meanwhile.
#include "harness/block.h"
#include "harness/runtime.h"

#include <algorithm>
#include <atomic>
#include <iterator>

using namespace selftest;

namespace
{

// There are more pieces than a chunk's list of fragments has room for, so what the devices have written is gathered.
constexpr size_t pieces = 32, page = 4096, part = 7 * page, local = 64;

const char source[] = R"(
kernel void add_columns(global uchar *bytes)
{
	for (int y = 0; y < 32; y++)
		bytes[y * get_global_size(0) + get_global_id(0)] += 1;
}
)";

void add_columns(const het_group *g, void *const *args)
{
	auto *bytes = static_cast<uint8_t *>(args[0]);
	for (size_t y = 0; y < pieces; y++)
		for (size_t x = g->first[0]; x < g->first[0] + g->items[0]; x++)
			bytes[y * g->global[0] + x]++;
}

class columns
{
      public:
	explicit columns(runtime_fixture &fx) : fx_(fx)
	{
		const het_function functions[] = {{"add_columns", add_columns, 1}};
		make_program(program_, source, functions);
		HET_OK(het_kernel_create(program_, "add_columns", kernel_.out()));
	}

	// @n must be a multiple of pieces * local.
	void launch_after(het_event *gate, uint8_t *p, size_t n, event_handle &e)
	{
		const size_t row = n / pieces;
		const het_pattern pattern = {sizeof pattern, 0, 1, 1, pieces, row};
		const het_arg args[] = {range_arg(p, n, HET_READ_WRITE, pattern)};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel_;
		l.flags = HET_SPLIT;
		l.dimensions = 1;
		l.global[0] = row;
		l.local[0] = local;
		l.arg_size = sizeof(het_arg);
		l.nargs = 1;
		l.args = args;
		l.waits = &gate;
		l.nwaits = 1;
		HET_OK(het_launch(fx_.queue, &l, e.out()));
	}

      private:
	runtime_fixture &fx_;
	program_handle program_;
	kernel_handle kernel_;
};

// Each part of the array has one of these uses.
enum class user : uint8_t { twin, columns, bytes, plain, host };
struct portion {
	user by;
	size_t size;
};

// The portions lie in one chunk, and end inside of pages and of the twins' units.
constexpr portion portions[] = {{user::twin, 3 * page + 123}, {user::columns, 2 * page}, {user::plain, page + 901},
				{user::twin, 2 * page + 7},   {user::host, 3001},        {user::bytes, page + 2905},
				{user::twin, page - 1}};
constexpr size_t launches_each = 2;

// All portions are used at once, each by launches in a row.
class crowd
{
      public:
	crowd(runtime_fixture &fx, columns &k, uint8_t *p) : fx_(fx), columns_(k), p_(p)
	{
		HET_OK(het_user_event_create(gate_.out()));
		for (const portion &one : portions) {
			for (size_t i = 0; i < launches_each && one.by != user::host; i++)
				launch(one);
			if (one.by == user::host)
				at_host_ = {p_ + size_, one.size};
			size_ += one.size;
		}
	}

	size_t size() const { return size_; }
	het_event *gate() const { return gate_; }
	std::span<uint8_t> at_host() const { return at_host_; }
	void open_gate() { HET_OK(het_user_event_set(gate_, 0)); }
	void wait()
	{
		for (size_t i = 0; i < count_; i++)
			wait_for(events_[i]);
	}

      private:
	void launch(const portion &one)
	{
		event_handle &e = events_[count_++];
		uint8_t *at = p_ + size_, value = 1;
		if (one.by == user::columns)
			return columns_.launch_after(gate_, at, one.size, e);
		bool exact = one.by == user::bytes;
		het_event *waits[] = {gate_};
		HET_OK(fx_.launch(fx_.add, one.size,
				  {exact ? range_arg(at, one.size, HET_READ_WRITE, each_byte)
					 : range_arg(at, one.size, HET_READ_WRITE),
				   value_arg(value)},
				  e.out(),
				  {.waits = waits, .flags = one.by == user::plain ? 0u : uint32_t(HET_SPLIT)}));
	}

	runtime_fixture &fx_;
	columns &columns_;
	uint8_t *const p_;
	size_t size_ = 0, count_ = 0;
	std::span<uint8_t> at_host_;
	event_handle gate_, events_[std::size(portions) * launches_each];
};

} // namespace

TEST(ends_in_one_chunk, .traps = trap::best, .devices = device::host2 | device::host3 | device::mixed)
{
	skip_under_tsan("touches order kernels on the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, "HET_POLICY=static");
	columns kernel(fx);
	uint64_t shared = 0; // some may not be: one device may come to be known as much the faster
	for (uint64_t round = 0; round < t.rounds(100, 2000); round++) {
		block b(kind::map, 2 * part);
		memset(b.data(), 0, b.size());
		event_handle gate, first, second, joins;
		HET_OK(het_user_event_create(gate.out()));
		kernel.launch_after(gate, b.data(), part, first);
		kernel.launch_after(gate, b.data() + part, part, second);
		uint8_t one = 1;
		het_event *waits[] = {gate};
		HET_OK(fx.launch(fx.add, b.size(),
				 {range_arg(b.data(), b.size(), HET_READ_WRITE, each_byte), value_arg(one)},
				 joins.out(), {.waits = waits, .flags = HET_SPLIT}));
		HET_OK(het_user_event_set(gate, 0));
		for (het_event *e : {first.get(), second.get(), joins.get()})
			wait_for(e);
		shared += parts_of(first).size() > 1 && parts_of(second).size() > 1;
		CHECK(std::all_of(b.data(), b.data() + b.size(), [](uint8_t v) { return v == 2; }));
	}
	CHECK(shared);
}

// Some launches' writes are known and some are not, others are not split, and the host takes part.
TEST(mixed_in_one_chunk, .traps = trap::best, .devices = device::host2 | device::host3 | device::mixed)
{
	skip_under_tsan("touches order kernels on the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, "HET_POLICY=static");
	columns kernel(fx);
	for (uint64_t round = 0; round < t.rounds(50, 1000); round++) {
		block b(kind::map, 16 * page), copy(kind::map, 16 * page);
		memset(b.data(), 0, b.size());
		crowd all(fx, kernel, b.data());
		event_handle joins;
		het_event *waits[] = {all.gate()};
		HET_OK(fx.launch(fx.copy, b.size(),
				 {range_arg(b.data(), b.size(), HET_READ_ONLY),
				  range_arg(copy.data(), copy.size(), HET_WRITE_ONLY)},
				 joins.out(), {.waits = waits}));
		all.open_gate();
		for (uint8_t &at : all.at_host())
			at += launches_each;
		all.wait();
		wait_for(joins);
		std::vector<uint8_t> expected(b.size(), 0);
		std::fill_n(expected.begin(), all.size(), uint8_t(launches_each));
		CHECK_BYTES(b.data(), expected.data(), b.size(), "written");
	}
}

// A callback launches this.
struct from_callback {
	runtime_fixture &fx;
	block &b;
	event_handle added = {};
	std::atomic<int> err{1};

	static void launch(het_event *, int, void *arg)
	{
		auto *self = static_cast<from_callback *>(arg);
		uint8_t one = 1;
		self->err = self->fx.launch(self->fx.add, self->b.size(),
					    {range_arg(self->b.data(), self->b.size(), HET_READ_WRITE), value_arg(one)},
					    self->added.out());
	}
};

// Arrays of a launch that is at work are to be made one, since its other parts need them before its end.
TEST(wanted_at_work, .traps = trap::best, .devices = device::host2 | device::host3 | device::mixed)
{
	skip_under_tsan("touches order kernels on the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	const size_t n = 64 * 4001;
	for (uint64_t round = 0; round < t.rounds(20, 300); round++) {
		block b(kind::map, 2 * n);
		memset(b.data(), 1, n);
		memset(b.data() + n, 0, n);
		event_handle copied, added;
		HET_OK(fx.launch(fx.copy, n,
				 {range_arg(b.data(), n, HET_READ_ONLY, each_byte),
				  range_arg(b.data() + n, n, HET_READ_WRITE, each_byte)},
				 copied.out(), {.flags = HET_SPLIT}));
		uint8_t one = 1;
		HET_OK(fx.launch(fx.add, b.size(), {range_arg(b.data(), b.size(), HET_READ_WRITE), value_arg(one)},
				 added.out()));
		wait_for(added);
		CHECK(std::all_of(b.data(), b.data() + b.size(), [](uint8_t v) { return v == 2; }));
	}
}

// A callback's launch makes arrays one that are in use, by what the thread which has called it is to finish.
TEST(callbacks, .traps = trap::best, .devices = device::host2 | device::opencl | device::mixed)
{
	skip_under_tsan("touches order kernels on the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	const size_t n = 64 * 101;
	for (uint64_t round = 0; round < t.rounds(5, 100); round++) {
		block b(kind::map, 3 * n), own(kind::map, page);
		memset(b.data(), 0, b.size());
		from_callback called{.fx = fx, .b = b};
		event_handle first, slow;
		uint8_t one = 1;
		HET_OK(fx.launch(fx.slow, 64, {range_arg(own.data(), 64, HET_READ_WRITE), value_arg(one)},
				 first.out()));
		HET_OK(fx.launch(fx.slow, n, {range_arg(b.data() + n, n, HET_READ_WRITE, each_byte), value_arg(one)},
				 slow.out(), {.flags = HET_SPLIT}));
		HET_OK(het_event_callback(first, from_callback::launch, &called));
		while (called.err > 0)
			sched_yield();
		CHECK_EQ(called.err.load(), 0);
		wait_for(called.added);
		for (size_t i = 0; i < b.size(); i++)
			CHECK_EQ(b.data()[i], i / n == 1 ? 2 : 1);
	}
}

namespace
{

// Counts the callbacks that are under way on one thread.
thread_local unsigned under_way = 0;
std::atomic<unsigned> most_under_way, called;

struct in_callback {
	in_callback()
	{
		unsigned n = ++under_way, most = most_under_way.load();
		while (most < n && !most_under_way.compare_exchange_weak(most, n)) {
		}
	}
	~in_callback()
	{
		under_way--;
		called++;
	}
};

void count_call(het_event *, int, void *)
{
	in_callback here;
}

void count_launch(het_event *e, int status, void *arg)
{
	in_callback here;
	from_callback::launch(e, status, arg);
}

void count_error(int, het_event *, const char *, void *)
{
	in_callback here;
}

void fill_apart(std::vector<block> &apart, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memset(apart.emplace_back(kind::map, page).data(), 0, page);
}

} // namespace

// While a callback's launch waits, the thread which has called it ends other commands. Their callbacks, which might
// have to wait in turn, are not called on top of it.
TEST(callbacks_do_not_nest, .traps = trap::best, .devices = device::host2 | device::opencl | device::mixed)
{
	skip_under_tsan("touches order kernels on the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	constexpr size_t n = 64 * 101, others = 12;
	het_device *device = nullptr;
	uint32_t count;
	HET_OK(het_devices(1, &device, &count));
	het_queue_args with_errors = {};
	with_errors.size = sizeof with_errors;
	with_errors.on_error = count_error;
	queue_handle failing;
	HET_OK(het_queue_create(&with_errors, failing.out()));
	uint8_t one = 1;
	for (uint64_t round = 0; round < t.rounds(5, 100); round++) {
		block b(kind::map, 3 * n);
		memset(b.data(), 0, b.size());
		std::vector<block> apart;
		apart.reserve(others + 1);
		fill_apart(apart, others + 1);
		from_callback launching{.fx = fx, .b = b};
		event_handle first, slow, gate, ended[others];
		HET_OK(het_user_event_create(gate.out()));
		HET_OK(het_user_event_set(gate, -1));
		HET_OK(fx.launch(fx.slow, 64, {range_arg(apart[0].data(), 64, HET_READ_WRITE), value_arg(one)},
				 first.out(), {.device = device}));
		HET_OK(fx.launch(fx.slow, n, {range_arg(b.data() + n, n, HET_READ_WRITE, each_byte), value_arg(one)},
				 slow.out(), {.flags = HET_SPLIT}));
		called = 0;
		HET_OK(het_event_callback(first, count_launch, &launching));
		for (size_t i = 0; i < others; i++) {
			HET_OK(fx.launch(fx.add, 64,
					 {range_arg(apart[1 + i].data(), 64, HET_READ_WRITE), value_arg(one)},
					 ended[i].out(), {.device = device}));
			HET_OK(het_event_callback(ended[i], count_call, nullptr));
			het_event *waits[] = {gate, ended[i]};
			HET_OK(fx.launch(fx.add, 64,
					 {range_arg(apart[1 + i].data(), 64, HET_READ_WRITE), value_arg(one)}, nullptr,
					 {.queue = failing, .waits = waits}));
		}
		while (launching.err > 0 || called < 1 + 2 * others)
			sched_yield();
		CHECK_EQ(launching.err.load(), 0);
		CHECK_EQ(most_under_way.load(), 1);
		wait_for(launching.added);
		wait_for(slow);
	}
}
