// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/reserve.h"

#include "core/linking.h"
#include "core/make_room.h"
#include "os/log.h"

namespace het::rt
{

namespace
{

// Tries until there is something else to say than that others must end first. @place is null, or the place in line of
// whoever waits for memory.
template <class F> int try_until_told(het_device &d, waiter *place, F attempt)
{
	int err = 0;
	for (;;) {
		uint32_t seen = progress();
		outcome o = outcome::no_room;
		if (!place || d.memory.line.may_begin(*place)) {
			linking_guard g;
			o = attempt(&err);
		}
		if (o != outcome::no_room && o != outcome::must_wait)
			return err;
		if (place)
			d.memory.line.enter(*place);
		if (seen == progress())
			help_progress();
	}
}

template <class F> int try_in_line(het_device &d, F attempt)
{
	waiter self;
	int err = try_until_told(d, &self, attempt);
	leave_line(self);
	note_progress(); // for those behind it in the line
	return err;
}

int fail_too_large(const het_device &d, uint64_t nbytes, const char *call)
{
	using number = unsigned long long;
	const memory_account &a = d.memory.account;
	return fail(HET_EDEVICE,
		    "%s: %llu bytes of %s, of whose memory the library may use %llu and can't free %llu: raise "
		    "HET_DEVICE_MEMORY, or free some",
		    call, number(nbytes), d.compute->info().name, number(a.limit()),
		    number(a.beside_buffers_for_good()));
}

} // namespace

int reserve(het_device &d, memory_kind k, uint64_t nbytes, const char *call)
{
	memory_account &a = d.memory.account;
	if (d.compute->is_in_place())
		return 0;
	return try_in_line(d, [&](int *err) {
		uint64_t fixed = a.used_as(memory_kind::raw) + a.used_as(memory_kind::textures);
		if (nbytes > a.limit() || fixed > a.limit() - nbytes) {
			*err = fail_too_large(d, nbytes, call);
			return outcome::failed;
		}
		outcome o = make_room(d, nbytes, {}, err);
		if (o == outcome::done)
			a.add(k, nbytes);
		return o;
	});
}

// Who stands in line may wait for what is reserved, so it is not waited for.
int allocate_reserved(het_device &d, uint64_t nbytes, void **buffer, uint64_t own_windows)
{
	if (d.compute->is_in_place()) {
		int err = d.compute->allocate(nbytes, buffer);
		return err == no_device_memory ? fail(HET_ENOMEM, "%s: no memory", d.compute->info().name) : err;
	}
	const demand w = {.own_windows = own_windows};
	return try_until_told(d, nullptr, [&](int *err) { return allocate_buffer(d, nbytes, w, buffer, err, nbytes); });
}

} // namespace het::rt
