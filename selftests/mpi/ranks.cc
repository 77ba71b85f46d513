// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ranks.h"

#include "kernels.h"

#include <cstdio>

namespace mpi_test
{

namespace
{

const char source[] = R"(
kernel void fill(global uint *x, uint seed)
{
	size_t i = get_global_id(0);
	x[i] = seed * 2654435761u + (uint)i * 40503u;
}

kernel void wrong(global const uint *x, global uint *count, uint seed, uint first)
{
	size_t i = get_global_id(0);
	if (x[i] != seed * 2654435761u + ((uint)i + first) * 40503u)
		atomic_inc(count);
}

kernel void sum(global const uint *x, global uint *sum)
{
	atomic_add(sum, x[get_global_id(0)]);
}
)";

template <class Do> void each(const het_group *g, Do work)
{
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		work(i);
}

template <class T> T value(void *argument)
{
	return *static_cast<const T *>(argument);
}

void fill_on_host(const het_group *g, void *const *args)
{
	auto *x = static_cast<uint32_t *>(args[0]);
	each(g, [&](size_t i) { x[i] = value_at(value<uint32_t>(args[1]), i); });
}

void wrong_on_host(const het_group *g, void *const *args)
{
	auto *x = static_cast<const uint32_t *>(args[0]);
	auto *count = static_cast<uint32_t *>(args[1]);
	const uint32_t seed = value<uint32_t>(args[2]), first = value<uint32_t>(args[3]);
	each(g, [&](size_t i) {
		if (x[i] != value_at(seed, i + first))
			__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	});
}

void sum_on_host(const het_group *g, void *const *args)
{
	auto *x = static_cast<const uint32_t *>(args[0]);
	auto *sum = static_cast<uint32_t *>(args[1]);
	each(g, [&](size_t i) { __atomic_fetch_add(sum, x[i], __ATOMIC_RELAXED); });
}

het::program make_program()
{
	static const het_function table[] = {
		{"fill", fill_on_host, 2}, {"wrong", wrong_on_host, 4}, {"sum", sum_on_host, 2}};
	static const het_image images[] = {{HET_IMAGE_PTX, 0, kernels_ptx, sizeof kernels_ptx - 1}};
	return het::program(het::sources().opencl(source).functions(table).images(images));
}

bool passes(const test_case &c, ranks &r)
try {
	return c.run(r);
} catch (const het::error &e) {
	std::fprintf(stderr, "# rank %d: %s: %s\n", r.me, c.name, e.what());
	return false;
}

} // namespace

device::device() : program_(make_program()), fill_(program_, "fill"), wrong_(program_, "wrong"), sum_(program_, "sum")
{
}

het::event device::begin_fill(uint32_t *p, size_t n, uint32_t seed)
{
	return queue_.launch(fill_, het::work(n), het::write(p, n), seed);
}

void device::fill(uint32_t *p, size_t n, uint32_t seed)
{
	begin_fill(p, n, seed).wait();
}

uint32_t device::wrong(const uint32_t *p, size_t n, uint32_t seed, size_t first)
{
	std::vector<uint32_t> count(1);
	queue_.launch(wrong_, het::work(n), het::read(p, n), het::read_write(count), seed, uint32_t(first)).wait();
	return count[0];
}

bool device::lets_wait(const het::event &kernel)
{
	numbers other(100);
	fill(other, 1);
	return kernel.status() > HET_COMPLETE;
}

bool device::is_apart() const
{
	return het::devices().front().info().kind != HET_DEVICE_HOST;
}

het::event device::begin_sum(const uint32_t *p, size_t n, std::vector<uint32_t> &sum)
{
	return queue_.launch(sum_, het::work(n), het::read(p, n), het::read_write(sum));
}

bool run_all(ranks &r, const std::vector<test_case> &cases, size_t more)
{
	if (!r.me)
		std::printf("TAP version 13\n1..%zu\n", cases.size() + more);
	bool good = true;
	for (size_t i = 0; i < cases.size(); i++) {
		int passed = passes(cases[i], r), both = 0;
		MPI_Allreduce(&passed, &both, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
		if (!r.me)
			std::printf("%sok %zu %s\n", both ? "" : "not ", i + 1, cases[i].name);
		std::fflush(stdout);
		good = good && both;
	}
	return good;
}

} // namespace mpi_test
