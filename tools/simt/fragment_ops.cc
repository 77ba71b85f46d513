// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Executes wmma: a warp loads, multiplies and stores matrices. PTX leaves open which lane holds which element; here a
// lane holds some that follow each other, by rows, and all are held again where there are more places than elements.
#include "simt/decoder.h"
#include "simt/half.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

constexpr unsigned longest = 32;

struct element {
	uint32_t bits;
	bool defined;
};

// The elements lie by rows.
struct matrix {
	unsigned rows, columns;
	element at[longest * longest];

	unsigned size() const { return rows * columns; }
};

// Returns a matrix of the shape that a load or store is about.
matrix empty_matrix(const uop &u)
{
	return {u.fragment->rows, u.fragment->columns, {}};
}

// Every lane has a part of a row or column as it lies in memory; @f is called with its bytes, element by element.
template <typename F> bool for_elements(context &c, const uop &u, lanes m, access how, matrix &x, F f)
{
	const fragment_shape &shape = *u.fragment;
	unsigned bytes = bytes_of(shape.element), part = unsigned{u.element} * u.vector / bytes;
	for (unsigned lane = 0; lane < warp_size; lane++) {
		if (!(m >> lane & 1)) {
			c.fail(u, unsigned(std::countr_zero(m)), "lane " + std::to_string(lane) + " is not here");
			return false;
		}
		for (unsigned i = 0; i < part; i++) {
			unsigned n = lane * part + i, line = n / shape.line_elements(), at = n % shape.line_elements();
			auto p = c.locate(u, lane, u.space, address_at(u, c.at(u.a), lane) + i * bytes, bytes, how);
			if (!p.bytes)
				return false;
			f(p, bytes, shape.by_columns ? x.at[at * x.columns + line] : x.at[line * x.columns + at]);
		}
	}
	return true;
}

// Goes through the places of elements in registers: @f is called with the lane, the register, the bit where it begins,
// and its number.
template <typename F> void for_places(unsigned registers, unsigned bits, unsigned size, F f)
{
	unsigned each = 32 / bits;
	for (unsigned lane = 0; lane < warp_size; lane++)
		for (unsigned i = 0; i < registers * each; i++)
			f(lane, i / each, i % each * bits, (lane * registers * each + i) % size);
}

// @first is the first of the operation's registers.
void from_registers(context &c, const uop &u, unsigned first, unsigned registers, unsigned bits, matrix &x)
{
	for_places(registers, bits, x.size(), [&](unsigned lane, unsigned r, unsigned shift, unsigned n) {
		auto word = uint32_t(c.group_value(u, first + r)[lane]);
		x.at[n] = {bits == 16 ? word >> shift & 0xffff : word, (c.value_defined >> lane & 1) != 0};
	});
}

lanes to_registers(context &c, const uop &u, unsigned first, unsigned registers, unsigned bits, const matrix &x)
{
	lanes defined = all_lanes;
	for_places(registers, bits, x.size(), [&](unsigned lane, unsigned r, unsigned shift, unsigned n) {
		uint64_t &word = c.group_value(u, first + r)[lane];
		word = (shift ? word : 0) | uint64_t{x.at[n].bits} << shift;
		defined &= ~(lanes(!x.at[n].defined) << lane);
	});
	return defined;
}

void load(context &c, const uop &u, lanes m)
{
	matrix x = empty_matrix(u);
	bool all = for_elements(c, u, m, access::read, x, [](place_in_memory p, unsigned bytes, element &e) {
		memcpy(&e.bits, p.bytes, bytes);
		e.defined = !p.defined || std::all_of(p.defined, p.defined + bytes, [](uint8_t d) { return d; });
	});
	if (all)
		c.value_defined = to_registers(c, u, 0, u.mode, bits_of(u.fragment->element), x);
}

void store(context &c, const uop &u, lanes m)
{
	matrix x = empty_matrix(u);
	from_registers(c, u, 0, u.mode, bits_of(u.fragment->element), x);
	for_elements(c, u, m, access::write, x, [](place_in_memory p, unsigned bytes, const element &e) {
		memcpy(p.bytes, &e.bits, bytes);
		if (p.defined)
			memset(p.defined, e.defined, bytes);
	});
}

double value_of(uint32_t bits, bool is_half)
{
	return is_half ? to_double(half{uint16_t(bits)}) : std::bit_cast<float>(bits);
}

// Products of halves are exact in double precision; sums are rounded once.
void multiply(context &c, const uop &u, lanes)
{
	bool half_d = u.mode & product_gives_half, half_c = u.mode & product_adds_half;
	constexpr unsigned of_factor = 8, of_sum = 8, depth = 16;
	unsigned rows = u.vector, columns = u.element, of_d = half_d ? of_sum / 2 : of_sum,
		 of_c = half_c ? of_sum / 2 : of_sum;
	matrix a{rows, depth, {}}, b{depth, columns, {}}, x{rows, columns, {}};
	from_registers(c, u, of_d, of_factor, 16, a);
	from_registers(c, u, of_d + of_factor, of_factor, 16, b);
	from_registers(c, u, of_d + 2 * of_factor, of_c, half_c ? 16 : 32, x);
	bool defined = c.value_defined == all_lanes;
	for (unsigned n = 0; n < x.size(); n++) {
		double sum = value_of(x.at[n].bits, half_c);
		for (unsigned k = 0; k < depth; k++)
			sum += value_of(a.at[n / columns * depth + k].bits, true) *
			       value_of(b.at[k * columns + n % columns].bits, true);
		x.at[n] = {half_d ? from_double<half>(sum).bits : std::bit_cast<uint32_t>(float(sum)), defined};
	}
	c.value_defined = to_registers(c, u, 0, of_d, half_d ? 16 : 32, x);
}

// Tells each lane which part of a row or column, of the matrix as a whole, it has.
void find_parts(context &c, const uop &u, lanes m)
{
	const fragment_shape &shape = *u.fragment;
	unsigned in_line = warp_size / shape.lines(), part = shape.line_bytes() / in_line;
	const uint64_t *stride = c.at(u.b), *a = c.at(u.a);
	uint64_t *d = c.at(u.d);
	constexpr unsigned alignment = 32, line_alignment = 16;
	for (lanes left = m; left; left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		uint64_t first = address_at(u, a, l), apart = uint64_t{uint32_t(stride[l])} * bytes_of(shape.element);
		if (first % alignment || apart % line_alignment)
			return c.fail(u, l, "a matrix that is not aligned to 32 bytes, or its rows not to 16");
		d[l] = first + l / in_line * apart + l % in_line * part;
	}
}

} // namespace

run_fn fragment_op(bool stores)
{
	return stores ? store : load;
}

run_fn fragment_address_op()
{
	return find_parts;
}

run_fn multiply_fragments_op()
{
	return multiply;
}

} // namespace het::ptx::simt
