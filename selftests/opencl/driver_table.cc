// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "driver_table.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cltest
{

driver::driver()
{
	void *library = dlopen("libpocl.so.2.10.0", RTLD_NOW);
	library = library ? library : dlopen("libpocl.so.2", RTLD_NOW);
	const auto find = reinterpret_cast<void *(*)(const char *)>(
		library ? dlsym(library, "clGetExtensionFunctionAddress") : nullptr);
	const auto platforms = reinterpret_cast<cl_int (*)(cl_uint, cl_platform_id *, cl_uint *)>(
		find ? find("clIcdGetPlatformIDsKHR") : nullptr);
	if (!platforms || platforms(1, &platform, nullptr))
		return;
	table = *reinterpret_cast<cl_icd_dispatch **>(platform);
	const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
	auto *begin = reinterpret_cast<void *>(uintptr_t(table) & ~(page - 1));
	if (mprotect(begin, sizeof(*table) + page, PROT_READ | PROT_WRITE))
		platform = nullptr;
}

} // namespace cltest
