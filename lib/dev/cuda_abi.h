// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The project uses this part of the CUDA driver's ABI, so that nothing needs a toolkit to build. selftests/cuda_abi.cc
// compares every line with <cuda.h> where that is installed.
//
// Handles have the tags of <cuda.h>, so they are the same types; enumerations are plain ints. The names of functions
// are those of the dynamic symbols, with their version.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
struct CUmod_st;
struct CUfunc_st;
struct CUlinkState_st;

namespace het
{

using cu_device = int;
using cu_context = CUctx_st *;
using cu_stream = CUstream_st *;
using cu_event = CUevent_st *;
using cu_module = CUmod_st *;
using cu_function = CUfunc_st *;
using cu_link = CUlinkState_st *;
using cu_deviceptr = unsigned long long;

struct cu_mem_location {
	int type;
	int id;
};

struct cu_copy_attributes {
	int order;
	cu_mem_location from, to;
	unsigned flags;
};

// Copies rows: cuMemcpy2D's structure.
struct cu_copy_rows {
	size_t from_x, from_y;
	int from_type;
	const void *from_host;
	cu_deviceptr from_device;
	void *from_array;
	size_t from_pitch;
	size_t to_x, to_y;
	int to_type;
	void *to_host;
	cu_deviceptr to_device;
	void *to_array;
	size_t to_pitch;
	size_t nbytes, count; // of a row, and of rows
};

// From this driver on what the device calls is there, except the late functions.
inline constexpr int cu_oldest_driver = 11020;

enum cu_result : int {
	cu_success = 0,
	cu_error_invalid_value = 1,
	cu_error_out_of_memory = 2,
	cu_error_not_initialized = 3,
	cu_error_no_device = 100,
	cu_error_invalid_device = 101,
	cu_error_invalid_image = 200,
	cu_error_invalid_context = 201,
	cu_error_peer_access_unsupported = 217,
	cu_error_invalid_ptx = 218,
	cu_error_invalid_handle = 400,
	cu_error_not_found = 500,
	cu_error_not_ready = 600,
	cu_error_illegal_address = 700,
	cu_error_launch_failed = 719,
	cu_error_not_supported = 801,
	cu_error_peer_access_already_enabled = 704,
	cu_error_peer_access_not_enabled = 705,
	cu_error_host_memory_already_registered = 712,
	cu_error_host_memory_not_registered = 713,
};

enum cu_device_attribute : int {
	cu_attribute_max_threads_per_block = 1,
	cu_attribute_max_shared_memory_per_block = 8,
	cu_attribute_total_constant_memory = 9,
	cu_attribute_multiprocessor_count = 16,
	cu_attribute_pci_bus_id = 33,
	cu_attribute_pci_device_id = 34,
	cu_attribute_pci_domain_id = 50,
	cu_attribute_compute_capability_major = 75,
	cu_attribute_compute_capability_minor = 76,
	cu_attribute_registers_per_multiprocessor = 82,
	cu_attribute_concurrent_managed_access = 89,
	cu_attribute_pageable_memory_access = 88,
	cu_attribute_threads_per_multiprocessor = 39,
	cu_attribute_async_engine_count = 40,
};

enum cu_function_attribute : int { cu_function_max_threads_per_block = 0, cu_function_registers = 4 };

enum cu_pointer_attribute : int {
	cu_pointer_context = 1,
	cu_pointer_memory_type = 2,
	cu_pointer_is_managed = 8,
	cu_pointer_device_ordinal = 9,
};

enum cu_jit_option : int {
	cu_jit_error_log = 5,
	cu_jit_error_log_size = 6,
};

// Each of the extra arguments of a launch stands behind one of these.
enum : uintptr_t { cu_launch_param_end = 0, cu_launch_param_buffer_pointer = 1, cu_launch_param_buffer_size = 2 };
enum : int { cu_input_cubin = 0, cu_input_ptx = 1 };
enum : int { cu_memory_type_host = 1, cu_memory_type_device = 2 };
enum : int { cu_copy_in_stream_order = 1 };
enum : int { cu_location_device = 1, cu_location_host = 2 };
enum : unsigned { cu_stream_non_blocking = 1 };
enum : unsigned { cu_event_blocking_sync = 1, cu_event_disable_timing = 2 };
enum : unsigned { cu_host_alloc_portable = 1 };
enum : unsigned { cu_host_register_portable = 1 };
enum : unsigned { cu_attach_global = 1 };

// F takes (member of cuda_api, symbol, parameters). All of the functions return an int, a cu_result. The device `cuda`
// calls these.
#define HET_CUDA_DEVICE_FUNCTIONS(F)                                                                                 \
	F(init, cuInit, (unsigned flags))                                                                            \
	F(driver_version, cuDriverGetVersion, (int *version))                                                        \
	F(error_name, cuGetErrorName, (int error, const char **name))                                                \
	F(device_count, cuDeviceGetCount, (int *count))                                                              \
	F(get_device, cuDeviceGet, (cu_device * device, int ordinal))                                                \
	F(device_name, cuDeviceGetName, (char *name, int size, cu_device device))                                    \
	F(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, cu_device device))                     \
	F(retain_context, cuDevicePrimaryCtxRetain, (cu_context * context, cu_device device))                        \
	F(release_context, cuDevicePrimaryCtxRelease_v2, (cu_device device))                                         \
	F(push_context, cuCtxPushCurrent_v2, (cu_context context))                                                   \
	F(pop_context, cuCtxPopCurrent_v2, (cu_context * context))                                                   \
	F(stream_priorities, cuCtxGetStreamPriorityRange, (int *least, int *greatest))                               \
	F(create_stream, cuStreamCreateWithPriority, (cu_stream * stream, unsigned flags, int priority))             \
	F(destroy_stream, cuStreamDestroy_v2, (cu_stream stream))                                                    \
	F(query_stream, cuStreamQuery, (cu_stream stream))                                                           \
	F(synchronize_stream, cuStreamSynchronize, (cu_stream stream))                                               \
	F(stream_waits, cuStreamWaitEvent, (cu_stream stream, cu_event event, unsigned flags))                       \
	F(create_event, cuEventCreate, (cu_event * event, unsigned flags))                                           \
	F(destroy_event, cuEventDestroy_v2, (cu_event event))                                                        \
	F(record_event, cuEventRecord, (cu_event event, cu_stream stream))                                           \
	F(query_event, cuEventQuery, (cu_event event))                                                               \
	F(synchronize_event, cuEventSynchronize, (cu_event event))                                                   \
	F(copy_to_host, cuMemcpyDtoHAsync_v2, (void *to, cu_deviceptr from, size_t size, cu_stream stream))          \
	F(copy_to_device, cuMemcpyHtoDAsync_v2, (cu_deviceptr to, const void *from, size_t size, cu_stream stream))  \
	F(copy_on_device, cuMemcpyDtoDAsync_v2, (cu_deviceptr to, cu_deviceptr from, size_t size, cu_stream stream)) \
	F(copy_to_peer, cuMemcpyPeerAsync,                                                                           \
	  (cu_deviceptr to, cu_context to_context, cu_deviceptr from, cu_context from_context, size_t size,          \
	   cu_stream stream))                                                                                        \
	F(can_access_peer, cuDeviceCanAccessPeer, (int *can, cu_device device, cu_device peer))                      \
	F(enable_peer_access, cuCtxEnablePeerAccess, (cu_context peer, unsigned flags))                              \
	F(allocate, cuMemAlloc_v2, (cu_deviceptr * p, size_t size))                                                  \
	F(free, cuMemFree_v2, (cu_deviceptr p))                                                                      \
	F(allocate_host, cuMemHostAlloc, (void **p, size_t size, unsigned flags))                                    \
	F(free_host, cuMemFreeHost, (void *p))                                                                       \
	F(register_host, cuMemHostRegister_v2, (void *p, size_t size, unsigned flags))                               \
	F(unregister_host, cuMemHostUnregister, (void *p))                                                           \
	F(load_module, cuModuleLoadData, (cu_module * module, const void *image))                                    \
	F(unload_module, cuModuleUnload, (cu_module module))                                                         \
	F(get_function, cuModuleGetFunction, (cu_function * function, cu_module module, const char *name))           \
	F(launch, cuLaunchKernel,                                                                                    \
	  (cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,                \
	   unsigned block_y, unsigned block_z, unsigned shared, cu_stream stream, void **parameters, void **extra))  \
	F(host_address, cuMemHostGetDevicePointer_v2, (cu_deviceptr * p, void *host, unsigned flags))                \
	F(pointer_attribute, cuPointerGetAttribute, (void *value, int attribute, cu_deviceptr p))                    \
	F(address_range, cuMemGetAddressRange_v2, (cu_deviceptr * base, size_t * size, cu_deviceptr p))

// The device calls these where the driver has them: CUDA 13.
#define HET_CUDA_LATE_FUNCTIONS(F)                                                                                \
	F(copy_batch, cuMemcpyBatchAsync_v2,                                                                      \
	  (cu_deviceptr * to, cu_deviceptr * from, size_t * sizes, size_t count, cu_copy_attributes * attributes, \
	   size_t * first, size_t attribute_count, cu_stream stream))

// Programs call these besides: the benchmarks and the tests.
#define HET_CUDA_PROGRAM_FUNCTIONS(F)                                                  \
	F(read, cuMemcpyDtoH_v2, (void *to, cu_deviceptr from, size_t size))           \
	F(write, cuMemcpyHtoD_v2, (cu_deviceptr to, const void *from, size_t size))    \
	F(fill, cuMemsetD8_v2, (cu_deviceptr to, unsigned char value, size_t size))    \
	F(get_variable, cuModuleGetGlobal_v2,                                          \
	  (cu_deviceptr * address, size_t * size, cu_module module, const char *name)) \
	F(synchronize, cuCtxSynchronize, ())                                           \
	F(disable_peer_access, cuCtxDisablePeerAccess, (cu_context peer))              \
	F(elapsed, cuEventElapsedTime, (float *ms, cu_event from, cu_event to))

// The runtime calls these besides. The last came with CUDA 12.4.
#define HET_CUDA_RUNTIME_FUNCTIONS(F)                                                                          \
	F(total_memory, cuDeviceTotalMem_v2, (size_t * bytes, cu_device device))                               \
	F(memory_info, cuMemGetInfo_v2, (size_t * free, size_t * all))                                         \
	F(copy_rows, cuMemcpy2DAsync_v2, (const cu_copy_rows *rows, cu_stream stream))                         \
	F(clear, cuMemsetD8Async, (cu_deviceptr to, unsigned char value, size_t size, cu_stream stream))       \
	F(build_module, cuModuleLoadDataEx,                                                                    \
	  (cu_module * module, const void *image, unsigned noptions, int *options, void **values))             \
	F(create_link, cuLinkCreate_v2, (unsigned noptions, int *options, void **values, cu_link *link))       \
	F(add_to_link, cuLinkAddData_v2,                                                                       \
	  (cu_link link, int type, void *data, size_t size, const char *name, unsigned noptions, int *options, \
	   void **values))                                                                                     \
	F(complete_link, cuLinkComplete, (cu_link link, void **image, size_t *size))                           \
	F(destroy_link, cuLinkDestroy, (cu_link link))                                                         \
	F(function_attribute, cuFuncGetAttribute, (int *value, int attribute, cu_function function))           \
	F(describe_parameter, cuFuncGetParamInfo, (cu_function function, size_t i, size_t * offset, size_t * size))

// Only the comparison with managed memory calls these. The second came with CUDA 12.2.
#define HET_CUDA_MANAGED_FUNCTIONS(F)                                                           \
	F(allocate_managed, cuMemAllocManaged, (cu_deviceptr * p, size_t size, unsigned flags)) \
	F(prefetch, cuMemPrefetchAsync_v2,                                                      \
	  (cu_deviceptr p, size_t size, cu_mem_location to, unsigned flags, cu_stream stream))

// Has all of them, for programs that open the library themselves.
struct cuda_functions {
#define HET_CUDA_MEMBER(member, symbol, parameters) int(*member) parameters;
	HET_CUDA_DEVICE_FUNCTIONS(HET_CUDA_MEMBER)
	HET_CUDA_PROGRAM_FUNCTIONS(HET_CUDA_MEMBER)
	HET_CUDA_MANAGED_FUNCTIONS(HET_CUDA_MEMBER)
#undef HET_CUDA_MEMBER
};

} // namespace het
