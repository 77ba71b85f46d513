// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A fat binary's kernels were analysed: what is safe is shared among devices without being asked, and nothing else is.
#include "harness/block.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

using namespace selftest;

// This is runtime/fatbin/tests/corpus/analysed.cl as OpenCL C and PTX.
asm(".pushsection .rodata\n"
    ".global het_selftest_analysed\n"
    ".global het_selftest_analysed_end\n"
    "het_selftest_analysed:\n"
    ".incbin \"" HET_FATBIN_CORPUS "/analysed.het\"\n"
    "het_selftest_analysed_end:\n"
    ".popsection");
extern const char het_selftest_analysed[], het_selftest_analysed_end[];

namespace
{

void scale_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0] && i < *static_cast<uint32_t *>(args[2]); i++)
		to[i] = uint8_t(3 * from[i] + 1);
}

void rows_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	uint32_t width = *static_cast<uint32_t *>(args[2]);
	for (size_t y = g->first[1]; y < g->first[1] + g->items[1]; y++)
		for (size_t x = g->first[0]; x < g->first[0] + g->items[0]; x++)
			to[y * width + x] = uint8_t(from[y * width + x] + y);
}

// Runs group by group, as each has a tile.
void turned_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	uint32_t width = *static_cast<uint32_t *>(args[2]), height = *static_cast<uint32_t *>(args[3]);
	for (size_t y = g->first[1]; y < g->first[1] + g->items[1]; y++)
		for (size_t x = g->first[0]; x < g->first[0] + g->items[0]; x++)
			to[x * height + y] = from[y * width + x];
}

// Counts atomically, as groups of one kernel may run on several threads.
void count_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *bins = static_cast<uint32_t *>(args[1]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		__atomic_fetch_add(&bins[from[i]], 1, __ATOMIC_RELAXED);
}

class analysed
{
      public:
	explicit analysed(const context &t) : fx_(t, 0, "HET_POLICY=dynamic")
	{
		const het_function functions[] = {{"scale", scale_on_host, 3},
						  {"rows", rows_on_host, 3},
						  {"count", count_on_host, 2},
						  {"turned", turned_on_host, 4}};
		het_program_args p = {};
		p.size = sizeof p;
		p.fat_binary = het_selftest_analysed;
		p.fat_binary_size = size_t(het_selftest_analysed_end - het_selftest_analysed);
		p.functions = functions;
		p.nfunctions = std::size(functions);
		HET_OK(het_program_create(&p, program_.out()));
		HET_OK(het_kernel_create(program_, "scale", scale.out()));
		HET_OK(het_kernel_create(program_, "rows", rows.out()));
		HET_OK(het_kernel_create(program_, "count", count.out()));
		HET_OK(het_kernel_create(program_, "turned", turned.out()));
	}

	// Returns how many devices did it.
	size_t run(het_kernel *k, std::initializer_list<size_t> global, std::initializer_list<size_t> local,
		   std::initializer_list<het_arg> args) const
	{
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = k;
		l.dimensions = uint32_t(global.size());
		std::copy(global.begin(), global.end(), l.global);
		std::copy(local.begin(), local.end(), l.local);
		l.arg_size = sizeof(het_arg);
		l.nargs = args.size();
		l.args = args.begin();
		event_handle e;
		HET_OK(het_launch(fx_.queue, &l, e.out()));
		wait_for(e);
		work w = work_of(e, *(global.end() - 1));
		check_work(w);
		return w.items.size();
	}

	kernel_handle scale, rows, count, turned;

      private:
	runtime_fixture fx_;
	program_handle program_;
};

} // namespace

TEST(a_safe_kernel_is_shared, .traps = trap::best, .devices = device::runtime_several,
     .kinds = kind::mmapped | kind::slice)
{
	analysed a(t);
	const uint32_t n = 300000, items = 300032;
	block from(t.v.kind, n), to(t.v.kind, n);
	std::vector<uint8_t> model(n);
	fill_pattern(from.data(), 0, n, 1);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < n; i++)
			model[i] = uint8_t(3 * from.data()[i] + 1);
		CHECK(a.run(a.scale, {items}, {64},
			    {range_arg(from.data(), n, HET_READ_ONLY), range_arg(to.data(), n, HET_WRITE_ONLY),
			     value_arg(n)}) > 1 ||
		      has_large_device());
		CHECK_BYTES(to.data(), model.data(), n, "scaled");
		from.data()[size_t(round) * 1000]++;
	}
}

TEST(rows_are_known_by_the_width_that_is_given, .traps = trap::best, .devices = device::runtime_several,
     .kinds = kind::mmapped)
{
	analysed a(t);
	const uint32_t width = 512, height = 640;
	block from(t.v.kind, width * height), to(t.v.kind, width * height);
	fill_pattern(from.data(), 0, width * height, 1);
	std::vector<uint8_t> model(width * height);
	for (size_t i = 0; i < model.size(); i++)
		model[i] = uint8_t(from.data()[i] + i / width);
	auto run = [&](uint32_t given) {
		return a.run(a.rows, {given, height}, {64, 4},
			     {range_arg(from.data(), width * height, HET_READ_ONLY),
			      range_arg(to.data(), width * height, HET_WRITE_ONLY), value_arg(given)});
	};
	CHECK(run(width) > 1 || has_large_device());
	CHECK_BYTES(to.data(), model.data(), model.size(), "rows");
}

// Rows that are shorter than the launch is wide overlap: two work-items write the same byte.
TEST(not_with_any_sizes, .traps = trap::best, .devices = device::host2, .kinds = kind::mmapped)
{
	if (with_tsan)
		skip("that is the race which it reports");
	analysed a(t);
	const uint32_t width = 512, height = 640, less = 500;
	block from(t.v.kind, width * height), to(t.v.kind, width * height);
	CHECK_EQ(a.run(a.rows, {width, height}, {64, 4},
		       {range_arg(from.data(), width * height, HET_READ_ONLY),
			range_arg(to.data(), width * height, HET_WRITE_ONLY), value_arg(less)}),
		 1);
}

// The index is no sum of the work-item's own ids, but with these numbers the groups' tiles lie beside each other.
TEST(tiles_are_shared_where_their_numbers_fit, .traps = trap::best, .devices = device::runtime_several,
     .kinds = kind::mmapped)
{
	analysed a(t);
	const uint32_t width = 256, height = 320;
	block from(t.v.kind, width * height), to(t.v.kind, width * height);
	fill_pattern(from.data(), 0, width * height, 1);
	std::vector<uint8_t> model(width * height);
	for (size_t i = 0; i < model.size(); i++)
		model[i % width * height + i / width] = from.data()[i];
	auto run = [&](uint32_t given) {
		return a.run(a.turned, {width, height}, {8, 8},
			     {range_arg(from.data(), width * height, HET_READ_ONLY),
			      range_arg(to.data(), width * height, HET_WRITE_ONLY), value_arg(width),
			      value_arg(given)});
	};
	CHECK(run(height) > 1 || has_large_device());
	CHECK_BYTES(to.data(), model.data(), model.size(), "turned");
	// The tiles of two groups overlap, and the devices' threads would race for them.
	if (!with_tsan)
		CHECK_EQ(run(height - 1), 1);
}

TEST(tells_what_was_found, .traps = trap::best, .devices = device::host2, .kinds = kind::mmapped)
{
	analysed a(t);
	const struct {
		het_kernel *kernel;
		uint32_t argument, found;
	} wanted[] = {{a.scale, 0, HET_READ_ONLY},
		      {a.scale, 1, HET_READ_WRITE},
		      {a.scale, 2, 0},
		      // Where atomics are, accesses are not all understood.
		      {a.count, 1, 0}};
	for (auto &w : wanted) {
		het_argument_info info = {};
		info.size = sizeof(info);
		HET_OK(het_kernel_argument(w.kernel, w.argument, &info));
		CHECK_EQ(info.found, w.found);
	}
}

TEST(not_if_arguments_share_bytes, .traps = trap::best, .devices = device::host2, .kinds = kind::mmapped)
{
	analysed a(t);
	const uint32_t n = 64000;
	block b(t.v.kind, 2 * n);
	CHECK_EQ(a.run(a.scale, {n}, {64},
		       {range_arg(b.data(), n, HET_READ_ONLY), range_arg(b.data() + n - 1, n, HET_WRITE_ONLY),
			value_arg(n)}),
		 1);
}

TEST(atomics_are_not_shared, .traps = trap::best, .devices = device::runtime_several, .kinds = kind::mmapped)
{
	analysed a(t);
	const size_t n = 64000;
	block from(t.v.kind, n);
	fill_pattern(from.data(), 0, n, 1);
	std::vector<uint32_t> bins(256), model(256);
	for (size_t i = 0; i < n; i++)
		model[from.data()[i]]++;
	CHECK_EQ(a.run(a.count, {n}, {64},
		       {range_arg(from.data(), n, HET_READ_ONLY), range_arg(bins.data(), 1024, HET_READ_WRITE)}),
		 1);
	CHECK(bins == model);
}
