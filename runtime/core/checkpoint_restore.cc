// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/checkpoint.h"
#include "core/dispatch.h"
#include "core/ranges.h"
#include "os/log.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace het::rt
{

namespace
{

constexpr uint64_t pages_at_once = 64;

// Calls f(first byte, bytes) for the pages of an item, which are checked. Returns 0 or the first code.
template <class F> int read_item(checkpoint_store &s, const checkpoint::item &i, std::byte *copy, F f)
{
	int err = 0;
	for (uint64_t p = 0; p < i.npages() && !err; p += pages_at_once) {
		const uint64_t n = std::min(pages_at_once, i.npages() - p);
		err = s.read(i, p, n, copy);
		if (!err)
			err = f(p * checkpoint::page_size, checkpoint::bytes_of(i.nbytes, p, n));
	}
	return err;
}

} // namespace

int checkpoint_restore::take(const het_checkpoint_args &args)
{
	leaves_launches_ = args.flags & HET_CHECKPOINT_WITHOUT_LAUNCHES;
	return take_items("het_checkpoint_restore", args, HET_WRITE_ONLY);
}

// What the items were before launches is not what they are for who does not know of those.
int checkpoint_restore::check_launches()
{
	checkpoint_store &s = file->store;
	if (has_launches_)
		return s.generation() == generation_
			       ? 0
			       : fail(HET_ESTATE,
				      "checkpoint file %s: it was written since its launches were to be restored",
				      s.path());
	const uint64_t n = s.look().nlaunches;
	if (!n || leaves_launches_)
		return 0;
	return fail(HET_ESTATE,
		    "checkpoint file %s: it holds %" PRIu64 " launches that had not begun: say "
		    "HET_CHECKPOINT_LAUNCHES, or HET_CHECKPOINT_WITHOUT_LAUNCHES",
		    s.path(), n);
}

int checkpoint_restore::check_items()
{
	checkpoint_store &s = file->store;
	if (!s.generation())
		return fail(HET_EFILE, "checkpoint file %s: nothing was written to it yet", s.path());
	for (const item &i : items()) {
		const checkpoint::item *held = s.held().find(i.name);
		if (!held)
			return fail(HET_EARG, "checkpoint file %s: it has no item %s", s.path(), i.name);
		if (held->nbytes != i.bytes.size())
			return fail(HET_EARG, "checkpoint file %s: item %s has %" PRIu64 " bytes there, and %zu here",
				    s.path(), i.name, held->nbytes, i.bytes.size());
	}
	return 0;
}

// All is read twice: nothing may be changed unless all is right.
int checkpoint_restore::restore()
{
	if (int err = check_launches())
		return err;
	if (int err = check_items())
		return err;
	std::unique_ptr<std::byte[]> copy(new (std::nothrow) std::byte[pages_at_once * checkpoint::page_size]);
	if (!copy)
		return fail(HET_ENOMEM, "het_checkpoint_restore: out of memory");
	checkpoint_store &s = file->store;
	int err = 0;
	for (size_t n = 0; n < items().size() && !err; n++)
		err = read_item(s, *s.held().find(items()[n].name), copy.get(), [](uint64_t, uint64_t) { return 0; });
	for (size_t n = 0; n < items().size() && !err; n++) {
		const range to = items()[n].bytes;
		err = bring_to_host(to, HET_WRITE_ONLY);
		if (err)
			break;
		err = read_item(s, *s.held().find(items()[n].name), copy.get(), [&](uint64_t at, uint64_t size) {
			memcpy(static_cast<char *>(to.ptr()) + at, copy.get(), size);
			return 0;
		});
	}
	return err;
}

void checkpoint_restore::run()
{
	const int err = restore();
	if (err)
		keep_why();
	file = {};
	finish(*this, err);
}

} // namespace het::rt
