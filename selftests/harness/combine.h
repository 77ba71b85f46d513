// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches of which it is known which bytes a work-item uses, so that they can run in slices.
#pragma once

#include "rounds.h"

namespace selftest
{

// An argument of which each work-item uses one byte.
inline het_arg by_bytes(const model_array &a, uint32_t access)
{
	return range_arg(a.b.data(), a.size(), access, each_byte);
}

inline void combine_model(const model_array &from, model_array &to)
{
	for (size_t i = 0; i < to.size(); i++)
		to.model[i] = uint8_t(3 * to.model[i] + from.model[i]);
}

// Launches runtime_fixture::combine on the arrays, and does the same to the model.
inline void combine(runtime_fixture &fx, const model_array &from, model_array &to, het_event **e = nullptr,
		    runtime_fixture::options o = {})
{
	HET_OK(fx.launch(fx.combine, to.size(), {by_bytes(from, HET_READ_ONLY), by_bytes(to, HET_READ_WRITE)}, e, o));
	combine_model(from, to);
}

} // namespace selftest
