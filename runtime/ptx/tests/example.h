// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels of the corpora with arguments and what must come out: what the tests of all passes go over.
#pragma once

#include "device.h"

#include <cmath>
#include <random>
#include <span>

namespace het::ptx::simt
{

class example
{
      public:
	struct argument {
		std::vector<uint8_t> bytes;
		enum kind_t { value, buffer, local } kind;
		std::function<void(const uint8_t *)> check; // null: not known
	};

	example(std::string file, std::string kernel, extent grid, extent block, uint32_t shared_bytes = 0)
	    : file(std::move(file)), kernel(std::move(kernel)), grid(grid), block(block), shared_bytes(shared_bytes)
	{
	}

	// The arguments, in their order. A buffer that is read only must stay as it is.
	template <typename T> example &value(T v) { return add(std::span<const T>(&v, 1), argument::value); }
	template <typename T> example &in(const std::vector<T> &v) { return inout(v, v); }
	// A buffer of zeroes that must become @want, or that a test compares with another run.
	template <typename T> example &out(const std::vector<T> &want, double tolerance = 0)
	{
		return inout(std::vector<T>(want.size()), want, tolerance);
	}
	template <typename T> example &out(size_t n) { return inout(std::vector<T>(n)); }
	// A pointer to dynamic shared memory, as OpenCL passes them.
	example &local()
	{
		arguments.push_back({{}, argument::local, nullptr});
		return *this;
	}
	template <typename T> example &inout(const std::vector<T> &was)
	{
		return add(std::span<const T>(was), argument::buffer);
	}
	template <typename T>
	example &inout(const std::vector<T> &was, const std::vector<T> &want, double tolerance = 0)
	{
		inout(was);
		arguments.back().check = [want, tolerance](const uint8_t *bytes) {
			std::vector<T> got(want.size());
			memcpy(got.data(), bytes, got.size() * sizeof(T));
			for (size_t i = 0; i < want.size(); i++)
				ASSERT_TRUE(close(got[i], want[i], tolerance))
					<< i << ": " << +got[i] << " instead of " << +want[i];
		};
		return *this;
	}
	// Its results differ with the order in which lanes go, or warps, too.
	enum order_t { any_order, lockstep, no_order };
	example &repeats_in(order_t o)
	{
		order = o;
		return *this;
	}
	bool repeats(const options &mode) const
	{
		return order == any_order || (order == lockstep && !mode.independent);
	}

	std::string file, kernel;
	extent grid, block;
	uint32_t shared_bytes;
	order_t order = any_order;
	std::vector<argument> arguments;

      private:
	template <typename T> example &add(std::span<const T> v, argument::kind_t kind)
	{
		auto bytes = reinterpret_cast<const uint8_t *>(v.data());
		arguments.push_back({{bytes, bytes + v.size_bytes()}, kind, nullptr});
		return *this;
	}
	template <typename T> static bool close(T got, T want, double tolerance)
	{
		if (tolerance == 0)
			return got == want;
		double a = double(got), b = double(want);
		return std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
	}
};

// Numbers that look random, the same ones each time.
template <typename T> std::vector<T> numbers(size_t n, int64_t least, int64_t most, unsigned seed = 1)
{
	std::mt19937 random{unsigned(n) + 1000 * seed};
	std::vector<T> v(n);
	for (auto &x : v)
		x = T(int64_t(random() % uint64_t(most - least + 1)) + least);
	return v;
}

// An example with a text that need not be the corpus's own, ready to run.
class stage
{
      public:
	stage(const example &e, const std::string &text, const options &with);

	void add_argument(uint64_t value);
	outcome run() { return simt::run(dev.prog(), with_launch, dev.with); }
	void must_run();
	// The buffers are what the example says.
	void check() const;

	device dev;
	std::vector<std::vector<uint8_t>> buffers; // one an argument, empty for values
	launch with_launch;

      private:
	const example &e_;
	size_t arguments_ = 0;
};

// The kernels of the project's own sources and texts, and those of the kinds that public suites have.
std::vector<example> corpus_a();
std::vector<example> corpus_b();
std::vector<example> all_examples();

// For messages.
inline std::ostream &operator<<(std::ostream &to, const example &e)
{
	return to << e.kernel << " of " << e.file;
}

} // namespace het::ptx::simt
