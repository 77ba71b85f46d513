// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The coherence protocol of one chunk is a directory MSI protocol in which the host is one more participant.
// It is pure: no memory, no device, no system call. Callers hold the lock of the chunk's array.
//
// State: which copies are valid, and what the host's primary mapping allows.
//   I1  valid is never empty: some copy has the bytes. But for a chunk in fragments (core/fragments.h): there each byte
//       has a valid copy, and valid are those that have them all.
//   I2  access != none  implies  the host's copy is valid.       (nothing stale can be seen)
//   I3  access == write implies  valid == {host}.                (no write goes unnoticed)
// Fragments are forgotten with each step that changes the chunk's state: what valid says then is all that counts.
// A device writes only between begin and end of a kernel. What it has written counts from the end on, so
// the state during the kernel is that of before: a host touch meanwhile sees old bytes, or, where it is served from
// that very device, whatever the kernel has made of them so far.
// While a kernel writes on D, the caller skips further begins there: their copy could overwrite results.
//
// Events and what they do (D: the event's device, S: any valid copy, or of fragments each one's own, "share": see
// rules):
//
//   event            when                  copy      next valid   next access      note
//   touch_read       host valid, alone     -         same         write            the page was not mapped
//                    host valid, share     -         same         read
//                    host valid            -         {host}       write
//                    host invalid, share   S -> host + host       read
//                    host invalid          S -> host {host}       write
//   touch_write      host valid            -         {host}       write            devices lose the chunk
//                    host invalid          S -> host {host}       write
//   fetch            host valid            -         same         same
//                    host invalid          S -> host + host       none             in the alias, not shown
//   begin_read       D valid               -         same         same
//                    D invalid             S -> D    + D          at most read     protected before the copy
//   begin_write      D valid               -         same         same
//                    D invalid             S -> D    same         same             counts at the end
//   send_ahead       host valid, not D     host -> D + D          at most read     protected before the copy
//                    otherwise             -         same         same             nothing to send
//   revoke           always                -         same         none             strict begin, unlink, fork
//   end_written      always                -         {D}          none
//   foresee_read     always                D -> host {host, D}    read             instead of end_written, see below
//   foresee_write    always                D -> host {host}       write            the same
//   drop             valid != {D}          -         - D          same
//
// A kernel that overwrites everything needs no event at its begin. One that will tell which chunks it wrote begins with
// begin_read, and ends with end_written for those alone: where it wrote nothing it was a reader.
// What the host is expected to touch after the kernel is foreseen: it comes home at the end, and its pages stay where
// they are. The copy goes over bytes of before the kernel that the host may still see: as long as the end has not
// returned that is the race that it was during the kernel. A page that the host may only read afterwards allows no more
// than that before the copy starts, so that no write is unseen later; one that it may write counts as the host's, and
// it makes no difference whether a write of its comes before or behind the copy of that byte. If the copy fails, the
// chunk takes the step of end_written instead.
// What the host has written is sent ahead of the kernel that will need it. Nobody waits for that copy but a begin on D:
// the chunk takes any other step meanwhile, a host write above all, and each of them that changes it voids the copy,
// which then leaves the state as it is. A copy that is void goes on all the same: no begin on D before it has ended,
// or old bytes would arrive over new ones.
// Source of the idea: the region states of libgpuvm (Adinetz, 2011), made a protocol for any number of devices.
#pragma once

#include "core/range.h"

#include <bit>
#include <cstdint>

namespace het
{

// Participant 0 is the host, participant 1 + i device i.
using copyset = uint32_t;
constexpr copyset host_copy = 1;
constexpr copyset device_copy(unsigned device)
{
	return copyset{2} << device;
}
inline constexpr copyset every_device = ~host_copy;
constexpr unsigned device_of(unsigned participant)
{
	return participant - 1;
}

struct chunk_state {
	copyset valid = host_copy;
	access host = access::write;

	constexpr bool operator==(const chunk_state &) const = default;
	constexpr bool host_valid() const { return valid & host_copy; }
	constexpr bool device_valid(unsigned d) const { return valid & device_copy(d); }
};

enum class event : uint8_t {
	touch_read,
	touch_write,
	fetch,
	begin_read,
	begin_write,
	send_ahead,
	revoke,
	end_written,
	foresee_read,
	foresee_write,
	drop,
};
inline constexpr unsigned event_count = 11;

struct coherence_rules {
	// A page can be shown read-only at once (trap_features::shared_reads); otherwise a read makes the host the
	// only owner, since the write that follows would not be seen.
	bool share = true;
};

inline constexpr uint8_t nobody = 0xff;
// No copy has all bytes, so what the destination lacks comes from where it is valid.
inline constexpr uint8_t each_fragments_own = 0xfe;

// Returns one of them: the host first, as its copy needs no device call, then the lowest device.
constexpr uint8_t source_of(copyset valid)
{
	return uint8_t(std::countr_zero(valid));
}

// A step says what to do, in this order: take the host's access down to @protect, copy, enter @next, show the chunk
// with @next.host. If the copy fails, the state stays as it was, with access at most @protect.
struct step {
	chunk_state next;
	access protect;      // == the old access: nothing to take away
	uint8_t from, to;    // the participants of the copy, or nobody; from may be each_fragments_own
	bool allowed = true; // false: the caller must fetch first (drop of the only copy)

	constexpr bool copies() const { return from != nobody; }
};

step next_step(chunk_state s, event e, unsigned device, coherence_rules rules);

// Checks I1 to I3 of a chunk that is not in fragments.
constexpr bool is_consistent(chunk_state s)
{
	return s.valid && (s.host == access::none || s.host_valid()) &&
	       (s.host != access::write || s.valid == host_copy);
}

} // namespace het
