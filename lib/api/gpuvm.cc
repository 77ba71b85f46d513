// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The C boundary is here: arguments are checked here and nowhere else. gpuvm.h documents each function.
#include "api/public.h"
#include "memory/allocate.h"
#include "memory/allocations.h"
#include "memory/exact_copy.h"
#include "memory/failure.h"
#include "memory/home.h"
#include "memory/hooks.h"
#include "memory/kernel.h"
#include "memory/library.h"
#include "memory/link.h"
#include "memory/resolver.h"
#include "memory/start.h"
#include "os/log.h"
#include "os/pool.h"
#include "trap/stop_threads.h"

#include <gpuvm.h>

using namespace het;

namespace
{

constexpr int init_flags = GPUVM_STAT | GPUVM_UNLINK_NO_SYNC_BACK | GPUVM_WRITER_SIG_BLOCK | GPUVM_STRICT |
			   GPUVM_NO_FORESIGHT | GPUVM_SEND_AHEAD | GPUVM_TRAP_MASK | GPUVM_SPIN_MASK;
constexpr int api_flags = GPUVM_OPENCL | GPUVM_CUDA | GPUVM_HOST;

bool is_one_api(int api)
{
	return api == GPUVM_OPENCL || api == GPUVM_CUDA || api == GPUVM_HOST;
}

int check_device(const char *call, unsigned idev)
{
	if (idev < lib().ndevs)
		return 0;
	return fail(GPUVM_EARG, "%s: device %u; there are %u", call, idev, lib().ndevs);
}

// Returns false, too, for a range that runs past the end of the address space.
bool is_inside(const array &a, range r)
{
	return !r.empty() && a.place.user.covers(r);
}

struct kernel_call {
	array *a = nullptr;
	usage use;
	int err = 0;
};

// Finds the array and the part of it for begin and end. With @nbytes 0 that is the whole array.
kernel_call find_part(const char *call, void *hostptr, size_t nbytes, unsigned idev)
{
	kernel_call k;
	k.err = check_ready(call);
	if (k.err)
		return k;
	if (!hostptr)
		k.err = fail(GPUVM_ENULL, "%s: null host pointer", call);
	else
		k.err = check_device(call, idev);
	if (k.err)
		return k;
	k.a = lib().arrays.find(reinterpret_cast<uintptr_t>(hostptr));
	if (!k.a) {
		k.err = fail(GPUVM_EHOSTPTR, "%s: %p points into no linked array", call, hostptr);
		return k;
	}
	if (!k.a->links[idev].devbuf.load(std::memory_order_relaxed)) {
		k.err = fail(GPUVM_ENOLINK, "%s: array %p is not linked on device %u", call, hostptr, idev);
		return k;
	}
	range part = nbytes ? range_of(hostptr, nbytes) : k.a->place.user;
	k.use = {idev, part, part == k.a->place.user};
	if (!is_inside(*k.a, part))
		k.err = fail(GPUVM_EARG, "%s: %p + %zu is not inside array %p + %zu", call, hostptr, nbytes,
			     k.a->place.user.ptr(), k.a->place.user.size());
	return k;
}

int begin(const char *call, void *hostptr, size_t nbytes, unsigned idev, int flags)
{
	kernel_call k = find_part(call, hostptr, nbytes, idev);
	if (k.err)
		return k.err;
	switch (flags) {
	case GPUVM_READ_ONLY:
		return begin_kernel(*k.a, k.use, kernel_mode::read_only);
	case GPUVM_WRITE_ONLY:
		return begin_kernel(*k.a, k.use, kernel_mode::write_only);
	case GPUVM_READ_WRITE:
		return begin_kernel(*k.a, k.use, kernel_mode::read_write);
	default:
		return fail(GPUVM_EARG, "%s: flags 0x%x; want READ_ONLY, WRITE_ONLY or READ_WRITE", call,
			    unsigned(flags));
	}
}

int end(const char *call, void *hostptr, size_t nbytes, unsigned idev)
{
	kernel_call k = find_part(call, hostptr, nbytes, idev);
	return k.err ? k.err : end_kernel(*k.a, k.use, nullptr);
}

double seconds(uint64_t ns)
{
	return double(ns) * 1e-9;
}

} // namespace

GPUVM_PUBLIC int gpuvm_pre_init(int flags)
{
	if (flags == GPUVM_THREADS_BEFORE_INIT)
		return record_threads_before();
	if (flags == GPUVM_THREADS_AFTER_INIT)
		return record_threads_after();
	return fail(GPUVM_EARG, "gpuvm_pre_init: flags 0x%x", unsigned(flags));
}

GPUVM_PUBLIC int gpuvm_library_exists(void)
{
	return 1;
}

GPUVM_PUBLIC int gpuvm_init_devices(unsigned ndevs, const gpuvm_device *devs, int flags)
{
	if (!ndevs || ndevs > max_devices)
		return fail(GPUVM_EARG, "gpuvm_init: %u devices; 1 to %u are possible", ndevs, max_devices);
	if (!devs)
		return fail(GPUVM_ENULL, "gpuvm_init: no list of devices");
	bool known = !(flags & ~init_flags) && (flags & GPUVM_TRAP_MASK) <= GPUVM_TRAP_SIGSEGV_STOP &&
		     (flags & GPUVM_SPIN_MASK) != GPUVM_SPIN_MASK;
	if (!known)
		return fail(GPUVM_EARG, "gpuvm_init: unknown flags in 0x%x", unsigned(flags));
	return init_library(ndevs, devs, flags);
}

GPUVM_PUBLIC int gpuvm_init(unsigned ndevs, void **devs, int flags)
{
	int api = flags & api_flags;
	if (!is_one_api(api))
		return fail(GPUVM_EARG, "gpuvm_init: flags 0x%x name no API, or more than one", unsigned(flags));
	if (!ndevs || ndevs > max_devices)
		return fail(GPUVM_EARG, "gpuvm_init: %u devices; 1 to %u are possible", ndevs, max_devices);
	if (!devs && api == GPUVM_OPENCL)
		return fail(GPUVM_ENULL, "gpuvm_init: no list of command queues");
	gpuvm_device list[max_devices];
	for (unsigned i = 0; i < ndevs; i++) {
		void *handle = devs ? devs[i] : nullptr;
		if (api == GPUVM_CUDA)
			handle = reinterpret_cast<void *>(uintptr_t{i});
		list[i] = {api, handle};
	}
	return gpuvm_init_devices(ndevs, list, flags & ~api_flags);
}

GPUVM_PUBLIC int gpuvm_link(void *hostptr, size_t nbytes, unsigned idev, void *devbuf, int flags)
{
	if (int err = check_ready("gpuvm_link"))
		return err;
	if (!hostptr || !devbuf)
		return fail(GPUVM_ENULL, "gpuvm_link: null %s", hostptr ? "device buffer" : "host pointer");
	if (!nbytes || reinterpret_cast<uintptr_t>(hostptr) + nbytes < nbytes)
		return fail(GPUVM_EARG, "gpuvm_link: %zu bytes", nbytes);
	if (int err = check_device("gpuvm_link", idev))
		return err;
	int where = flags & (GPUVM_ON_HOST | GPUVM_ON_DEVICE);
	int api = flags & api_flags;
	bool known = !(flags & ~(api_flags | GPUVM_ON_HOST | GPUVM_ON_DEVICE | GPUVM_COPY));
	if (!known || where == (GPUVM_ON_HOST | GPUVM_ON_DEVICE) || (api && !is_one_api(api)))
		return fail(GPUVM_EARG, "gpuvm_link: flags 0x%x", unsigned(flags));
	if (api && api != lib().devices[idev]->api())
		return fail(GPUVM_EARG, "gpuvm_link: flags 0x%x name another API than that of device %u",
			    unsigned(flags), idev);
	return link_array(lib(), hostptr, nbytes, idev, devbuf,
			  {.on_device = where == GPUVM_ON_DEVICE, .may_copy = (flags & GPUVM_COPY) != 0});
}

GPUVM_PUBLIC int gpuvm_unlink(void *hostptr, unsigned idev)
{
	if (!hostptr)
		return 0;
	if (int err = check_ready("gpuvm_unlink"))
		return err;
	if (idev != unsigned(GPUVM_ALL_DEVICES)) {
		if (int err = check_device("gpuvm_unlink", idev))
			return err;
	}
	return unlink_array(lib(), hostptr, idev);
}

GPUVM_PUBLIC void *gpuvm_xlate(void *hostptr, unsigned idev)
{
	if (!lib().ready.load(std::memory_order_acquire) || idev >= lib().ndevs)
		return nullptr;
	array *a = lib().arrays.find(reinterpret_cast<uintptr_t>(hostptr));
	return a ? a->links[idev].devbuf.load(std::memory_order_relaxed) : nullptr;
}

GPUVM_PUBLIC int gpuvm_kernel_begin(void *hostptr, unsigned idev, int flags)
{
	return begin("gpuvm_kernel_begin", hostptr, 0, idev, flags);
}

GPUVM_PUBLIC int gpuvm_kernel_end(void *hostptr, unsigned idev)
{
	return end("gpuvm_kernel_end", hostptr, 0, idev);
}

GPUVM_PUBLIC int gpuvm_kernel_begin_range(void *hostptr, size_t nbytes, unsigned idev, int flags)
{
	if (!nbytes)
		return fail(GPUVM_EARG, "gpuvm_kernel_begin_range: 0 bytes");
	return begin("gpuvm_kernel_begin_range", hostptr, nbytes, idev, flags);
}

GPUVM_PUBLIC int gpuvm_kernel_end_range(void *hostptr, size_t nbytes, unsigned idev)
{
	if (!nbytes)
		return fail(GPUVM_EARG, "gpuvm_kernel_end_range: 0 bytes");
	return end("gpuvm_kernel_end_range", hostptr, nbytes, idev);
}

GPUVM_PUBLIC int gpuvm_kernel_end_event(void *hostptr, unsigned idev, void *event)
{
	if (!event)
		return fail(GPUVM_ENULL, "gpuvm_kernel_end_event: null event");
	kernel_call k = find_part("gpuvm_kernel_end_event", hostptr, 0, idev);
	if (k.err)
		return k.err;
	int err;
	pending_kernel *pending = make_pending(lib(), idev, event, &err);
	return pending ? end_kernel(*k.a, k.use, pending) : err;
}

GPUVM_PUBLIC int gpuvm_host_begin(void *hostptr, size_t nbytes, int flags)
{
	if (int err = check_ready("gpuvm_host_begin"))
		return err;
	if (!hostptr)
		return fail(GPUVM_ENULL, "gpuvm_host_begin: null host pointer");
	if (flags != GPUVM_READ_ONLY && flags != GPUVM_WRITE_ONLY && flags != GPUVM_READ_WRITE)
		return fail(GPUVM_EARG, "gpuvm_host_begin: flags 0x%x", unsigned(flags));
	return show_range(range_of(hostptr, nbytes), flags == GPUVM_READ_ONLY ? event::touch_read : event::touch_write);
}

static int check_exact(const char *call, const void *hostptr, const void *other, size_t nbytes)
{
	if (!hostptr || !other)
		return fail(GPUVM_ENULL, "%s: null pointer", call);
	const range here = range_of(hostptr, nbytes), there = range_of(other, nbytes);
	if (here.end < here.begin || there.end < there.begin)
		return fail(GPUVM_EARG, "%s: %zu bytes reach past the end of the address space", call, nbytes);
	if (is_linked(other, nbytes))
		return fail(GPUVM_EARG, "%s: the memory at %p lies in an array: copy to or from other memory", call,
			    other);
	return 0;
}

GPUVM_PUBLIC int gpuvm_host_read(const void *hostptr, size_t nbytes, void *to)
{
	int err = check_exact("gpuvm_host_read", hostptr, to, nbytes);
	return err ? err : read_exactly(range_of(hostptr, nbytes), static_cast<char *>(to));
}

GPUVM_PUBLIC int gpuvm_host_write(void *hostptr, size_t nbytes, const void *from)
{
	int err = check_exact("gpuvm_host_write", hostptr, from, nbytes);
	return err ? err : write_exactly(range_of(hostptr, nbytes), static_cast<const char *>(from));
}

GPUVM_PUBLIC int gpuvm_is_linked(const void *hostptr, size_t nbytes)
{
	const range r = range_of(hostptr, nbytes);
	return r.begin < r.end && is_linked(hostptr, nbytes);
}

GPUVM_PUBLIC void *gpuvm_malloc(size_t nbytes, unsigned idev, int flags)
{
	if (check_ready("gpuvm_malloc"))
		return nullptr;
	if (idev != unsigned(GPUVM_ALL_DEVICES) && check_device("gpuvm_malloc", idev))
		return nullptr;
	if (flags & ~GPUVM_HUGE) {
		fail(GPUVM_EARG, "gpuvm_malloc: flags 0x%x", unsigned(flags));
		return nullptr;
	}
	return allocate_block(nbytes, idev, flags & GPUVM_HUGE);
}

GPUVM_PUBLIC int gpuvm_free(void *ptr)
{
	if (int err = check_ready("gpuvm_free"))
		return err;
	return ptr ? free_block(ptr) : 0;
}

GPUVM_PUBLIC void *gpuvm_alias(void *hostptr)
{
	if (!lib().ready.load(std::memory_order_acquire))
		return nullptr;
	auto at = reinterpret_cast<uintptr_t>(hostptr);
	array *a = lib().arrays.find(at);
	return a && a->place.body.contains(at) ? alias_of(*a, at) : nullptr;
}

GPUVM_PUBLIC int gpuvm_set_error_callback(gpuvm_error_fn fn, void *arg)
{
	set_error_callback(fn, arg);
	return 0;
}

namespace
{

// Only GPUVM_STAT collects these times.
bool needs_timing(int parameter)
{
	return parameter == GPUVM_STAT_COPY_TIME || parameter == GPUVM_STAT_HOST_COPY_TIME ||
	       parameter == GPUVM_STAT_PAGEFAULT_TIME;
}

bool read_double(int parameter, double *value)
{
	const statistics &s = lib().stats;
	switch (parameter) {
	case GPUVM_STAT_COPY_TIME:
		*value = seconds(s.to_device_ns.get() + s.to_host_ns.get());
		return true;
	case GPUVM_STAT_HOST_COPY_TIME:
		*value = seconds(s.to_host_ns.get());
		return true;
	case GPUVM_STAT_PAGEFAULT_TIME:
		*value = seconds(s.touch_ns.get());
		return true;
	case GPUVM_STAT_STALL_MIN:
		*value = seconds(s.stalls.min());
		return true;
	case GPUVM_STAT_STALL_MEDIAN:
		*value = seconds(s.stalls.quantile(0.5));
		return true;
	case GPUVM_STAT_STALL_P99:
		*value = seconds(s.stalls.quantile(0.99));
		return true;
	case GPUVM_STAT_STALL_MAX:
		*value = seconds(s.stalls.max());
		return true;
	default:
		return false;
	}
}

bool read_count(int parameter, unsigned long long *value)
{
	const statistics &s = lib().stats;
	switch (parameter) {
	case GPUVM_STAT_PAGEFAULTS:
	case GPUVM_STAT_TOUCHES:
		*value = s.touches.get();
		return true;
	case GPUVM_STAT_BYTES_TO_DEVICE:
		*value = s.to_device_bytes.get();
		return true;
	case GPUVM_STAT_BYTES_TO_HOST:
		*value = s.to_host_bytes.get();
		return true;
	case GPUVM_STAT_BYTES_KEPT:
		*value = s.kept_bytes.get();
		return true;
	case GPUVM_STAT_FORESEEN:
		*value = s.foreseen_bytes.get();
		return true;
	case GPUVM_STAT_FORESEEN_USED:
		*value = s.foreseen_used_bytes.get();
		return true;
	case GPUVM_STAT_FORESEEN_IN_VAIN:
		*value = s.foreseen_in_vain_bytes.get();
		return true;
	case GPUVM_STAT_LEFT_WRITABLE:
		*value = s.left_writable_bytes.get();
		return true;
	case GPUVM_STAT_LEFT_IN_VAIN:
		*value = s.left_in_vain_bytes.get();
		return true;
	case GPUVM_STAT_SENT_AHEAD:
		*value = s.sent_bytes.get();
		return true;
	case GPUVM_STAT_SENT_AHEAD_USED:
		*value = s.sent_used_bytes.get();
		return true;
	case GPUVM_STAT_SENT_AHEAD_IN_VAIN:
		*value = s.sent_in_vain_bytes.get();
		return true;
	case GPUVM_STAT_FETCHES:
		*value = s.fetches.get();
		return true;
	case GPUVM_STAT_BOOKKEEPING:
		*value = pool().footprint();
		return true;
	case GPUVM_STAT_FAILURES:
		*value = failure_count();
		return true;
	case GPUVM_STAT_HUGE_BYTES:
		*value = huge_bytes(lib());
		return true;
	default:
		return false;
	}
}

bool read_text(int parameter, const char **value)
{
	switch (parameter) {
	case GPUVM_STAT_TRAP:
		*value = lib().catcher->name();
		return true;
	case GPUVM_STAT_TRAP_REASON:
		*value = lib().trap_reason;
		return true;
	case GPUVM_STAT_LAST_FAILURE:
		*value = last_failure();
		return true;
	default:
		return false;
	}
}

// Of a longer structure, of a program that is newer than this library, the rest stays as it is.
int read_last_touch(gpuvm_touch_times *value)
{
	if (value->size < sizeof(*value))
		return fail(GPUVM_EARG, "gpuvm_stat: struct gpuvm_touch_times: size is %zu, not %zu: set it to sizeof",
			    value->size, sizeof(*value));
	touch_times t = lib().last.get();
	*value = {.size = value->size,
		  .caught = t.caught,
		  .handed = t.handed,
		  .taken = t.handed ? t.seen : 0,
		  .locked = t.locked,
		  .given = t.given,
		  .started = t.started,
		  .copied = t.copied,
		  .shown = t.shown};
	return 0;
}

bool read_number(int parameter, void *value)
{
	switch (parameter) {
	case GPUVM_STAT_ENABLED:
		*static_cast<int *>(value) = lib().timed;
		return true;
	case GPUVM_STAT_NDEVS:
		*static_cast<unsigned *>(value) = lib().ndevs;
		return true;
	case GPUVM_STAT_RESOLVERS:
		*static_cast<unsigned *>(value) = resolver_count();
		return true;
	case GPUVM_STAT_SYSTEM_TOUCHES:
		*static_cast<int *>(value) = lib().catcher->features().kernel_touches;
		return true;
	default:
		return false;
	}
}

} // namespace

GPUVM_PUBLIC int gpuvm_stat(int parameter, void *value)
{
	if (parameter == GPUVM_STAT_SYSTEM_TOUCHES && value && !lib().ready.load(std::memory_order_acquire)) {
		*static_cast<int *>(value) = -1;
		return 0;
	}
	if (int err = check_ready("gpuvm_stat"))
		return err;
	if (!value)
		return fail(GPUVM_ENULL, "gpuvm_stat: null value");
	if (needs_timing(parameter) && !lib().timed)
		return fail(GPUVM_ESTATE, "gpuvm_stat: times need GPUVM_STAT at gpuvm_init()");
	if (parameter == GPUVM_STAT_LAST_TOUCH)
		return read_last_touch(static_cast<gpuvm_touch_times *>(value));
	if (read_number(parameter, value) || read_double(parameter, static_cast<double *>(value)) ||
	    read_count(parameter, static_cast<unsigned long long *>(value)) ||
	    read_text(parameter, static_cast<const char **>(value)))
		return 0;
	return fail(GPUVM_EARG, "gpuvm_stat: unknown parameter %d", parameter);
}

GPUVM_PUBLIC const char *gpuvm_strerror(int err)
{
	switch (err) {
	case 0:
		return "success";
	case GPUVM_ERROR:
		return "unspecified error";
	case GPUVM_ESALLOC:
		return "memory or another resource of the library could not be had";
	case GPUVM_ENULL:
		return "an argument is null that must not be";
	case GPUVM_EARG:
		return "an argument is out of range, or a flag is unknown";
	case GPUVM_ETWICE:
		return "a call that is allowed once was made again";
	case GPUVM_ERANGE:
		return "the range overlaps a linked array without being the same";
	case GPUVM_ELINK:
		return "the array is linked on this device already";
	case GPUVM_EHOSTPTR:
		return "the pointer points into no linked array";
	case GPUVM_EDEVALLOC:
		return "a call of the device's API failed, most likely for lack of memory";
	case GPUVM_EPROT:
		return "the memory can not be watched";
	case GPUVM_ENOLINK:
		return "the array has no link on this device";
	case GPUVM_ESTATE:
		return "not allowed in this state";
	case GPUVM_EAPI:
		return "the device's API is missing or of the wrong version";
	default:
		return "not an error code of gpuvm";
	}
}
