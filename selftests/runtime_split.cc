// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// One launch runs on several devices: this tests HET_SPLIT, patterns and policies.
#include "harness/block.h"
#include "harness/clock.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <gpuvm.h>
#include <new>
#include <span>
#include <string>
#include <thread>

using namespace selftest;

namespace
{

// Counts the arrays that the library has allocated for this thread, and says when the first one was.
thread_local unsigned arrays_made = 0;
thread_local uint64_t first_array_ns = 0;
// Counts all that it has allocated for threads that are not a test's.
std::atomic<unsigned> made_by_others{0};
thread_local bool is_test = false;

} // namespace

// The library uses the program's operators new.
void *operator new(size_t n, const std::nothrow_t &) noexcept
{
	made_by_others += !is_test;
	try {
		return ::operator new(n);
	} catch (const std::bad_alloc &) {
		return nullptr;
	}
}

void *operator new[](size_t n, const std::nothrow_t &) noexcept
{
	made_by_others += !is_test;
	arrays_made++;
	first_array_ns = first_array_ns ? first_array_ns : now_ns();
	try {
		return ::operator new[](n);
	} catch (const std::bad_alloc &) {
		return nullptr;
	}
}

namespace
{

constexpr uint32_t kinds = kind::heap | kind::mmapped | kind::memalign_line | kind::bss | kind::map | kind::slice;

het_arg split_range(const void *p, size_t n, uint32_t access)
{
	return range_arg(p, n, access, each_byte);
}

using triple = std::array<size_t, 3>;

het_launch_args shape(uint32_t dimensions, triple global, triple offset, triple local)
{
	het_launch_args l = {};
	l.size = sizeof l;
	l.dimensions = dimensions;
	std::copy(global.begin(), global.end(), l.global);
	std::copy(offset.begin(), offset.end(), l.offset);
	std::copy(local.begin(), local.end(), l.local);
	l.arg_size = sizeof(het_arg);
	return l;
}

void split_add(runtime_fixture &fx, void *p, size_t n, uint8_t value)
{
	event_handle e;
	HET_OK(fx.launch(fx.add, n, {split_range(p, n, HET_READ_WRITE), value_arg(value)}, e.out(),
			 {.flags = HET_SPLIT}));
	wait_for(e);
}

// Launches on parts of an array, split and not, and touches between.
void mix_launches(context &t, runtime_fixture &fx, uint64_t rounds)
{
	block b(t.v.kind, std::min<size_t>(largest_of(t.v.kind), 800000));
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 1);
	fill_pattern(model.data(), 0, b.size(), 1);
	for (uint64_t round = 0; round < rounds; round++) {
		bool all = t.random.one_in(3);
		size_t off = all ? 0 : t.random.below(b.size()),
		       n = all ? b.size() : 1 + t.random.below(b.size() - off);
		auto value = uint8_t(t.random.next());
		if (t.random.one_in(4))
			fx.run_add(b.data() + off, n, value);
		else
			split_add(fx, b.data() + off, n, value);
		add_to_model(model, off, n, value);
		size_t at = t.random.below(b.size());
		CHECK_EQ(b.data()[at], model[at]);
		if (t.random.one_in(2))
			b.data()[at] = model[at] = uint8_t(round);
	}
	CHECK_BYTES(b.data(), model.data(), b.size(), "array");
}

} // namespace

TEST(parts_of_arrays, .traps = trap::best | trap::sigsegv, .devices = device::runtime_several, .kinds = kinds)
{
	runtime_fixture fx(t);
	mix_launches(t, fx, t.rounds(40, 1000));
}

TEST(policy_static, .traps = trap::best, .devices = device::runtime_several, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=static");
	mix_launches(t, fx, t.rounds(40, 1000));
}

TEST(policy_dynamic, .traps = trap::best, .devices = device::runtime_several, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	mix_launches(t, fx, t.rounds(40, 1000));
}

TEST(policy_hguided, .traps = trap::best, .devices = device::runtime_several, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=hguided");
	mix_launches(t, fx, t.rounds(40, 1000));
}

TEST(policy_single, .traps = trap::best, .devices = device::runtime_several, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=single");
	mix_launches(t, fx, t.rounds(20, 1000));
}

TEST(policy_that_there_is_not, .devices = device::host2)
{
	runtime_fixture fx(t, 0, "HET_POLICY=greedy");
	uint8_t bytes[1000] = {}, one = 1;
	HET_ERR(fx.launch(fx.add, sizeof bytes, {split_range(bytes, sizeof bytes, HET_READ_WRITE), value_arg(one)},
			  nullptr, {.flags = HET_SPLIT}),
		HET_EARG);
}

// The kernel reads elsewhere than it writes, and leaves a part of each group's bytes alone.
TEST(reading_one_array_and_writing_another, .traps = trap::best, .devices = device::runtime_several,
     .kinds = kind::heap | kind::mmapped | kind::slice)
{
	runtime_fixture fx(t);
	size_t n = std::min<size_t>(largest_of(t.v.kind), 300000);
	block from(t.v.kind, n), to(t.v.kind, n);
	std::vector<uint8_t> model(n);
	fill_pattern(from.data(), 0, n, 1);
	fill_pattern(to.data(), 0, n, 2);
	fill_pattern(model.data(), 0, n, 2);
	for (uint64_t round = 0; round < t.rounds(20, 200); round++) {
		size_t items = n - t.random.below(std::min<size_t>(n, 1000));
		event_handle e;
		HET_OK(fx.launch(
			fx.combine, items,
			{split_range(from.data(), items, HET_READ_ONLY), split_range(to.data(), items, HET_READ_WRITE)},
			e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
		for (size_t i = 0; i < items; i++)
			model[i] = uint8_t(3 * model[i] + from.data()[i]);
		std::swap(from.data()[round], to.data()[round]);
		model[round] = to.data()[round];
	}
	CHECK_BYTES(to.data(), model.data(), n, "written");
}

// The arguments are halves of one array, so a chunk in the middle has bytes of both.
TEST(two_arguments_in_one_array, .traps = trap::best, .devices = device::runtime_several,
     .kinds = kind::mmapped | kind::slice)
{
	runtime_fixture fx(t);
	block b(t.v.kind, 500001);
	size_t half = b.size() / 2;
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 5);
	fill_pattern(model.data(), 0, b.size(), 5);
	for (uint64_t round = 0; round < t.rounds(20, 200); round++) {
		size_t from = round % 2 ? half : 0, to = half - from;
		event_handle e;
		HET_OK(fx.launch(fx.combine, half,
				 {split_range(b.data() + from, half, HET_READ_ONLY),
				  split_range(b.data() + to, half, HET_READ_WRITE)},
				 e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
		for (size_t i = 0; i < half; i++)
			model[to + i] = uint8_t(3 * model[to + i] + model[from + i]);
	}
	CHECK_BYTES(b.data(), model.data(), b.size(), "array");
}

// Several threads use neighbours in one array: their chunks meet, but their bytes do not.
TEST(neighbours_at_once, .traps = trap::best, .devices = device::runtime_several, .kinds = kind::mmapped | kind::slice)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	constexpr unsigned threads = 4;
	const size_t each = 100003;
	block b(t.v.kind, threads * each);
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 9);
	fill_pattern(model.data(), 0, b.size(), 9);
	const uint64_t rounds = t.rounds(30, 500);
	std::vector<std::thread> all;
	for (unsigned i = 0; i < threads; i++)
		all.emplace_back([&, i] {
			for (uint64_t round = 0; round < rounds; round++) {
				if (round % 3 == 2)
					fx.run_add(b.data() + i * each, each, 5);
				else
					split_add(fx, b.data() + i * each, each, uint8_t(round + i));
				b.data()[i * each + round % each]++;
			}
		});
	for (std::thread &th : all)
		th.join();
	for (unsigned i = 0; i < threads; i++)
		for (uint64_t round = 0; round < rounds; round++) {
			add_to_model(model, i * each, each, round % 3 == 2 ? 5 : uint8_t(round + i));
			model[i * each + round % each]++;
		}
	CHECK_BYTES(b.data(), model.data(), b.size(), "array");
}

// --- who does what -------------------------------------------------------------

TEST(every_device_has_a_part_and_every_item_is_done_once, .traps = trap::best, .devices = device::runtime_several,
     .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	uint32_t ndevices = 0;
	HET_OK(het_devices(0, nullptr, &ndevices));
	std::vector<uint8_t> bytes(64 * 20000);
	uint8_t one = 1;
	for (int round = 0; round < 5; round++) {
		event_handle e;
		HET_OK(fx.launch(fx.add, bytes.size(),
				 {split_range(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(one)}, e.out(),
				 {.flags = HET_SPLIT}));
		wait_for(e);
		work w = work_of(e, bytes.size());
		CHECK_EQ(w.items.size(), ndevices);
		check_work(w);
	}
}

// Who ends a part makes the next one, and a touch that waits for the launch may have malloc's locks.
TEST(parts_take_no_memory_of_mallocs, .traps = trap::best, .devices = device::host2, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	std::vector<uint8_t> bytes(64 * 4000);
	const uint8_t one = 1;
	is_test = true;
	for (bool is_first : {true, false}) {
		const unsigned before = made_by_others, own_before = arrays_made;
		event_handle e;
		HET_OK(fx.launch(fx.add, bytes.size(),
				 {split_range(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(one)}, e.out(),
				 {.flags = HET_SPLIT}));
		wait_for(e);
		const unsigned made = made_by_others - before;
		uint32_t nparts = 0;
		HET_OK(het_event_parts(e, &nparts));
		if (arrays_made == own_before)
			skip("the library was linked with operators new of its own");
		note("%u allocations, %u parts", made, nparts);
		CHECK(nparts > 10);
		CHECK(is_first || made < nparts / 2);
	}
}

namespace
{

std::atomic<bool> is_held, let_go;

void hold_on_host(const het_group *, void *const *)
{
	is_held = true;
	while (!let_go)
		std::this_thread::yield();
}

} // namespace

// The device has another launch's kernel for longer than the others need for everything.
TEST(what_a_busy_device_has_not_begun_is_done_by_others, .traps = trap::best, .devices = device::host2,
     .kinds = kind::mmapped)
{
	runtime_fixture fx(t);
	const het_function functions[] = {{"hold", hold_on_host, 0}};
	program_handle program;
	kernel_handle hold;
	make_program(program, nullptr, functions);
	HET_OK(het_kernel_create(program, "hold", hold.out()));
	std::vector<uint8_t> bytes(64 * 20000);
	het_device *const busy = all_devices()[1];
	for (uint8_t round = 1; round <= 6; round++) {
		const bool is_last = round == 6;
		event_handle held, e;
		if (is_last) {
			het_launch_args l = shape(1, {1, 1, 1}, {0, 0, 0}, {1, 1, 1});
			l.kernel = hold;
			l.device = busy;
			HET_OK(het_launch(fx.queue, &l, held.out()));
			wait_until([] { return is_held.load(); });
		}
		const uint8_t value = 1;
		HET_OK(fx.launch(fx.add, bytes.size(),
				 {split_range(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(value)}, e.out(),
				 {.flags = HET_SPLIT}));
		wait_for(e);
		const work w = work_of(e, bytes.size());
		check_work(w);
		CHECK(!is_last || !w.items.contains(busy));
		CHECK_EQ(bytes[bytes.size() / 2 + round], round);
		let_go = is_last;
	}
	HET_OK(het_finish(fx.queue));
	CHECK(std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 6; }));
}

// The first launches tell how fast the devices are.
TEST(short_launches_are_not_shared, .traps = trap::best, .devices = device::host2 | device::host3,
     .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=");
	std::vector<uint8_t> bytes(64 * 200);
	uint8_t one = 1;
	size_t shared = 0;
	for (int round = 0; round < 20; round++) {
		event_handle e;
		HET_OK(fx.launch(fx.add, bytes.size(),
				 {split_range(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(one)}, e.out(),
				 {.flags = HET_SPLIT}));
		wait_for(e);
		shared = work_of(e, bytes.size()).items.size();
	}
	CHECK_EQ(shared, 1);
	CHECK_EQ(bytes[5], 20);
}

TEST(an_unsplit_launch_is_one_part, .devices = device::host2)
{
	runtime_fixture fx(t);
	uint8_t bytes[640] = {}, one = 1;
	event_handle e, user;
	HET_OK(fx.launch(fx.add, sizeof bytes, {range_arg(bytes, sizeof bytes, HET_READ_WRITE), value_arg(one)},
			 e.out()));
	wait_for(e);
	CHECK_EQ(work_of(e, sizeof bytes).items.size(), 1);
	het_event_part_info i = {};
	i.size = sizeof i;
	HET_ERR(het_event_part(e, 1, &i), HET_EARG);
	HET_ERR(het_event_part(nullptr, 0, &i), HET_ENULL);
	HET_OK(het_user_event_create(user.out()));
	uint32_t nparts = 7;
	HET_ERR(het_event_parts(user, &nparts), HET_ESTATE);
	HET_ERR(het_event_part(user, 0, &i), HET_ESTATE);
	HET_OK(het_user_event_set(user, 0));
	HET_OK(het_event_parts(user, &nparts));
	CHECK_EQ(nparts, 0);
	HET_ERR(het_event_part(user, 0, &i), HET_EARG);
	HET_ERR(het_event_parts(nullptr, &nparts), HET_ENULL);
	HET_ERR(het_event_parts(user, nullptr), HET_ENULL);
}

// --- work-item functions -------------------------------------------------------

namespace
{

constexpr size_t values = 24;

const char ids_source[] = R"(
// Called functions are to see the whole launch, too.
void put(global ulong *to, uint d)
{
	to[0] = get_global_id(d);
	to[1] = get_local_id(d);
	to[2] = get_group_id(d);
	to[3] = get_global_size(d);
	to[4] = get_local_size(d);
	to[5] = get_num_groups(d);
	to[6] = get_global_offset(d);
	to[7] = get_work_dim();
}
#define MACRO(f, d) f (d)
kernel void ids(global ulong *out)
{
	size_t item = 0;
	for (uint d = 3; d-- > 0;)
		item = item * MACRO(get_global_size, d) + get_global_id(d) - get_global_offset(d);
	for (uint d = 0; d < 3; d++)
		put(out + 24 * item + 8 * d, d);
}
)";

void ids_on_host(const het_group *g, void *const *args)
{
	auto *out = static_cast<uint64_t *>(args[0]);
	size_t i[3];
	for (i[2] = 0; i[2] < g->items[2]; i[2]++)
		for (i[1] = 0; i[1] < g->items[1]; i[1]++)
			for (i[0] = 0; i[0] < g->items[0]; i[0]++) {
				size_t item = 0;
				for (unsigned d = 3; d-- > 0;)
					item = item * g->global[d] + g->first[d] + i[d] - g->offset[d];
				uint64_t *to = out + values * item;
				for (unsigned d = 0; d < 3; d++, to += 8) {
					uint64_t v[] = {g->first[d] + i[d], i[d],         g->group[d],  g->global[d],
							g->local[d],        g->groups[d], g->offset[d], g->dimensions};
					std::copy(std::begin(v), std::end(v), to);
				}
			}
}

std::vector<uint64_t> ids_of(runtime_fixture &fx, het_kernel *kernel, het_launch_args l, uint32_t flags,
			     bool has_pattern = true)
{
	size_t items = 1, row = 1, planes = 1;
	unsigned along = l.dimensions - 1;
	while (along && l.global[along] == l.local[along])
		along--;
	for (unsigned d = 0; d < l.dimensions; d++) {
		items *= l.global[d];
		row *= d < along ? l.global[d] : 1;
		planes *= d > along ? l.global[d] : 1;
	}
	std::vector<uint64_t> out(items * values);
	const uint64_t bytes = row * values * 8;
	const het_pattern rows = {sizeof rows, 0, bytes, bytes, planes, bytes * l.global[along]};
	het_arg arg = has_pattern ? range_arg(out.data(), out.size() * 8, HET_WRITE_ONLY, rows)
				  : range_arg(out.data(), out.size() * 8, HET_WRITE_ONLY);
	l.kernel = kernel;
	l.flags = flags;
	l.nargs = 1;
	l.args = &arg;
	event_handle e;
	HET_OK(het_launch(fx.queue, &l, e.out()));
	wait_for(e);
	if (flags && has_pattern)
		CHECK(work_of(e, l.global[along]).items.size() > 1 || has_large_device());
	return out;
}

} // namespace

namespace
{

const het_launch_args shapes[] = {
	shape(1, {4096, 1, 1}, {0, 0, 0}, {64, 1, 1}), shape(1, {4096, 1, 1}, {1000, 0, 0}, {64, 1, 1}),
	shape(2, {12, 640, 1}, {0, 0, 0}, {4, 8, 1}),  shape(2, {12, 640, 1}, {5, 7, 0}, {4, 8, 1}),
	shape(2, {640, 8, 1}, {5, 7, 0}, {4, 8, 1}),   shape(3, {8, 6, 240}, {0, 0, 0}, {4, 3, 2}),
	shape(3, {8, 6, 240}, {3, 2, 1}, {4, 3, 2}),   shape(3, {8, 160, 2}, {3, 2, 1}, {4, 2, 2}),
};

void compare_ids(runtime_fixture &fx, const std::string &source, std::span<const het_launch_args> of,
		 const char *options = nullptr, bool has_pattern = true)
{
	het_function function = {"ids", ids_on_host, 1};
	het_program_args a = {};
	a.size = sizeof a;
	a.source = source.c_str();
	a.options = options;
	a.functions = &function;
	a.nfunctions = 1;
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&a, program.out()));
	HET_OK(het_kernel_create(program, "ids", kernel.out()));
	for (const het_launch_args &l : of)
		CHECK(ids_of(fx, kernel, l, HET_SPLIT, has_pattern) == ids_of(fx, kernel, l, 0, has_pattern));
}

} // namespace

TEST(work_item_functions_tell_of_the_whole_launch, .traps = trap::best,
     .devices = device::host2 | device::host3 | device::mixed)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	compare_ids(fx, ids_source, shapes);
}

// A program may have macros of these functions' names, and put the names together.
TEST(work_item_functions_may_be_macros, .traps = trap::best, .devices = device::mixed)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	const std::string plain = ids_source;
	const std::string sources[] = {
		"#define get_global_id(d) ((int)get_global_id(d))\n"
		"#define get_global_size(d) ((int)get_global_size(d))\n" +
			plain,
		"#undef get_group_id\n#define get_group_id(d) (get_group_id(d) + 0)\n" + plain,
		"#ifdef get_global_offset\n#define get_num_groups(d) 7\n#endif\n" + plain,
		"#define get_glo\\\nbal_id(d) (get_global_id(d) + 0)\n" + plain,
		"#define JOIN(a, b) a##b\n#define get_global_offset(d) (JOIN(get_, global_offset)(d) + 0)\n" + plain,
	};
	for (const std::string &source : sources)
		compare_ids(fx, source, {&shapes[3], 1});
	compare_ids(fx, plain, {&shapes[3], 1}, "-Dd=size -Duint=unsigned");
}

// --- devices that fail ---------------------------------------------------------

TEST(others_do_what_a_failed_device_was_given, .traps = trap::best, .devices = device::cuda2,
     .kinds = kind::mmapped | kind::slice)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	block b(t.v.kind, 64 * 8000);
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 1);
	fill_pattern(model.data(), 0, b.size(), 1);
	struct {
		const char *symbol;
		int after;
	} const failures[] = {{"cuLaunchKernel", 0},
			      {"cuLaunchKernel", 2},
			      {"cuEventRecord", 1},
			      {"cuMemcpyHtoDAsync_v2", 3},
			      {"work of cuLaunchKernel", 0}};
	for (const auto &f : failures) {
		fail_cuda_call(f.symbol, cuda_launch_failed, f.after);
		event_handle e;
		uint8_t one = 1;
		HET_OK(fx.launch(fx.add, b.size(), {split_range(b.data(), b.size(), HET_READ_WRITE), value_arg(one)},
				 e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
		work w = work_of(e, b.size());
		check_work(w);
		add_to_model(model, 0, b.size(), 1);
		CHECK_BYTES(b.data(), model.data(), b.size(), f.symbol);
	}
}

// --- what does not split -------------------------------------------------------

TEST(what_cannot_be_split_runs_on_one_device, .traps = trap::best, .devices = device::runtime_several,
     .kinds = kind::mmapped)
{
	runtime_fixture fx(t);
	std::vector<uint8_t> bytes(300000, 1);
	uint8_t one = 1;
	auto launch = [&](size_t n, het_arg range) {
		event_handle e;
		HET_OK(fx.launch(fx.add, n, {range, value_arg(one)}, e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
		CHECK_EQ(work_of(e, (n + 63) / 64 * 64).items.size(), 1);
	};
	launch(10, split_range(bytes.data(), 10, HET_READ_WRITE));
	launch(10, range_arg(bytes.data(), bytes.size(), HET_READ_WRITE));
	CHECK_EQ(bytes[0], 3);
	CHECK_EQ(bytes[10], 1);
}

// Nobody shares what needs twins under this policy. Its groups, which the caller left to the device, are not those that
// several devices would have agreed on.
TEST(what_is_not_split_runs_as_it_was_given, .devices = device::host2)
{
	runtime_fixture fx(t, 0, "HET_POLICY=single");
	const het_launch_args without_groups[] = {
		shape(1, {4096, 1, 1}, {0, 0, 0}, {0, 0, 0}),
		shape(2, {12, 640, 1}, {5, 7, 0}, {0, 0, 0}),
		shape(3, {8, 6, 240}, {0, 0, 0}, {0, 0, 0}),
	};
	compare_ids(fx, ids_source, without_groups, nullptr, false);
}

TEST(arguments_are_copied_once, .devices = device::host2)
{
	runtime_fixture fx(t, 0, "HET_POLICY=single");
	std::vector<uint8_t> bytes(64000, 0);
	uint8_t one = 1;
	auto arrays_for = [&](uint32_t flags) {
		event_handle e;
		unsigned before = arrays_made;
		HET_OK(fx.launch(fx.add, bytes.size(),
				 {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(one)}, e.out(),
				 {.flags = flags}));
		unsigned made = arrays_made - before;
		wait_for(e);
		return made;
	};
	arrays_for(HET_SPLIT); // makes what is made once for the kernel
	if (!arrays_for(0))
		skip("the library was linked with operators new of its own");
	CHECK_EQ(arrays_for(0), 1);
	CHECK_EQ(arrays_for(HET_SPLIT), 1);
	CHECK_EQ(bytes[63999], 4);
}

// A launch that is not divided after all came when it was called, by which its deadline counts. What was copied for it
// was copied then.
TEST(launches_that_are_tried_twice_came_once, .devices = device::host2)
{
	runtime_fixture fx(t, 0, "HET_POLICY=single");
	std::vector<uint8_t> bytes(64000, 0);
	uint8_t one = 1;
	event_handle e;
	first_array_ns = 0;
	HET_OK(fx.launch(fx.add, bytes.size(), {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(one)},
			 e.out(), {.device = all_devices()[0], .flags = HET_SPLIT}));
	const uint64_t copied = first_array_ns;
	wait_for(e);
	if (!copied)
		skip("the library was linked with operators new of its own");
	het_event_times times = {};
	times.size = sizeof times;
	HET_OK(het_event_profile(e, &times));
	CHECK(times.queued <= copied);
}

TEST(patterns_that_make_no_sense, .devices = device::host2)
{
	runtime_fixture fx(t);
	uint8_t bytes[1000] = {}, one = 1;
	auto launch = [&](const het_pattern &p) {
		return fx.launch(fx.add, sizeof bytes,
				 {range_arg(bytes, sizeof bytes, HET_READ_WRITE, p), value_arg(one)}, nullptr,
				 {.flags = HET_SPLIT});
	};
	constexpr size_t size = sizeof(het_pattern);
	HET_ERR(launch({0, 0, 1, 1, 1, 0}), HET_EARG);
	HET_ERR(launch({size, 0, 1, 0, 1, 0}), HET_EARG);
	HET_ERR(launch({size, 0, 1, 1, 0, 0}), HET_EARG);
	HET_ERR(launch({size, 0, 1, 2, 1, 0}), HET_EARG);
	HET_ERR(launch({size, 0, UINT64_MAX / 2, 1, 1, 0}), HET_EARG);
	HET_ERR(launch({size, INT64_MIN, 1, 1, 1, 0}), HET_EARG);
	HET_ERR(launch({size, 0, 1, 1, UINT64_MAX, 2}), HET_EARG);
	het_finish(fx.queue);
	CHECK_EQ(bytes[0], 0);
}
