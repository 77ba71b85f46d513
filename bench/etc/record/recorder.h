// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs a program's kernels in the PTX interpreter, and writes down what their warps do to its arrays.
#pragma once

#include "etc/trace.h"
#include "model/kernel_runner.h"

#include <map>
#include <unordered_map>

namespace etc::record
{

using model::array;

class recorder
{
      public:
	// Arrays begin at multiples of @page_bytes in the trace. Throws std::runtime_error if the kernels can't be
	// read.
	recorder(std::string program, std::initializer_list<const bench::kernel_text *> texts, uint32_t page_bytes);

	// The host's array, which outlives this, is the device's as well.
	template <typename T> array add(std::vector<T> &host) { return add(host.data(), host.size() * sizeof(T)); }

	// Throws std::runtime_error if the kernel is unknown, has other parameters, or fails.
	template <typename... A>
	void run(const std::string &kernel, het::ptx::simt::extent grid, het::ptx::simt::extent block,
		 const A &...values)
	{
		run(kernel, grid, block, model::kernel_runner::bytes_of(values...));
	}

	program_trace take() { return std::move(trace_); }

      private:
	struct place {
		uint64_t begin, end, at; // addresses of an array, and where it lies in the trace
	};
	// What an operation does.
	struct operation {
		bool loads = false, stores = false, meets = false; // a barrier
		uint32_t bytes = 0;                                // of a lane
		std::vector<uint32_t> uses, sets;                  // registers
	};
	struct warp_state {
		std::vector<warp_item> items;
		std::vector<uint32_t> loaded; // registers that nothing has used yet
		unsigned gap = 0;
	};

	array add(void *bytes, uint64_t n);
	void run(const std::string &kernel, het::ptx::simt::extent grid, het::ptx::simt::extent block,
		 const std::vector<std::vector<uint8_t>> &values);
	void step(const het::ptx::simt::step &s);
	const operation &look(const het::ptx::simt::step &s);
	void touch(warp_state &w, const operation &o, const het::ptx::simt::step &s);
	void put(warp_state &w, item::kind_t kind, std::vector<uint32_t> lines = {}, bool whole = false);
	void end_block();

	uint32_t page_bytes_;
	model::kernel_runner runner_;
	std::vector<place> places_;
	std::map<std::pair<const void *, uint32_t>, operation> known_; // by function and statement
	std::vector<warp_state> warps_;                                // of the block that runs
	uint64_t block_ = 0;
	program_trace trace_;
};

} // namespace etc::record
