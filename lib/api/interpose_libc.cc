// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Interposes free, realloc, munmap and mremap of linked memory. malloc's own bookkeeping would touch revoked pages with
// its locks held (which the device's driver may need for the fetch), and an address can be given to a new owner before
// any event reaches us. So links are removed first; then the call goes on as if nothing had been.
//
// This works where libhet is linked or preloaded. A library that was opened late, and raw system calls, are not seen.
#include "api/next_function.h"
#include "api/public.h"
#include "memory/hooks.h"
#include "os/log.h"
#include "os/mapping.h"
#include "os/settings.h"
#include "os/vma.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <sys/mman.h>

// glibc's own names serve in the moment in which dlsym() itself allocates.
extern "C" void __libc_free(void *p);
extern "C" void *__libc_realloc(void *p, size_t n);

// Sanitizers have a malloc and a free of their own, in front of ours.
extern "C" __attribute__((weak)) int
__sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
					  void (*free_hook)(const volatile void *));

using namespace het;

namespace
{

next_function<void (*)(void *)> next_free("free", __libc_free);
next_function<void *(*)(void *, size_t)> next_realloc("realloc", __libc_realloc);

// Removes the links of all arrays in the memory that malloc gave for @p. The array at @p itself goes first: its first
// page may hold malloc's word on the size, which would have to be fetched otherwise.
void forget_allocation(void *p, fate f, const char *call)
{
	if (!p || !anything_linked())
		return;
	int saved = errno;
	forget_memory(p, 1, f, call);
	size_t n = malloc_usable_size(p);
	if (n)
		forget_memory(p, n, f, call);
	errno = saved;
}

void on_sanitizer_free(const volatile void *p)
{
	forget_allocation(const_cast<void *>(p), fate::freed, "free()");
}

// Does what mremap() with MREMAP_MAYMOVE does, for private anonymous memory in several mappings.
void *move_by_copy(void *p, size_t old_size, size_t new_size)
{
	range old = range_of(p, round_up(old_size, page_size()));
	errno = EFAULT;
	if (old.begin % page_size() || classify(old) != memory_kind::private_anonymous)
		return MAP_FAILED;
	void *to = map_private(round_up(new_size, page_size()));
	if (!to)
		return MAP_FAILED;
	memcpy(to, p, std::min(old_size, new_size));
	unmap(old);
	return to;
}

// glibc raises its threshold when a mapped chunk is freed; later arrays of that size would lie in the heap and have
// edges.
__attribute__((constructor)) void at_load()
{
	if (size_t threshold = settings().mmap_threshold)
		mallopt(M_MMAP_THRESHOLD, int(threshold));
	if (!__sanitizer_install_malloc_and_free_hooks)
		return;
	__sanitizer_install_malloc_and_free_hooks([](const volatile void *, size_t) {}, on_sanitizer_free);
	inform("this program has a sanitizer's malloc: realloc() of an array whose bytes a device has copies old ones; "
	       "call "
	       "gpuvm_host_begin() or gpuvm_unlink() first");
}

} // namespace

GPUVM_PUBLIC void free(void *p)
{
	forget_allocation(p, fate::freed, "free()");
	next_free.get()(p);
}

GPUVM_PUBLIC void *realloc(void *p, size_t n)
{
	forget_allocation(p, fate::moved, "realloc()");
	return next_realloc.get()(p, n);
}

GPUVM_PUBLIC void *reallocarray(void *p, size_t count, size_t size)
{
	size_t n;
	if (__builtin_mul_overflow(count, size, &n)) {
		errno = ENOMEM;
		return nullptr;
	}
	return realloc(p, n);
}

GPUVM_PUBLIC int munmap(void *p, size_t n)
{
	if (anything_linked())
		forget_memory(p, n, fate::unmapped, "munmap()");
	static next_function<int (*)(void *, size_t)> next("munmap");
	return next.get()(p, n);
}

GPUVM_PUBLIC void *mremap(void *p, size_t old_size, size_t new_size, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(ap, void *) : nullptr;
	va_end(ap);
	if (anything_linked()) {
		forget_memory(p, old_size, fate::moved, "mremap()");
		if (to)
			forget_memory(to, new_size, fate::unmapped, "mremap()");
	}
	static next_function<void *(*)(void *, size_t, size_t, int, ...)> next("mremap");
	void *r = next.get()(p, old_size, new_size, flags, to);
	// A range that was linked once may have become several mappings, which the system refuses to move together.
	if (r == MAP_FAILED && errno == EFAULT && flags == MREMAP_MAYMOVE)
		return move_by_copy(p, old_size, new_size);
	return r;
}
