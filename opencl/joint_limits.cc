// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "joint_limits.h"

#include <algorithm>
#include <cstring>

namespace hetcl
{

namespace
{

// An answer is one number of 4 or 8 bytes, or three of 8.
enum class form : uint8_t { four, eight, three };

// This is how the answers of several devices become one.
enum class rule : uint8_t {
	least,  // all can do that
	most,   // suits all
	sum,    // they do it together
	common, // these bits are set everywhere
	any,    // these bits are set somewhere
	fixed,  // the platform's own, whatever drivers say
};

struct limit_row {
	cl_device_info what;
	form has;
	rule joins;
	cl_ulong value = 0; // what is fixed
};

// Commands on several queues have no order here but that of events and data, so queues may be out of order anywhere.
constexpr cl_ulong host_queue = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

constexpr limit_row limits[] = {
	{CL_DEVICE_TYPE, form::eight, rule::any},
	{CL_DEVICE_VENDOR_ID, form::four, rule::least},
	{CL_DEVICE_MAX_COMPUTE_UNITS, form::four, rule::sum},
	{CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, form::four, rule::fixed, 3},
	{CL_DEVICE_MAX_WORK_ITEM_SIZES, form::three, rule::least},
	{CL_DEVICE_MAX_WORK_GROUP_SIZE, form::eight, rule::least},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, form::four, rule::least},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, form::four, rule::least},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, form::four, rule::least},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, form::four, rule::least},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, form::four, rule::least},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, form::four, rule::least},
	{CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, form::four, rule::least},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, form::four, rule::least},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, form::four, rule::least},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, form::four, rule::least},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, form::four, rule::least},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, form::four, rule::least},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, form::four, rule::least},
	{CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, form::four, rule::least},
	{CL_DEVICE_MAX_CLOCK_FREQUENCY, form::four, rule::most},
	{CL_DEVICE_ADDRESS_BITS, form::four, rule::least},
	{CL_DEVICE_MAX_MEM_ALLOC_SIZE, form::eight, rule::least},
	{CL_DEVICE_MAX_PARAMETER_SIZE, form::eight, rule::least},
	{CL_DEVICE_MEM_BASE_ADDR_ALIGN, form::four, rule::most},
	{CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, form::four, rule::most},
	{CL_DEVICE_SINGLE_FP_CONFIG, form::eight, rule::common},
	{CL_DEVICE_DOUBLE_FP_CONFIG, form::eight, rule::common},
	{CL_DEVICE_HALF_FP_CONFIG, form::eight, rule::common},
	{CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, form::four, rule::least},
	{CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, form::four, rule::most},
	{CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, form::eight, rule::least},
	{CL_DEVICE_GLOBAL_MEM_SIZE, form::eight, rule::least},
	{CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, form::eight, rule::least},
	{CL_DEVICE_MAX_CONSTANT_ARGS, form::four, rule::least},
	{CL_DEVICE_LOCAL_MEM_TYPE, form::four, rule::most},
	{CL_DEVICE_LOCAL_MEM_SIZE, form::eight, rule::least},
	{CL_DEVICE_ERROR_CORRECTION_SUPPORT, form::four, rule::least},
	{CL_DEVICE_PROFILING_TIMER_RESOLUTION, form::eight, rule::most},
	{CL_DEVICE_ENDIAN_LITTLE, form::four, rule::least},
	{CL_DEVICE_AVAILABLE, form::four, rule::least},
	{CL_DEVICE_COMPILER_AVAILABLE, form::four, rule::least},
	{CL_DEVICE_LINKER_AVAILABLE, form::four, rule::least},
	{CL_DEVICE_PRINTF_BUFFER_SIZE, form::eight, rule::least},
	{CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, form::four, rule::most},
	{CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, form::four, rule::most},
	{CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, form::four, rule::most},
	{CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, form::eight, rule::common},
	{CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, form::eight, rule::common},
	{CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, form::four, rule::least},
	{CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, form::four, rule::least},
	{CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, form::four, rule::least},
	{CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, form::eight, rule::most},
	{CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, form::eight, rule::fixed, host_queue},
	{CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, form::four, rule::fixed, CL_TRUE},
	{CL_DEVICE_HOST_UNIFIED_MEMORY, form::four, rule::fixed, CL_FALSE},
	{CL_DEVICE_IMAGE_SUPPORT, form::four, rule::least},
	{CL_DEVICE_MAX_READ_IMAGE_ARGS, form::four, rule::least},
	{CL_DEVICE_MAX_WRITE_IMAGE_ARGS, form::four, rule::least},
	{CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, form::four, rule::least},
	{CL_DEVICE_IMAGE2D_MAX_WIDTH, form::eight, rule::least},
	{CL_DEVICE_IMAGE2D_MAX_HEIGHT, form::eight, rule::least},
	{CL_DEVICE_IMAGE3D_MAX_WIDTH, form::eight, rule::least},
	{CL_DEVICE_IMAGE3D_MAX_HEIGHT, form::eight, rule::least},
	{CL_DEVICE_IMAGE3D_MAX_DEPTH, form::eight, rule::least},
	{CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, form::eight, rule::least},
	{CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, form::eight, rule::least},
	{CL_DEVICE_MAX_SAMPLERS, form::four, rule::least},
	// There is nothing of the following. The first two are of images of two dimensions that buffers are behind.
	{CL_DEVICE_IMAGE_PITCH_ALIGNMENT, form::four, rule::fixed},
	{CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, form::four, rule::fixed},
	{CL_DEVICE_MAX_PIPE_ARGS, form::four, rule::fixed},
	{CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, form::four, rule::fixed},
	{CL_DEVICE_PIPE_MAX_PACKET_SIZE, form::four, rule::fixed},
	{CL_DEVICE_PIPE_SUPPORT, form::four, rule::fixed},
	{CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, form::eight, rule::fixed},
	{CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, form::eight, rule::fixed},
	{CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, form::eight, rule::fixed},
	{CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, form::four, rule::fixed},
	{CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, form::four, rule::fixed},
	{CL_DEVICE_MAX_ON_DEVICE_QUEUES, form::four, rule::fixed},
	{CL_DEVICE_MAX_ON_DEVICE_EVENTS, form::four, rule::fixed},
	{CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, form::eight, rule::fixed},
	{CL_DEVICE_SVM_CAPABILITIES, form::eight, rule::fixed},
	{CL_DEVICE_MAX_NUM_SUB_GROUPS, form::four, rule::fixed},
	{CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, form::four, rule::fixed},
};

// What a driver has no answer for is 0: it is older than the question.
cl_ulong ask(het_device *d, const limit_row &row, unsigned index)
{
	cl_ulong several[8] = {}, number = 0;
	cl_uint small = 0;
	switch (row.has) {
	case form::four:
		return het_device_opencl_info(d, row.what, sizeof(small), &small, nullptr) ? 0 : small;
	case form::eight:
		return het_device_opencl_info(d, row.what, sizeof(number), &number, nullptr) ? 0 : number;
	case form::three:
		return het_device_opencl_info(d, row.what, sizeof(several), several, nullptr) ? 0 : several[index];
	}
	return 0;
}

cl_ulong join(rule r, cl_ulong a, cl_ulong b)
{
	switch (r) {
	case rule::least:
		return std::min(a, b);
	case rule::most:
		return std::max(a, b);
	case rule::sum:
		return a + b;
	case rule::common:
		return a & b;
	case rule::any:
		return a | b;
	case rule::fixed:
		break;
	}
	return a;
}

cl_ulong work_out(const _cl_device_id &d, const limit_row &row, unsigned index)
{
	if (row.joins == rule::fixed)
		return row.value;
	cl_ulong value = ask(d.members[0], row, index);
	for (size_t i = 1; i < d.members.size(); i++)
		value = join(row.joins, value, ask(d.members[i], row, index));
	return value;
}

const limit_row *find(cl_device_info what)
{
	const auto *row =
		std::find_if(std::begin(limits), std::end(limits), [&](const limit_row &r) { return r.what == what; });
	return row == std::end(limits) ? nullptr : row;
}

} // namespace

cl_ulong limit(const _cl_device_id &d, cl_device_info what, unsigned index)
{
	return work_out(d, *find(what), index);
}

bool answer_limit(const _cl_device_id &d, cl_device_info what, answer &a, cl_int *result)
{
	const limit_row *row = find(what);
	if (!row)
		return false;
	cl_ulong values[3] = {};
	for (unsigned i = 0; i < (row->has == form::three ? 3 : 1); i++)
		values[i] = work_out(d, *row, i);
	*result = row->has == form::four    ? a.value(cl_uint(values[0]))
		  : row->has == form::three ? a.value(values)
					    : a.value(values[0]);
	return true;
}

} // namespace hetcl
