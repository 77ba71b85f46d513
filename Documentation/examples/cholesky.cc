// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Factors a matrix by Cholesky's method, in tiles: hundreds of small launches are in one out-of-order queue. Nobody
// waits between them and no event is named, as the tiles that a launch reads and writes tell what it must come after.
#include <cmath>
#include <cstdio>
#include <het.hpp>
#include <vector>

namespace
{
constexpr int tile = 48, tiles = 6, n = tile * tiles;

const char source[] = R"(
kernel void factor(global float *a, int n) // one work-item: a = l * l'
{
	for (int j = 0; j < n; j++) {
		for (int k = 0; k < j; k++)
			for (int i = j; i < n; i++)
				a[i * n + j] -= a[i * n + k] * a[j * n + k];
		float d = sqrt(a[j * n + j]);
		for (int i = j; i < n; i++)
			a[i * n + j] = i == j ? d : a[i * n + j] / d;
	}
}

kernel void solve(global const float *l, global float *b, int n) // a work-item a row: b = b * inverse(l')
{
	int i = get_global_id(0);
	for (int j = 0; j < n; j++) {
		float sum = b[i * n + j];
		for (int k = 0; k < j; k++)
			sum -= b[i * n + k] * l[j * n + k];
		b[i * n + j] = sum / l[j * n + j];
	}
}

kernel void update(global const float *a, global const float *b, global float *c, int n) // c -= a * b'
{
	int j = get_global_id(0), i = get_global_id(1);
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[i * n + k] * b[j * n + k];
	c[i * n + j] -= sum;
}
)";

// These are the same kernels for devices that run functions of the program's.
void factor(const het_group *, void *const *args)
{
	auto a = static_cast<float *>(args[0]);
	const int size = *static_cast<int *>(args[1]);
	for (int j = 0; j < size; j++) {
		for (int k = 0; k < j; k++)
			for (int i = j; i < size; i++)
				a[i * size + j] -= a[i * size + k] * a[j * size + k];
		const float d = std::sqrt(a[j * size + j]);
		for (int i = j; i < size; i++)
			a[i * size + j] = i == j ? d : a[i * size + j] / d;
	}
}

void solve(const het_group *g, void *const *args)
{
	auto l = static_cast<const float *>(args[0]);
	auto b = static_cast<float *>(args[1]);
	const int size = *static_cast<int *>(args[2]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		for (int j = 0; j < size; j++) {
			float sum = b[i * size + j];
			for (int k = 0; k < j; k++)
				sum -= b[i * size + k] * l[j * size + k];
			b[i * size + j] = sum / l[j * size + j];
		}
}

void update(const het_group *g, void *const *args)
{
	auto a = static_cast<const float *>(args[0]), b = static_cast<const float *>(args[1]);
	auto c = static_cast<float *>(args[2]);
	const int size = *static_cast<int *>(args[3]);
	for (size_t i = g->first[1]; i < g->first[1] + g->items[1]; i++)
		for (size_t j = g->first[0]; j < g->first[0] + g->items[0]; j++) {
			float sum = 0;
			for (int k = 0; k < size; k++)
				sum += a[i * size + k] * b[j * size + k];
			c[i * size + j] -= sum;
		}
}

// Gives a symmetric matrix that has a factor: its diagonal outweighs the rest.
float entry(int i, int j)
{
	return i == j ? float(n) : 1.0f / float(1 + std::abs(i - j));
}

// Holds the lower triangle, by tiles; each is an array of its own.
using matrix = std::vector<std::vector<std::vector<float>>>;

matrix make_matrix()
{
	matrix m(tiles);
	for (int i = 0; i < tiles; i++)
		for (int j = 0; j <= i; j++) {
			auto &t = m[i].emplace_back(tile * tile);
			for (int k = 0; k < tile * tile; k++)
				t[k] = entry(i * tile + k / tile, j * tile + k % tile);
		}
	return m;
}

float value(const matrix &m, int i, int j)
{
	return j > i ? 0 : m[i / tile][j / tile][i % tile * tile + j % tile];
}

// Returns the largest difference between l * l' and what was factored.
double error_of(const matrix &l)
{
	double most = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j <= i; j++) {
			double sum = 0;
			for (int k = 0; k <= j; k++)
				sum += double(value(l, i, k)) * double(value(l, j, k));
			most = std::max(most, std::abs(sum - double(entry(i, j))));
		}
	return most;
}
} // namespace

int main()
try {
	const het_function table[] = {{"factor", factor, 2}, {"solve", solve, 3}, {"update", update, 4}};
	const het::program program(het::sources().opencl(source).functions(table));
	const het::kernel factor_tile(program, "factor"), solve_tile(program, "solve"), update_tile(program, "update");
	const het::queue queue;
	matrix m = make_matrix();
	int launches = 0;

	for (int k = 0; k < tiles; k++) {
		queue.launch(factor_tile, het::work(1), het::read_write(m[k][k]), tile);
		launches++;
		for (int i = k + 1; i < tiles; i++, launches++)
			queue.launch(solve_tile, het::work(tile), het::read(m[k][k]), het::read_write(m[i][k]), tile);
		for (int i = k + 1; i < tiles; i++)
			for (int j = k + 1; j <= i; j++, launches++)
				queue.launch(update_tile, het::work(tile, tile), het::read(m[i][k]), het::read(m[j][k]),
					     het::read_write(m[i][j]), tile);
	}
	queue.finish();

	const double wrong = error_of(m);
	std::printf("%d launches, largest error %.1e of %d\n", launches, wrong, n);
	return wrong > 1e-3 * n;
} catch (const het::error &e) {
	std::fprintf(stderr, "%s\n", e.what());
	return 1;
}
