// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches on several devices that need no order, as each had an array to itself when they came, and use one chunk at once when they
// begin, as the arrays were made one meanwhile.
#include "harness/block.h"
#include "harness/runtime.h"

#include <algorithm>
#include <iterator>

using namespace selftest;

namespace
{

// More pieces than a chunk's list of fragments has room for: what the devices have written is gathered.
constexpr size_t pieces = 32, page = 4096, part = 7 * page, row = part / pieces, local = 64;

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
		het_program_args a = {};
		a.size = sizeof a;
		a.source = source;
		a.functions = functions;
		a.nfunctions = std::size(functions);
		HET_OK(het_program_create(&a, program_.out()));
		HET_OK(het_kernel_create(program_, "add_columns", kernel_.out()));
	}

	void launch_after(het_event *gate, uint8_t *p, event_handle &e)
	{
		const het_pattern pattern = {sizeof pattern, 0, 1, 1, pieces, row};
		const het_arg args[] = {range_arg(p, part, HET_READ_WRITE, pattern)};
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

} // namespace

TEST(ends_in_one_chunk, .traps = trap::best, .devices = device::host2 | device::host3 | device::mixed)
{
	skip_under_tsan("touches order kernels on the host with copies, which the sanitizer does not know");
	runtime_fixture fx(t, 0, "HET_POLICY=static");
	columns kernel(fx);
	uint64_t shared = 0; // not all need be: one device may come to be known as much the faster
	for (uint64_t round = 0; round < t.rounds(100, 2000); round++) {
		block b(kind::map, 2 * part);
		memset(b.data(), 0, b.size());
		event_handle gate, first, second, joins;
		HET_OK(het_user_event_create(gate.out()));
		kernel.launch_after(gate, b.data(), first);
		kernel.launch_after(gate, b.data() + part, second);
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
