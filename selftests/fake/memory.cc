// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The fake driver's device memory is here, with host memory that is pinned, and copies between them.
#include "fake/driver.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace het
{

namespace
{

std::mutex places_lock;
struct allocation {
	CUctx_st *context; // that it belongs to
	size_t size;
};
std::map<cu_deviceptr, allocation> allocations;
std::map<int, size_t> in_use;       // bytes by device
std::map<uintptr_t, size_t> pinned; // sizes by address
// Kernels see pinned memory at these addresses, by its own, once somebody has asked for one.
std::map<uintptr_t, cu_deviceptr> seen;

// What nobody has asked for needs no wait for a kernel that is at work.
void hide(const void *region)
{
	auto find = [region] { return seen.find(reinterpret_cast<uintptr_t>(region)); };
	{
		std::lock_guard g(places_lock);
		if (find() == seen.end())
			return;
	}
	std::lock_guard memory(device_lock());
	std::lock_guard g(places_lock);
	device_memory().release(find()->second);
	seen.erase(find());
}

bool is_pinned(const void *p, size_t n)
{
	auto at = reinterpret_cast<uintptr_t>(p);
	std::lock_guard g(places_lock);
	auto after = pinned.upper_bound(at);
	if (after == pinned.begin())
		return false;
	auto region = std::prev(after);
	return at + n <= region->first + region->second;
}

bool overlaps_pinned(uintptr_t at, size_t n)
{
	auto after = pinned.lower_bound(at + n);
	return after != pinned.begin() && std::prev(after)->first + std::prev(after)->second > at;
}

// Tells where an address lies; .base is 0 for one that is none of the devices'.
struct place {
	cu_deviceptr base = 0;
	size_t size = 0;
	CUctx_st *context = nullptr;
};

place find(cu_deviceptr p)
{
	std::lock_guard memory(device_lock());
	ptx::simt::buffer *b = device_memory().find(p);
	if (!b)
		return {};
	std::lock_guard g(places_lock);
	return {b->address, b->size, allocations[b->address].context};
}

// It is counted while it waits.
std::atomic<int> waiting_copies;
class copy_guard
{
      public:
	copy_guard()
	{
		waiting_copies++;
		device_lock().lock();
		waiting_copies--;
	}
	~copy_guard() { device_lock().unlock(); }
	copy_guard(const copy_guard &) = delete;
	copy_guard &operator=(const copy_guard &) = delete;
};

int read_device(void *to, cu_deviceptr from, size_t size)
{
	while (fake_cuda.reads_wait)
		std::this_thread::sleep_for(std::chrono::microseconds(100));
	copy_guard g;
	return device_memory().read(from, to, size) ? 0 : int(cu_error_invalid_value);
}

int write_device(cu_deviceptr to, const void *from, size_t size)
{
	copy_guard g;
	return device_memory().write(to, from, size) ? 0 : int(cu_error_invalid_value);
}

int move_on_device(cu_deviceptr to, cu_deviceptr from, size_t size)
{
	std::vector<char> bytes(size);
	int err = read_device(bytes.data(), from, size);
	return err ? err : write_device(to, bytes.data(), size);
}

// Adds work of the call @symbol to the stream. If it is @pageable, the driver does it before the call returns.
template <typename F> int add_work(const char *symbol, cu_stream stream, bool pageable, F work)
{
	int later = injected_work(symbol);
	CUstream_st &s = stream_or_default(stream);
	s.add([=] { return later ? later : work(); });
	if (!pageable)
		return 0;
	fake_cuda.pageable_copies++;
	return s.synchronize();
}

// Returns what a device has left of which so many bytes are in use.
size_t free_of(size_t used)
{
	size_t all = fake_cuda.memory, others = fake_cuda.others_memory;
	return all > used + others ? all - used - others : 0;
}

} // namespace

CUctx_st *owner_of(cu_deviceptr p)
{
	std::lock_guard g(places_lock);
	auto after = allocations.upper_bound(p);
	if (after == allocations.begin() || p - std::prev(after)->first >= std::prev(after)->second.size)
		return nullptr;
	return std::prev(after)->second.context;
}

bool copies_wait()
{
	return waiting_copies;
}

std::mutex &device_lock()
{
	static auto *lock = new std::mutex;
	return *lock;
}

ptx::simt::memory &device_memory()
{
	static auto *memory = new ptx::simt::memory;
	return *memory;
}

int cuMemAlloc_v2(cu_deviceptr *p, size_t size)
{
	if (int err = injected(__func__))
		return err;
	if (!current())
		return cu_error_invalid_context;
	std::lock_guard memory(device_lock());
	std::lock_guard g(places_lock);
	size_t &used = in_use[current()->device];
	if (size > free_of(used))
		return cu_error_out_of_memory;
	*p = device_memory().allocate(size);
	allocations[*p] = {current(), size};
	used += size;
	if (used > fake_cuda.most_memory)
		fake_cuda.most_memory = used;
	return 0;
}

int cuMemGetInfo_v2(size_t *free, size_t *all)
{
	if (int err = injected(__func__))
		return err;
	if (!current())
		return cu_error_invalid_context;
	std::lock_guard g(places_lock);
	*all = fake_cuda.memory;
	*free = free_of(in_use[current()->device]);
	return 0;
}

// The host can touch managed memory at the device's address, which is more than an interpreter has to offer.
int cuMemAllocManaged(cu_deviceptr *, size_t, unsigned)
{
	return cu_error_not_supported;
}

int cuMemFree_v2(cu_deviceptr p)
{
	{
		std::lock_guard g(places_lock);
		auto found = allocations.find(p);
		if (found != allocations.end()) {
			in_use[found->second.context->device] -= found->second.size;
			allocations.erase(found);
		}
	}
	std::lock_guard g(device_lock());
	return device_memory().release(p) ? injected(__func__) : int(cu_error_invalid_value);
}

int cuMemGetAddressRange_v2(cu_deviceptr *base, size_t *size, cu_deviceptr p)
{
	place found = find(p);
	*base = found.base;
	*size = found.size;
	return found.base ? injected(__func__) : int(cu_error_invalid_value);
}

int cuPointerGetAttribute(void *value, int attribute, cu_deviceptr p)
{
	if (int err = injected(__func__))
		return err;
	place found = find(p);
	if (!found.base)
		return cu_error_invalid_value;
	switch (attribute) {
	case cu_pointer_context:
		*static_cast<cu_context *>(value) = found.context;
		return 0;
	case cu_pointer_memory_type:
		*static_cast<unsigned *>(value) = cu_memory_type_device;
		return 0;
	case cu_pointer_is_managed:
		*static_cast<unsigned *>(value) = false;
		return 0;
	case cu_pointer_device_ordinal:
		*static_cast<int *>(value) = found.context->device;
		return 0;
	default:
		return cu_error_invalid_value;
	}
}

int cuMemHostAlloc(void **p, size_t size, unsigned)
{
	if (int err = injected(__func__))
		return err;
	*p = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
	std::lock_guard g(places_lock);
	pinned[reinterpret_cast<uintptr_t>(*p)] = size;
	fake_cuda.host_blocks++;
	return 0;
}

int cuMemFreeHost(void *p)
{
	hide(p);
	std::lock_guard g(places_lock);
	pinned.erase(reinterpret_cast<uintptr_t>(p));
	free(p);
	fake_cuda.host_blocks--;
	return injected(__func__);
}

// The driver populates the pages and keeps them; touching each page does the first half.
int cuMemHostRegister_v2(void *p, size_t size, unsigned)
{
	if (int err = injected(__func__))
		return err;
	for (size_t i = 0; i < size; i += 4096)
		__atomic_fetch_or(static_cast<char *>(p) + i, 0, __ATOMIC_RELAXED);
	std::lock_guard g(places_lock);
	auto at = reinterpret_cast<uintptr_t>(p);
	if (overlaps_pinned(at, size))
		return cu_error_host_memory_already_registered;
	pinned[at] = size;
	fake_cuda.registered++;
	fake_cuda.registrations++;
	return 0;
}

int cuMemHostUnregister(void *p)
{
	if (int err = injected(__func__))
		return err;
	hide(p);
	std::lock_guard g(places_lock);
	if (!pinned.erase(reinterpret_cast<uintptr_t>(p)))
		return cu_error_host_memory_not_registered;
	fake_cuda.registered--;
	return 0;
}

// Addresses of the interpreter's devices are none of the host's.
int cuMemHostGetDevicePointer_v2(cu_deviceptr *p, void *host, unsigned flags)
{
	if (int err = injected(__func__))
		return err;
	auto at = reinterpret_cast<uintptr_t>(host);
	std::lock_guard memory(device_lock());
	std::lock_guard g(places_lock);
	auto region = pinned.upper_bound(at);
	if (flags || region == pinned.begin() || at - (--region)->first >= region->second)
		return cu_error_invalid_value;
	auto [found, is_new] = seen.try_emplace(region->first, 0);
	if (is_new)
		found->second = device_memory().attach(reinterpret_cast<void *>(region->first), region->second);
	*p = found->second + (at - region->first);
	return 0;
}

int cuMemcpyDtoHAsync_v2(void *to, cu_deviceptr from, size_t size, cu_stream stream)
{
	int err = injected(__func__);
	fake_cuda.asked_copies++;
	if (err)
		return err;
	int device = stream_or_default(stream).context.device;
	return add_work(__func__, stream, !is_pinned(to, size), [=] {
		pass_link(device, true, size);
		return read_device(to, from, size);
	});
}

int cuMemcpyHtoDAsync_v2(cu_deviceptr to, const void *from, size_t size, cu_stream stream)
{
	if (int err = injected(__func__))
		return err;
	int device = stream_or_default(stream).context.device;
	fake_cuda.writes++;
	fake_cuda.writes_under_way++;
	return add_work(__func__, stream, !is_pinned(from, size), [=] {
		pass_link(device, false, size);
		int err = write_device(to, from, size);
		fake_cuda.writes_under_way--;
		return err;
	});
}

// Host memory in a batch must be pinned here, as the device gives no other.
int cuMemcpyBatchAsync_v2(cu_deviceptr *to, cu_deviceptr *from, size_t *sizes, size_t count, cu_copy_attributes *,
			  size_t *, size_t, cu_stream stream)
{
	int err = injected(__func__);
	fake_cuda.asked_copies++;
	if (err)
		return err;
	fake_cuda.batches++;
	auto host = [](cu_deviceptr p) { return reinterpret_cast<void *>(uintptr_t(p)); };
	for (size_t i = 0; i < count; i++) {
		cu_deviceptr d = to[i], s = from[i];
		size_t n = sizes[i];
		bool reads = is_pinned(host(d), n), writes = is_pinned(host(s), n);
		if (!reads && !writes)
			return cu_error_invalid_value;
		int device = stream_or_default(stream).context.device;
		add_work(__func__, stream, false, [=] {
			pass_link(device, reads, n);
			return reads ? read_device(host(d), s, n) : write_device(d, host(s), n);
		});
	}
	return 0;
}

// This takes rows from a device to the host alone.
int cuMemcpy2DAsync_v2(const cu_copy_rows *rows, cu_stream stream)
{
	if (int err = injected(__func__))
		return err;
	const cu_copy_rows r = *rows;
	if (r.from_type != cu_memory_type_device || r.to_type != cu_memory_type_host)
		return cu_error_invalid_value;
	bool pageable = !is_pinned(r.to_host, r.count * r.to_pitch);
	return add_work(__func__, stream, pageable, [=] {
		int err = 0;
		for (size_t i = 0; i < r.count && !err; i++)
			err = read_device(static_cast<char *>(r.to_host) + i * r.to_pitch,
					  r.from_device + i * r.from_pitch, r.nbytes);
		return err;
	});
}

int cuMemcpyDtoDAsync_v2(cu_deviceptr to, cu_deviceptr from, size_t size, cu_stream stream)
{
	if (int err = injected(__func__))
		return err;
	return add_work(__func__, stream, false, [=] { return move_on_device(to, from, size); });
}

int cuMemcpyPeerAsync(cu_deviceptr to, cu_context to_context, cu_deviceptr from, cu_context from_context, size_t size,
		      cu_stream stream)
{
	if (int err = injected(__func__))
		return err;
	if (owner_of(to) != to_context || owner_of(from) != from_context)
		return cu_error_invalid_context;
	fake_cuda.peer_copies++;
	return add_work(__func__, stream, false, [=] {
		pass_peer_link(from_context->device, to_context->device, size);
		return move_on_device(to, from, size);
	});
}

int cuMemcpyDtoH_v2(void *to, cu_deviceptr from, size_t size)
{
	int err = stream_or_default(nullptr).synchronize();
	return err ? err : read_device(to, from, size);
}

int cuMemcpyHtoD_v2(cu_deviceptr to, const void *from, size_t size)
{
	int err = stream_or_default(nullptr).synchronize();
	return err ? err : write_device(to, from, size);
}

int cuMemsetD8_v2(cu_deviceptr to, unsigned char value, size_t size)
{
	std::vector<unsigned char> bytes(size, value);
	return cuMemcpyHtoD_v2(to, bytes.data(), size);
}

int cuMemsetD8Async(cu_deviceptr to, unsigned char value, size_t size, cu_stream stream)
{
	if (int err = injected(__func__))
		return err;
	return add_work(__func__, stream, false, [=] {
		std::vector<unsigned char> bytes(size, value);
		return write_device(to, bytes.data(), size);
	});
}

int cuMemPrefetchAsync_v2(cu_deviceptr, size_t, cu_mem_location, unsigned, cu_stream)
{
	return injected(__func__);
}

} // namespace het
