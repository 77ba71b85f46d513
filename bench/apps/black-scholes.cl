// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// black-scholes.cc launches these kernels.

// Approximates the normal distribution by the polynomial 26.2.17 of Abramowitz and Stegun.
float normal(float x)
{
	float k = 1 / (1 + 0.2316419f * fabs(x));
	float tail = exp(-0.5f * x * x) * 0.39894228f * k *
		     (0.31938153f +
		      k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	return x > 0 ? 1 - tail : tail;
}

kernel void price(global const float *stock, global const float *strike, global const float *years, global float *call,
		  global float *put, uint n, float rate, float volatility)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float s = stock[i], k = strike[i], t = years[i];
	float spread = volatility * sqrt(t);
	float d1 = (log(s / k) + (rate + 0.5f * volatility * volatility) * t) / spread;
	float d2 = d1 - spread;
	float later = k * exp(-rate * t);
	call[i] = s * normal(d1) - later * normal(d2);
	put[i] = later * normal(-d2) - s * normal(-d1);
}
