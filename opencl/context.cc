// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "context.h"

#include "calls.h"
#include "info.h"
#include "platform.h"

#include <algorithm>

namespace hetcl
{

namespace
{

using context = _cl_context;

cl_int take_properties(const cl_context_properties *given, std::vector<cl_context_properties> &taken)
{
	for (const cl_context_properties *p = given; p && *p; p += 2) {
		for (size_t i = 0; i + 1 < taken.size(); i += 2) {
			if (taken[i] == *p)
				return CL_INVALID_PROPERTY;
		}
		if (*p == CL_CONTEXT_PLATFORM && !is_valid(reinterpret_cast<cl_platform_id>(p[1])))
			return CL_INVALID_PLATFORM;
		const bool is_bool = p[1] == CL_FALSE || p[1] == CL_TRUE;
		if (*p != CL_CONTEXT_PLATFORM && (*p != CL_CONTEXT_INTEROP_USER_SYNC || !is_bool))
			return CL_INVALID_PROPERTY;
		taken.push_back(p[0]);
		taken.push_back(p[1]);
	}
	if (given)
		taken.push_back(0);
	return CL_SUCCESS;
}

const info_row<context> rows[] = {
	{CL_CONTEXT_REFERENCE_COUNT, [](const context &c, answer &a) { return a.value(c.references.load()); }},
	{CL_CONTEXT_NUM_DEVICES, [](const context &c, answer &a) { return a.value(cl_uint(c.devices.size())); }},
	{CL_CONTEXT_DEVICES, [](const context &c, answer &a) { return a.list(c.devices); }},
	{CL_CONTEXT_PROPERTIES, [](const context &c, answer &a) { return a.list(c.properties); }},
};

} // namespace

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *ids,
			   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *arg,
			   cl_int *error)
{
	std::vector<cl_context_properties> taken;
	if (cl_int err = take_properties(properties, taken))
		return refuse(err, error);
	if (!n || !ids || (arg && !notify))
		return refuse(CL_INVALID_VALUE, error);
	if (!std::all_of(ids, ids + n, [](cl_device_id d) { return is_valid(d); }))
		return refuse(CL_INVALID_DEVICE, error);
	auto *c = new context;
	for (cl_uint i = 0; i < n; i++) {
		if (c->has(ids[i]))
			continue;
		c->devices.push_back(ids[i]);
		hetcl::clRetainDevice(ids[i]); // parts of devices stay as long as contexts need them
	}
	c->properties = std::move(taken);
	c->notify = notify;
	c->notify_arg = arg;
	return give(c, CL_SUCCESS, error);
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
				   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *arg,
				   cl_int *error)
{
	std::vector<cl_context_properties> taken;
	if (cl_int err = take_properties(properties, taken))
		return refuse(err, error);
	cl_uint n = 0;
	if (cl_int err = hetcl::clGetDeviceIDs(&platform(), type, 0, nullptr, &n))
		return refuse(err, error);
	std::vector<cl_device_id> ids(n);
	hetcl::clGetDeviceIDs(&platform(), type, n, ids.data(), nullptr);
	return hetcl::clCreateContext(properties, n, ids.data(), notify, arg, error);
}

cl_int clRetainContext(cl_context c)
{
	return retain(c, CL_INVALID_CONTEXT);
}

cl_int clReleaseContext(cl_context c)
{
	return release(c, CL_INVALID_CONTEXT);
}

cl_int clGetContextInfo(cl_context c, cl_context_info what, size_t room, void *value, size_t *size)
{
	if (!is_valid(c))
		return CL_INVALID_CONTEXT;
	return look_up(rows, what, *c, {room, value, size});
}

cl_int clSetContextDestructorCallback(cl_context c, void(CL_CALLBACK *notify)(cl_context, void *), void *arg)
{
	if (!is_valid(c))
		return CL_INVALID_CONTEXT;
	if (!notify)
		return CL_INVALID_VALUE;
	c->when_gone.add([=] { notify(c, arg); });
	return CL_SUCCESS;
}

} // namespace hetcl

_cl_context::~_cl_context()
{
	when_gone.call();
	for (cl_device_id d : devices)
		hetcl::clReleaseDevice(d);
}
