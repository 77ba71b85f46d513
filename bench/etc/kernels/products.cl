// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// ATAX, BICG, GESUMMV and MVT of PolyBench are made of these products of a square matrix and a vector. A thread has a
// row, so that the lanes of a warp are a row apart, or a column.

kernel void rows_times(global const float *a, global const float *x, global float *y, uint n)
{
	uint i = get_global_id(0);
	float sum = y[i];
	for (uint j = 0; j < n; j++)
		sum += a[i * n + j] * x[j];
	y[i] = sum;
}

kernel void columns_times(global const float *a, global const float *x, global float *y, uint n)
{
	uint j = get_global_id(0);
	float sum = y[j];
	for (uint i = 0; i < n; i++)
		sum += a[i * n + j] * x[i];
	y[j] = sum;
}

kernel void sum_of_products(global const float *a, global const float *b, global const float *x, global float *y,
			    float alpha, float beta, uint n)
{
	uint i = get_global_id(0);
	float first = 0, second = 0;
	for (uint j = 0; j < n; j++) {
		first += a[i * n + j] * x[j];
		second += b[i * n + j] * x[j];
	}
	y[i] = alpha * first + beta * second;
}
