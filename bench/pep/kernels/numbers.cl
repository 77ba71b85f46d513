// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Matrices and lists of points: gemm of PolyBench; black-scholes of CUDA's samples; streamcluster, kmeans and backprop
// of Rodinia.

kernel void gemm(global const float *a, global const float *b, global float *c, uint n, uint inner, float alpha, float beta)
{
	uint x = get_global_id(0), y = get_global_id(1);
	float sum = c[y * n + x] * beta;
	for (uint k = 0; k < inner; k++)
		sum += alpha * a[y * inner + k] * b[k * n + x];
	c[y * n + x] = sum;
}

// The normal distribution by the polynomial 26.2.17 of Abramowitz and Stegun.
float normal_below(float x)
{
	float k = 1 / (1 + 0.2316419f * fabs(x));
	float tail = 0.39894228f * native_exp(-0.5f * x * x) * k *
		     (0.31938153f +
		      k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	return x > 0 ? 1 - tail : tail;
}

// Each thread has every so many options.
kernel void price_options(global const float *stock, global const float *strike, global const float *years,
			  global float *call, global float *put, uint n, float rate, float volatility)
{
	for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
		float s = stock[i], k = strike[i], t = years[i];
		float spread = volatility * native_sqrt(t);
		float d1 = (native_log(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread;
		float d2 = d1 - spread, later = k * native_exp(-rate * t);
		float c = s * normal_below(d1) - later * normal_below(d2);
		call[i] = c;
		put[i] = later - s + c;
	}
}

// streamcluster: what it would cost to give each point to the centre @centre, or gain.
#define DIMENSIONS 256
kernel void compute_cost(uint points, uint dimensions, uint centre, global const float *weight, global const float *cost,
			 global const uint *assigned, global const float *coordinates, global const uint *table,
			 global float *gain, global uchar *moves)
{
	local float at_centre[DIMENSIONS];
	uint t = get_local_id(0), i = get_global_id(0);
	for (uint d = t; d < dimensions; d += get_local_size(0))
		at_centre[d] = coordinates[d * points + centre];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i >= points)
		return;
	float distance = 0;
	for (uint d = 0; d < dimensions; d++) {
		float by = coordinates[d * points + i] - at_centre[d];
		distance += by * by;
	}
	float now = distance * weight[i], before = cost[i];
	if (now < before) {
		moves[i] = 1;
		gain[i] = now - before;
	} else {
		gain[points + i] = before - now + table[assigned[i]];
	}
}

// kmeans: points by features become features by points.
kernel void invert_mapping(global const float *from, global float *to, uint points, uint features)
{
	uint i = get_global_id(0);
	if (i >= points)
		return;
	for (uint f = 0; f < features; f++)
		to[points * f + i] = from[i * features + f];
}

// backprop: a group has 16 inputs and all 16 hidden units; the sums of the groups are for the host.
#define SIDE 16
kernel void layer_forward(global const float *input, global float *weight, global float *sums, uint hidden)
{
	local float node[SIDE], product[SIDE][SIDE];
	uint group = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
	uint at = (hidden + 1) * SIDE * group + (hidden + 1) * ty + tx + 1 + (hidden + 1);
	if (tx == 0)
		node[ty] = input[SIDE * group + ty + 1];
	barrier(CLK_LOCAL_MEM_FENCE);
	product[ty][tx] = weight[at];
	barrier(CLK_LOCAL_MEM_FENCE);
	product[ty][tx] *= node[ty];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 1; step < SIDE; step *= 2) {
		if (ty % (2 * step) == 0)
			product[ty][tx] += product[ty + step][tx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	weight[at] = product[ty][tx];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (tx == 0)
		sums[group * hidden + ty] = product[tx][ty];
}

kernel void adjust_weights(global const float *delta, uint hidden, global const float *input, global float *weight,
			   global float *change)
{
	uint group = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
	uint at = (hidden + 1) * SIDE * group + (hidden + 1) * ty + tx + 1 + (hidden + 1);
	uint x = tx + 1, y = SIDE * group + ty + 1;
	weight[at] += 0.3f * delta[x] * input[y] + 0.3f * change[at];
	change[at] = 0.3f * delta[x] * input[y] + 0.3f * change[at];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (ty == 0 && group == 0) {
		weight[x] += 0.3f * delta[x] + 0.3f * change[x];
		change[x] = 0.3f * delta[x] + 0.3f * change[x];
	}
}
