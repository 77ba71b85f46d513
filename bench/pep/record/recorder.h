// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs a kernel in the PTX interpreter, and writes down what the warps of its blocks do.
#pragma once

#include "model/inputs.h"
#include "model/kernel_runner.h"
#include "pep/trace.h"

#include <unordered_map>

namespace pep::record
{

using model::array;

class recorder
{
      public:
	// Throws std::runtime_error if the kernels can't be read.
	recorder(std::string program, std::initializer_list<const bench::kernel_text *> texts);

	// The host's array, which outlives this, is the device's as well.
	template <typename T> array add(std::vector<T> &host)
	{
		return runner_.attach(host.data(), host.size() * sizeof(T));
	}
	// The same in constant memory, whose addresses are relative to its begin.
	template <typename T> array add_constant(std::vector<T> &host)
	{
		return {add(host).address - runner_.program().constant_base()};
	}
	// Runs one launch, whose blocks are the trace. Throws std::runtime_error if the kernel is unknown, has other
	// parameters, or fails.
	template <typename... A>
	kernel_trace run(const std::string &kernel, het::ptx::simt::extent grid, het::ptx::simt::extent block,
			 const A &...values)
	{
		return run(kernel, grid, block, model::kernel_runner::bytes_of(values...));
	}

      private:
	kernel_trace run(const std::string &kernel, het::ptx::simt::extent grid, het::ptx::simt::extent block,
			 const std::vector<std::vector<uint8_t>> &values);
	void read_text(const het::ptx::simt::code &kernel);
	void step(const het::ptx::simt::step &s);
	void put_lines(const het::ptx::simt::step &s, block_trace &b, pep::step &made);
	void find_shared_lines();

	struct line_uses {
		uint32_t block;
		bool several = false, read = false, written = false;
	};

	model::kernel_runner runner_;
	kernel_trace trace_;
	uint32_t first_statement_ = 0;
	const het::ptx::simt::code *kernel_ = nullptr;
	std::vector<uint32_t> bytes_; // of a lane's access, by statement of the body
	std::vector<bool> atomic_;
	std::unordered_map<uint32_t, line_uses> lines_; // by line
	bool has_atomics_ = false;
};

} // namespace pep::record
