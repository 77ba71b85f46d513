// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// On the host the work of a group is that of its first thread.
#include "micro/transforms.h"

#include <complex>
#include <utility>
#include <vector>

namespace bench
{
extern const kernel_text transforms_kernels;
}

namespace micro
{

namespace
{

using number = std::complex<float>;

template <typename T> const T *from(arguments a, size_t i)
{
	return static_cast<const T *>(a[i].buffer);
}

template <typename T> T *to(arguments a, size_t i)
{
	return static_cast<T *>(a[i].buffer);
}

constexpr size_t group = 256;

void pass(arguments a, size_t i)
{
	const auto distance = uint32_t(a[2].integer);
	to<uint32_t>(a, 1)[i] = from<uint32_t>(a, 0)[i] + (i >= distance ? from<uint32_t>(a, 0)[i - distance] : 0);
}

// Returns the sum of a group's words, with @sum before them.
uint32_t scan(const uint32_t *words, uint32_t *into, uint32_t sum)
{
	for (uint32_t i = 0; i < words_of_scan_group; i++) {
		sum += words[i];
		if (into)
			into[i] = sum;
	}
	return sum;
}

void scan_a_group(arguments a, size_t g)
{
	const size_t first = g * words_of_scan_group;
	to<uint32_t>(a, 2)[g] = scan(from<uint32_t>(a, 0) + first, to<uint32_t>(a, 1) + first, 0);
}

void add_to_group(arguments a, size_t g)
{
	for (uint32_t i = 0; g > 0 && i < words_of_scan_group; i++)
		to<uint32_t>(a, 0)[g * words_of_scan_group + i] += from<uint32_t>(a, 1)[g - 1];
}

void sum_a_group(arguments a, size_t g)
{
	to<uint32_t>(a, 1)[g] = scan(from<uint32_t>(a, 0) + g * words_of_scan_group, nullptr, 0);
}

void scan_a_group_behind(arguments a, size_t g)
{
	const size_t first = g * words_of_scan_group;
	scan(from<uint32_t>(a, 0) + first, to<uint32_t>(a, 1) + first, g > 0 ? from<uint32_t>(a, 2)[g - 1] : 0);
}

// Does what one thread does of a pass over a transform.
template <uint32_t radix> void butterfly(const number *x, number *y, const number *roots, uint32_t done, uint32_t j)
{
	constexpr uint32_t part = length_of_transform / radix;
	const uint32_t k = j % done;
	number v[radix];
	for (uint32_t q = 0; q < radix; q++)
		v[q] = x[j + q * part] * roots[q * k * (part / done)];
	for (uint32_t q = 0; q < radix; q++) {
		number sum = 0;
		for (uint32_t r = 0; r < radix; r++)
			sum += v[r] * roots[q * r * part % length_of_transform];
		y[(j - k) * radix + k + q * done] = sum;
	}
}

template <uint32_t radix> void fourier_pass(arguments a, size_t i)
{
	constexpr size_t part = length_of_transform / radix;
	const size_t first = i / part * length_of_transform;
	butterfly<radix>(from<number>(a, 0) + first, to<number>(a, 1) + first, from<number>(a, 2),
			 uint32_t(a[3].integer), uint32_t(i % part));
}

void transform_of_group(arguments a, size_t g)
{
	const number *x = from<number>(a, 0) + g * length_of_transform;
	std::vector<number> before(x, x + length_of_transform), after(length_of_transform);
	for (uint32_t done = 1; done < length_of_transform; done *= 4) {
		for (uint32_t j = 0; j < length_of_transform / 4; j++)
			butterfly<4>(before.data(), after.data(), from<number>(a, 2), done, j);
		std::swap(before, after);
	}
	std::copy(before.begin(), before.end(), to<number>(a, 1) + g * length_of_transform);
}

template <void (*work)(arguments, size_t)> void each(arguments a, size_t first, size_t end)
{
	for (size_t t = first; t < end; t++)
		work(a, t);
}

template <void (*work)(arguments, size_t)> void of_groups(arguments a, size_t first, size_t end)
{
	for (size_t t = first; t < end; t++)
		if (t % group == 0)
			work(a, t / group);
}

template <void (*on_host)(arguments, size_t, size_t)> void traced(arguments a, size_t item, tracer &)
{
	on_host(a, item, item + 1);
}

template <void (*on_host)(arguments, size_t, size_t)> constexpr kernel made(const char *name)
{
	return {{name, bench::transforms_kernels, on_host}, traced<on_host>};
}

} // namespace

const kernel scan_pass = made<each<pass>>("scan_pass");
const kernel scan_groups = made<of_groups<scan_a_group>>("scan_groups");
const kernel add_before = made<of_groups<add_to_group>>("add_before");
const kernel sum_groups = made<of_groups<sum_a_group>>("sum_groups");
const kernel scan_behind = made<of_groups<scan_a_group_behind>>("scan_behind");
const kernel fourier_twos = made<each<fourier_pass<2>>>("fourier_twos");
const kernel fourier_fours = made<each<fourier_pass<4>>>("fourier_fours");
const kernel fourier_groups = made<of_groups<transform_of_group>>("fourier_groups");

} // namespace micro
