// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches on several devices write where nothing tells: every device has the whole argument, and what it has written
// shows by comparison.
#include "harness/block.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <algorithm>
#include <gpuvm.h>

using namespace selftest;

namespace
{

constexpr uint32_t kinds = kind::heap | kind::mmapped | kind::memalign_line | kind::bss | kind::map | kind::slice;

// Steps of 7919, which is a prime, reach every byte as long as it does not divide the size.
size_t size_of(uint32_t kind, size_t most)
{
	size_t n = std::min(largest_of(kind), most);
	return n % 7919 ? n : n - 1;
}

struct arrays {
	explicit arrays(uint32_t kind, size_t most = 400009)
	    : from(kind, size_of(kind, most)), to(kind, size_of(kind, most)), model(to.size())
	{
		fill_pattern(from.data(), 0, from.size(), 1);
		fill_pattern(to.data(), 0, to.size(), 2);
		fill_pattern(model.data(), 0, model.size(), 2);
	}
	size_t size() const { return model.size(); }

	block from, to;
	std::vector<uint8_t> model;
};

work run_shared(runtime_fixture &fx, het_kernel *k, size_t n, std::initializer_list<het_arg> args)
{
	event_handle e;
	HET_OK(fx.launch(k, n, args, e.out(), {.flags = HET_SPLIT}));
	wait_for(e);
	work w = work_of(e, (n + 63) / 64 * 64); // makes whole groups
	check_work(w);
	return w;
}

work run_combine(runtime_fixture &fx, arrays &a, size_t n)
{
	work w = run_shared(fx, fx.combine, n,
			    {range_arg(a.from.data(), n, HET_READ_ONLY), range_arg(a.to.data(), n, HET_READ_WRITE)});
	for (size_t i = 0; i < n; i++)
		a.model[i] = uint8_t(3 * a.model[i] + a.from.data()[i]);
	return w;
}

work run_scatter(runtime_fixture &fx, arrays &a, uint32_t access)
{
	work w = run_shared(
		fx, fx.scatter, a.size(),
		{range_arg(a.from.data(), a.size(), HET_READ_ONLY), range_arg(a.to.data(), a.size(), access)});
	for (size_t i = 0; i < a.size(); i++)
		a.model[i * 7919 % a.size()] = a.from.data()[i];
	return w;
}

} // namespace

TEST(rows_of_bytes, .traps = trap::best | trap::sigsegv, .devices = device::runtime_several, .kinds = kinds)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	arrays a(t.v.kind);
	for (uint64_t round = 0; round < t.rounds(8, 200); round++) {
		size_t n = round ? 1 + t.random.below(a.size()) : a.size();
		work w = run_combine(fx, a, n);
		if (n == a.size() && n > 100000)
			CHECK(w.items.size() > 1 || has_large_device());
		size_t at = t.random.below(a.size());
		CHECK_EQ(a.to.data()[at], a.model[at]);
		a.to.data()[at] = a.model[at] = uint8_t(round);
	}
	CHECK_BYTES(a.to.data(), a.model.data(), a.size(), "written");
}

// Different devices write neighbours in every chunk.
TEST(scattered_bytes, .traps = trap::best, .devices = device::runtime_several, .kinds = kinds)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	arrays a(t.v.kind);
	for (uint64_t round = 0; round < t.rounds(4, 100); round++) {
		run_scatter(fx, a, round % 2 ? HET_READ_WRITE : HET_WRITE_ONLY);
		size_t at = t.random.below(a.size());
		CHECK_EQ(a.to.data()[at], a.model[at]);
		a.from.data()[at]++;
	}
	CHECK_BYTES(a.to.data(), a.model.data(), a.size(), "written");
}

// GPUs take launches of the other tests for themselves.
TEST(on_large_devices, .traps = trap::best, .devices = device::mixed | device::cuda2, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	if (!has_large_device())
		skip("no large device");
	arrays a(t.v.kind, 8000009);
	for (unsigned round = 0; round < 4; round++) {
		CHECK(run_combine(fx, a, a.size()).items.size() > 1);
		CHECK(run_scatter(fx, a, HET_WRITE_ONLY).items.size() > 1);
		a.from.data()[round * 1000000]++;
	}
	CHECK_BYTES(a.to.data(), a.model.data(), a.size(), "written");
}

// One argument has a pattern and one has none, and both lie in one array.
TEST(beside_an_argument_with_a_pattern, .traps = trap::best, .devices = device::host2 | device::mixed,
     .kinds = kind::mmapped | kind::slice)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	block b(t.v.kind, 500001);
	size_t half = b.size() / 2;
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 5);
	fill_pattern(model.data(), 0, b.size(), 5);
	for (uint64_t round = 0; round < t.rounds(6, 100); round++) {
		size_t from = round % 2 ? half : 0, to = half - from;
		run_shared(fx, fx.combine, half,
			   {range_arg(b.data() + from, half, HET_READ_WRITE),
			    range_arg(b.data() + to, half, HET_READ_WRITE, each_byte)});
		for (size_t i = 0; i < half; i++)
			model[to + i] = uint8_t(3 * model[to + i] + model[from + i]);
	}
	CHECK_BYTES(b.data(), model.data(), b.size(), "array");
}

// The host uses bytes beside those of the launch, in the same chunks, for itself.
TEST(neighbours_of_the_host, .traps = trap::best, .devices = device::host2 | device::mixed, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	arrays a(t.v.kind);
	size_t n = a.size() - 70000;
	for (uint64_t round = 0; round < t.rounds(6, 100); round++) {
		event_handle e;
		HET_OK(fx.launch(
			fx.combine, n,
			{range_arg(a.from.data(), n, HET_READ_ONLY), range_arg(a.to.data(), n, HET_READ_WRITE)},
			e.out(), {.flags = HET_SPLIT}));
		for (size_t i = n; i < a.size(); i += 100)
			a.to.data()[i] = a.model[i] = uint8_t(i + round);
		wait_for(e);
		for (size_t i = 0; i < n; i++)
			a.model[i] = uint8_t(3 * a.model[i] + a.from.data()[i]);
		CHECK_BYTES(a.to.data() + n, a.model.data() + n, a.size() - n, "the host's");
	}
	CHECK_BYTES(a.to.data(), a.model.data(), a.size(), "array");
}

// Stacks can't be watched, so all of them is an edge.
TEST(on_a_stack, .traps = trap::best, .devices = device::host2 | device::mixed)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	uint8_t from[100003], to[100003];
	std::vector<uint8_t> model(sizeof to);
	fill_pattern(from, 0, sizeof from, 1);
	fill_pattern(to, 0, sizeof to, 2);
	run_shared(fx, fx.scatter, sizeof to,
		   {range_arg(from, sizeof from, HET_READ_ONLY), range_arg(to, sizeof to, HET_WRITE_ONLY)});
	for (size_t i = 0; i < sizeof to; i++)
		model[i * 7919 % sizeof to] = from[i];
	CHECK_BYTES(to, model.data(), sizeof to, "written");
}

TEST(what_was_not_written_does_not_travel, .traps = trap::best, .devices = device::host2, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	const size_t size = 32 << 20, n = 128 << 10;
	block b(t.v.kind, size);
	fill_pattern(b.data(), 0, size, 1);
	uint8_t value = 1;
	unsigned long long before = 0, after = 0;
	for (unsigned round = 0; round < 3; round++) {
		CHECK_OK(gpuvm_stat(GPUVM_STAT_BYTES_TO_HOST, &before));
		run_shared(fx, fx.add, n, {range_arg(b.data(), size, HET_READ_WRITE), value_arg(value)});
		CHECK_OK(gpuvm_stat(GPUVM_STAT_BYTES_TO_HOST, &after));
		CHECK_LE(after - before, 4 * n); // both devices count, and what the round before has left there
	}
	std::vector<uint8_t> model(size);
	fill_pattern(model.data(), 0, size, 1);
	add_to_model(model, 0, n, 3);
	CHECK_BYTES(b.data(), model.data(), size, "array");
}

// Others do again all that a failed device has done, from what was there before.
TEST(others_do_all_that_a_failed_device_did, .traps = trap::best, .devices = device::cuda2,
     .kinds = kind::mmapped | kind::slice)
{
	runtime_fixture fx(t, 0, "HET_POLICY=dynamic");
	struct {
		const char *symbol;
		int after;
	} const failures[] = {{"cuLaunchKernel", 1},
			      {"cuMemcpyDtoDAsync_v2", 0},
			      {"cuMemcpyHtoDAsync_v2", 2},
			      {"cuMemcpyDtoHAsync_v2", 0},
			      {"work of cuLaunchKernel", 1}}; // the device is gone after that
	arrays a(t.v.kind);
	for (const auto &f : failures) {
		fail_cuda_call(f.symbol, cuda_launch_failed, f.after);
		run_combine(fx, a, a.size());
		CHECK_BYTES(a.to.data(), a.model.data(), a.size(), f.symbol);
	}
}
