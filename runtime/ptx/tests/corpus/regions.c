// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// GCC offloads these OpenMP target regions.

void vector_add(const float *a, const float *b, float *c, int n)
{
#pragma omp target teams distribute parallel for simd map(to : a[:n], b[:n]) map(from : c[:n])
	for (int i = 0; i < n; i++)
		c[i] = a[i] + b[i];
}

float scalar_product(const float *a, const float *b, int n)
{
	float s = 0;
#pragma omp target teams distribute parallel for reduction(+ : s) map(to : a[:n], b[:n]) map(tofrom : s)
	for (int i = 0; i < n; i++)
		s += a[i] * b[i];
	return s;
}

#pragma omp declare target
int calls;
static __attribute__((noinline)) double step(double x, double a)
{
	return 0.5 * (x + a / x);
}
#pragma omp end declare target

void newton_sqrt(const double *in, double *out, int n)
{
#pragma omp target teams distribute parallel for map(to : in[:n]) map(from : out[:n])
	for (int i = 0; i < n; i++) {
		double x = in[i] > 1 ? in[i] : 1;
		for (int s = 0; s < 8; s++)
			x = step(x, in[i]);
		out[i] = x;
#pragma omp atomic
		calls++;
	}
}

int main(void)
{
	return 0;
}
