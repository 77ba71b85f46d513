// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The device's runtime library provides these functions.
#include "simt/runner.h"

#include <algorithm>
#include <cstdio>

namespace het::ptx::simt
{

namespace
{

constexpr uint64_t heap_alignment = 16;

// Describes one conversion of a format, such as "%-5.2lf".
struct conversion {
	std::string spec; // lacks the length, and has the conversion
	char kind = 0;
	bool wide = false; // 64 bits
};

// @at points behind the '%', and is left behind the conversion.
conversion read_conversion(const std::string &format, size_t *at)
{
	conversion c;
	c.spec = "%";
	while (*at < format.size() && std::string_view("-+ #0123456789.").find(format[*at]) != std::string_view::npos)
		c.spec += format[(*at)++];
	for (; *at < format.size() && std::string_view("hlLqjzt").find(format[*at]) != std::string_view::npos; ++*at)
		c.wide = c.wide || format[*at] != 'h';
	if (*at < format.size())
		c.kind = format[(*at)++];
	return c;
}

template <typename T> std::string formatted(const std::string &spec, T value)
{
	char s[512];
	int n = snprintf(s, sizeof(s), spec.c_str(), value);
	return std::string(s, size_t(std::clamp(n, 0, int(sizeof(s)) - 1)));
}

bool is_one_of(char c, std::string_view set)
{
	return c && set.find(c) != set.npos;
}

} // namespace

bool runner::read_string(const uop &u, unsigned lane, uint64_t address, std::string *out)
{
	constexpr size_t longest = 1 << 16;
	while (out->size() < longest) {
		auto p = c_.locate(u, lane, space::none, address++, 1, access::read);
		if (!p.bytes)
			return false;
		if (!*p.bytes)
			return true;
		*out += char(*p.bytes);
	}
	return true;
}

// Arguments lie one after the other, each aligned to its size: 4 bytes for an int, 8 for the rest.
void runner::print_formatted(const uop &u, unsigned lane, uint64_t format_address, uint64_t arguments)
{
	std::string format, text;
	if (!read_string(u, lane, format_address, &format))
		return;
	auto take = [&](bool wide, uint64_t *out) {
		unsigned n = wide ? 8 : 4;
		arguments = (arguments + n - 1) / n * n;
		auto p = c_.locate(u, lane, space::none, arguments, n, access::read);
		arguments += n;
		*out = 0;
		if (p.bytes)
			memcpy(out, p.bytes, n);
		return p.bytes != nullptr;
	};
	for (size_t at = 0; at < format.size();) {
		char c = format[at++];
		if (c != '%') {
			text += c;
			continue;
		}
		conversion v = read_conversion(format, &at);
		uint64_t word = 0;
		bool real = is_one_of(v.kind, "aAeEfFgG"), text_or_pointer = is_one_of(v.kind, "sp");
		if (v.kind == '%') {
			text += '%';
			continue;
		}
		if (!real && !text_or_pointer && !is_one_of(v.kind, "diouxXc")) {
			text += v.spec + v.kind;
			continue;
		}
		if (!take(v.wide || real || text_or_pointer, &word))
			return;
		std::string string;
		if (v.kind == 's' && !read_string(u, lane, word, &string))
			return;
		if (real)
			text += formatted(v.spec + v.kind, std::bit_cast<double>(word));
		else if (v.kind == 's')
			text += formatted(v.spec + "s", string.c_str());
		else if (v.kind == 'c')
			text += formatted(v.spec + "c", int(word));
		else if (v.kind == 'p')
			text += formatted("%#llx", static_cast<unsigned long long>(word));
		else if (is_one_of(v.kind, "di"))
			text += formatted(v.spec + "lld", v.wide ? static_cast<long long>(word) : int32_t(word));
		else
			text += formatted(v.spec + "ll" + v.kind, static_cast<unsigned long long>(word));
	}
	if (o_.print)
		o_.print(text);
}

bool runner::call_builtin(warp &w, fragment &f, const uop &u, const call_site &site, const code &callee, lanes m)
{
	auto argument_of = [&](uint32_t n, unsigned lane) {
		return n < site.arguments ? argument_value(*f.in, p_.arguments()[site.first_argument + n], lane) : 0;
	};
	uint32_t pc = f.pc;
	c_.cache = &caches_[f.in->number][pc];
	for (lanes left = m; left && !c_.failed(); left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		uint64_t result = 0;
		if (callee.builtin == builtin::vprintf) {
			print_formatted(u, l, argument_of(0, l), argument_of(1, l));
		} else if (callee.builtin == builtin::malloc) {
			uint64_t size = (argument_of(0, l) + heap_alignment - 1) / heap_alignment * heap_alignment;
			result = size ? c_.mem->allocate(size, "memory from malloc") : 0;
		} else if (callee.builtin == builtin::free) {
			uint64_t address = argument_of(0, l);
			if (address && !c_.mem->release(address))
				c_.fail(u, l, "frees what malloc did not give");
		} else {
			std::string text;
			read_string(u, l, argument_of(0, l), &text);
			c_.fail(u, l, "assertion failed: " + text);
		}
		if (site.results) {
			argument to = p_.arguments()[site.first_result];
			uint32_t n = std::min(to.bytes, 8u);
			if (to.value.valid())
				c_.at(to.value)[l] = result;
			else
				memcpy(c_.param.bytes + size_t{l} * c_.param.stride + to.offset, &result, n);
			if (o_.check_defined && to.value.valid())
				f.in->defined[to.value.index()] |= lanes{1} << l;
			else if (o_.check_defined)
				memset(c_.param.defined + size_t{l} * c_.param.stride + to.offset, 1, n);
		}
	}
	if (c_.failed()) {
		stop(u, *f.in, w, c_.failed_lane_, c_.failure_);
		return false;
	}
	f.pc++;
	return true;
}

} // namespace het::ptx::simt
