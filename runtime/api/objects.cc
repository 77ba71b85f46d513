// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The C boundary: devices, programs, kernels, memory objects, queues. het.h documents each function.
#include "api/public.h"
#include "api/structs.h"
#include "core/memory.h"
#include "core/program.h"
#include "core/queue.h"

#include <new>

using namespace het;
using namespace het::rt;

namespace
{

// Started, and no pointer null.
template <class... P> int check(const char *call, const P *...pointers)
{
	if (int err = check_started())
		return err;
	return (pointers && ...) ? 0 : fail(HET_ENULL, "%s: a null argument", call);
}

template <class T> int retain(const char *call, T *o)
{
	int err = check(call, o);
	if (!err)
		o->retain();
	return err;
}

// In a forked child the driver can't be called, so nothing is destroyed.
template <class T> int release(const char *call, T *o)
{
	if (!o)
		return fail(HET_ENULL, "%s: null object", call);
	if (!core().forked.load(std::memory_order_relaxed))
		o->release();
	return 0;
}

// Makes an object by init(T &), which returns 0 or a code.
template <class T, class F> int make(const char *call, T **made, F init)
{
	reference<T> o(new (std::nothrow) T);
	if (!o)
		return fail(HET_ENOMEM, "%s: out of memory", call);
	if (int err = init(*o))
		return err;
	*made = o.give_up();
	return 0;
}

int check_functions(const het_program_args &a)
{
	if (a.nfunctions && !a.functions)
		return fail(HET_ENULL, "het_program_create: %zu functions at null", a.nfunctions);
	for (size_t i = 0; i < a.nfunctions; i++) {
		if (!a.functions[i].name || !a.functions[i].run)
			return fail(HET_ENULL, "het_program_create: function %zu has no name or no code", i);
	}
	return 0;
}

int check_images(const het_program_args &a)
{
	if (a.nimages && !a.images)
		return fail(HET_ENULL, "het_program_create: %zu images at null", a.nimages);
	for (size_t i = 0; i < a.nimages; i++) {
		const het_image &image = a.images[i];
		if (!image.data || !image.nbytes)
			return fail(HET_ENULL, "het_program_create: image %zu has no bytes", i);
		if ((image.kind != HET_IMAGE_PTX && image.kind != HET_IMAGE_CUBIN) || image.flags)
			return fail(HET_EARG, "het_program_create: image %zu is of unknown kind %u or has flags 0x%x",
				    i, image.kind, image.flags);
	}
	return 0;
}

int check_contents(const het_program_args &a)
{
	if (!a.source && !a.nfunctions && !a.nimages)
		return fail(HET_EARG, "het_program_create: neither source nor functions nor images");
	int err = check_functions(a);
	return err ? err : check_images(a);
}

int take_devices(het_queue &q, const het_queue_args &a)
{
	if (a.flags & ~uint32_t{HET_QUEUE_IN_ORDER})
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

// --- programs and kernels ------------------------------------------------------

GPUVM_PUBLIC int het_program_create(const het_program_args *args, het_program **program)
{
	het_program_args a = {};
	int err = check("het_program_create", program);
	if (!err)
		err = accept("het_program_create", args, a);
	if (!err)
		err = check_contents(a);
	if (err)
		return err;
	return make("het_program_create", program, [&](het_program &p) {
		return p.take(a) ? 0 : fail(HET_ENOMEM, "het_program_create: out of memory");
	});
}

GPUVM_PUBLIC int het_program_retain(het_program *program)
{
	return retain("het_program_retain", program);
}

GPUVM_PUBLIC int het_program_release(het_program *program)
{
	return release("het_program_release", program);
}

GPUVM_PUBLIC int het_program_build(het_program *program, het_device *device)
{
	int err = check("het_program_build", program, device);
	return err ? err : program->build(*device);
}

GPUVM_PUBLIC const char *het_program_log(het_program *program, het_device *device)
{
	return check("het_program_log", program, device) ? "" : program->log(*device);
}

GPUVM_PUBLIC int het_kernel_create(het_program *program, const char *name, het_kernel **kernel)
{
	if (int err = check("het_kernel_create", program, name, kernel))
		return err;
	reference<het_kernel> k(new (std::nothrow) het_kernel(*program));
	if (!k)
		return fail(HET_ENOMEM, "het_kernel_create: out of memory");
	if (int err = k->open(name))
		return err;
	*kernel = k.give_up();
	return 0;
}

GPUVM_PUBLIC int het_kernel_retain(het_kernel *kernel)
{
	return retain("het_kernel_retain", kernel);
}

GPUVM_PUBLIC int het_kernel_release(het_kernel *kernel)
{
	return release("het_kernel_release", kernel);
}

GPUVM_PUBLIC int het_kernel_describe(het_kernel *kernel, struct het_kernel_info *info)
{
	int err = check("het_kernel_describe", kernel);
	return err ? err : give("het_kernel_describe", info, {0, kernel->nargs, kernel->name.get()});
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

// --- queues --------------------------------------------------------------------

GPUVM_PUBLIC int het_queue_create(const het_queue_args *args, het_queue **queue)
{
	het_queue_args a = {};
	int err = check("het_queue_create", queue);
	if (!err && args)
		err = accept("het_queue_create", args, a);
	if (err)
		return err;
	return make("het_queue_create", queue, [&](het_queue &q) { return take_devices(q, a); });
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
