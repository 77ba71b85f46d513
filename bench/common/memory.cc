// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/memory.h"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace bench
{

small_page_mapping::small_page_mapping(size_t nbytes) : size_(nbytes)
{
	void *p = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		throw std::bad_alloc();
	// Fails with EINVAL without THP in the kernel, where pages are small anyway.
	madvise(p, nbytes, MADV_NOHUGEPAGE);
	data_ = static_cast<char *>(p);
}

small_page_mapping::~small_page_mapping()
{
	munmap(data_, size_);
}

void small_page_mapping::forget()
{
	madvise(data_, size_, MADV_DONTNEED);
}

void host_array::releaser::operator()(void *p) const
{
	free(p);
}

// The array lies 48 bytes into a heap block: it has malloc's own alignment, is never at a page boundary, and never at
// the place in a block that malloc mapped for it alone.
host_array::host_array(size_t nbytes, bool edges) : size_(nbytes)
{
	constexpr size_t shift = 48;
	size_t whole = (nbytes + page_size - 1) / page_size * page_size;
	block_.reset(edges ? malloc(nbytes + 2 * shift) : aligned_alloc(page_size, whole));
	if (!block_)
		throw std::bad_alloc();
	data_ = static_cast<char *>(block_.get()) + (edges ? shift : 0);
}

void write_each_page(void *p, size_t nbytes)
{
	auto bytes = static_cast<unsigned char *>(p);
	for (size_t i = 0; i < nbytes; i += page_size)
		__atomic_fetch_or(&bytes[i], 0, __ATOMIC_RELAXED);
}

void read_each_page(const void *p, size_t nbytes)
{
	auto bytes = static_cast<const volatile unsigned char *>(p);
	for (size_t i = 0; i < nbytes; i += page_size)
		static_cast<void>(bytes[i]);
}

} // namespace bench
