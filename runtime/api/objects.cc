// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Devices, memory objects and queues cross the C boundary here. het.h documents each function.
#include "api/handles.h"
#include "api/public.h"
#include "api/structs.h"
#include "core/budget_calls.h"
#include "core/device_paths.h"
#include "core/levels.h"
#include "core/memory.h"
#include "core/queue.h"
#include "core/raw_memory.h"

using namespace het;
using namespace het::rt;

namespace
{

int take_devices(het_queue &q, const het_queue_args &a)
{
	if (a.flags & ~uint32_t{HET_QUEUE_IN_ORDER | HET_QUEUE_TOUCH_AFTER_WAIT})
		return fail(HET_EARG, "het_queue_create: unknown flags in 0x%x", a.flags);
	if (a.ndevices && !a.devices)
		return fail(HET_ENULL, "het_queue_create: %u devices at null", a.ndevices);
	for (uint32_t i = 0; i < a.ndevices; i++) {
		if (!a.devices[i])
			return fail(HET_ENULL, "het_queue_create: device %u is null", i);
		q.devices |= uint32_t{1} << a.devices[i]->executor.number();
	}
	if (!a.ndevices)
		q.devices = ~uint32_t{0};
	q.in_order = a.flags & HET_QUEUE_IN_ORDER;
	q.touch_after_wait = a.flags & HET_QUEUE_TOUCH_AFTER_WAIT;
	if (int err = check_priority("het_queue_create", a.priority))
		return err;
	if (a.reserved)
		return fail(HET_EARG, "het_queue_create: reserved is %u and must be 0", a.reserved);
	q.level = a.priority ? int8_t(a.priority) : usual_level();
	if (a.priority)
		levels_in_use().note(int8_t(a.priority));
	q.deadline_ns = a.deadline_ns;
	q.on_error = a.on_error;
	q.on_error_arg = a.on_error_arg;
	return 0;
}

} // namespace

// --- devices -------------------------------------------------------------------

GPUVM_PUBLIC int het_devices(uint32_t room, het_device **devices, uint32_t *count)
{
	int err = check("het_devices", count);
	if (err)
		return err;
	if (room && !devices)
		return fail(HET_ENULL, "het_devices: room for %u devices at null", room);
	*count = core().ndevices;
	for (uint32_t i = 0; i < std::min(room, *count); i++)
		devices[i] = core().devices[i].get();
	return 0;
}

GPUVM_PUBLIC int het_device_describe(het_device *device, struct het_device_info *info)
{
	int err = check("het_device_describe", device);
	return err ? err : give("het_device_describe", info, device->compute->info());
}

GPUVM_PUBLIC int het_device_opencl_info(het_device *device, uint32_t what, size_t room, void *answer, size_t *nbytes)
{
	int err = check("het_device_opencl_info", device);
	return err ? err : device->compute->opencl_info({what, room, answer, nbytes});
}

GPUVM_PUBLIC int het_device_memory(het_device *device, struct het_memory_info *info)
{
	int err = check("het_device_memory", device);
	return err ? err
		   : give("het_device_memory", info, memory_of(*device), offsetof(struct het_memory_info, slices));
}

GPUVM_PUBLIC int het_device_paths(het_device *device, uint32_t *count)
{
	if (int err = check("het_device_paths", device, count))
		return err;
	*count = count_paths(*device);
	return 0;
}

GPUVM_PUBLIC int het_device_path(het_device *device, uint32_t number, struct het_path_info *info)
{
	if (int err = check("het_device_path", device))
		return err;
	het_path_info known;
	if (describe_path(*device, number, known))
		return fail(HET_EARG, "het_device_path: %s has no path %u", device->compute->info().name, number);
	return give("het_device_path", info, known, offsetof(struct het_path_info, by_kernels));
}

GPUVM_PUBLIC int het_device_set_budget(het_device *device, uint64_t budget)
{
	int err = check("het_device_set_budget", device);
	return err ? err : change_budget(*device, budget);
}

// --- memory objects ------------------------------------------------------------

GPUVM_PUBLIC int het_memory_create(size_t nbytes, het_memory **memory)
{
	if (int err = check("het_memory_create", memory))
		return err;
	if (!nbytes || nbytes > SIZE_MAX / 2)
		return fail(HET_EARG, "het_memory_create: %zu bytes", nbytes);
	return make("het_memory_create", memory, [&](het_memory &m) { return m.allocate(nbytes); });
}

GPUVM_PUBLIC int het_memory_wrap(void *pointer, size_t nbytes, het_memory **memory)
{
	if (int err = check("het_memory_wrap", pointer, memory))
		return err;
	const range r = range_of(pointer, nbytes);
	if (r.empty())
		return fail(HET_EARG, "het_memory_wrap: %zu bytes at %p", nbytes, pointer);
	return make("het_memory_wrap", memory, [&](het_memory &m) {
		m.wrap(r);
		return 0;
	});
}

GPUVM_PUBLIC int het_memory_part(het_memory *whole, size_t offset, size_t nbytes, het_memory **part)
{
	if (int err = check("het_memory_part", whole, part))
		return err;
	range r = whole->part(offset, nbytes);
	if (r.empty())
		return fail(HET_EARG, "het_memory_part: %zu bytes from %zu on are not inside an object of %zu bytes",
			    nbytes, offset, whole->bytes().size());
	return make("het_memory_part", part, [&](het_memory &m) {
		m.become_part(*whole, r);
		return 0;
	});
}

GPUVM_PUBLIC int het_memory_retain(het_memory *memory)
{
	return retain("het_memory_retain", memory);
}

GPUVM_PUBLIC int het_memory_release(het_memory *memory)
{
	return release("het_memory_release", memory);
}

GPUVM_PUBLIC void *het_memory_pointer(het_memory *memory)
{
	return memory ? memory->bytes().ptr() : nullptr;
}

GPUVM_PUBLIC int het_device_alloc(het_device *device, size_t nbytes, void **address)
{
	if (int err = check("het_device_alloc", device, address))
		return err;
	if (!nbytes || nbytes > SIZE_MAX / 2)
		return fail(HET_EARG, "het_device_alloc: %zu bytes", nbytes);
	return allocate_raw(*device, nbytes, address);
}

GPUVM_PUBLIC int het_device_free(het_device *device, void *address)
{
	int err = check("het_device_free", device);
	return err || !address ? err : free_raw(*device, address);
}

// --- queues --------------------------------------------------------------------

GPUVM_PUBLIC int het_queue_create(const het_queue_args *args, het_queue **queue)
{
	het_queue_args a = {};
	int err = check("het_queue_create", queue);
	if (!err && args)
		err = accept("het_queue_create", args, a, offsetof(het_queue_args, priority));
	if (err)
		return err;
	return make("het_queue_create", queue, [&](het_queue &q) { return take_devices(q, a); });
}

GPUVM_PUBLIC int het_queue_set_priority(het_queue *queue, int priority)
{
	int err = check("het_queue_set_priority", queue);
	if (!err)
		err = check_priority("het_queue_set_priority", priority);
	if (!err)
		queue->level.store(int8_t(priority), std::memory_order_relaxed);
	if (!err)
		levels_in_use().note(int8_t(priority));
	return err;
}

GPUVM_PUBLIC int het_queue_announce(het_queue *queue, uint64_t ns)
{
	if (int err = check("het_queue_announce", queue))
		return err;
	const int8_t level = queue->level.load(std::memory_order_relaxed);
	for (unsigned i = 0; i < core().ndevices; i++)
		if (queue->devices >> i & 1)
			core().devices[i]->compute->announced(level, ns);
	return 0;
}

GPUVM_PUBLIC int het_queue_retain(het_queue *queue)
{
	return retain("het_queue_retain", queue);
}

GPUVM_PUBLIC int het_queue_release(het_queue *queue)
{
	return release("het_queue_release", queue);
}

GPUVM_PUBLIC int het_finish(het_queue *queue)
{
	int err = check("het_finish", queue);
	if (!err)
		finish_queue(*queue);
	return err;
}
