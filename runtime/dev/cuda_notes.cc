// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_notes.h"

#include "core/range.h"
#include "os/log.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace het::rt
{

namespace
{

// A sheet begins with the tables, on the host. Flags and counters follow, on both sides.
constexpr size_t flags_at = 128;
static_assert(sizeof(table_values) <= flags_at);

// A launch that can't be followed is as good as one without instruments, but for what the program is told.
void tell_once(const char *why)
{
	static std::atomic<bool> told{false};
	if (!told.exchange(true))
		warn("a launch runs without its instruments: %s", why);
}

} // namespace

cuda_notes::~cuda_notes()
{
	if (sheet_)
		sheets_.give_back(sheet_);
}

size_t cuda_notes::touch_at() const
{
	return flags_at + dirty_.flag_bytes();
}

size_t cuda_notes::counters_at() const
{
	return touch_at() + touch_.flag_bytes();
}

size_t cuda_notes::bytes() const
{
	return counters_at() + copies_ * tables_.sites().size() * sizeof(ptx::coalesce_counters);
}

table_values cuda_notes::values(uint64_t blocks) const
{
	table_values v;
	v.dirty = dirty_.table(sheet_->device + flags_at);
	v.touch = touch_.table(sheet_->device + touch_at());
	if (copies_) {
		auto sample = ptx::coalesce_sampled(on_.one_of, blocks);
		v.coalesce = {.threshold = sample.threshold,
			      .seed = 0,
			      .counters = sheet_->device + counters_at(),
			      .copies = copies_ - 1,
			      .sites = uint32_t(tables_.sites().size()),
			      .rate = sample.rate,
			      .reserved = 0};
	}
	return v;
}

bool cuda_notes::prepare(std::span<const device_arg> args, unsigned processors)
{
	const instruments &has = tables_.has();
	bool ok = (!has.dirty || dirty_.follow(args, HET_WRITE_ONLY)) &&
		  (!has.touch || touch_.follow(args, HET_READ_WRITE));
	if (ok && has.coalesce && !tables_.sites().empty()) {
		sums_.reset(new (std::nothrow) ptx::coalesce_counters[tables_.sites().size()]());
		ok = sums_ != nullptr;
		copies_ = std::bit_ceil(processors);
	}
	if (!ok)
		tell_once("no memory for the pages of its arguments, or these lie too far apart");
	return ok;
}

int cuda_notes::before(const cuda_calls &cu, cu_stream stream, std::span<const device_arg> args, unsigned processors,
		       uint64_t blocks)
{
	if (!prepare(args, processors))
		return tables_.set(cu, stream, nullptr);
	if (int err = sheets_.take(bytes(), &sheet_)) {
		sheet_ = nullptr;
		tell_once(cu.name_of(err));
		return tables_.set(cu, stream, nullptr);
	}
	on_ = tables_.has();
	size_t n = bytes() - flags_at;
	int err = n ? cu.clear(sheet_->device + flags_at, 0, n, stream) : 0;
	return err ? err : tables_.set(cu, stream, new (sheet_->host) table_values(values(blocks)));
}

int cuda_notes::after(const cuda_calls &cu, cu_stream stream)
{
	size_t n = sheet_ ? bytes() - flags_at : 0;
	return n ? cu.copy_to_host(sheet_->host + flags_at, sheet_->device + flags_at, n, stream) : 0;
}

void cuda_notes::sum_counters(const char *counters)
{
	size_t sites = tables_.sites().size();
	for (size_t i = 0; i < sites * copies_; i++) {
		ptx::coalesce_counters some;
		memcpy(&some, counters + i * sizeof(some), sizeof(some));
		ptx::coalesce_counters &sum = sums_[i % sites];
		sum.warps += some.warps;
		sum.threads += some.threads;
		sum.lines += some.lines;
		sum.pages += some.pages;
	}
}

void cuda_notes::finish()
{
	if (!sheet_)
		return;
	dirty_.read(sheet_->host + flags_at);
	touch_.read(sheet_->host + touch_at());
	sum_counters(sheet_->host + counters_at());
	sheets_.give_back(std::exchange(sheet_, nullptr));
}

bool cuda_notes::wrote(void *buffer, size_t offset, size_t nbytes) const
{
	return !on_.dirty || dirty_.is_noted(reinterpret_cast<uintptr_t>(buffer) + offset, nbytes);
}

het_launch_counters cuda_notes::counters() const
{
	het_launch_counters c = {};
	c.instruments = (on_.coalesce ? HET_COALESCE : 0) | (on_.dirty ? HET_DIRTY : 0) | (on_.touch ? HET_TOUCH : 0);
	if (on_.coalesce) {
		c.sites = uint32_t(tables_.sites().size());
		c.one_of = on_.one_of;
	}
	for (uint32_t i = 0; i < c.sites; i++) {
		c.warps += sums_[i].warps;
		c.threads += sums_[i].threads;
		c.lines += sums_[i].lines;
		c.pages += sums_[i].pages;
	}
	c.writable_pages = dirty_.count();
	c.written_pages = dirty_.noted();
	c.usable_pages = touch_.count();
	c.touched_pages = touch_.noted();
	c.bytes_kept = bytes_kept;
	return c;
}

bool cuda_notes::site(uint32_t i, het_site_counters &counted) const
{
	if (!on_.coalesce || i >= tables_.sites().size())
		return false;
	const ptx::pass_site &s = tables_.sites()[i];
	counted = {.size = 0,
		   .warps = sums_[i].warps,
		   .threads = sums_[i].threads,
		   .lines = sums_[i].lines,
		   .pages = sums_[i].pages,
		   .function = s.function.c_str(),
		   .instruction = s.text.c_str(),
		   .line = s.at.line,
		   .column = s.at.column};
	return true;
}

} // namespace het::rt
