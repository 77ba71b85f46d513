// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "block.h"

#include "test.h"

#include <cstdlib>
#include <gpuvm.h>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace selftest
{

namespace
{
constexpr size_t mmap_threshold = 128 << 10;
constexpr size_t bss_size = 320u << 20;
alignas(64) uint8_t bss_memory[bss_size];
size_t bss_used;

// The start is odd, more than a page into the allocation, and there is more than a page of room behind.
constexpr size_t slice_before = 4096 + 1237, slice_after = 4096 + 777;

uint8_t *aligned(size_t alignment, size_t n)
{
	void *p = nullptr;
	return posix_memalign(&p, alignment, n) ? nullptr : static_cast<uint8_t *>(p);
}

uint8_t *mapped(size_t n)
{
	void *p = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? nullptr : static_cast<uint8_t *>(p);
}

uint8_t *from_bss(size_t n)
{
	// No page is given twice: what one test left there does not matter to the next.
	if (bss_used + n > bss_size)
		FAIL("the static array is used up");
	uint8_t *p = bss_memory + bss_used;
	bss_used += n + 24;
	return p;
}

uint8_t *allocate(uint32_t kind, size_t n)
{
	switch (kind) {
	case kind::heap:
		if (n >= mmap_threshold)
			FAIL("%zu bytes do not come from the heap", n);
		return static_cast<uint8_t *>(malloc(n));
	case kind::mmapped:
		return static_cast<uint8_t *>(malloc(n < mmap_threshold ? n + mmap_threshold : n));
	case kind::zeroed:
		return static_cast<uint8_t *>(calloc(n, 1));
	case kind::memalign_page:
		return aligned(4096, n);
	case kind::memalign_line:
		return aligned(64, n);
	case kind::array_new:
		return new (std::nothrow) uint8_t[n];
	case kind::library:
		return static_cast<uint8_t *>(gpuvm_malloc(n, GPUVM_ALL_DEVICES, GPUVM_NONE));
	case kind::library_huge:
		return static_cast<uint8_t *>(gpuvm_malloc(n, GPUVM_ALL_DEVICES, GPUVM_HUGE));
	case kind::bss:
		return from_bss(n);
	case kind::map:
		return mapped(n);
	case kind::slice:
		return static_cast<uint8_t *>(malloc(n + slice_before + slice_after));
	}
	FAIL("this test needs a memory axis");
}
} // namespace

block::block(uint32_t kind, size_t n) : kind_(kind), base_(allocate(kind, n)), size_(n)
{
	if (!base_)
		FAIL("no %zu bytes of kind %s", n, name_of(kind_values(), kind));
	if (kind == kind::slice) {
		before_ = slice_before;
		after_ = slice_after;
	}
	data_ = base_ + before_;
}

block::block(block &&o) noexcept
{
	*this = std::move(o);
}

block &block::operator=(block &&o) noexcept
{
	std::swap(kind_, o.kind_);
	std::swap(base_, o.base_);
	std::swap(data_, o.data_);
	std::swap(size_, o.size_);
	std::swap(before_, o.before_);
	std::swap(after_, o.after_);
	return *this;
}

void block::release()
{
	uint8_t *p = std::exchange(base_, nullptr);
	data_ = nullptr;
	if (!p)
		return;
	switch (kind_) {
	case kind::library:
	case kind::library_huge:
		CHECK_OK(gpuvm_free(p));
		break;
	case kind::map:
		CHECK_SYS(munmap(p, size_));
		break;
	case kind::array_new:
		delete[] p;
		break;
	case kind::bss:
		break;
	default:
		free(p);
	}
}

size_t largest_of(uint32_t kind)
{
	return kind == kind::heap ? mmap_threshold - 1 : kind == kind::bss ? bss_size / 2 : size_t(-1);
}

} // namespace selftest
