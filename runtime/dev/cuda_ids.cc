// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_ids.h"

#include <new>

namespace het::rt
{

int cuda_ids::open(const cuda_calls &cu, cu_module module)
{
	size_t size = 0;
	cu_deviceptr at = 0;
	int err = cu.get_variable(&at, &size, module, cuda_ids_name);
	if (!err && size == sizeof(layout))
		at_ = at;
	return err == cu_error_not_found ? 0 : err;
}

cuda_ids::layout cuda_ids::layout_of(const launch_shape &shape)
{
	layout wanted = {};
	for (unsigned d = 0; d < shape.dimensions; d++)
		wanted.offset[d] = shape.offset[d];
	wanted.dimensions = shape.dimensions > 1 ? shape.dimensions : 0;
	return wanted;
}

int cuda_ids::write(const cuda_calls &cu, cuda_sheets &sheets, cu_stream stream, const layout &wanted)
{
	sheets_ = &sheets;
	if (int err = sheet_ ? 0 : sheets.take(places * sizeof(layout), &sheet_))
		return err;
	char *place = sheet_->host + sizeof(layout) * (next_++ % places);
	return cu.copy_to_device(at_, new (place) layout(wanted), sizeof(layout), stream);
}

int cuda_ids::record(const cuda_calls &cu)
{
	int err = written_ ? 0 : cu.create_event(&written_, cu_event_disable_timing);
	if (!err)
		err = cu.record_event(written_, sent_on_);
	is_recorded_ = !err;
	return err;
}

// Where there was no other stream at the time of the write, all that came behind it is waited for, too.
int cuda_ids::send(const cuda_calls &cu, cuda_sheets &sheets, cu_stream stream, bool are_others,
		   const launch_shape &shape)
{
	if (!would_send(shape)) {
		if (!at_ || !sent_on_ || sent_on_ == stream)
			return 0;
		int err = is_recorded_ ? 0 : record(cu);
		return err ? err : cu.stream_waits(stream, written_, 0);
	}
	const layout wanted = layout_of(shape);
	if (int err = write(cu, sheets, stream, wanted))
		return err;
	sent_ = wanted;
	sent_on_ = stream;
	is_recorded_ = false;
	return are_others ? record(cu) : 0;
}

void cuda_ids::close(const cuda_calls &cu)
{
	if (sheet_)
		sheets_->give_back(sheet_);
	if (written_)
		cu.destroy_event(written_);
}

} // namespace het::rt
