// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/checkpoint.h"
#include "core/dispatch.h"
#include "core/launch_description.h"
#include "core/memory_error.h"
#include "memory/changes.h"
#include "os/clock.h"
#include "os/log.h"

#include <algorithm>
#include <cstring>
#include <gpuvm.h>

namespace het::rt
{

using checkpoint::generation_writer;

namespace
{

// So much is looked at, at a time. It stays in a processor's cache between the copy from the item and the checksum.
constexpr size_t piece = size_t{256} << 10;
constexpr uint64_t usual_memory = uint64_t{256} << 20;

} // namespace

int checkpoint_cut::take(const het_checkpoint_args &args)
{
	memory_ = args.memory ? args.memory : usual_memory;
	return take_items("het_checkpoint_write", args, HET_READ_ONLY);
}

int checkpoint_cut::take_launches(const het_checkpoint_args &args)
{
	item_ranges ranges;
	moment_of_launches_.reset(new (std::nothrow) checkpoint_moment);
	launches_ = reference<stored_launches>(new (std::nothrow) stored_launches);
	const bool ok = ranges.fill(items().size(), [&](size_t i) { return items()[i].bytes; });
	if (!ok || !moment_of_launches_ || !launches_)
		return fail(HET_ENOMEM, "het_checkpoint_write: out of memory");
	launch_description d(args, ranges);
	int err = moment_of_launches_->begin(accesses, ranges);
	if (!err)
		err = d.describe(*moment_of_launches_, launches_->bytes);
	checkpoint::fault why;
	if (err || launches_->bytes.empty())
		launches_ = {};
	else if (launches_->all.open(launches_->bytes.all(), why) != checkpoint::outcome::done)
		err = fail(HET_EARG, "het_checkpoint_write: %s", why.text);
	return err;
}

// It may have failed before it had its turn.
void checkpoint_cut::after(int)
{
	if (moment_of_launches_)
		moment_of_launches_->end();
}

int checkpoint_cut::add_items(generation_writer &w)
{
	checkpoint::fault why;
	bool ok = true;
	for (const item &i : items())
		ok = ok && w.add_item(i.name, i.bytes.size(), why);
	if (launches_)
		ok = ok && w.add_item(checkpoint::launches_name, launches_->bytes.size(), why);
	return ok ? 0 : file->store.say_failed(w, why);
}

// They come behind the items.
int checkpoint_cut::put_launches(generation_writer &w)
{
	const auto bytes = launches_->bytes.all();
	const checkpoint::item *old = file->store.held().find(checkpoint::launches_name);
	checkpoint::fault why;
	old = old && old->nbytes == bytes.size() ? old : nullptr;
	return w.put_changed(uint32_t(items().size()), old, 0, bytes, why) ? 0 : file->store.say_failed(w, why);
}

// What is known of changes is known of places.
bool checkpoint_cut::is_where_it_was(const item &i) const
{
	for (const item &before : std::span(file->places.get(), file->nplaces)) {
		if (before.bytes == i.bytes && !strcmp(before.name, i.name))
			return true;
	}
	return false;
}

// Bytes that a device alone has travel, and stay there.
int checkpoint_cut::compare(generation_writer &w, uint32_t number, const checkpoint::item *old, size_t at, size_t n)
{
	checkpoint::fault why;
	auto *here = static_cast<const std::byte *>(items()[number].bytes.ptr()) + at;
	if (int err = gpuvm_host_read(here, n, copy_.get()))
		return code_of(err);
	return w.put_changed(number, old, at / checkpoint::page_size, {copy_.get(), n}, why)
		       ? 0
		       : file->store.say_failed(w, why);
}

int checkpoint_cut::put(generation_writer &w, uint32_t number, uint64_t *compared)
{
	const item &i = items()[number];
	const size_t all = i.bytes.size();
	const checkpoint::item *old = file->store.held().find(i.name);
	if (old && old->nbytes != all)
		old = nullptr;
	const bool may_know = old && is_where_it_was(i);
	int err = 0;
	for (size_t at = 0; at < all && !err;) {
		const uintptr_t here = i.bytes.begin + at;
		size_t same = may_know ? unchanged_until({here, i.bytes.end}, file->moment) - here : 0;
		same -= at + same < all ? same % checkpoint::page_size : 0;
		at += same;
		const size_t n = std::min(piece, all - at);
		if (!same) {
			err = compare(w, number, old, at, n);
			*compared += n;
			at += n;
		}
	}
	watch_changes(i.bytes, moment_);
	return err;
}

int checkpoint_cut::cut(generation_writer &w, uint64_t *compared)
{
	copy_.reset(new (std::nothrow) std::byte[piece]);
	if (!copy_)
		return fail(HET_ENOMEM, "het_checkpoint_write: out of memory");
	moment_ = take_moment();
	int err = add_items(w);
	for (uint32_t n = 0; n < items().size() && !err; n++)
		err = put(w, n, compared);
	return err || !launches_ ? err : put_launches(w);
}

// More than all of the items is not to be kept in memory.
uint64_t checkpoint_cut::room() const
{
	uint64_t all = 0;
	for (const item &i : items())
		all += i.bytes.size();
	return std::min(memory_, all);
}

// The items may be written again when the cut is over, while the bytes go to the disk.
int checkpoint_cut::write(het_checkpoint::figures &f)
{
	std::unique_ptr<generation_writer> w;
	int err = file->store.begin(room(), w);
	if (!err) {
		err = cut(*w, &f.compared);
		if (err)
			file->store.abandon(*w);
	}
	f.pause_ns = now_ns() - (moment_of_launches_ ? moment_of_launches_->begun_at() : begun_at());
	if (moment_of_launches_)
		moment_of_launches_->end();
	finish(*this, 0);
	if (!err)
		err = file->store.commit(*w, std::move(launches_));
	f.written = w ? w->size() : 0;
	if (!err)
		leave_places(moment_);
	return err;
}

void checkpoint_cut::run()
{
	reference<het_event> kept = reference<het_event>::to(this);
	het_checkpoint::figures f = {};
	const int err = write(f);
	if (err)
		done_->keep_why();
	else
		file->note(f);
	let_go_of_items();
	file = {};
	finish(*done_, err);
}

} // namespace het::rt
