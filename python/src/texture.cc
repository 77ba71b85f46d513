// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "texture.h"

#include "errors.h"
#include "object.h"

#include <algorithm>
#include <iterator>

namespace het::python
{

namespace
{

struct texel_type {
	const char *name;
	uint32_t type;
	element items; // of an array of such texels
};

constexpr texel_type types[] = {
	{"unorm8", HET_TEXEL_UNORM8, {kind::natural, 1}}, {"unorm16", HET_TEXEL_UNORM16, {kind::natural, 2}},
	{"snorm8", HET_TEXEL_SNORM8, {kind::whole, 1}},   {"snorm16", HET_TEXEL_SNORM16, {kind::whole, 2}},
	{"int8", HET_TEXEL_INT8, {kind::whole, 1}},       {"int16", HET_TEXEL_INT16, {kind::whole, 2}},
	{"int32", HET_TEXEL_INT32, {kind::whole, 4}},     {"uint8", HET_TEXEL_UINT8, {kind::natural, 1}},
	{"uint16", HET_TEXEL_UINT16, {kind::natural, 2}}, {"uint32", HET_TEXEL_UINT32, {kind::natural, 4}},
	{"half", HET_TEXEL_HALF, {kind::real, 2}},        {"float", HET_TEXEL_FLOAT, {kind::real, 4}},
};

struct outside_of_texture {
	const char *name;
	uint32_t reads;
};

constexpr outside_of_texture outsides[] = {
	{"undefined", HET_OUTSIDE_UNDEFINED}, {"edge", HET_OUTSIDE_EDGE},         {"border", HET_OUTSIDE_BORDER},
	{"repeated", HET_OUTSIDE_REPEATED},   {"mirrored", HET_OUTSIDE_MIRRORED},
};

template <class T, size_t N> const T &by_name(const T (&all)[N], const std::string &name, const char *what)
{
	const T *found = std::find_if(all, all + N, [&](const T &t) { return name == t.name; });
	if (found != all + N)
		return *found;
	std::string names;
	for (const T &t : all)
		names += (names.empty() ? "" : ", ") + std::string(t.name);
	raise(PyExc_ValueError, "%s %s is none of %s", what, name.c_str(), names.c_str());
}

} // namespace

texture::texture(het_device *device, const texture_form &form)
    : device_(device), form_(form), items_(by_name(types, form.type, "a texture's type").items)
{
	const size_t dimensions = form.extent.size() - form.has_layers;
	if (form.extent.empty() || dimensions < 1 || dimensions > (form.has_layers ? 2 : 3))
		raise(PyExc_ValueError, "a texture has 1 to 3 dimensions, or 1 or 2 behind that of its layers");
	const place extent = in_order(form.extent, 0);
	het_texture_args a = {};
	a.size = sizeof a;
	a.device = device;
	a.dimensions = uint32_t(dimensions);
	a.channels = form.channels;
	a.type = by_name(types, form.type, "a texture's type").type;
	a.flags = (form.is_of_buffer ? uint32_t{HET_TEXTURE_OF_BUFFER} : 0) |
		  (form.is_read_and_written ? uint32_t{HET_TEXTURE_READ_AND_WRITTEN} : 0);
	std::copy_n(extent.begin(), dimensions, a.extent);
	a.layers = form.has_layers ? form.extent[0] : 0;
	het_texture *made = nullptr;
	int err;
	{
		// Arrays may have to leave the device for it.
		without_gil g;
		err = het_texture_create(&a, &made);
	}
	check(err);
	t_.reset(made);
}

place texture::in_order(const shape &s, size_t missing) const
{
	place p = {missing, missing, missing};
	std::copy(s.rbegin(), s.rend(), p.begin());
	return p;
}

place texture::place_of(const std::optional<shape> &at) const
{
	if (!at)
		return {0, 0, 0};
	if (at->size() != form_.extent.size())
		raise(PyExc_ValueError, "origin= has %zu numbers, and the texture %zu dimensions", at->size(),
		      form_.extent.size());
	return in_order(*at, 0);
}

place texture::region_of(const shape &array, const element &items, const char *what) const
{
	if (!(items == items_))
		raise(PyExc_TypeError, "%s: the array is of %s, and texels of type %s are of %s", what,
		      name_of(items).c_str(), form_.type.c_str(), name_of(items_).c_str());
	const size_t dimensions = form_.extent.size();
	const bool has_channels = array.size() == dimensions + 1 && array.back() == form_.channels;
	if (!has_channels && (array.size() != dimensions || form_.channels != 1))
		raise(PyExc_ValueError, "%s: the array needs %zu dimensions, and one of %u channels behind them", what,
		      dimensions, form_.channels);
	return in_order({array.begin(), array.begin() + ptrdiff_t(dimensions)}, 1);
}

sampler::sampler(het_device *device, bool normalized, const std::string &outside, bool linear)
{
	het_sampler_args a = {};
	a.size = sizeof a;
	a.device = device;
	a.normalized = normalized;
	a.outside = by_name(outsides, outside, "outside=").reads;
	a.linear = linear;
	het_sampler *made = nullptr;
	check(het_sampler_create(&a, &made));
	s_.reset(made);
}

} // namespace het::python
