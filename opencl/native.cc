// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Functions of the program's run as kernels of the runtime's device that is this process.
#include "callback.h"
#include "calls.h"
#include "codes.h"
#include "command.h"
#include "memory.h"

#include <cstring>
#include <map>

namespace hetcl
{

namespace
{

using native_function = void(CL_CALLBACK *)(void *);

// The first argument of the launch begins with this; then come the places of memory objects in the block, and the block
// itself.
struct call {
	native_function function;
	size_t nplaces, block_size;
};

// Other arguments are the memory objects.
void run(const het_group *, void *const *args)
{
	const in_callback here;
	auto *bytes = static_cast<char *>(args[0]);
	call c;
	memcpy(&c, bytes, sizeof(c));
	const char *places = bytes + sizeof(c);
	char *block = bytes + sizeof(c) + c.nplaces * sizeof(size_t);
	// The function expects it to be aligned as anything may be.
	const std::unique_ptr<std::max_align_t[]> aligned(
		new std::max_align_t[c.block_size / sizeof(std::max_align_t) + 1]);
	memcpy(aligned.get(), block, c.block_size);
	for (size_t i = 0; i < c.nplaces; i++) {
		size_t place;
		memcpy(&place, places + i * sizeof(place), sizeof(place));
		memcpy(reinterpret_cast<char *>(aligned.get()) + place, &args[1 + i], sizeof(void *));
	}
	c.function(c.block_size ? aligned.get() : nullptr);
}

// There is a kernel for each number of arguments.
het_kernel *kernel_for(uint32_t nargs)
{
	static std::mutex lock;
	static auto *kernels = new std::map<uint32_t, het_kernel *>;
	std::lock_guard g(lock);
	het_kernel *&k = (*kernels)[nargs];
	if (k)
		return k;
	const het_function f = {"native", run, nargs};
	het_program_args a = {};
	a.size = sizeof(a);
	a.functions = &f;
	a.nfunctions = 1;
	het_program *p = nullptr;
	if (het_program_create(&a, &p))
		return nullptr;
	het_kernel_create(p, f.name, &k);
	het_program_release(p);
	return k;
}

cl_int check(command &c, native_function f, const void *block, size_t block_size, cl_uint n, const cl_mem *objects,
	     const void **places)
{
	if (cl_int err = c.check())
		return err;
	const auto *begin = static_cast<const char *>(block);
	if (!f || !block != !block_size || (!block && n) || !n != !objects || !n != !places)
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n; i++) {
		if (cl_int err = c.check(buffer_or_none(objects[i]), CL_INVALID_MEM_OBJECT))
			return err;
		const auto *place = static_cast<const char *>(places[i]);
		if (place < begin || block_size < sizeof(void *) || place > begin + block_size - sizeof(void *))
			return CL_INVALID_VALUE;
	}
	return host_device() ? CL_SUCCESS : CL_INVALID_OPERATION;
}

} // namespace

cl_int clEnqueueNativeKernel(cl_command_queue q, native_function f, void *block, size_t block_size, cl_uint n,
			     const cl_mem *objects, const void **places, cl_uint nwaits, const cl_event *waits,
			     cl_event *event)
{
	command c(q, CL_COMMAND_NATIVE_KERNEL, nwaits, waits, event);
	if (cl_int err = check(c, f, block, block_size, n, objects, places))
		return err;
	std::vector<char> bytes;
	auto append = [&](const void *from, size_t size) {
		const auto *b = static_cast<const char *>(from);
		bytes.insert(bytes.end(), b, b + size);
	};
	const call head = {f, n, block_size};
	append(&head, sizeof(head));
	std::vector<het_arg> args(1 + n);
	for (cl_uint i = 0; i < n; i++) {
		const auto place = size_t(static_cast<const char *>(places[i]) - static_cast<const char *>(block));
		append(&place, sizeof(place));
		args[1 + i].kind = HET_ARG_MEMORY;
		args[1 + i].access = HET_READ_WRITE;
		args[1 + i].memory = objects[i]->for_command();
	}
	append(block, block_size);
	args[0].kind = HET_ARG_VALUE;
	args[0].nbytes = bytes.size();
	args[0].pointer = bytes.data();
	auto a = c.arguments<het_launch_args>();
	a.kernel = kernel_for(1 + n);
	if (!a.kernel)
		return CL_OUT_OF_HOST_MEMORY;
	a.dimensions = 1;
	a.global[0] = a.local[0] = 1;
	a.arg_size = sizeof(het_arg);
	a.nargs = args.size();
	a.args = args.data();
	a.device = host_device();
	const int failure = het_launch(c.queue(), &a, c.out());
	for (cl_uint i = 0; i < n && !failure; i++)
		objects[i]->note_written();
	return c.end(failure);
}

} // namespace hetcl
