// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/twins.h"

#include "os/log.h"

#include <utility>

namespace het::rt
{

twins::twin *twins::find(unsigned memory_number, range bytes) const
{
	twin *t = all_.get();
	while (t && !(t->device->memory_number == memory_number && t->bytes == bytes))
		t = t->next.get();
	return t;
}

// The others in the pool are too small if there is no memory for this one.
int twins::have_twin(het_device &d, size_t nbytes, std::unique_ptr<device_twin> &twin)
{
	twin = d.twins.take(nbytes);
	if (twin)
		return 0;
	int err = d.compute->make_twin(nbytes, twin);
	if (err == no_device_memory && d.twins.clear())
		err = d.compute->make_twin(nbytes, twin);
	if (err == no_device_memory)
		return fail(HET_EDEVICE, "%s: no memory for a copy of %zu bytes", d.compute->info().name, nbytes);
	if (!err)
		d.twins.note_made(*twin);
	return err;
}

twins::~twins()
{
	for (twin *t = all_.get(); t; t = t->next.get())
		t->device->twins.give_back(std::move(t->on_device));
}

int twins::make(const range_use &u, het_device &d, unsigned lane)
{
	lock_.lock(lock_rank::leaf);
	bool known = find(d.memory_number, u.bytes);
	lock_.unlock(lock_rank::leaf);
	if (known)
		return 0;
	size_t end = 0;
	void *buffer = buffer_of(u, u.bytes.end, d, &end);
	uintptr_t origin = u.bytes.end - end;
	size_t first = round_down(u.bytes.begin - origin, twin_unit);
	std::unique_ptr<twin> t(new (std::nothrow) twin(d, u.bytes, origin + first));
	if (!t || !t->changed.allocate(twin_units(end - first)))
		return fail(HET_ENOMEM, "het_launch: out of memory");
	int err = have_twin(d, end - first, t->on_device);
	if (err)
		return err;
	err = t->on_device->take(buffer, first, end - first, lane);
	if (err) {
		d.twins.give_back(std::move(t->on_device));
		return err;
	}
	lock_.lock(lock_rank::leaf);
	t->next = std::move(all_);
	all_ = std::move(t);
	lock_.unlock(lock_rank::leaf);
	return 0;
}

int twins::compare(const het_device &d)
{
	int err = 0;
	for (twin *t = all_.get(); t && !err; t = t->next.get())
		err = t->device == &d ? t->on_device->compare(t->changed.get()) : 0;
	return err;
}

range twins::written(const usage &u, range bytes)
{
	const twin *t = find(u.device, u.part);
	if (!t)
		return bytes;
	size_t begin = (bytes.begin - t->first) / twin_unit, end = twin_units(bytes.end - t->first);
	while (begin < end && !t->changed[begin])
		begin++;
	while (end > begin && !t->changed[end - 1])
		end--;
	return intersect(bytes, {t->first + begin * twin_unit, t->first + end * twin_unit});
}

} // namespace het::rt
