// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A launch that neither fits into what the library may use of a device's memory nor runs there as slices works on host
// memory in place, but for what has a copy on the device.
#include "harness/clock.h"
#include "harness/in_place.h"
#include "harness/process.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

using namespace selftest;

namespace
{

// So many launches have run in place since, none in slices, and their memory is given back.
void check_in_place(const het_memory_info &before, uint64_t launches)
{
	const het_memory_info now = memory_of(device_apart());
	CHECK_EQ(now.windows, 0);
	CHECK_EQ(now.slices, before.slices);
	CHECK_EQ(now.in_place - before.in_place, launches);
}

} // namespace

// Budgets of a tenth, a half and nine tenths of what the launches use. What lies at the ends of arrays that are not
// whole pages has a copy on the device.
TEST(what_is_looked_up, .traps = trap::best | trap::sigsegv, .devices = gpu,
     .kinds = kind::mmapped | kind::library | kind::heap, .seconds = 60)
{
	in_place_fixture fx(t, settings{small});
	const size_t n = 96 << 10;
	model_array where(kind::mmapped, 4 * n), table(t.v.kind, n, 2), to(t.v.kind, n, 3), bins(kind::library, n, 4);
	put_places(where, n, t.random);
	uint64_t accesses = ~uint64_t{0};
	for (unsigned part : {10, 50, 90}) {
		HET_OK(het_device_set_budget(fx.device, 6 * n / 100 * part));
		const het_memory_info before = memory_of(fx.device);
		event_handle e;
		HET_OK(fx.launch_there(fx.gather, n,
				       {where.all(HET_READ_ONLY), table.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)},
				       e.out()));
		model_gather(where, table, to);
		HET_OK(het_finish(fx.queue));
		to.check("what was looked up");
		check_in_place(before, 1);
		const het_memory_info now = memory_of(fx.device);
		const uint64_t more = now.accesses_in_place - before.accesses_in_place;
		CHECK(more > 0 && more < accesses);
		const het_memory_use u = memory_use_of(e);
		CHECK_EQ(u.way, HET_MEMORY_IN_PLACE);
		CHECK_EQ(u.memory_class, HET_CLASS_IRREGULAR);
		CHECK_EQ(u.whole, 3);
		CHECK_EQ(u.slices, 1);
		CHECK_EQ(u.accesses_in_place, more);
		CHECK_EQ(u.sent, now.sent - before.sent);
		CHECK_EQ(u.brought, now.brought - before.brought);
		accesses = more;
		HET_OK(het_device_set_budget(fx.device, 5 * n / 100 * part));
		for (unsigned i = 0; i < 2; i++) {
			HET_OK(fx.launch_there(fx.count, n, {where.all(HET_READ_ONLY), bins.all(HET_READ_WRITE)}));
			model_count(where, bins);
		}
		HET_OK(het_finish(fx.queue));
		bins.check("what was counted");
		check_in_place(before, 3);
	}
	where.check("what was read");
	table.check("what was looked up in");
}

// What is written at places that nobody knows, and what is read and written; and the same bytes by two arguments, or by
// two whose bytes overlap.
TEST(what_is_written, .traps = trap::best, .devices = gpu, .kinds = kind::mmapped | kind::heap)
{
	in_place_fixture fx(t, settings{small});
	const size_t n = (100 << 10) + 10;
	model_array one(t.v.kind, n), other(t.v.kind, n, 2);
	const het_memory_info before = memory_of(fx.device);
	for (unsigned i = 0; i < 2; i++) {
		fx.scatter_bytes(one, other);
		fx.combine_bytes(other, one);
	}
	HET_OK(het_finish(fx.queue));
	one.check("what was read and written");
	other.check("what was scattered");
	fx.combine_bytes(one, one);
	const size_t half = n / 2;
	HET_OK(fx.launch_there(fx.copy, half / 2,
			       {one.part(0, half, HET_READ_ONLY), one.part(half - 100, half, HET_WRITE_ONLY)}));
	std::copy_n(one.model.begin(), half / 2, one.model.begin() + ptrdiff_t(half - 100));
	HET_OK(het_finish(fx.queue));
	one.check(half - 100, half / 2, "what was copied");
	one.check(0, half - 100, "what was not");
	check_in_place(before, 6);
}

// What an argument covers is written whole where it says so; the rest of an array is left alone.
TEST(parts_of_arrays, .traps = trap::best, .devices = gpu, .kinds = kind::mmapped)
{
	in_place_fixture fx(t, settings{small});
	const size_t n = 300 << 10, part = 90 << 10, off = 16 * 1001;
	model_array from(t.v.kind, n), to(t.v.kind, n, 2);
	// They are arrays as a whole.
	HET_OK(fx.launch_there(fx.copy, n, {from.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)}));
	to.model = from.model;
	for (unsigned i = 1; i < 4; i++) {
		HET_OK(fx.launch_there(fx.scatter, part,
				       {from.part(off, part, HET_READ_ONLY), to.part(i * off, part, HET_WRITE_ONLY)}));
		for (size_t k = 0; k < part; k++)
			to.model[i * off + k * 7919 % part] = from.model[off + k];
	}
	HET_OK(het_finish(fx.queue));
	to.check("what was written in part");
	from.check("what was read in part");
	check_in_place({}, 4);
}

// A touch of what a launch writes waits for its end, and later launches see what the host writes.
TEST(the_host_touches, .traps = trap::best | trap::sigsegv, .devices = gpu)
{
	in_place_fixture fx(t, settings{small});
	const size_t n = 128 << 10;
	model_array from(kind::library, n), to(kind::library, n, 2);
	for (unsigned i = 0; i < 4; i++) {
		const uint64_t sent = memory_of(fx.device).sent;
		event_handle e;
		fx.combine_bytes(from, to, e.out());
		while (memory_of(fx.device).sent == sent && status_of(e) > HET_COMPLETE)
			;
		to.check((n / 4) * i, n / 4, "touched meanwhile");
		HET_OK(het_finish(fx.queue));
		for (unsigned k = 0; k < 50; k++) {
			model_array &a = k % 2 ? from : to;
			const size_t at = t.random.below(n);
			a.b.data()[at] = a.model[at] = uint8_t(k + i);
		}
	}
	HET_OK(het_finish(fx.queue));
	to.check("in the end");
	from.check("what was read");
	check_in_place({}, 4);
}

// Launches in place, in slices and whole, here and on the host, see each other's bytes, and so does the host.
TEST(launches_of_all_kinds, .traps = trap::best | trap::sigsegv, .devices = gpu | gpu_and_host, .seconds = 60)
{
	in_place_fixture fx(t, settings{small});
	const size_t n = (60 << 10) + 10;
	std::vector<std::unique_ptr<model_array>> all;
	for (uint32_t k : {kind::mmapped, kind::heap, kind::map, kind::library})
		all.push_back(std::make_unique<model_array>(k, n, k));
	fx.combine_bytes(*all[0], *all[1]);
	const unsigned rounds = t.rounds(40, 2000);
	for (unsigned i = 0; i < rounds; i++) {
		model_array &a = *all[t.random.below(all.size())], &b = *all[t.random.below(all.size())];
		if (t.random.one_in(4))
			HET_OK(het_device_set_budget(fx.device, (48 << 10) + t.random.below(160 << 10)));
		switch (t.random.below(5)) {
		case 0:
			fx.combine_bytes(a, b);
			break;
		case 1:
			launch_add(fx, a, 0, n, uint8_t(i), nullptr, {});
			break;
		case 2: {
			HET_OK(het_finish(fx.queue));
			const size_t off = t.random.below(n);
			a.check(off, std::min<size_t>(5000, n - off), "between launches");
			a.b.data()[off] = a.model[off] = uint8_t(i);
			break;
		}
		case 3:
			HET_OK(fx.launch(fx.copy, n,
					 {range_arg(a.b.data(), n, HET_READ_ONLY, each_byte),
					  range_arg(b.b.data(), n, HET_WRITE_ONLY, each_byte)}));
			b.model = a.model;
			break;
		default:
			if (&a != &b)
				fx.scatter_bytes(a, b);
		}
	}
	HET_OK(het_finish(fx.queue));
	for (auto &a : all)
		a->check("in the end");
	CHECK(memory_of(fx.device).in_place > 0);
}

// A launch leaves on the device what the next one with the same arguments would fetch again: that fetches what has been
// written since, by chunks, and nothing else. Others get the memory as soon as they need it.
TEST(what_stays_for_the_next_launch, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{"HET_DEVICE_MEMORY=208K"});
	const size_t n = 32 << 10, chunk = 64 << 10;
	model_array where(kind::library, 4 * n), table(kind::library, 8 * n, 2), to(kind::library, n, 3);
	for (size_t i = 0; i < n; i++) { // none of its granules is better than others
		const auto place = uint32_t(8 * i);
		memcpy(&where.model[4 * i], &place, 4);
	}
	memcpy(where.b.data(), where.model.data(), where.size());
	auto sent_by_launch = [&] {
		const uint64_t before = memory_of(fx.device).sent;
		HET_OK(fx.launch_there(fx.gather, n,
				       {where.all(HET_READ_ONLY), table.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)}));
		model_gather(where, table, to);
		HET_OK(het_finish(fx.queue));
		to.check("what was looked up");
		return memory_of(fx.device).sent - before;
	};
	CHECK(sent_by_launch() > chunk);
	CHECK_EQ(sent_by_launch(), 0);
	CHECK(memory_of(fx.device).kept > 0 && memory_of(fx.device).reused > chunk);
	where.b.data()[0] = where.model[0] = uint8_t(where.model[0] + 1);
	const uint64_t again = sent_by_launch();
	CHECK(again > 0 && again <= chunk);
	CHECK_EQ(sent_by_launch(), 0);
	model_array other(kind::library, 150 << 10, 4);
	launch_add(fx, other, 0, other.size(), 1, nullptr, {.device = fx.device});
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(memory_of(fx.device).kept, 0);
	CHECK(sent_by_launch() > chunk);
	other.check("what was added to meanwhile");
	check_in_place({}, 5);
}

// The same launch time and again, between all that may change what it has left on the device: the host, another device
// that has all of an array, slices of one, and accesses in place there.
TEST(what_changes_between_launches, .traps = trap::best | trap::sigsegv, .devices = gpu, .seconds = 60)
{
	in_place_fixture fx(t, settings{small, "FAKE_CUDA_DEVICES=2"}, "HET_DEVICES=cuda");
	if (all_devices().size() < 2)
		skip("one device alone");
	het_device *const other = all_devices()[1];
	const size_t n = 48 << 10;
	model_array where(kind::library, 4 * n), table(kind::mmapped, n, 2), to(kind::mmapped, n, 3),
		from(kind::mmapped, n, 4);
	put_places(where, n, t.random);
	const unsigned rounds = t.rounds(30, 1500);
	for (unsigned i = 0; i < rounds; i++) {
		const size_t at = t.random.below(n);
		switch (t.random.below(5)) {
		case 0:
			HET_OK(het_finish(fx.queue));
			table.b.data()[at] = table.model[at] = uint8_t(i);
			break;
		case 1:
			launch_add(fx, table, 0, n, uint8_t(i), nullptr, {.device = other});
			break;
		case 2:
			HET_OK(fx.launch(fx.copy, n,
					 {range_arg(from.b.data(), n, HET_READ_ONLY, each_byte),
					  range_arg(table.b.data(), n, HET_WRITE_ONLY, each_byte)},
					 nullptr, {.device = other}));
			table.model = from.model;
			break;
		case 3:
			HET_OK(fx.launch(fx.scatter, n, {from.all(HET_READ_ONLY), table.all(HET_WRITE_ONLY)}, nullptr,
					 {.device = other}));
			for (size_t k = 0; k < n; k++)
				table.model[k * 7919 % n] = from.model[k];
			break;
		default:
			break;
		}
		HET_OK(fx.launch_there(fx.gather, n,
				       {where.all(HET_READ_ONLY), table.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)}));
		model_gather(where, table, to);
		from.model[at] = uint8_t(i + 7);
		HET_OK(het_finish(fx.queue));
		from.b.data()[at] = from.model[at];
		to.check("what was looked up");
	}
	check_in_place({}, rounds);
	CHECK(memory_of(other).slices > 0 && memory_of(other).in_place > 0);
}

// A launch copies to the device what its patterns say. One after it with the same arguments, whose patterns say more,
// finds there no more than that. (The first granule of malloc()'s memory must be there.)
TEST(other_patterns_of_the_same_arguments, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{small});
	constexpr size_t skipped = 128;
	const size_t n = 64 << 10, items = n - skipped;
	model_array where(kind::mmapped, 4 * items), table(kind::heap, n, 2), to(kind::mmapped, items, 3);
	for (const size_t first : {skipped, size_t{0}}) {
		for (size_t i = 0; i < items; i++) {
			const auto place = uint32_t(first + i);
			memcpy(&where.model[4 * i], &place, 4);
		}
		memcpy(where.b.data(), where.model.data(), where.size());
		// Both end where the table does.
		const het_pattern used = {sizeof used, int64_t(first), 1, 1 + skipped - first, 1, 0};
		HET_OK(fx.launch_there(fx.gather, items,
				       {where.all(HET_READ_ONLY), range_arg(table.b.data(), n, HET_READ_ONLY, used),
					to.all(HET_WRITE_ONLY)}));
		model_gather(where, table, to);
		HET_OK(het_finish(fx.queue));
		to.check("what was looked up");
	}
	check_in_place({}, 2);
}

// Each thread has launches that need all of the budget.
TEST(queues_in_place, .traps = trap::best, .devices = gpu, .seconds = 60)
{
	in_place_fixture fx(t, settings{small});
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < 3; i++) {
		threads.emplace_back([&, i] {
			const size_t n = i ? 70 << 10 : 20 << 10; // those of one queue fit
			model_array from(kind::mmapped, n, i), to(kind::heap, n, i + 7);
			queue_handle q;
			HET_OK(het_queue_create(nullptr, q.out()));
			for (unsigned round = 0; round < 4; round++) {
				HET_OK(fx.launch(fx.combine, n, {from.all(HET_READ_ONLY), to.all(HET_READ_WRITE)},
						 nullptr, {.queue = q, .device = fx.device}));
				for (size_t k = 0; k < n; k++)
					to.model[k] = uint8_t(3 * to.model[k] + from.model[k]);
			}
			HET_OK(het_finish(q));
			to.check("in a thread");
		});
	}
	for (auto &thread : threads)
		thread.join();
	check_in_place({}, 2 * 4);
}

// An array at an odd place is of no use where it is to a kernel whose accesses take several bytes, as they fail there.
TEST(odd_arrays, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{small});
	const size_t n = 32 << 10;
	model_array where(kind::mmapped, 4 * n + 2), table(kind::heap, n, 2), to(kind::heap, n, 3);
	std::vector<uint8_t> looked_up(n);
	for (size_t i = 0; i < n; i++) {
		const auto place = uint32_t(t.random.below(n));
		memcpy(&where.b.data()[4 * i + 2], &place, 4);
		looked_up[i] = table.model[place];
	}
	auto launch_gather = [&](het_event **e) {
		return fx.launch_there(fx.gather, n,
				       {range_arg(where.b.data() + 2, 4 * n, HET_READ_ONLY), table.all(HET_READ_ONLY),
					to.all(HET_WRITE_ONLY)},
				       e);
	};
	event_handle e;
	HET_OK(launch_gather(e.out()));
	het_event *events[] = {e};
	CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
	CHECK_EQ(status_of(e), HET_EDEVICE);
	to.check("what did not run");
	HET_OK(het_device_set_budget(fx.device, 150 << 10));
	HET_OK(launch_gather(nullptr));
	to.model = looked_up;
	HET_OK(het_finish(fx.queue));
	to.check("what was looked up in an odd array");
	check_in_place({}, 1);
}

// What copies asynchronously has no type that would tell how many bytes it takes.
TEST(odd_arrays_of_asynchronous_copies, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{small});
	program_of_text program(std::string(".version 7.0\n.target sm_80\n.address_size 64\n") +
				".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n)\n{\n"
				".reg .b64 %a;\n.shared .align 16 .b8 s[16];\nld.param.u64 %a, [a];\n"
				"cp.async.cg.shared.global [s], [%a], 16;\ncp.async.wait_all;\nret;\n}\n");
	kernel_handle k;
	program.kernel("k", k);
	const size_t n = 100 << 10;
	model_array from(kind::mmapped, n + 4), to(kind::mmapped, n, 2);
	event_handle e;
	HET_OK(fx.launch_there(k, 1, {range_arg(from.b.data() + 4, n, HET_READ_ONLY), to.all(HET_READ_WRITE)},
			       e.out()));
	het_event *events[] = {e};
	CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
	CHECK_EQ(status_of(e), HET_EDEVICE);
	to.check("what did not run");
}

// More work-items than have numbers of 32 bits have no rows, so what is said of a row's bytes is of no use.
TEST(launches_without_rows, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{small});
	// It has numbers of work-items, as it has the variable, but does not look at them.
	program_of_text program(std::string(beginning) + ".visible .const .align 8 .b8 het_launch[32];\n" + R"(
.visible .entry move(.param .u64 from, .param .u64 to, .param .u64 n)
{
	.reg .b16 %v;
)" + number_of_item + R"(	ld.param.u64 %a3, [from];
	add.u64 %a3, %a3, %a1;
	ld.global.u8 %v, [%a3];
	ld.param.u64 %a4, [to];
	add.u64 %a4, %a4, %a1;
	st.global.u8 [%a4], %v;
	ret;
}
)");
	kernel_handle move;
	program.kernel("move", move);
	const uint64_t n = 100 << 10;
	model_array from(kind::heap, n), to(kind::heap, n, 2);
	const het_arg args[] = {range_arg(from.b.data(), n, HET_READ_ONLY, each_byte),
				range_arg(to.b.data(), n, HET_WRITE_ONLY, each_byte), value_arg(n)};
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = move;
	l.dimensions = 1;
	l.global[0] = (n + 63) / 64 * 64;
	l.local[0] = 64;
	l.offset[0] = size_t{UINT32_MAX} - 63;
	l.arg_size = sizeof(het_arg);
	l.nargs = std::size(args);
	l.args = args;
	l.device = fx.device;
	HET_OK(het_launch(fx.queue, &l, nullptr));
	HET_OK(het_finish(fx.queue));
	to.model = from.model;
	to.check("what was copied");
	check_in_place({}, 1);
}

// Who submits does not wait for what is before the launch on its lane.
TEST(tables_are_pinned, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{small});
	const fake_cuda_state &driver = fake_cuda_driver();
	model_array from(kind::library, 100 << 10), to(kind::library, 100 << 10, 2);
	fx.combine_bytes(from, to);
	HET_OK(het_finish(fx.queue));
	check_in_place({}, 1);
	CHECK_EQ(driver.pageable_copies.load(), 0);
}

// A call fails. Each byte is as it was, or as it should be, and nothing of the memory is lost.
TEST(calls_fail_in_turn, .traps = trap::best, .devices = gpu, .seconds = 60)
{
	in_place_fixture fx(t, settings{small});
	fake_cuda_state &driver = fake_cuda_driver();
	const size_t n = 64 << 10;
	unsigned failed = 0, worked = 0;
	for (const char *symbol : {"cuMemAlloc_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuLaunchKernel",
				   "cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2"}) {
		for (int after : {0, 1, 5}) {
			model_array from(kind::mmapped, n), to(kind::mmapped, n, 2);
			const std::vector<uint8_t> old = to.model;
			fail_cuda_call(symbol, cuda_out_of_memory, after);
			event_handle e;
			HET_OK(fx.launch_there(fx.scatter, n, {from.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)},
					       e.out()));
			for (size_t i = 0; i < n; i++)
				to.model[i * 7919 % n] = from.model[i];
			het_event *events[] = {e};
			const int err = het_event_wait(1, events);
			driver.fail_symbol = nullptr;
			(err ? failed : worked)++;
			for (size_t i = 0; i < n; i++) {
				const uint8_t byte = to.b.data()[i];
				if (byte != to.model[i] && (!err || byte != old[i]))
					FAIL("%s, %d: byte %zu is %u", symbol, after, i, byte);
			}
			from.check("what was read");
			CHECK_EQ(memory_of(fx.device).windows, 0);
		}
	}
	CHECK(failed > 4 && worked > 4);
}

// The kernel fails, and the device with it.
TEST(the_device_dies, .traps = trap::best, .devices = gpu)
{
	in_place_fixture fx(t, settings{small}, "HET_DEVICES=cuda,apart");
	fake_cuda_driver();
	const size_t n = 100 << 10;
	model_array from(kind::mmapped, n), to(kind::heap, n, 2);
	const std::vector<uint8_t> old = to.model;
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed, 0);
	event_handle e;
	fx.combine_bytes(from, to, e.out());
	het_event *events[] = {e};
	CHECK_EQ(het_event_wait(1, events), HET_EWAIT);
	CHECK_EQ(status_of(e), HET_EDEVICE);
	from.check("what was read");
	for (size_t i = 0; i < n; i++)
		CHECK(to.b.data()[i] == old[i] || to.b.data()[i] == to.model[i]);
}

namespace
{

// What a launch says of itself whose kernel can't work in place.
std::string refusal_of(context &t, const char *name)
{
	return stderr_of_case(t, (std::string(name) + ".best.cuda.none").c_str());
}

// Launches the kernel `k`, which takes two arrays.
void launch_refused(context &t, const std::string &body, const char *variables = "")
{
	runtime_fixture fx(t, 0, settings{small});
	fake_cuda_driver(); // knows the PTX of newer devices, too
	program_of_text program(std::string(beginning) + variables +
				".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n)\n{\n"
				".reg .b32 %r<9>;\n.reg .b64 %a<9>;\nld.param.u64 %a1, [a];\n" +
				body + "ret;\n}\n");
	kernel_handle k;
	program.kernel("k", k);
	const size_t n = 100 << 10;
	model_array a(kind::mmapped, n), b(kind::mmapped, n, 2);
	HET_ERR(fx.launch(k, n, {a.all(HET_READ_ONLY), b.all(HET_READ_WRITE)}, nullptr, {.device = device_apart()}),
		HET_EDEVICE);
	b.check("what did not run");
}

} // namespace

TEST(programs_with_variables, .traps = trap::best, .devices = gpu)
{
	launch_refused(t, "", ".global .u32 g;\n");
}

TEST(kernels_with_wide_vectors, .traps = trap::best, .devices = gpu)
{
	launch_refused(t, "ld.global.v4.u64 {%a2, %a3, %a4, %a5}, [%a1];\n");
}

TEST(kernels_that_are_not_followed, .traps = trap::best, .devices = gpu)
{
	launch_refused(t, "discard.global.L2 [%a1], 128;\n");
}

TEST(what_can_not_be_is_said, .traps = trap::best, .devices = gpu)
{
	fake_cuda_driver();
	struct {
		const char *name, *words;
	} const all[] = {
		{"programs_with_variables", "has variables"},
		{"kernels_with_wide_vectors", "vectors of 32 bytes"},
		{"kernels_that_are_not_followed", "writes memory in a way that is not followed"},
		{"odd_arrays", "granules of 4096 bytes where they are, as they are not registered with it, or odd"}};
	for (auto [name, words] : all) {
		const std::string said = refusal_of(t, name);
		for (const char *wanted : {words, "raise HET_DEVICE_MEMORY"}) {
			if (said.find(wanted) == std::string::npos)
				FAIL("no '%s' in: %s", wanted, said.c_str());
		}
	}
}
