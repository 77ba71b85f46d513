// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/calls.h"

#include "common/clock.h"
#include "common/format.h"
#include "common/library.h"
#include "common/memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace bench
{

namespace
{

constexpr unsigned pairs_a_batch = 1000;

void begin_end(void *array, int access)
{
	check(gpuvm_kernel_begin(array, 0, access), "gpuvm_kernel_begin");
	check(gpuvm_kernel_end(array, 0), "gpuvm_kernel_end");
}

double time_link_unlink(device &d, size_t nbytes, void *array)
{
	buffer buf(d, nbytes);
	double start = now_us();
	check(gpuvm_link(array, nbytes, 0, buf.get(), GPUVM_ON_HOST), "gpuvm_link");
	check(gpuvm_unlink(array, 0), "gpuvm_unlink");
	return now_us() - start;
}

double time_two_copies(const void *array, size_t nbytes)
{
	double start = now_us();
	small_page_mapping first(nbytes), second(nbytes);
	memcpy(first.data(), array, nbytes);
	memcpy(second.data(), first.data(), nbytes);
	return now_us() - start;
}

} // namespace

std::vector<double> begin_end_cost(device &d, size_t nbytes, int access, unsigned rounds)
{
	host_array array(nbytes, false);
	memset(array.data(), 1, nbytes);
	buffer buf(d, nbytes);
	linked_array linked(array.data(), nbytes, 0, buf.get(), GPUVM_ON_HOST);
	begin_end(array.data(), access);

	std::vector<double> costs;
	for (unsigned r = 0; r < rounds; ++r) {
		double start = now_us();
		for (unsigned i = 0; i < pairs_a_batch; ++i)
			begin_end(array.data(), access);
		costs.push_back((now_us() - start) / pairs_a_batch);
	}
	return costs;
}

link_cost measure_link(device &d, size_t nbytes, unsigned rounds)
{
	host_array array(nbytes, false);
	memset(array.data(), 1, nbytes);
	link_cost cost;
	for (unsigned r = 0; r < rounds; ++r) {
		cost.link_unlink.push_back(time_link_unlink(d, nbytes, array.data()));
		cost.two_copies.push_back(time_two_copies(array.data(), nbytes));
	}
	return cost;
}

// The host array stays empty, so that only the library's memory is needed beside the adopted pages.
bookkeeping_cost measure_bookkeeping(size_t nbytes)
{
	const size_t available = size_t(sysconf(_SC_AVPHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
	if (available < nbytes + nbytes / 2)
		throw std::runtime_error(format("only %s of memory are free", amount_text(available).c_str()));
	void *buf = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (buf == MAP_FAILED)
		throw std::runtime_error("no address space");
	auto count = [] { return size_t(count_stat(GPUVM_STAT_BOOKKEEPING)); };
	bookkeeping_cost cost;
	cost.linked = nbytes;
	cost.before = count();
	{
		host_array array(nbytes, false);
		linked_array linked(array.data(), nbytes, 0, buf, GPUVM_ON_HOST);
		cost.after = count();
	}
	munmap(buf, nbytes);
	return cost;
}

} // namespace bench
