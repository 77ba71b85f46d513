// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The command line gives a parameter or a variable its contents: KIND:VALUE of the manual page.
#pragma once

#include "ptx/isa.h"
#include "simt/memory.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace tool
{

// What is given is a value, a buffer and what becomes of it afterwards, or a structure of these.
struct given {
	std::vector<uint8_t> value;
	std::vector<uint8_t> buffer;
	std::vector<given> fields;
	bool is_buffer = false, is_struct = false;
	unsigned alignment = 0; // that in a structure; 0 means that of its size
	std::string written_to; // a file
	het::ptx::type shown = het::ptx::type::none;
};

bool read_argument(const std::string &text, given *out);

// Returns the bytes of the parameter, once its buffers have addresses.
std::vector<uint8_t> attach(given *g, het::ptx::simt::memory *mem, const std::string &name);

// Calls @f with each that has a buffer.
template <typename F> void for_buffers(const given &g, F f)
{
	if (g.is_buffer)
		f(g);
	for (const given &field : g.fields)
		for_buffers(field, f);
}

template <typename T> bool number(std::string_view s, T *out)
{
	auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), *out);
	return error == std::errc() && end == s.data() + s.size();
}

} // namespace tool
