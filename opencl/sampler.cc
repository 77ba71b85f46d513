// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "sampler.h"

#include "calls.h"
#include "image_formats.h"
#include "info.h"

#include <algorithm>

namespace hetcl
{

namespace
{

using sampler = _cl_sampler;

bool can_be_normalized(cl_sampler_properties p)
{
	return p == CL_TRUE || p == CL_FALSE;
}

bool is_addressing_mode(cl_sampler_properties p)
{
	return p >= CL_ADDRESS_NONE && p <= CL_ADDRESS_MIRRORED_REPEAT;
}

bool is_filter_mode(cl_sampler_properties p)
{
	return p == CL_FILTER_NEAREST || p == CL_FILTER_LINEAR;
}

cl_int check_context(cl_context c)
{
	if (!is_valid(c))
		return CL_INVALID_CONTEXT;
	const bool has_images =
		std::any_of(c->devices.begin(), c->devices.end(), [](cl_device_id d) { return have_images({d}); });
	return has_images ? CL_SUCCESS : CL_INVALID_OPERATION;
}

// Each may be given once.
cl_int take_properties(const cl_sampler_properties *given, sampler &s)
{
	std::vector<cl_sampler_properties> seen;
	for (const cl_sampler_properties *p = given; p && *p; p += 2) {
		if (std::find(seen.begin(), seen.end(), *p) != seen.end())
			return CL_INVALID_VALUE;
		if (*p == CL_SAMPLER_NORMALIZED_COORDS && can_be_normalized(p[1]))
			s.is_normalized = cl_bool(p[1]);
		else if (*p == CL_SAMPLER_ADDRESSING_MODE && is_addressing_mode(p[1]))
			s.outside = cl_addressing_mode(p[1]);
		else if (*p == CL_SAMPLER_FILTER_MODE && is_filter_mode(p[1]))
			s.filter = cl_filter_mode(p[1]);
		else
			return CL_INVALID_VALUE;
		seen.push_back(*p);
		s.properties.insert(s.properties.end(), {p[0], p[1]});
	}
	if (given)
		s.properties.push_back(0);
	return CL_SUCCESS;
}

uint32_t outside_of(cl_addressing_mode mode)
{
	switch (mode) {
	case CL_ADDRESS_CLAMP_TO_EDGE:
		return HET_OUTSIDE_EDGE;
	case CL_ADDRESS_CLAMP:
		return HET_OUTSIDE_BORDER;
	case CL_ADDRESS_REPEAT:
		return HET_OUTSIDE_REPEATED;
	case CL_ADDRESS_MIRRORED_REPEAT:
		return HET_OUTSIDE_MIRRORED;
	default:
		return HET_OUTSIDE_UNDEFINED;
	}
}

const info_row<sampler> rows[] = {
	{CL_SAMPLER_REFERENCE_COUNT, [](const sampler &s, answer &a) { return a.value(s.references.load()); }},
	{CL_SAMPLER_CONTEXT, [](const sampler &s, answer &a) { return a.value(s.context.get()); }},
	{CL_SAMPLER_NORMALIZED_COORDS, [](const sampler &s, answer &a) { return a.value(s.is_normalized); }},
	{CL_SAMPLER_ADDRESSING_MODE, [](const sampler &s, answer &a) { return a.value(s.outside); }},
	{CL_SAMPLER_FILTER_MODE, [](const sampler &s, answer &a) { return a.value(s.filter); }},
	{CL_SAMPLER_PROPERTIES, [](const sampler &s, answer &a) { return a.list(s.properties); }},
};

} // namespace

cl_sampler clCreateSampler(cl_context c, cl_bool is_normalized, cl_addressing_mode outside, cl_filter_mode filter,
			   cl_int *error)
{
	if (cl_int err = check_context(c))
		return refuse(err, error);
	if (!can_be_normalized(is_normalized) || !is_addressing_mode(outside) || !is_filter_mode(filter))
		return refuse(CL_INVALID_VALUE, error);
	auto *s = new sampler;
	s->context = held(c);
	s->is_normalized = is_normalized;
	s->outside = outside;
	s->filter = filter;
	return give(s, CL_SUCCESS, error);
}

cl_sampler clCreateSamplerWithProperties(cl_context c, const cl_sampler_properties *given, cl_int *error)
{
	if (cl_int err = check_context(c))
		return refuse(err, error);
	auto *s = new sampler;
	s->context = held(c);
	if (cl_int err = take_properties(given, *s)) {
		let_go(s);
		return refuse(err, error);
	}
	return give(s, CL_SUCCESS, error);
}

cl_int clRetainSampler(cl_sampler s)
{
	return retain(s, CL_INVALID_SAMPLER);
}

cl_int clReleaseSampler(cl_sampler s)
{
	return release(s, CL_INVALID_SAMPLER);
}

cl_int clGetSamplerInfo(cl_sampler s, cl_sampler_info what, size_t room, void *value, size_t *size)
{
	return is_valid(s) ? look_up(rows, what, *s, {room, value, size}) : CL_INVALID_SAMPLER;
}

} // namespace hetcl

int _cl_sampler::on(het_device *d, het_sampler **found)
{
	std::lock_guard g(lock_);
	for (const made &m : made_) {
		*found = m.sampler.get();
		if (m.device == d)
			return 0;
	}
	het_sampler_args a = {};
	a.size = sizeof(a);
	a.device = d;
	a.normalized = is_normalized ? 1 : 0;
	a.outside = hetcl::outside_of(outside);
	a.linear = filter == CL_FILTER_LINEAR;
	if (int err = het_sampler_create(&a, found))
		return err;
	made_.push_back({d, hetcl::owner<het_sampler, het_sampler_release>(*found)});
	return 0;
}
