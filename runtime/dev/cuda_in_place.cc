// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_in_place.h"

#include "dev/cuda_slices.h"
#include "ptx/parser.h"
#include "ptx/passes/access.h"
#include "ptx/passes/inspect.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/resident.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace het::rt
{

namespace
{

// The one is sent as the other.
static_assert(granule_table::counted == ptx::resident_counted && sizeof(granule_table) == sizeof(ptx::resident_table) &&
	      offsetof(granule_table, moves) == offsetof(ptx::resident_table, moves) &&
	      offsetof(granule_table, counts) == offsetof(ptx::resident_table, counts) &&
	      offsetof(granule_table, bits) == offsetof(ptx::resident_table, granule));

static_assert(sizeof(inspection_table) == sizeof(ptx::inspect_table) &&
	      offsetof(inspection_table, sources) == offsetof(ptx::inspect_table, sources) &&
	      offsetof(inspection_table, bounds) == offsetof(ptx::inspect_table, bounds) &&
	      offsetof(inspection_table, counts) == offsetof(ptx::inspect_table, counts) &&
	      offsetof(inspection_table, result) == offsetof(ptx::inspect_table, result) &&
	      offsetof(inspection_table, bits) == offsetof(ptx::inspect_table, page) &&
	      offsetof(inspection_table, granules) == offsetof(ptx::inspect_table, stride) &&
	      offsetof(inspection_table, groups) == offsetof(ptx::inspect_table, groups) &&
	      offsetof(inspection_table, steps) == offsetof(ptx::inspect_table, steps) &&
	      offsetof(inspection_table, skipped) == offsetof(ptx::inspect_table, skipped));

// malloc() gives memory that is even to so many bytes, which is not enough for vectors of 32.
constexpr unsigned most_bytes = 16;

unsigned bytes_of_access(const ptx::module &m, const ptx::instruction &i)
{
	if (!ptx::access_of(m, i).may_be_global())
		return 0;
	const ptx::mnemonic op(m.str(i.opcode));
	// Without a type, as in cp.async, an operand tells the size.
	const unsigned bytes = op.vector_width() * ptx::bytes_of(op.last_type());
	return bytes ? bytes : most_bytes;
}

unsigned widest_access(const ptx::module &m, const ptx::function &f)
{
	unsigned widest = 1;
	for (uint32_t n = f.first_statement; n < f.first_statement + f.statements; n++) {
		const ptx::statement &s = m.statements[n];
		if (s.kind == ptx::statement::kind_t::instruction)
			widest = std::max(widest, bytes_of_access(m, m.instructions[s.index]));
	}
	return widest;
}

// A kernel may call any function.
std::map<std::string, unsigned, std::less<>> widest_accesses(const ptx::module &m)
{
	unsigned widest_call = 1;
	for (const ptx::function &f : m.functions) {
		if (!f.is_entry)
			widest_call = std::max(widest_call, widest_access(m, f));
	}
	std::map<std::string, unsigned, std::less<>> all;
	for (const ptx::function &f : m.functions) {
		if (f.is_entry)
			all.emplace(m.str(f.name), std::max(widest_call, widest_access(m, f)));
	}
	return all;
}

in_place_text no_text(std::string why)
{
	return {{}, std::move(why), {}};
}

} // namespace

in_place_text ptx_in_place_text(const char *ptx)
{
	ptx::module m;
	if (auto wrong = ptx::parse(ptx, m))
		return no_text("the PTX is not understood: " + wrong->describe());
	if (has_variables(m))
		return no_text("it has variables, of which a second text would have others");
	for (const ptx::instruction &i : m.instructions) {
		if (bytes_of_access(m, i) > most_bytes)
			return no_text(m.fault_at(i.opcode, "uses vectors of 32 bytes").describe());
	}
	ptx::pass_result made = ptx::find_pass("resident")->apply(m);
	if (made.refused)
		return no_text(made.refused->describe());
	if (!made.blind.empty())
		return no_text(made.blind[0].describe());
	return {std::move(made.text), {}, widest_accesses(m)};
}

// The marks are not moved, as their addresses are no program's.
inspection_text ptx_inspection_text(const char *ptx)
{
	ptx::module m;
	if (auto wrong = ptx::parse(ptx, m))
		return {{}, wrong->describe()};
	ptx::pass_result made = ptx::find_pass("inspect")->apply(m);
	if (made.refused)
		return {{}, made.refused->describe()};
	std::string why = made.blind.empty() ? "" : made.blind[0].describe();
	if (auto wrong = ptx::parse(std::move(made.text), m))
		return {{}, wrong->describe()};
	made = ptx::find_pass("resident")->apply(m);
	return {std::move(made.text), made.refused ? made.refused->describe() : std::move(why)};
}

// A place is used anew so many launches later that they can't all be under way: each has all of the device's memory.
int cuda_granule_tables::send(const cuda_calls &cu, cu_stream stream, cuda_sheets &sheets, cu_deviceptr variable,
			      const void *table, size_t nbytes)
{
	constexpr size_t places = 256, most_bytes = std::max(sizeof(granule_table), sizeof(inspection_table));
	if (int err = sheet_ ? 0 : sheets.take(places * most_bytes, &sheet_))
		return err;
	char *place = sheet_->host + most_bytes * (next_++ % places);
	memcpy(place, table, nbytes);
	return cu.copy_to_device(variable, place, nbytes, stream);
}

} // namespace het::rt
