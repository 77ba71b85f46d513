// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_slices.h"

#include "dev/cuda_ids.h"
#include "ptx/parser.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/slice.h"
#include "ptx/passes/waits.h"

#include <algorithm>
#include <new>

namespace het::rt
{

namespace
{

constexpr size_t place = 64;    // the size of a control block, in bytes
constexpr size_t places = 1024; // many times what executors have in flight
static_assert(sizeof(ptx::slice_control) <= place);

ptx::slice_control control_of(const launch_shape &s)
{
	ptx::slice_control c = {};
	size_t row = 1;
	for (unsigned d = 0; d < 3; d++) {
		size_t groups = d < s.dimensions ? s.groups(d) : 1;
		c.grid[d] = uint32_t(groups);
		row *= d < s.part.along ? groups : 1;
	}
	c.first = s.part.first * row;
	return c;
}

} // namespace

bool has_variables(const ptx::module &m)
{
	return std::any_of(m.variables.begin(), m.variables.end(), [&](const ptx::variable &v) {
		const bool is_constant = v.space == ptx::space::constant && v.linkage == ptx::linkage::none;
		const bool is_memory = v.space == ptx::space::global || v.space == ptx::space::constant;
		return v.function == ptx::no_index && !v.block && is_memory && !is_constant &&
		       m.str(v.name) != cuda_ids_name;
	});
}

sliced_text ptx_slice_text(const char *ptx)
{
	sliced_text out;
	ptx::module m;
	if (auto wrong = ptx::parse(ptx, m)) {
		out.why = "the PTX is not understood: " + wrong->describe();
		return out;
	}
	ptx::pass_result made = ptx::find_pass("slice")->apply(m);
	if (made.refused) {
		out.why = made.refused->describe();
		return out;
	}
	out.text = std::move(made.text);
	out.has_variables = has_variables(m);
	for (const ptx::pass_left &k : made.left)
		out.whole.emplace(k.name, k.why.describe());
	const ptx::block_waits waits(m);
	for (const ptx::function &f : m.functions) {
		if (!f.is_entry)
			continue;
		if (auto found = waits.reached_from(f); !found.empty())
			out.whole.emplace(m.str(f.name), found[0].describe());
	}
	return out;
}

int cuda_slice_controls::send(const cuda_calls &cu, cu_stream stream, cuda_sheets &sheets, const launch_shape &shape,
			      cu_deviceptr *at)
{
	if (int err = sheet_ ? 0 : sheets.take(place * places, &sheet_))
		return err;
	size_t offset = place * (next_++ % places);
	new (sheet_->host + offset) ptx::slice_control(control_of(shape));
	*at = sheet_->device + offset;
	return cu.copy_to_device(*at, sheet_->host + offset, sizeof(ptx::slice_control), stream);
}

} // namespace het::rt
