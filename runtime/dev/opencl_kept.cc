// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_kept.h"

#include "cache/user_store.h"

#include <algorithm>
#include <new>

namespace het::rt
{

namespace
{

cache::bytes bytes_of(const char *s)
{
	return cache::bytes_of(s ? s : "");
}

bool has(cache::bytes text, const char *what)
{
	cache::bytes word = bytes_of(what);
	return std::search(text.begin(), text.end(), word.begin(), word.end()) != text.end();
}

// What a program includes may change, and is not to be seen here.
bool includes_others(cache::bytes text)
{
	return has(text, "include") || has(text, "import") || has(text, "embed");
}

} // namespace

kept_program::kept_program(const opencl_place &at, fatbin::bytes text, const char *options)
    : at_(at), parts_{bytes_of(at.can.identity), bytes_of(options), text},
      is_kept_(at.gives_binaries && !includes_others(text) && !includes_others(bytes_of(options)))
{
}

cache::contents kept_program::find() const
{
	return is_kept_ ? cache::user_store().get(key()) : cache::contents();
}

void kept_program::keep(cl_program built) const
{
	size_t size = 0;
	if (!is_kept_ || !ask(at_.cl.get_program_info, built, CL_PROGRAM_BINARY_SIZES, size) || !size)
		return;
	std::unique_ptr<std::byte[]> binary(new (std::nothrow) std::byte[size]);
	auto *to = reinterpret_cast<unsigned char *>(binary.get());
	// NOLINTNEXTLINE(bugprone-sizeof-expression): a list of one pointer
	if (to && !at_.cl.get_program_info(built, CL_PROGRAM_BINARIES, sizeof(to), &to, nullptr))
		cache::user_store().put(key(), {binary.get(), size});
}

} // namespace het::rt
