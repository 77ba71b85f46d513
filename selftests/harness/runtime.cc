// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "runtime.h"

#include "base/cuda_driver.h"
#include "clock.h"
#include "fake/fake_cuda.h"
#include "runtime_kernels.h"

#include <algorithm>
#include <string>

namespace selftest
{

namespace
{

const char runtime_source[] = R"(
kernel void add(global uchar *p, uchar value, ulong n)
{
	size_t i = get_global_id(0);
	if (i < n)
		p[i] += value;
}
kernel void combine(global const uchar *from, global uchar *to, ulong n)
{
	size_t i = get_global_id(0);
	if (i < n)
		to[i] = 3 * to[i] + from[i];
}
kernel void copy(global const uchar *from, global uchar *to, ulong n)
{
	size_t i = get_global_id(0);
	if (i < n)
		to[i] = from[i];
}
kernel void scatter(global const uchar *from, global uchar *to, ulong n)
{
	size_t i = get_global_id(0);
	if (i < n)
		to[i * 7919 % n] = from[i];
}
kernel void slow(global uchar *p, uchar value, ulong n)
{
	size_t i = get_global_id(0);
	uint x = value;
	for (uint k = 0; i == 0 && k < 5000000; k++)
		x = x * 1664525 + 1013904223;
	if (i < n)
		p[i] += x == 0x12345678 ? 0 : value;
}
)";

// All launches have groups of this size: PoCL compiles a kernel anew for each.
constexpr size_t runtime_group = 64;

template <class F> void for_items(const het_group *g, const void *n, F f)
{
	size_t end = std::min<size_t>(g->first[0] + g->items[0], *static_cast<const uint64_t *>(n));
	for (size_t i = g->first[0]; i < end; i++)
		f(i);
}

void add_on_host(const het_group *g, void *const *args)
{
	auto *p = static_cast<uint8_t *>(args[0]);
	uint8_t value = *static_cast<uint8_t *>(args[1]);
	for_items(g, args[2], [&](size_t i) { p[i] = uint8_t(p[i] + value); });
}

void combine_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	for_items(g, args[2], [&](size_t i) { to[i] = uint8_t(3 * to[i] + from[i]); });
}

void copy_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	for_items(g, args[2], [&](size_t i) { to[i] = from[i]; });
}

void scatter_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	for_items(g, args[2], [&](size_t i) { to[i * 7919 % *static_cast<const uint64_t *>(args[2])] = from[i]; });
}

void slow_on_host(const het_group *g, void *const *args)
{
	if (!g->first[0])
		sleep_ms(5);
	add_on_host(g, args);
}

const char *devices_of(const variant &v)
{
	switch (v.device) {
	case device::none:
		return "HET_DEVICES=host";
	case device::host:
		return "HET_DEVICES=apart";
	case device::host2:
		return "HET_DEVICES=apart,apart";
	case device::host3:
		return "HET_DEVICES=host,apart,apart";
	case device::mixed:
		return "HET_DEVICES=opencl,host,apart";
	case device::cuda:
		return "HET_DEVICES=cuda";
	case device::cuda2:
		return "HET_DEVICES=cuda,apart";
	default:
		return "HET_DEVICES=opencl";
	}
}

std::string trap_of(const variant &v)
{
	bool chosen = v.trap != trap::none && v.trap != trap::best;
	return std::string("GPUVM_TRAP=") + (chosen ? name_of(trap_values(), v.trap) : "");
}

} // namespace

het_arg range_arg(const void *p, size_t n, uint32_t access)
{
	return {.kind = HET_ARG_RANGE,
		.access = access,
		.nbytes = n,
		.pointer = const_cast<void *>(p),
		.memory = nullptr,
		.pattern = nullptr};
}

het_arg range_arg(const void *p, size_t n, uint32_t access, const het_pattern &pattern)
{
	het_arg a = range_arg(p, n, access);
	a.pattern = &pattern;
	return a;
}

het_arg memory_arg(het_memory *m, uint32_t access)
{
	return {.kind = HET_ARG_MEMORY,
		.access = access,
		.nbytes = 0,
		.pointer = nullptr,
		.memory = m,
		.pattern = nullptr};
}

het_arg local_arg(size_t n)
{
	return {.kind = HET_ARG_LOCAL,
		.access = 0,
		.nbytes = n,
		.pointer = nullptr,
		.memory = nullptr,
		.pattern = nullptr};
}

void add_to_model(std::vector<uint8_t> &model, size_t off, size_t n, uint8_t value)
{
	for (size_t i = off; i < off + n; i++)
		model[i] = uint8_t(model[i] + value);
}

void wait_for(het_event *e)
{
	HET_OK(het_event_wait(1, &e));
}

het_preemption preemption_of(het_event *e)
{
	het_preemption p = {};
	p.size = sizeof p;
	HET_OK(het_event_preemption(e, &p));
	return p;
}

het_memory_use memory_use_of(het_event *e)
{
	het_memory_use u = {};
	u.size = sizeof u;
	HET_OK(het_event_memory(e, &u));
	return u;
}

int status_of(het_event *e)
{
	int status;
	HET_OK(het_event_status(e, &status));
	return status;
}

fake_cuda_state &fake_cuda_driver()
{
	auto *state = static_cast<fake_cuda_state *>(het::cuda_driver(het::cuda_calls::device).symbol("fake_cuda"));
	if (!state)
		skip("not the fake CUDA driver");
	return *state;
}

void fail_cuda_call(const char *symbol, int code, int after)
{
	fake_cuda_state &state = fake_cuda_driver();
	state.fail_after = after;
	state.fail_code = code;
	state.fail_symbol = symbol;
}

het_image runtime_kernels()
{
	return {.kind = HET_IMAGE_PTX,
		.flags = 0,
		.data = runtime_kernels_ptx,
		.nbytes = sizeof runtime_kernels_ptx - 1};
}

runtime_fixture::runtime_fixture(const context &t, uint32_t queue_flags, const char *setting, const char *devices)
    : runtime_fixture(t, queue_flags, std::vector{setting}, devices)
{
}

runtime_fixture::runtime_fixture(const context &t, uint32_t queue_flags, std::vector<const char *> settings,
				 const char *devices)
{
	std::string trap = trap_of(t.v);
	for (const char *more : {devices ? devices : devices_of(t.v), trap.c_str(), "HET_CACHE_SIZE=0"})
		settings.push_back(more);
	restart_with(t, settings);
	uint32_t count = 0;
	int err = het_devices(0, nullptr, &count);
	if (err == HET_EARG && (t.v.device & (device::opencl | device::mixed | device::with_cuda)))
		skip("no such device");
	HET_OK(err);
	if (count < 2 && (t.v.device & device::runtime_several))
		skip("one device alone");
	memory_handle probe;
	if (het_memory_create(1, probe.out()) == HET_EMEMORY)
		skip("this trap can't be had here");
	const het_function functions[] = {{"add", add_on_host, 3},
					  {"combine", combine_on_host, 3},
					  {"copy", copy_on_host, 3},
					  {"scatter", scatter_on_host, 3},
					  {"slow", slow_on_host, 3}};
	het_program_args p = {};
	p.size = sizeof p;
	p.source = runtime_source;
	p.functions = functions;
	p.nfunctions = std::size(functions);
	const het_image image = runtime_kernels();
	p.images = &image;
	p.nimages = 1;
	het_queue_args q = {};
	q.size = sizeof q;
	q.flags = queue_flags;
	HET_OK(het_queue_create(&q, queue.out()));
	HET_OK(het_program_create(&p, program.out()));
	HET_OK(het_kernel_create(program, "add", add.out()));
	HET_OK(het_kernel_create(program, "combine", combine.out()));
	HET_OK(het_kernel_create(program, "copy", copy.out()));
	HET_OK(het_kernel_create(program, "scatter", scatter.out()));
	HET_OK(het_kernel_create(program, "slow", slow.out()));
}

void make_program(program_handle &program, const char *source, std::span<const het_function> functions)
{
	het_program_args a = {};
	a.size = sizeof a;
	a.source = source;
	a.functions = functions.data();
	a.nfunctions = functions.size();
	HET_OK(het_program_create(&a, program.out()));
}

void make_program_of_ptx(program_handle &program, std::string_view ptx)
{
	const het_image image = {HET_IMAGE_PTX, 0, ptx.data(), ptx.size()};
	het_program_args a = {};
	a.size = sizeof a;
	a.images = &image;
	a.nimages = 1;
	HET_OK(het_program_create(&a, program.out()));
}

int runtime_fixture::launch(het_kernel *k, size_t items, std::initializer_list<het_arg> args, het_event **event,
			    options o)
{
	uint64_t n = items;
	std::vector<het_arg> all(args);
	all.push_back(value_arg(n));
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = k;
	l.dimensions = 1;
	l.global[0] = (items + runtime_group - 1) / runtime_group * runtime_group;
	l.local[0] = runtime_group;
	l.device = o.device;
	l.flags = o.flags;
	l.priority = o.priority;
	l.arg_size = sizeof(het_arg);
	l.nargs = all.size();
	l.args = all.data();
	l.nwaits = o.waits.size();
	l.waits = o.waits.data();
	return het_launch(o.queue ? o.queue : queue.get(), &l, event);
}

void runtime_fixture::run(het_kernel *k, size_t items, std::initializer_list<het_arg> args)
{
	event_handle e;
	HET_OK(launch(k, items, args, e.out()));
	het_event *events[] = {e};
	HET_OK(het_event_wait(1, events));
}

void runtime_fixture::run_add(void *p, size_t n, uint8_t value)
{
	run(add, n, {range_arg(p, n, HET_READ_WRITE), value_arg(value)});
}

std::vector<het_event_part_info> parts_of(het_event *e)
{
	uint32_t nparts = 0;
	HET_OK(het_event_parts(e, &nparts));
	std::vector<het_event_part_info> parts(nparts);
	for (uint32_t n = 0; n < nparts; n++) {
		parts[n].size = sizeof parts[n];
		HET_OK(het_event_part(e, n, &parts[n]));
	}
	return parts;
}

work work_of(het_event *e, size_t items)
{
	work w;
	w.times.resize(items);
	for (const het_event_part_info &i : parts_of(e)) {
		w.items[i.device] += i.count;
		for (uint64_t k = i.first; k < i.first + i.count; k++)
			w.times.at(k)++;
		CHECK_LE(i.started, i.ended);
	}
	return w;
}

bool has_large_device()
{
	het_device *all[8];
	uint32_t n = 0;
	HET_OK(het_devices(8, all, &n));
	for (uint32_t i = 0; i < std::min(n, 8u); i++) {
		het_device_info info = {};
		info.size = sizeof info;
		HET_OK(het_device_describe(all[i], &info));
		if (info.units > 16 && (info.kind == HET_DEVICE_OPENCL || info.kind == HET_DEVICE_CUDA))
			return true;
	}
	return false;
}

void check_work(const work &w)
{
	CHECK_EQ(*std::min_element(w.times.begin(), w.times.end()), 1);
	CHECK_EQ(*std::max_element(w.times.begin(), w.times.end()), 1);
}

std::vector<het_device *> all_devices()
{
	uint32_t n = 0;
	HET_OK(het_devices(0, nullptr, &n));
	std::vector<het_device *> all(n);
	HET_OK(het_devices(n, all.data(), &n));
	return all;
}

het_memory_info memory_of(het_device *d)
{
	het_memory_info info = {};
	info.size = sizeof info;
	HET_OK(het_device_memory(d, &info));
	return info;
}

het_device *device_apart()
{
	for (het_device *d : all_devices()) {
		if (memory_of(d).budget)
			return d;
	}
	FAIL("all devices are in place");
}

} // namespace selftest
