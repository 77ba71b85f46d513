// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_tables.h"

#include <cstring>
#include <utility>

namespace het::rt
{

namespace
{

constexpr table_values all_off;

} // namespace

int cuda_tables::open(const cuda_calls &cu, cu_module m, instrumented from)
{
	has_ = from.has;
	sites_ = std::move(from.sites);
	int err = 0;
	auto find = [&](bool wanted, cu_deviceptr &at, const char *name) {
		size_t size;
		if (wanted && !err)
			err = cu.get_variable(&at, &size, m, name);
	};
	find(has_.dirty, dirty_, "het_dirty_table");
	find(has_.touch, touch_, "het_touch_table");
	find(has_.coalesce, coalesce_, "het_coalesce_table");
	return err;
}

// Most launches find what the one before them did.
template <class T>
int cuda_tables::set_one(const cuda_calls &cu, cu_stream stream, cu_deviceptr at, T &now, const T &wanted)
{
	if (!at || !memcmp(&now, &wanted, sizeof(T)))
		return 0;
	int err = cu.copy_to_device(at, &wanted, sizeof(T), stream);
	if (!err)
		now = wanted;
	return err;
}

int cuda_tables::set(const cuda_calls &cu, cu_stream stream, const table_values *values)
{
	const table_values &v = values ? *values : all_off;
	int err = set_one(cu, stream, dirty_, now_.dirty, v.dirty);
	if (!err)
		err = set_one(cu, stream, touch_, now_.touch, v.touch);
	return err ? err : set_one(cu, stream, coalesce_, now_.coalesce, v.coalesce);
}

} // namespace het::rt
