// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libgomp loads plug-ins by fixed names and calls them through these entry points; this one goes by the name of GCC's
// own for nvptx. True is success.
#include "device.h"
#include "interface.h"

#include <cstring>

using namespace het_omp;

#define ENTRY extern "C" __attribute__((visibility("default")))

ENTRY unsigned GOMP_OFFLOAD_version()
{
	return interface_version();
}

ENTRY const char *GOMP_OFFLOAD_get_name()
{
	return "nvptx";
}

ENTRY unsigned GOMP_OFFLOAD_get_caps()
{
	return can_openmp_4;
}

ENTRY int GOMP_OFFLOAD_get_type()
{
	return kind_nvptx;
}

// libgomp of GCC 12 passes nothing. A negative number says that there are devices that can't be what is required.
ENTRY int GOMP_OFFLOAD_get_num_devices(unsigned required)
{
	const int count = count_devices();
	return count && is_gcc_13_or_newer() && !can_fulfil(required) ? -1 : count;
}

ENTRY bool GOMP_OFFLOAD_init_device(int)
{
	return true;
}

ENTRY bool GOMP_OFFLOAD_fini_device(int)
{
	return true;
}

namespace
{

bool takes_version(unsigned version)
{
	if (image_version_of(version) <= image_version)
		return true;
	GOMP_PLUGIN_error(
		"libhet: the program's code for devices is of version %u, and this plug-in knows %u: install a "
		"newer libhet",
		image_version_of(version), image_version);
	return false;
}

} // namespace

// libgomp of GCC 12 passes no @calls_to_host, and later ones null where the program has none.
ENTRY int GOMP_OFFLOAD_load_image(int n, unsigned version, const void *data, table_entry **table,
				  uint64_t **calls_to_host)
{
	if (!takes_version(version))
		return -1;
	const image *made = device_number(n)->load(*static_cast<const image_data *>(data));
	if (!made)
		return -1;
	const std::vector<table_entry> entries = made->table();
	const size_t nbytes = entries.size() * sizeof entries[0];
	*table = static_cast<table_entry *>(GOMP_PLUGIN_malloc(nbytes)); // libgomp frees it
	memcpy(*table, entries.data(), nbytes);
	if (is_gcc_13_or_newer() && calls_to_host)
		*calls_to_host = nullptr;
	return int(entries.size());
}

ENTRY bool GOMP_OFFLOAD_unload_image(int n, unsigned version, const void *data)
{
	if (!takes_version(version))
		return false;
	device_number(n)->unload(static_cast<const image_data *>(data));
	return true;
}

ENTRY void *GOMP_OFFLOAD_alloc(int n, size_t nbytes)
{
	return device_number(n)->allocate(nbytes);
}

ENTRY bool GOMP_OFFLOAD_free(int n, void *p)
{
	return device_number(n)->free(p);
}

ENTRY bool GOMP_OFFLOAD_dev2host(int n, void *to, const void *from, size_t nbytes)
{
	return device_number(n)->copy_to_host(to, from, nbytes);
}

ENTRY bool GOMP_OFFLOAD_host2dev(int n, void *to, const void *from, size_t nbytes)
{
	return device_number(n)->copy_to_device(to, from, nbytes);
}

ENTRY bool GOMP_OFFLOAD_dev2dev(int n, void *to, const void *from, size_t nbytes)
{
	return device_number(n)->copy_on_device(to, from, nbytes);
}

ENTRY void GOMP_OFFLOAD_run(int n, void *region, void *variables, void **arguments)
{
	device_number(n)->run(*static_cast<const function *>(region), variables, arguments);
}

ENTRY void GOMP_OFFLOAD_async_run(int n, void *region, void *variables, void **arguments, void *task)
{
	device_number(n)->begin(*static_cast<const function *>(region), variables, arguments, task);
}
