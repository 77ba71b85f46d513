// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/sweep.h"

#include "common/clock.h"
#include "common/library.h"
#include "common/memory.h"
#include "measure/pages.h"

#include <cstring>
#include <stdexcept>

namespace bench
{

namespace
{

constexpr size_t words_a_page = page_size / sizeof(int);

// Adopted memory comes from malloc, and the other two kinds come from the library.
class sweep_array
{
      public:
	sweep_array(sweep_memory kind, size_t nbytes)
	{
		if (kind == sweep_memory::adopted) {
			malloced_ = host_array(nbytes, false);
			data_ = malloced_.data();
		} else {
			data_ = gpuvm_malloc(nbytes, 0, kind == sweep_memory::library_huge ? GPUVM_HUGE : GPUVM_NONE);
			own_ = true;
		}
		if (!data_)
			throw std::runtime_error("gpuvm_malloc failed");
		memset(data_, 0, nbytes);
	}
	~sweep_array()
	{
		if (own_)
			gpuvm_free(data_);
	}
	sweep_array(const sweep_array &) = delete;
	sweep_array &operator=(const sweep_array &) = delete;
	void *data() const { return data_; }

      private:
	host_array malloced_;
	bool own_ = false;
	void *data_ = nullptr;
};

void read_pages(const void *p, size_t nbytes, int first)
{
	auto words = static_cast<const volatile int *>(p);
	int wrong = 0;
	for (size_t page = 0; page < nbytes / page_size; ++page)
		wrong |= words[page * words_a_page] ^ (first + int(page));
	if (wrong)
		throw std::runtime_error("the sweep saw something else than the kernel wrote");
}

double time_plain(device &d, void *buf, size_t nbytes, int first)
{
	small_page_mapping fresh(nbytes);
	double start = now_us();
	d.read(buf, 0, fresh.data(), nbytes);
	read_pages(fresh.data(), nbytes, first);
	return now_us() - start;
}

} // namespace

std::string name_of(sweep_memory m)
{
	switch (m) {
	case sweep_memory::adopted:
		return "malloc";
	case sweep_memory::library:
		return "gpuvm_malloc";
	case sweep_memory::library_huge:
		return "gpuvm_malloc-huge";
	}
	return "";
}

sweep_samples measure_sweep(device &d, sweep_memory memory, size_t nbytes, unsigned rounds)
{
	sweep_array array(memory, nbytes);
	buffer buf(d, nbytes);
	linked_array linked(array.data(), nbytes, 0, buf.get(), GPUVM_ON_HOST);
	sweep_samples samples;
	for (unsigned round = 0; round < rounds; ++round) {
		const int first = int(round) * 1000003;
		check(gpuvm_kernel_begin(array.data(), 0, GPUVM_READ_WRITE), "gpuvm_kernel_begin");
		const argument args[] = {buf.get(), first};
		d.launch(mark_pages, nbytes / page_size, 1, args);
		d.finish();
		check(gpuvm_kernel_end(array.data(), 0), "gpuvm_kernel_end");

		samples.plain.push_back(time_plain(d, buf.get(), nbytes, first));
		const auto touches = count_stat(GPUVM_STAT_TOUCHES), fetches = count_stat(GPUVM_STAT_FETCHES);
		double start = now_us();
		read_pages(array.data(), nbytes, first);
		samples.sweep.push_back(now_us() - start);
		samples.touches.push_back(double(count_stat(GPUVM_STAT_TOUCHES) - touches));
		samples.fetches.push_back(double(count_stat(GPUVM_STAT_FETCHES) - fetches));
	}
	return samples;
}

} // namespace bench
