// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/whole_chunk.h"

#include "os/mapping.h"
#include "os/vma.h"

#include <cstring>
#include <dlfcn.h>

namespace het
{

namespace
{

// glibc's struct malloc_chunk has the size of the chunk before (0 in a mapping of its own, unless aligned), and its own
// size with flags.
constexpr size_t header = 2 * sizeof(size_t), flag_bits = 7, is_mmapped = 2;

bool glibc_malloc;

} // namespace

void open_whole_chunk()
{
	// A malloc that was put in front of glibc's, or a sanitizer's, has other headers.
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	glibc_malloc = libc && dlsym(RTLD_DEFAULT, "malloc") == dlsym(libc, "malloc");
	if (libc)
		dlclose(libc);
}

range owned_bytes(range user)
{
	size_t page = page_size();
	if (!glibc_malloc || user.begin % page != header)
		return user;
	size_t words[2];
	memcpy(words, reinterpret_cast<const void *>(user.begin - header), header);
	size_t size = words[1] & ~flag_bits;
	if (words[0] || (words[1] & flag_bits) != is_mmapped || size % page || size < user.size() + header)
		return user;
	range mapping{user.begin - header, user.begin - header + size};
	// The array must reach into the last page, or others may use what follows it.
	bool reaches_end = round_up(user.end, page) == mapping.end;
	return reaches_end && classify(mapping) == memory_kind::private_anonymous ? mapping : user;
}

} // namespace het
