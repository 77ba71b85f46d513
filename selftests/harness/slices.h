// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels, for all kinds of devices, of launches that run in slices.
#pragma once

#include "rounds.h"
#include "slices_kernels.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>

namespace selftest
{

using settings = std::vector<const char *>;

inline constexpr char slices_source[] = R"(
kernel void blur(global const uchar *from, global uchar *to)
{
	size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
	size_t above = y ? y - 1 : y, below = y + 1 < height ? y + 1 : y;
	to[y * width + x] = 5 * from[y * width + x] + (3 * from[above * width + x] ^ from[below * width + x]);
}
kernel void spread(global const uchar *from, global uchar *to)
{
	size_t i = get_global_id(0);
	to[3 * i + 1] = to[3 * i] + from[i];
}
kernel void look_up(global const uchar *from, constant uchar *table, global uchar *to)
{
	size_t i = get_global_id(0);
	to[i] = table[from[i]] + table[256 + i % 256];
}
kernel void histogram(global const uchar *from, volatile global uint *bins)
{
	atomic_inc(&bins[from[get_global_id(0)]]);
}
kernel void twice(global uchar *p, global uchar *same)
{
	size_t i = get_global_id(0);
	p[i] += 7;
	same[i] = 3 * same[i];
}
)";

inline void blur_rows(const uint8_t *from, uint8_t *to, size_t width, size_t height, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		size_t y = i / width, x = i % width, above = y ? y - 1 : y, below = y + 1 < height ? y + 1 : y;
		to[i] = uint8_t(5 * from[i] + (3 * from[above * width + x] ^ from[below * width + x]));
	}
}

inline void blur_on_host(const het_group *g, void *const *args)
{
	for (size_t y = g->first[1]; y < g->first[1] + g->items[1]; y++) {
		size_t i = y * g->global[0] + g->first[0];
		blur_rows(static_cast<const uint8_t *>(args[0]), static_cast<uint8_t *>(args[1]), g->global[0],
			  g->global[1], i, i + g->items[0]);
	}
}

template <class F> void for_items(const het_group *g, F f)
{
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		f(i);
}

inline void spread_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *to = static_cast<uint8_t *>(args[1]);
	for_items(g, [&](size_t i) { to[3 * i + 1] = uint8_t(to[3 * i] + from[i]); });
}

inline void look_up_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]), *table = static_cast<const uint8_t *>(args[1]);
	auto *to = static_cast<uint8_t *>(args[2]);
	for_items(g, [&](size_t i) { to[i] = uint8_t(table[from[i]] + table[256 + i % 256]); });
}

inline void histogram_on_host(const het_group *g, void *const *args)
{
	auto *from = static_cast<const uint8_t *>(args[0]);
	auto *bins = static_cast<unsigned *>(args[1]);
	for_items(g, [&](size_t i) { std::atomic_ref(bins[from[i]]).fetch_add(1); });
}

inline void twice_on_host(const het_group *g, void *const *args)
{
	auto *p = static_cast<uint8_t *>(args[0]), *same = static_cast<uint8_t *>(args[1]);
	for_items(g, [&](size_t i) {
		p[i] = uint8_t(p[i] + 7);
		same[i] = uint8_t(3 * same[i]);
	});
}

// A kernel of devices that run functions, which adds 1 to each byte. Its first group waits until open() is called.
class gated_kernel
{
      public:
	gated_kernel()
	{
		is_open.store(false);
		has_begun.store(false);
		const het_function add = {"add_gated", add_gated, 1};
		make_program(program_, nullptr, {&add, 1});
		HET_OK(het_kernel_create(program_, add.name, kernel_.out()));
	}
	operator het_kernel *() const { return kernel_; }
	void open() { is_open.store(true); }
	void wait_until_begun()
	{
		while (!has_begun.load())
			std::this_thread::yield();
	}

      private:
	static void add_gated(const het_group *g, void *const *args)
	{
		has_begun.store(true);
		while (!g->first[0] && !is_open.load())
			std::this_thread::yield();
		for_items(g, [&](size_t i) { static_cast<uint8_t *>(args[0])[i]++; });
	}

	static inline std::atomic<bool> is_open, has_begun;
	program_handle program_;
	kernel_handle kernel_;
};

class slices_fixture : public runtime_fixture
{
      public:
	slices_fixture(const context &t, settings s, const char *devices = nullptr)
	    : runtime_fixture(t, 0, std::move(s), devices)
	{
		const het_function functions[] = {{"blur", blur_on_host, 2},
						  {"spread", spread_on_host, 2},
						  {"look_up", look_up_on_host, 3},
						  {"histogram", histogram_on_host, 2},
						  {"twice", twice_on_host, 2}};
		const het_image image = {HET_IMAGE_PTX, 0, slices_kernels_ptx, sizeof slices_kernels_ptx - 1};
		het_program_args p = {};
		p.size = sizeof p;
		p.source = slices_source;
		p.functions = functions;
		p.nfunctions = std::size(functions);
		p.images = &image;
		p.nimages = 1;
		HET_OK(het_program_create(&p, own_.out()));
	}

	het_kernel *kernel(const char *name)
	{
		kernels_.push_back(std::make_unique<kernel_handle>());
		HET_OK(het_kernel_create(own_, name, kernels_.back()->out()));
		return *kernels_.back();
	}

	int launch_grid(het_kernel *k, std::array<size_t, 2> global, std::array<size_t, 2> local,
			std::vector<het_arg> args, het_event **event = nullptr, het_device *device = nullptr)
	{
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = k;
		l.device = device;
		l.dimensions = global[1] ? 2 : 1;
		std::copy(global.begin(), global.end(), l.global);
		std::copy(local.begin(), local.end(), l.local);
		l.arg_size = sizeof(het_arg);
		l.nargs = args.size();
		l.args = args.data();
		return het_launch(queue, &l, event);
	}
	int launch_line(het_kernel *k, size_t items, std::vector<het_arg> args, het_event **event = nullptr,
			het_device *device = nullptr)
	{
		return launch_grid(k, {items, 0}, {64, 0}, std::move(args), event, device);
	}

      private:
	program_handle own_;
	std::vector<std::unique_ptr<kernel_handle>> kernels_;
};

} // namespace selftest
