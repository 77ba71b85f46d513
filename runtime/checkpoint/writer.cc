// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "checkpoint/writer.h"

#include "fatbin/checksum.h"

#include <cerrno>
#include <cinttypes>
#include <cstring>

namespace het::checkpoint
{

using fatbin::checksum;

namespace
{

// What is kept is written at the latest when it is so much: the file system gets long writes also where nothing is to
// stay in memory.
constexpr uint64_t least_room = uint64_t{1} << 20;

template <class T> void seal(T &record, const char (&magic)[8])
{
	memcpy(record.magic, magic, sizeof(magic));
	record.sum = checksum(image_of(record).first(offsetof(T, sum)));
}

bool cant_write(fault &why)
{
	return why.say("it can't be written: %s", strerror(errno));
}

bool is_zero(bytes page)
{
	return page[0] == std::byte{0} && !memcmp(page.data(), page.data() + 1, page.size() - 1);
}

constexpr uint64_t pages_at_once = 64;

bool copy_pages(const item &i, uint64_t first, bytes run, uint32_t number, generation_writer &to, fault &why)
{
	for (uint64_t p = first; !run.empty(); p++) {
		const bytes one = run.first(bytes_of(i.nbytes, p, 1));
		if (i.pages[p].at && !to.put(number, p, one, i.pages[p].sum, why))
			return false;
		run = run.subspan(one.size());
	}
	return true;
}

bool copy_item(file &from, const item &i, uint32_t number, generation_writer &to, std::byte *buffer, fault &why)
{
	for (uint64_t p = 0; p < i.npages(); p += pages_at_once) {
		const uint64_t n = std::min(pages_at_once, i.npages() - p);
		if (read_pages(from, i, p, n, buffer, why) != outcome::done ||
		    !copy_pages(i, p, {buffer, bytes_of(i.nbytes, p, n)}, number, to, why))
			return false;
	}
	return true;
}

} // namespace

bool begin_log(file &f, uint64_t identity, uint64_t before, log_state &s)
{
	file_head head = {.version = format_version, .page = page_size, .identity = identity, .before = before};
	seal(head, file_magic);
	s = {identity, before, sizeof(head)};
	return f.write(0, image_of(head));
}

generation_writer::generation_writer(file &f, const log_state &s, uint64_t room)
    : file_(f), before_(s), room_(std::max(room, least_room))
{
}

bool generation_writer::no_memory(fault &why)
{
	lacks_memory_ = true;
	return why.say("there is no memory for what is to be written");
}

bool generation_writer::add_item(const char *name, uint64_t nbytes, fault &why)
{
	return index_.add_item(name, nbytes) || no_memory(why);
}

bool generation_writer::put_zeros(uint32_t item, uint64_t page, fault &why)
{
	return index_.add_zeros(item, page) || no_memory(why);
}

bool generation_writer::put(uint32_t item, uint64_t page, bytes data, uint64_t sum, fault &why)
{
	if (!kept_)
		kept_.reset(new (std::nothrow) std::byte[room_]);
	if (!kept_ || !index_.add_stored(item, page, sum))
		return no_memory(why);
	if (data.size() > room_ - nkept_ && !flush(why))
		return false;
	memcpy(kept_.get() + nkept_, data.data(), data.size());
	nkept_ += data.size();
	pages_size_ += data.size();
	return true;
}

bool generation_writer::put_changed(uint32_t item, const checkpoint::item *old, uint64_t first, bytes data, fault &why)
{
	constexpr page zeros = {};
	for (uint64_t p = first; !data.empty(); p++) {
		const bytes one = data.first(std::min<size_t>(page_size, data.size()));
		const page &before = old ? old->pages[p] : zeros;
		data = data.subspan(one.size());
		if (is_zero(one)) {
			if (before.at && !put_zeros(item, p, why))
				return false;
			continue;
		}
		const uint64_t sum = checksum(one);
		if ((!before.at || before.sum != sum) && !put(item, p, one, sum, why))
			return false;
	}
	return true;
}

// What an earlier write has left behind must not stand behind this one.
bool generation_writer::flush(fault &why)
{
	if (!flushed_ && file_.size() > before_.end && !file_.cut(before_.end))
		return cant_write(why);
	if (!file_.write(before_.end + sizeof(generation_head) + flushed_, {kept_.get(), nkept_}))
		return cant_write(why);
	flushed_ += nkept_;
	nkept_ = 0;
	return true;
}

// All else is on the disk before the end is written.
bool generation_writer::write_rest(bytes index, fault &why)
{
	generation_head head = {.identity = before_.identity,
				.number = before_.generation + 1,
				.pages_size = pages_size_,
				.index_size = index.size(),
				.index_sum = checksum(index)};
	seal(head, head_magic);
	generation_end end = {.identity = head.identity, .number = head.number};
	seal(end, end_magic);
	const uint64_t index_at = before_.end + sizeof(head) + pages_size_;
	return flush(why) && ((file_.write(index_at, index) && file_.write(before_.end, image_of(head)) &&
			       file_.sync() && file_.write(index_at + index.size(), image_of(end)) && file_.sync()) ||
			      cant_write(why));
}

// A reader would prepare for the same. All memory is there before the generation is.
bool generation_writer::write(const contents &c, contents::change &next, log_state &after, fault &why)
{
	const uint64_t pages_at = before_.end + sizeof(generation_head);
	if (!index_.build(made_))
		return no_memory(why);
	if (const outcome o = c.prepare(made_.all(), pages_at, pages_size_, next, why); o != outcome::done) {
		lacks_memory_ = o == outcome::no_memory;
		return false;
	}
	if (!write_rest(made_.all(), why)) {
		abandon();
		return false;
	}
	after = {before_.identity, before_.generation + 1, before_.end + size()};
	return true;
}

bool generation_writer::finish(contents &c, log_state &s, fault &why)
{
	contents::change next;
	if (!write(c, next, s, why))
		return false;
	c.commit(next);
	return true;
}

void generation_writer::abandon()
{
	(void)file_.cut(before_.end); // what stays has no end, and is cut off by the next write
}

bool write_anew(file &from, file &to, uint64_t identity, const contents &c, contents &copied, log_state &s, fault &why)
{
	log_state made;
	if (!begin_log(to, identity, s.generation - 1, made))
		return cant_write(why);
	generation_writer w(to, made, 0);
	std::unique_ptr<std::byte[]> buffer(new (std::nothrow) std::byte[pages_at_once * page_size]);
	if (!buffer)
		return why.say("there is no memory to copy pages");
	for (const item &i : c.all()) {
		if (!w.add_item(i.name, i.nbytes, why))
			return false;
	}
	uint32_t number = 0;
	for (const item &i : c.all()) {
		if (!copy_item(from, i, number++, w, buffer.get(), why))
			return false;
	}
	return w.finish(copied, s, why);
}

} // namespace het::checkpoint
