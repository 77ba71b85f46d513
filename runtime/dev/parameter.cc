// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/parameter.h"

#include "os/log.h"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace het::rt
{

namespace
{

const char *name_of(parameter::kind k)
{
	switch (k) {
	case parameter::value:
		return "a value";
	case parameter::memory:
		return "device memory";
	case parameter::local:
		return "local memory";
	case parameter::texture:
		return "a texture";
	case parameter::sampler:
		return "a sampler";
	case parameter::unknown:
		break;
	}
	return "something else";
}

const char *name_of_given(uint32_t kind)
{
	switch (kind) {
	case HET_ARG_VALUE:
		return "a value";
	case HET_ARG_LOCAL:
		return "local memory";
	case HET_ARG_MEMORY:
		return "a memory object";
	case HET_ARG_RANGE:
		return "a range of host memory";
	case HET_ARG_ADDRESS:
		return "a device's address";
	case HET_ARG_TEXTURE:
		return "a texture";
	case HET_ARG_SAMPLER:
		return "a sampler";
	default:
		return "what is of an unknown kind";
	}
}

bool is_of_kind(parameter::kind k, uint32_t given)
{
	switch (k) {
	case parameter::value:
		return given == HET_ARG_VALUE;
	case parameter::memory:
		return given == HET_ARG_MEMORY || given == HET_ARG_RANGE || given == HET_ARG_ADDRESS;
	case parameter::local:
		return given == HET_ARG_LOCAL;
	case parameter::texture:
		return given == HET_ARG_TEXTURE;
	case parameter::sampler:
		return given == HET_ARG_SAMPLER;
	case parameter::unknown:
		break;
	}
	return true;
}

} // namespace

bool fits(const parameter &p, const device_arg &given)
{
	bool has_size = p.is == parameter::value && p.nbytes;
	return is_of_kind(p.is, given.kind) && (!has_size || given.nbytes == p.nbytes);
}

bool is_null_pointer(const parameter &p, const device_arg &given)
{
	constexpr char null[sizeof(void *)] = {};
	return p.is == parameter::memory && given.kind == HET_ARG_VALUE && given.nbytes == sizeof(null) &&
	       !memcmp(given.pointer, null, sizeof(null));
}

int say_misfit(const char *kernel, size_t i, const parameter &p, const device_arg &given)
{
	char declared[140] = "";
	if (*p.type || *p.name)
		snprintf(declared, sizeof(declared), " (%.60s%s%.60s)", p.type, *p.type && *p.name ? " " : "", p.name);
	if (is_of_kind(p.is, given.kind))
		return fail(HET_EARG, "het_launch: argument %zu of kernel %s%s has %zu bytes, and %zu were given", i,
			    kernel, declared, p.nbytes, given.nbytes);
	return fail(HET_EARG, "het_launch: argument %zu of kernel %s%s is %s, and %s was given", i, kernel, declared,
		    name_of(p.is), name_of_given(given.kind));
}

size_t bytes_of_type(const char *name)
{
	constexpr struct {
		const char *name;
		size_t nbytes;
	} types[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"half", 2},  {"int", 4},
		     {"uint", 4}, {"float", 4}, {"long", 8},  {"ulong", 8},  {"double", 8}};
	for (const auto &t : types) {
		size_t n = strlen(t.name);
		if (strncmp(name, t.name, n) != 0)
			continue;
		const char *digits = name + n, *end = digits + strlen(digits);
		size_t width = 1;
		if (digits != end && (std::from_chars(digits, end, width).ptr != end || width == 1))
			return 0;
		bool is_width = width <= 4 ? width : width == 8 || width == 16;
		return is_width ? t.nbytes * (width == 3 ? 4 : width) : 0;
	}
	return 0;
}

} // namespace het::rt
