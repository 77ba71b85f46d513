// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is a mock of a plug-in of GCC's libgomp over het.h: it has memory and transfers of OpenMP's target constructs,
// on each of the runtime's devices whose memory has addresses. libgomp loads plug-ins by fixed names and calls them
// through the entry points below; this one goes by the name of the one for nvptx. It takes no code: target regions run
// on the host.
#include <cstdio>
#include <cstdlib>
#include <het.h>

namespace
{

// These numbers are those of GCC's gomp-constants.h and libgomp-plugin.h.
constexpr unsigned version = __GNUC__ < 13 ? 1 : 2;
constexpr unsigned openmp_400 = 1 << 2;
constexpr int nvptx = 5;

constexpr unsigned most = 8;
het_device *devices[most];
int ndevices = -1;
het_queue *queue;

// libgomp wants true for success.
bool report(const char *what, int err)
{
	if (err)
		fprintf(stderr, "libgomp plug-in of libhet: %s: %s\n", what, het_strerror(err));
	return !err;
}

bool has_addresses(het_device *d)
{
	void *p = nullptr;
	return !het_device_alloc(d, 1, &p) && !het_device_free(d, p);
}

void find_devices()
{
	het_device *all[most];
	uint32_t count = 0;
	ndevices = 0;
	if (!report("devices", het_devices(most, all, &count)) || !report("queue", het_queue_create(nullptr, &queue)))
		return;
	for (uint32_t i = 0; i < count && i < most; i++) {
		if (has_addresses(all[i]))
			devices[ndevices++] = all[i];
	}
}

bool copy(het_device *to_device, void *to, het_device *from_device, const void *from, size_t n)
{
	het_copy_args a = {};
	a.size = sizeof a;
	a.to_device = to_device;
	a.to_pointer = to;
	a.from_device = from_device;
	a.from_pointer = from;
	a.nbytes = n;
	het_event *e = nullptr;
	int err = n ? het_copy(queue, &a, &e) : 0;
	if (!err && e)
		err = het_event_wait(1, &e);
	if (e)
		het_event_release(e);
	return report("copy", err);
}

} // namespace

#define ENTRY extern "C" __attribute__((visibility("default")))

ENTRY unsigned GOMP_OFFLOAD_version()
{
	return version;
}

ENTRY const char *GOMP_OFFLOAD_get_name()
{
	return "nvptx";
}

ENTRY unsigned GOMP_OFFLOAD_get_caps()
{
	return openmp_400;
}

ENTRY int GOMP_OFFLOAD_get_type()
{
	return nvptx;
}

ENTRY int GOMP_OFFLOAD_get_num_devices()
{
	if (ndevices < 0)
		find_devices();
	return ndevices;
}

ENTRY bool GOMP_OFFLOAD_init_device(int)
{
	return true;
}

ENTRY bool GOMP_OFFLOAD_fini_device(int)
{
	return true;
}

// Programs for nvptx bring images, from which nothing is taken.
ENTRY int GOMP_OFFLOAD_load_image(int, unsigned, const void *, void **)
{
	return -1;
}

ENTRY bool GOMP_OFFLOAD_unload_image(int, unsigned, const void *)
{
	return true;
}

ENTRY void *GOMP_OFFLOAD_alloc(int n, size_t size)
{
	void *p = nullptr;
	return report("alloc", het_device_alloc(devices[n], size, &p)) ? p : nullptr;
}

ENTRY bool GOMP_OFFLOAD_free(int n, void *p)
{
	return report("free", het_device_free(devices[n], p));
}

ENTRY bool GOMP_OFFLOAD_dev2host(int n, void *to, const void *from, size_t size)
{
	return copy(nullptr, to, devices[n], from, size);
}

ENTRY bool GOMP_OFFLOAD_host2dev(int n, void *to, const void *from, size_t size)
{
	return copy(devices[n], to, nullptr, from, size);
}

ENTRY bool GOMP_OFFLOAD_dev2dev(int n, void *to, const void *from, size_t size)
{
	return copy(devices[n], to, devices[n], from, size);
}

// libgomp never calls it, as there is no code.
ENTRY void GOMP_OFFLOAD_run(int, void *, void *, void **)
{
	abort();
}
