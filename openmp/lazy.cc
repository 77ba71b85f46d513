// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "lazy.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gpuvm.h>
#include <het.h>
#include <memory>

namespace het_omp
{

namespace
{

const void *object_of(void *function)
{
	Dl_info found = {};
	return dladdr(function, &found) ? found.dli_fbase : nullptr;
}

bool is_preloaded()
{
	void *release = dlsym(RTLD_DEFAULT, "free");
	return release && object_of(release) == object_of(reinterpret_cast<void *>(&het_launch));
}

unsigned read_setting()
{
	const char *text = getenv("HET_OPENMP_LAZY");
	if (!text || !*text)
		return by_cost;
	char *end;
	unsigned long n = strtoul(text, &end, 10);
	if (!*end && n <= 1000)
		return unsigned(n);
	fprintf(stderr, "libhet: HET_OPENMP_LAZY: '%s' is no number from 0 to 1000, and is not heeded\n", text);
	return by_cost;
}

struct closes {
	void operator()(FILE *f) const { fclose(f); }
};

} // namespace

unsigned lazy_from()
{
	static const unsigned from = is_preloaded() ? read_setting() : 0;
	return from;
}

bool can_be_watched(const void *p, size_t nbytes)
{
	const std::unique_ptr<FILE, closes> maps(fopen("/proc/self/maps", "re"));
	uintptr_t at = reinterpret_cast<uintptr_t>(p);
	const uintptr_t end = at + nbytes;
	char line[512];
	while (maps && at < end && fgets(line, sizeof line, maps.get())) {
		unsigned long begin, behind, inode;
		char rights[5], name[8] = "";
		if (sscanf(line, "%lx-%lx %4s %*s %*s %lu %7s", &begin, &behind, rights, &inode, name) < 4)
			continue;
		if (behind <= at)
			continue;
		if (begin > at || strcmp(rights, "rw-p") != 0 || inode || !strcmp(name, "[stack]"))
			return false;
		at = behind;
	}
	return at >= end;
}

bool calls_may_use_watched()
{
	static const bool may = [] {
		const char *trap = nullptr;
		if (gpuvm_stat(GPUVM_STAT_TRAP, &trap))
			return false;
		if (!strcmp(trap, "kmod") || !strcmp(trap, "uffd"))
			return true;
		if (getenv("GPUVM_VERBOSE"))
			fprintf(stderr,
				"libhet: what target regions write does not come home lazily, as system calls would "
				"fail on it under trap %s; het-info tells how to get another one\n",
				trap);
		return false;
	}();
	return may;
}

} // namespace het_omp
