// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Trees and graphs are data that decides where lanes go.

struct node {
	int key, left, right, value;
};

extern "C" __global__ void tree_find(const node *tree, const int *keys, int *values, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int at = 0, key = keys[i], found = -1;
	while (at >= 0) {
		node v = tree[at];
		if (v.key == key) {
			found = v.value;
			break;
		}
		at = key < v.key ? v.left : v.right;
	}
	values[i] = found;
}

// The table uses open addressing, and has every key once.
extern "C" __global__ void hash_insert(const unsigned *keys, unsigned *table, unsigned n, unsigned mask)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	for (unsigned at = keys[i] * 2654435761u;; at++) {
		unsigned was = atomicCAS(&table[at & mask], 0u, keys[i]);
		if (was == 0 || was == keys[i])
			return;
	}
}

extern "C" __global__ void hash_find(const unsigned *keys, const unsigned *table, unsigned char *found, unsigned n,
				     unsigned mask)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned at = keys[i] * 2654435761u, v;
	while ((v = table[at & mask]) != 0 && v != keys[i])
		at++;
	found[i] = v == keys[i];
}

extern "C" __global__ void breadth_first(const unsigned *firsts, const unsigned *edges, int *levels, int level,
					 unsigned *changed, unsigned n)
{
	unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n || levels[v] != level)
		return;
	for (unsigned e = firsts[v]; e < firsts[v + 1]; e++) {
		if (levels[edges[e]] < 0) {
			levels[edges[e]] = level + 1;
			*changed = 1;
		}
	}
}

extern "C" __global__ void relax(const unsigned *firsts, const unsigned *edges, const unsigned *lengths,
				 unsigned *distances, unsigned n)
{
	unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	unsigned d = distances[v];
	for (unsigned e = firsts[v]; d != ~0u && e < firsts[v + 1]; e++)
		atomicMin(&distances[edges[e]], d + lengths[e]);
}

extern "C" __global__ void page_rank(const unsigned *firsts, const unsigned *edges, const float *in, float *out,
				     unsigned n)
{
	unsigned v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v >= n)
		return;
	float s = 0;
	for (unsigned e = firsts[v]; e < firsts[v + 1]; e++)
		s += in[edges[e]];
	out[v] = 0.15f + 0.85f * s;
}

// Sets grow together; the smaller number is the root.
extern "C" __global__ void unite(const unsigned *from, const unsigned *to, unsigned *parents, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned a = from[i], b = to[i];
	volatile unsigned *p = parents;
	while (true) {
		while (p[a] != a)
			a = p[a];
		while (p[b] != b)
			b = p[b];
		if (a == b)
			return;
		unsigned low = min(a, b), high = max(a, b);
		if (atomicCAS(&parents[high], high, low) == high)
			return;
	}
}

// Counts the ways to place queens, with a stack of one's own: a thread takes each pair of first rows.
extern "C" __global__ void queens(unsigned *count, int n)
{
	int at[12], row = 2, first = threadIdx.x / n, second = threadIdx.x % n;
	unsigned found = 0;
	if (first >= n || abs(first - second) < 2)
		return;
	at[0] = first;
	at[1] = second;
	at[2] = -1;
	while (row >= 2) {
		bool free = false;
		while (!free && ++at[row] < n) {
			free = true;
			for (int r = 0; r < row && free; r++)
				free = at[r] != at[row] && abs(at[r] - at[row]) != row - r;
		}
		if (!free)
			row--;
		else if (row == n - 1)
			found++;
		else
			at[++row] = -1;
	}
	atomicAdd(count, found);
}
