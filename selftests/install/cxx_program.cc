// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This program in C++17 uses the installed het.hpp; its kernel runs on the host.
#include <cstdio>
#include <het.hpp>
#include <vector>

static void scale(const het_group *g, void *const *args)
{
	auto *x = static_cast<const double *>(args[0]);
	auto *y = static_cast<double *>(args[1]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		y[i] = *static_cast<const double *>(args[2]) * x[i];
}

int main()
{
	const het_function functions[] = {{"scale", scale, 3}};
	std::vector<double> x(100000, 1.5), y(x.size());
	try {
		const het::queue queue;
		const het::kernel kernel(het::program(het::sources().functions(functions)), "scale");
		queue.launch(kernel, het::work(x.size()).groups_of(64), het::read(x), het::write(y), 2.0).wait();
	} catch (const het::error &e) {
		std::fprintf(stderr, "%s (%d)\n", e.what(), e.code());
		return 1;
	}
	for (double v : y)
		if (v != 3)
			return 1;
	std::puts("C++ program: ok");
	return 0;
}
