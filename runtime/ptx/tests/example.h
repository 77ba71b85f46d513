// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests of all passes go over these kernels of the corpora, which come with arguments and what must come out.
#pragma once

#include "simt/run.h"

#include <ostream>
#include <random>
#include <type_traits>

namespace het::ptx::simt
{

// Views the numbers of a caller's vector.
struct array_view {
	template <typename T> explicit array_view(const std::vector<T> &v) : array_view(v.data(), v.size()) {}
	template <typename T> array_view(const T *first, size_t count) : bytes(first), count(count)
	{
		constexpr enum type integers[] = {type::u8,   type::u16,  type::none, type::u32,
						  type::none, type::none, type::none, type::u64};
		if constexpr (std::is_floating_point_v<T>)
			element = sizeof(T) == 4 ? type::f32 : type::f64;
		else
			element = integers[sizeof(T) - 1];
		is_signed = std::is_signed_v<T>;
	}
	const void *bytes;
	size_t count;
	enum type element;
	bool is_signed;
};

class example
{
      public:
	struct argument {
		enum kind_t { value, buffer, local } kind;
		enum type element = type::none;
		bool is_signed = false;
		std::vector<uint8_t> bytes, want = {}; // want is empty if it is not known
		double tolerance = 0;
	};

	example(std::string file, std::string kernel, extent grid, extent block, uint32_t shared_bytes = 0);

	// These add the arguments in their order. A buffer that is only read must stay as it is.
	template <typename T> example &value(T v) { return add(argument::value, array_view(&v, 1)); }
	template <typename T> example &in(const std::vector<T> &v) { return inout(v, v); }
	// Adds a buffer of zeroes that must become @want, or that a test compares with another run.
	template <typename T> example &out(const std::vector<T> &want, double tolerance = 0)
	{
		return inout(std::vector<T>(want.size()), want, tolerance);
	}
	template <typename T> example &out(size_t n) { return inout(std::vector<T>(n)); }
	template <typename T> example &inout(const std::vector<T> &was)
	{
		return add(argument::buffer, array_view(was));
	}
	template <typename T>
	example &inout(const std::vector<T> &was, const std::vector<T> &want, double tolerance = 0)
	{
		return add(argument::buffer, array_view(was)).becomes(array_view(want), tolerance);
	}
	// Adds a pointer to dynamic shared memory, as OpenCL passes them.
	example &local();

	// Tells in which modes the results repeat: they may differ with the order in which lanes go, or warps, too.
	enum order_t { any_order, lockstep, no_order };
	example &repeats_in(order_t o);
	bool repeats(const options &mode) const;

	std::string file, kernel;
	extent grid, block;
	uint32_t shared_bytes;
	order_t order = any_order;
	std::vector<argument> arguments;

      private:
	example &add(argument::kind_t kind, const array_view &v);
	example &becomes(const array_view &want, double tolerance);
};

// Returns what differs first from what is wanted of an argument, or "" if nothing does.
std::string difference(const example::argument &a, const std::vector<uint8_t> &got);

// Returns numbers that look random, the same ones each time.
template <typename T> std::vector<T> numbers(size_t n, int64_t least, int64_t most, unsigned seed = 1)
{
	std::mt19937 random{unsigned(n) + 1000 * seed};
	std::vector<T> v(n);
	for (auto &x : v)
		x = T(int64_t(random() % uint64_t(most - least + 1)) + least);
	return v;
}

// Corpus A has the kernels of the project's own sources and texts, and corpus B those of the kinds that public suites
// have.
std::vector<example> corpus_a();
std::vector<example> corpus_b();
std::vector<example> all_examples();
// These are not of the corpora.
std::vector<example> applications();

// Messages of tests name an example this way.
inline std::ostream &operator<<(std::ostream &to, const example &e)
{
	return to << e.kernel << " of " << e.file;
}

} // namespace het::ptx::simt
