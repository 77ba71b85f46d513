// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares every signature, type and constant of lib/dev/cuda_abi.h with the toolkit's <cuda.h>. The compiler checks
// most of it; the test program is there to say that it did.
#include "harness/test.h"

#include "dev/cuda_abi.h"

#include <cuda.h>
#include <type_traits>

using namespace selftest;

namespace
{

// Turns a type of <cuda.h> into what the project's header writes: enumerations are ints there, and the memory location
// is its own.
template <typename T> struct plain {
	using type = std::conditional_t<std::is_enum_v<T>, int, T>;
};
template <typename T> struct plain<T *> {
	using type = typename plain<T>::type *;
};
template <typename T> struct plain<const T> {
	using type = const typename plain<T>::type;
};
#if CUDA_VERSION >= 12020
template <> struct plain<CUmemLocation> {
	using type = het::cu_mem_location;
};
static_assert(sizeof(het::cu_mem_location) == sizeof(CUmemLocation));
static_assert(offsetof(het::cu_mem_location, type) == offsetof(CUmemLocation, type));
static_assert(offsetof(het::cu_mem_location, id) == offsetof(CUmemLocation, id));
#endif
#if CUDA_VERSION >= 13000
template <> struct plain<CUmemcpyAttributes> {
	using type = het::cu_copy_attributes;
};
static_assert(sizeof(het::cu_copy_attributes) == sizeof(CUmemcpyAttributes));
static_assert(offsetof(het::cu_copy_attributes, order) == offsetof(CUmemcpyAttributes, srcAccessOrder));
static_assert(offsetof(het::cu_copy_attributes, from) == offsetof(CUmemcpyAttributes, srcLocHint));
static_assert(offsetof(het::cu_copy_attributes, to) == offsetof(CUmemcpyAttributes, dstLocHint));
static_assert(offsetof(het::cu_copy_attributes, flags) == offsetof(CUmemcpyAttributes, flags));
#endif

template <> struct plain<CUDA_MEMCPY2D> {
	using type = het::cu_copy_rows;
};
static_assert(sizeof(het::cu_copy_rows) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(het::cu_copy_rows, from_device) == offsetof(CUDA_MEMCPY2D, srcDevice));
static_assert(offsetof(het::cu_copy_rows, from_pitch) == offsetof(CUDA_MEMCPY2D, srcPitch));
static_assert(offsetof(het::cu_copy_rows, to_host) == offsetof(CUDA_MEMCPY2D, dstHost));
static_assert(offsetof(het::cu_copy_rows, to_pitch) == offsetof(CUDA_MEMCPY2D, dstPitch));
static_assert(offsetof(het::cu_copy_rows, nbytes) == offsetof(CUDA_MEMCPY2D, WidthInBytes));
static_assert(offsetof(het::cu_copy_rows, count) == offsetof(CUDA_MEMCPY2D, Height));

template <typename F> struct plain_function;
template <typename R, typename... A> struct plain_function<R(A...)> {
	static_assert(std::is_same_v<R, CUresult>);
	using type = int(typename plain<A>::type...);
};

static_assert(sizeof(CUresult) == sizeof(int));
static_assert(sizeof(CUdevice_attribute) == sizeof(int) && sizeof(CUpointer_attribute) == sizeof(int));

#define EQUAL(ours, theirs) static_assert(int(het::ours) == int(theirs), #theirs);

// In older toolkits these are pointers, which no constant expression can be compared with.
bool has_same_launch_parameters()
{
	return uintptr_t(CU_LAUNCH_PARAM_END) == het::cu_launch_param_end &&
	       uintptr_t(CU_LAUNCH_PARAM_BUFFER_POINTER) == het::cu_launch_param_buffer_pointer &&
	       uintptr_t(CU_LAUNCH_PARAM_BUFFER_SIZE) == het::cu_launch_param_buffer_size;
}

// Every call of the table has the type of the function with its name. The table's parameters are written with the
// project's types, so its types are made where those names are known.
namespace table
{
using namespace het;
#define OURS(member, symbol, parameters) using member = int parameters;
HET_CUDA_DEVICE_FUNCTIONS(OURS)
HET_CUDA_LATE_FUNCTIONS(OURS)
HET_CUDA_PROGRAM_FUNCTIONS(OURS)
HET_CUDA_RUNTIME_FUNCTIONS(OURS)
HET_CUDA_MANAGED_FUNCTIONS(OURS)
} // namespace table

#define SAME(member, symbol, parameters) \
	static_assert(std::is_same_v<plain_function<decltype(symbol)>::type, table::member>, #symbol);
HET_CUDA_DEVICE_FUNCTIONS(SAME)
HET_CUDA_PROGRAM_FUNCTIONS(SAME)
#if CUDA_VERSION >= 12020
HET_CUDA_MANAGED_FUNCTIONS(SAME)
#endif
#if CUDA_VERSION >= 12040
HET_CUDA_RUNTIME_FUNCTIONS(SAME)
#endif
#if CUDA_VERSION >= 13000
HET_CUDA_LATE_FUNCTIONS(SAME)
EQUAL(cu_copy_in_stream_order, CU_MEMCPY_SRC_ACCESS_ORDER_STREAM)
#endif

EQUAL(cu_success, CUDA_SUCCESS)
EQUAL(cu_error_invalid_value, CUDA_ERROR_INVALID_VALUE)
EQUAL(cu_error_out_of_memory, CUDA_ERROR_OUT_OF_MEMORY)
EQUAL(cu_error_not_initialized, CUDA_ERROR_NOT_INITIALIZED)
EQUAL(cu_error_no_device, CUDA_ERROR_NO_DEVICE)
EQUAL(cu_error_invalid_device, CUDA_ERROR_INVALID_DEVICE)
EQUAL(cu_error_invalid_context, CUDA_ERROR_INVALID_CONTEXT)
EQUAL(cu_error_invalid_image, CUDA_ERROR_INVALID_IMAGE)
EQUAL(cu_error_invalid_ptx, CUDA_ERROR_INVALID_PTX)
EQUAL(cu_error_peer_access_unsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED)
EQUAL(cu_error_invalid_handle, CUDA_ERROR_INVALID_HANDLE)
EQUAL(cu_error_not_found, CUDA_ERROR_NOT_FOUND)
EQUAL(cu_error_not_ready, CUDA_ERROR_NOT_READY)
EQUAL(cu_error_launch_failed, CUDA_ERROR_LAUNCH_FAILED)
EQUAL(cu_error_not_supported, CUDA_ERROR_NOT_SUPPORTED)
EQUAL(cu_error_illegal_address, CUDA_ERROR_ILLEGAL_ADDRESS)
EQUAL(cu_error_peer_access_already_enabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
EQUAL(cu_error_peer_access_not_enabled, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED)
EQUAL(cu_error_host_memory_already_registered, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)
EQUAL(cu_error_host_memory_not_registered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)
EQUAL(cu_attribute_max_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
EQUAL(cu_attribute_max_shared_memory_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
EQUAL(cu_attribute_multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
EQUAL(cu_attribute_pci_bus_id, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
EQUAL(cu_attribute_pci_device_id, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
EQUAL(cu_attribute_pci_domain_id, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
EQUAL(cu_attribute_compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
EQUAL(cu_attribute_compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
EQUAL(cu_attribute_concurrent_managed_access, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
EQUAL(cu_attribute_pageable_memory_access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)
EQUAL(cu_attribute_registers_per_multiprocessor, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)
EQUAL(cu_attribute_async_engine_count, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT)
EQUAL(cu_pointer_context, CU_POINTER_ATTRIBUTE_CONTEXT)
EQUAL(cu_pointer_memory_type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
EQUAL(cu_pointer_is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED)
EQUAL(cu_pointer_device_ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
EQUAL(cu_memory_type_device, CU_MEMORYTYPE_DEVICE)
EQUAL(cu_stream_non_blocking, CU_STREAM_NON_BLOCKING)
EQUAL(cu_function_max_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
EQUAL(cu_function_registers, CU_FUNC_ATTRIBUTE_NUM_REGS)
EQUAL(cu_jit_error_log, CU_JIT_ERROR_LOG_BUFFER)
EQUAL(cu_jit_error_log_size, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
EQUAL(cu_input_cubin, CU_JIT_INPUT_CUBIN)
EQUAL(cu_input_ptx, CU_JIT_INPUT_PTX)
EQUAL(cu_event_blocking_sync, CU_EVENT_BLOCKING_SYNC)
EQUAL(cu_event_disable_timing, CU_EVENT_DISABLE_TIMING)
EQUAL(cu_host_alloc_portable, CU_MEMHOSTALLOC_PORTABLE)
EQUAL(cu_host_register_portable, CU_MEMHOSTREGISTER_PORTABLE)
EQUAL(cu_attach_global, CU_MEM_ATTACH_GLOBAL)
EQUAL(cu_location_device, CU_MEM_LOCATION_TYPE_DEVICE)
#if CUDA_VERSION >= 12020
EQUAL(cu_location_host, CU_MEM_LOCATION_TYPE_HOST)
#endif

} // namespace

TEST(as_in_the_toolkit)
{
	CHECK(has_same_launch_parameters());
	note("compared with <cuda.h> of CUDA %d.%d", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
}
