// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// CORR and COVAR of PolyBench, on a square matrix.

kernel void mean_of_columns(global const float *data, global float *mean, uint n)
{
	uint j = get_global_id(0);
	float sum = 0;
	for (uint i = 0; i < n; i++)
		sum += data[i * n + j];
	mean[j] = sum / n;
}

kernel void deviation_of_columns(global const float *data, global const float *mean, global float *deviation, uint n)
{
	uint j = get_global_id(0);
	float sum = 0;
	for (uint i = 0; i < n; i++) {
		float d = data[i * n + j] - mean[j];
		sum += d * d;
	}
	float s = sqrt(sum / n);
	deviation[j] = s <= 0.005f ? 1 : s;
}

kernel void center(global float *data, global const float *mean, uint n)
{
	uint j = get_global_id(0), i = get_global_id(1);
	data[i * n + j] -= mean[j];
}

kernel void center_and_scale(global float *data, global const float *mean, global const float *deviation, uint n)
{
	uint j = get_global_id(0), i = get_global_id(1);
	data[i * n + j] = (data[i * n + j] - mean[j]) / (sqrt((float)n) * deviation[j]);
}

// A thread has a row of the upper triangle, and the column that is equal to it.
kernel void correlate(global const float *data, global float *out, uint n)
{
	uint j1 = get_global_id(0);
	out[j1 * n + j1] = 1;
	for (uint j2 = j1 + 1; j2 < n; j2++) {
		float sum = 0;
		for (uint i = 0; i < n; i++)
			sum += data[i * n + j1] * data[i * n + j2];
		out[j1 * n + j2] = sum;
		out[j2 * n + j1] = sum;
	}
}

kernel void covariate(global const float *data, global float *out, uint n)
{
	uint j1 = get_global_id(0);
	for (uint j2 = j1; j2 < n; j2++) {
		float sum = 0;
		for (uint i = 0; i < n; i++)
			sum += data[i * n + j1] * data[i * n + j2];
		out[j1 * n + j2] = sum;
		out[j2 * n + j1] = sum;
	}
}
