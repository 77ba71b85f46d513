// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The libraries of LZ4 and Zstandard are opened when a text first needs them, not linked: the build wants none of their
// headers, and who has no compressed files does without. Both functions are older than any fat binary.
#include "ptx/decompress.h"

#include <climits>
#include <dlfcn.h>

namespace tool
{

namespace
{

using lz4_fn = int(const char *from, char *to, int from_size, int to_size);
using zstd_fn = size_t(void *to, size_t to_size, const void *from, size_t from_size);

// A byte can become so many at the most: a text that claims more is damaged, and costs no memory.
constexpr size_t most_from_lz4 = 255, most_from_zstd = (128 << 10) / 4;

template <typename F> F *function_of(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW);
	return handle ? reinterpret_cast<F *>(dlsym(handle, name)) : nullptr;
}

} // namespace

std::optional<std::string> decompress(compression how, std::string_view packed, size_t size, std::string *why)
{
	static lz4_fn *lz4 = function_of<lz4_fn>("liblz4.so.1", "LZ4_decompress_safe");
	static zstd_fn *zstd = function_of<zstd_fn>("libzstd.so.1", "ZSTD_decompress");
	bool is_lz4 = how == compression::lz4;
	if (is_lz4 ? !lz4 : !zstd) {
		*why = is_lz4 ? "it is compressed with LZ4, and there is no liblz4.so.1"
			      : "it is compressed with Zstandard, and there is no libzstd.so.1";
		return std::nullopt;
	}
	*why = "it is damaged";
	size_t most = is_lz4 ? most_from_lz4 : most_from_zstd;
	if (packed.size() > INT_MAX || size > INT_MAX || size / most > packed.size())
		return std::nullopt;
	std::string out(size, '\0');
	// Both say how many bytes they have written; an error is no such number.
	size_t got = is_lz4 ? size_t(lz4(packed.data(), out.data(), int(packed.size()), int(size)))
			    : zstd(out.data(), size, packed.data(), packed.size());
	return got == size ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace tool
