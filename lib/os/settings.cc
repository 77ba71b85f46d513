// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/settings.h"

#include <cstdlib>
#include <cstring>

namespace het
{

namespace
{

// Decimal number with an optional suffix K, M or G (powers of 1024); @otherwise if unset or malformed.
int64_t number(const char *name, int64_t otherwise)
{
	const char *text = getenv(name);
	if (!text || !*text)
		return otherwise;
	char *end;
	int64_t value = strtoll(text, &end, 10);
	switch (*end) {
	case 'G':
		value <<= 10;
		[[fallthrough]];
	case 'M':
		value <<= 10;
		[[fallthrough]];
	case 'K':
		value <<= 10;
		end++;
		break;
	default:
		break;
	}
	return *end || value < 0 ? otherwise : value;
}

const char *text(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : nullptr;
}

environment read_environment()
{
	const char *features = text("GPUVM_UFFD_FEATURES");
	return {
		.quiet = number("GPUVM_QUIET", 0) != 0,
		.verbose = number("GPUVM_VERBOSE", 0) != 0,
		.fork_copy = number("GPUVM_FORK_COPY", 1) != 0,
		.strict = number("GPUVM_STRICT", 0) != 0,
		.kernel_6_1 = features && !strcmp(features, "6.1"),
		.trap = text("GPUVM_TRAP"),
		.uffd_open = text("GPUVM_UFFD_OPEN"),
		.spin_us = number("GPUVM_SPIN_US", -1),
		.resolvers = unsigned(number("GPUVM_RESOLVERS", 0)),
		.chunk = size_t(number("GPUVM_CHUNK", 0)),
		.read_ahead = size_t(number("GPUVM_READ_AHEAD", 8 << 20)),
		.mmap_threshold = size_t(number("GPUVM_MMAP_THRESHOLD", 128 << 10)),
		.watchdog_s = unsigned(number("GPUVM_WATCHDOG", 10)),
	};
}

} // namespace

const environment &settings()
{
	static const environment e = read_environment();
	return e;
}

} // namespace het
