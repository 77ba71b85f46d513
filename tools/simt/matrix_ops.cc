// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The lanes of a warp hold matrices together, and multiply them. PTX says which lane has which elements: with the group
// g = lane / 4 and the place t = lane % 4 in it, a row of an 8 x 8 matrix of 32-bit registers is g, and its column t.
#include "simt/decoder.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

constexpr unsigned side = 8, row_bytes = 16;

// Its elements have 16 bits.
struct small_matrix {
	uint16_t at[side][side];
	bool defined[side];
};

unsigned group_of(unsigned lane)
{
	return lane / 4;
}
unsigned place_of(unsigned lane)
{
	return lane % 4;
}

// Lane 8 * n + r has the address of row r of matrix n.
place_in_memory row_of(context &c, const uop &u, lanes m, unsigned n, unsigned r, access how)
{
	unsigned lane = side * n + r;
	if (!(m >> lane & 1)) {
		c.fail(u, unsigned(std::countr_zero(m)),
		       "lane " + std::to_string(lane) + " is not here, which has an address");
		return {};
	}
	return c.locate(u, lane, u.space, address_at(u, c.at(u.a), lane), row_bytes, how);
}

uint32_t pair_of(const small_matrix &x, unsigned lane, bool transposed)
{
	unsigned g = group_of(lane), t = 2 * place_of(lane);
	return transposed ? x.at[t][g] | uint32_t{x.at[t + 1][g]} << 16 : x.at[g][t] | uint32_t{x.at[g][t + 1]} << 16;
}

void take_pair(small_matrix &x, unsigned lane, uint32_t pair, bool transposed)
{
	unsigned g = group_of(lane), t = 2 * place_of(lane);
	(transposed ? x.at[t][g] : x.at[g][t]) = uint16_t(pair);
	(transposed ? x.at[t + 1][g] : x.at[g][t + 1]) = uint16_t(pair >> 16);
}

bool load(context &c, const uop &u, lanes m, unsigned n, small_matrix &x)
{
	for (unsigned r = 0; r < side; r++) {
		place_in_memory p = row_of(c, u, m, n, r, access::read);
		if (!p.bytes)
			return false;
		memcpy(x.at[r], p.bytes, row_bytes);
		x.defined[r] = !p.defined || std::all_of(p.defined, p.defined + row_bytes, [](uint8_t d) { return d; });
	}
	return true;
}

// A lane's value counts as defined if the whole of the rows is that it is from.
bool is_defined(const small_matrix &x, unsigned lane, bool transposed)
{
	unsigned g = group_of(lane), t = 2 * place_of(lane);
	return transposed ? x.defined[t] && x.defined[t + 1] : x.defined[g];
}

void load_matrices(context &c, const uop &u, lanes m)
{
	lanes defined = all_lanes;
	small_matrix all[4];
	for (unsigned n = 0; n < u.vector; n++) {
		if (!load(c, u, m, n, all[n]))
			return;
	}
	for (unsigned n = 0; n < u.vector; n++) {
		uint64_t *d = c.group_value(u, n);
		for_lanes(m, [&](unsigned l) {
			d[l] = pair_of(all[n], l, u.mode);
			defined &= ~(lanes(!is_defined(all[n], l, u.mode)) << l);
		});
	}
	c.value_defined = defined;
}

void store_matrices(context &c, const uop &u, lanes m)
{
	for (unsigned n = 0; n < u.vector; n++) {
		small_matrix x = {};
		const uint64_t *b = c.group_value(u, n);
		for_lanes(m, [&](unsigned l) { take_pair(x, l, uint32_t(b[l]), u.mode); });
		for (unsigned r = 0; r < side; r++) {
			place_in_memory p = row_of(c, u, m, n, r, access::write);
			if (!p.bytes)
				return;
			memcpy(p.bytes, x.at[r], row_bytes);
			if (p.defined)
				memset(p.defined, c.value_defined == all_lanes, row_bytes);
		}
	}
}

void transpose(context &c, const uop &u, lanes m)
{
	small_matrix x = {};
	const uint64_t *a = c.at(u.a);
	for_lanes(m, [&](unsigned l) { take_pair(x, l, uint32_t(a[l]), false); });
	uint64_t *d = c.group_value(u, 0);
	for_lanes(m, [&](unsigned l) { d[l] = pair_of(x, l, true); });
}

// --- products ------------------------------------------------------------------------

constexpr unsigned rows = 16, columns = 8, most_deep = 32;

double element(uint8_t what, uint32_t word, unsigned i)
{
	switch (what) {
	case element_f16:
		return to_double(half{uint16_t(word >> 16 * i)});
	case element_bf16:
		return to_double(bfloat{uint16_t(word >> 16 * i)});
	case element_tf32: // its lower 13 bits do not count
		return to_double(std::bit_cast<float>(word & ~uint32_t{0x1fff}));
	case element_s8:
		return int8_t(word >> 8 * i);
	default:
		return uint8_t(word >> 8 * i);
	}
}

unsigned elements_of(uint8_t what)
{
	return what == element_tf32 ? 1 : what == element_f16 || what == element_bf16 ? 2 : 4;
}

// Sums are exact, or nearly so: products of 16 bits are, and are added in double precision, then rounded once.
struct product {
	double a[rows][most_deep], b[most_deep][columns], c[rows][columns];

	double at(unsigned row, unsigned column, unsigned deep) const
	{
		double sum = c[row][column];
		for (unsigned k = 0; k < deep; k++)
			sum += a[row][k] * b[k][column];
		return sum;
	}
};

// Register n of a has row g or g + 8, and of b column g; both go on to the right, or down, with every other and every
// register.
void take_factors(context &c, const uop &u, product &p, unsigned first)
{
	unsigned each = elements_of(u.mode);
	for (unsigned l = 0; l < warp_size; l++) {
		for (unsigned n = 0; n < 2u * u.vector; n++)
			for (unsigned i = 0; i < each; i++)
				p.a[group_of(l) + n % 2 * 8][n / 2 * 4 * each + place_of(l) * each + i] =
					element(u.mode, uint32_t(c.group_value(u, first + n)[l]), i);
		for (unsigned n = 0; n < u.vector; n++)
			for (unsigned i = 0; i < each; i++)
				p.b[n * 4 * each + place_of(l) * each + i][group_of(l)] =
					element(u.element, uint32_t(c.group_value(u, first + 2u * u.vector + n)[l]), i);
	}
}

// Returns where element @i of a lane's c is: there are two to a row.
unsigned row_at(unsigned lane, unsigned i)
{
	return group_of(lane) + i / 2 * 8;
}
unsigned column_at(unsigned lane, unsigned i)
{
	return 2 * place_of(lane) + i % 2;
}

uint32_t sum_of(float *, double v, bool)
{
	return std::bit_cast<uint32_t>(float(v));
}
uint32_t sum_of(half *, double v, bool)
{
	return from_double<half>(v).bits;
}
uint32_t sum_of(int32_t *, double v, bool clamps)
{
	return clamps ? uint32_t(int32_t(std::clamp(v, -0x1p31, 0x1p31 - 1))) : uint32_t(int64_t(v));
}

// c and d are of type T; of halves two are in a register.
template <typename T> void multiply(context &c, const uop &u, lanes m)
{
	constexpr unsigned packed = std::is_same_v<T, half> ? 2 : 1, registers = 4 / packed;
	product p = {};
	unsigned of_c = registers + 3u * u.vector, deep = u.vector * 4 * elements_of(u.mode);
	take_factors(c, u, p, registers);
	for (unsigned l = 0; l < warp_size; l++)
		for (unsigned i = 0; i < 4; i++) {
			uint64_t word = c.group_value(u, of_c + i / packed)[l] >> (packed == 2 ? 16 * (i % 2) : 0);
			T v = get<T>(word);
			if constexpr (std::is_integral_v<T>)
				p.c[row_at(l, i)][column_at(l, i)] = v;
			else
				p.c[row_at(l, i)][column_at(l, i)] = to_double(v);
		}
	for_lanes(m, [&](unsigned l) {
		for (unsigned n = 0; n < registers; n++) {
			uint32_t word = 0;
			for (unsigned i = n * packed; i < (n + 1) * packed; i++) {
				double sum = p.at(row_at(l, i), column_at(l, i), deep);
				word |= sum_of(static_cast<T *>(nullptr), sum, u.offset) << 16 * (i % packed);
			}
			c.group_value(u, n)[l] = word;
		}
	});
	// What one lane gets comes from many.
	c.value_defined = (c.value_defined & m) == m ? all_lanes : 0;
}

} // namespace

run_fn move_matrix_op(std::string_view base)
{
	return base == "ldmatrix" ? load_matrices : base == "stmatrix" ? store_matrices : transpose;
}

run_fn multiply_matrices_op(type of_c)
{
	return of_c == type::f32 ? multiply<float> : of_c == type::f16 ? multiply<half> : multiply<int32_t>;
}

} // namespace het::ptx::simt
