// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Programs and kernels cross the C boundary here. het.h documents each function.
#include "api/handles.h"
#include "api/public.h"
#include "api/structs.h"
#include "core/program.h"

#include <cstddef>

using namespace het;
using namespace het::rt;

namespace
{

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

int check_fat_binary(const het_program_args &a)
{
	int given = (a.source != nullptr) + (a.fat_binary != nullptr) + (a.file || a.section);
	if (given > 1)
		return fail(HET_EARG, "het_program_create: more than one of source, fat binary, and file or section");
	if ((a.fat_binary != nullptr) != (a.fat_binary_size != 0))
		return fail(HET_EARG, "het_program_create: a fat binary of %zu bytes at %p", a.fat_binary_size,
			    a.fat_binary);
	if (a.options && !a.source && !a.nobjects)
		return fail(HET_EARG, "het_program_create: options without source; a fat binary has those that "
				      "het-fatbin was given");
	if (!given && !a.nfunctions && !a.nimages && !a.nobjects)
		return fail(HET_EARG, "het_program_create: neither source nor fat binary nor functions nor images");
	return 0;
}

int check_objects(const het_program_args &a)
{
	const bool has_more = a.nfunctions || a.nimages || a.fat_binary || a.file || a.section;
	if (a.flags & ~uint32_t{HET_PROGRAM_OBJECT} || a.reserved)
		return fail(HET_EARG, "het_program_create: unknown flags in 0x%x", a.flags);
	if (a.flags && (!a.source || has_more))
		return fail(HET_EARG, "het_program_create: HET_PROGRAM_OBJECT is for source, and nothing else");
	if (a.nheaders && !a.flags)
		return fail(HET_EARG, "het_program_create: headers are for HET_PROGRAM_OBJECT");
	if (a.nobjects && (a.source || has_more))
		return fail(HET_EARG, "het_program_create: what is linked of objects is made of nothing else");
	if ((a.nobjects && !a.objects) || (a.nheaders && !a.headers))
		return fail(HET_ENULL, "het_program_create: objects or headers at null");
	for (size_t i = 0; i < a.nheaders; i++) {
		if (!a.headers[i].name || !a.headers[i].source)
			return fail(HET_ENULL, "het_program_create: header %zu has no name or no source", i);
	}
	for (size_t i = 0; i < a.nobjects; i++) {
		if (!a.objects[i])
			return fail(HET_ENULL, "het_program_create: object %zu is null", i);
		if (!a.objects[i]->is_object())
			return fail(HET_EARG, "het_program_create: object %zu was not made with HET_PROGRAM_OBJECT", i);
	}
	return 0;
}

int check_instruments(const het_program_args &a)
{
	constexpr uint32_t all = HET_COALESCE | HET_DIRTY | HET_TOUCH;
	if (a.instruments & ~all && a.instruments != HET_PLAIN)
		return fail(HET_EARG,
			    "het_program_create: instruments 0x%x: want some of HET_COALESCE..., or HET_PLAIN",
			    a.instruments);
	if (a.one_of && !(a.instruments & HET_COALESCE))
		return fail(HET_EARG, "het_program_create: one_of is for HET_COALESCE");
	return 0;
}

bool is_opencl(const het_device &d)
{
	return d.compute->info().kind == HET_DEVICE_OPENCL;
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

} // namespace

GPUVM_PUBLIC int het_program_create(const het_program_args *args, het_program **program)
{
	het_program_args a = {};
	int err = check("het_program_create", program);
	if (!err)
		err = accept("het_program_create", args, a, offsetof(het_program_args, fat_binary));
	if (!err)
		err = check_fat_binary(a);
	if (!err)
		err = check_functions(a);
	if (!err)
		err = check_images(a);
	if (!err)
		err = check_instruments(a);
	if (!err)
		err = check_objects(a);
	if (err)
		return err;
	return make("het_program_create", program, [&](het_program &p) { return p.take(a); });
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

GPUVM_PUBLIC int het_program_opencl_info(het_program *program, het_device *device, uint32_t what, size_t room,
					 void *answer, size_t *nbytes)
{
	device_program *made = nullptr;
	if (int err = check("het_program_opencl_info", program, device))
		return err;
	if (!is_opencl(*device))
		return HET_ENODEV;
	int err = program->build(*device, &made);
	return err ? err : made->opencl_info({what, room, answer, nbytes});
}

GPUVM_PUBLIC int het_program_global(het_program *program, het_device *device, const char *name, void **address,
				    size_t *nbytes)
{
	int err = check("het_program_global", program, device, name, address, nbytes);
	return err ? err : program->find_variable(*device, name, address, nbytes);
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

namespace
{

// What was found holds for other devices' compilers as long as the source asks them nothing.
uint32_t found_access(const fatbin::kernel &k, const fatbin::argument &a)
{
	const bool points = a.space == fatbin::space::global || a.space == fatbin::space::constant;
	if (!points || !k.is_analysed || !a.is_analysed || *k.asked)
		return 0;
	const bool writes = a.found == fatbin::access::write_only || a.found == fatbin::access::read_write;
	return writes ? HET_READ_WRITE : HET_READ_ONLY;
}

} // namespace

GPUVM_PUBLIC int het_kernel_argument(het_kernel *kernel, uint32_t number, struct het_argument_info *info)
{
	constexpr size_t first_size = offsetof(het_argument_info, qualifiers);
	if (int err = check("het_kernel_argument", kernel))
		return err;
	if (number >= kernel->nargs)
		return fail(HET_EARG, "het_kernel_argument: kernel %s has no argument %u", kernel->name.get(), number);
	het_argument_info told = {};
	if (kernel->description()) {
		fatbin::argument a = kernel->program->fat()->argument(*kernel->description(), number);
		// A driver that has built it from OpenCL C knows more of the type.
		het_argument_info by_driver = {};
		kernel->describe_argument(number, by_driver);
		told = {0,
			uint32_t(a.space),
			uint32_t(a.access),
			a.size,
			a.name,
			a.type,
			by_driver.qualifiers,
			found_access(*kernel->description(), a)};
	} else if (kernel->describe_argument(number, told)) {
		return HET_ESTATE;
	}
	return give("het_kernel_argument", info, told, first_size);
}

GPUVM_PUBLIC int het_kernel_limits(het_kernel *kernel, het_device *device, struct het_kernel_needs *needs)
{
	int err = check("het_kernel_limits", kernel, device);
	if (!err)
		err = kernel->prepare(*device);
	if (err)
		return err;
	const device_kernel &made = *kernel->on(*device);
	return give("het_kernel_limits", needs,
		    {0, made.limits().most, made.registers(), device->compute->unit_registers()});
}

GPUVM_PUBLIC int het_kernel_opencl_info(het_kernel *kernel, het_device *device, uint32_t what, size_t room,
					void *answer, size_t *nbytes)
{
	if (int err = check("het_kernel_opencl_info", kernel, device))
		return err;
	if (!is_opencl(*device))
		return HET_ENODEV;
	int err = kernel->prepare(*device);
	return err ? err : kernel->on(*device)->opencl_info({what, room, answer, nbytes});
}
