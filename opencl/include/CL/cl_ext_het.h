/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/**
 * @file cl_ext_het.h
 * What libhet's OpenCL platform has beyond OpenCL: the extensions cl_het_parts and cl_het_host_pointer. Functions are
 * found by clGetExtensionFunctionAddressForPlatform().
 */
#ifndef CL_EXT_HET_H
#define CL_EXT_HET_H

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

#define cl_het_parts 1

/**
 * A question of clGetEventInfo(), answered by a cl_uint: on how many devices a launch has run, once it has finished. It
 * is 0 before, and for other commands.
 */
#define CL_EVENT_PARTS_HET 0x4E10

#define cl_het_host_pointer 1

/**
 * clSetKernelArgHostPointerHET: the argument, a pointer to global or constant memory, becomes nbytes of the program's
 * own memory at pointer: malloc'ed, static, on a stack or mapped, from any address on. Launches bring the bytes to
 * their device; when they have ended the program finds what they have written where it always was, without a map. While
 * a command uses the bytes the program must not, and commands that use the same bytes run one after the other. Pointers
 * that are stored in these bytes are addresses of the host and mean nothing on a device. The memory must stay until no
 * command uses it, and devices may keep copies of it until it is freed or forgotten.
 *
 * Returns CL_SUCCESS; CL_INVALID_KERNEL; CL_INVALID_ARG_INDEX; CL_INVALID_ARG_VALUE if the argument is no such pointer,
 * or the pointer is null, or the bytes go beyond the end of all addresses; CL_INVALID_ARG_SIZE for 0 bytes. Memory that
 * is not there is found out by the launch, which returns CL_INVALID_KERNEL_ARGS or fails.
 */
typedef cl_int(CL_API_CALL *clSetKernelArgHostPointerHET_fn)(cl_kernel kernel, cl_uint index, void *pointer,
							     size_t nbytes);

/**
 * clForgetHostPointerHET: brings the bytes home and takes them from the devices, so that the program may free the
 * memory in a way that libhet does not see. No command may use them. Memory that no device has is no error.
 *
 * Returns CL_SUCCESS; CL_INVALID_VALUE for a null pointer or 0 bytes; CL_OUT_OF_HOST_MEMORY.
 */
typedef cl_int(CL_API_CALL *clForgetHostPointerHET_fn)(void *pointer, size_t nbytes);

#ifdef __cplusplus
}
#endif

#endif /* CL_EXT_HET_H */
