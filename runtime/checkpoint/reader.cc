// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "checkpoint/reader.h"

#include "fatbin/checksum.h"

#include <cerrno>
#include <cinttypes>
#include <cstring>

namespace het::checkpoint
{

using fatbin::checksum;

namespace
{

template <class T> bool is_whole(const T &record, const char (&magic)[8])
{
	return !memcmp(record.magic, magic, sizeof(magic)) &&
	       record.sum == checksum(image_of(record).first(offsetof(T, sum)));
}

outcome read_head(file &f, log_state &s, fault &why)
{
	file_head head;
	if (f.size() < sizeof(head))
		return say_damaged(why.say("it has %" PRIu64 " bytes and is no checkpoint file", f.size()));
	if (!read_object(f, 0, head))
		return say_damaged(why.say("it can't be read: %s", strerror(errno)));
	if (memcmp(head.magic, file_magic, sizeof(file_magic)) != 0)
		return say_damaged(why.say("it is no checkpoint file"));
	if (head.sum != checksum(image_of(head).first(offsetof(file_head, sum))))
		return say_damaged(why.say("its head is damaged"));
	if (head.version != format_version || head.page != page_size)
		return say_damaged(why.say("it is of version %" PRIu32 " with pages of %" PRIu32
					   " bytes, and this library knows version %" PRIu32 " with pages of %" PRIu32,
					   head.version, head.page, format_version, page_size));
	s = {head.identity, head.before, sizeof(head)};
	return outcome::done;
}

// The generation that follows is there from head to end.
bool find_next(file &f, const log_state &s, generation_head &head)
{
	const uint64_t size = f.size();
	uint64_t room = size - s.end;
	generation_end end;
	if (room < sizeof(head) + sizeof(end) || !read_object(f, s.end, head) || !is_whole(head, head_magic) ||
	    head.identity != s.identity || head.number != s.generation + 1)
		return false;
	room -= sizeof(head) + sizeof(end);
	if (head.pages_size > room || head.index_size > room - head.pages_size)
		return false;
	return read_object(f, s.end + sizeof(head) + head.pages_size + head.index_size, end) &&
	       is_whole(end, end_magic) && end.identity == s.identity && end.number == head.number;
}

outcome take_in(file &f, const generation_head &head, contents &c, log_state &s, fault &why)
{
	const uint64_t pages_at = s.end + sizeof(head), index_at = pages_at + head.pages_size;
	std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[head.index_size]);
	if (!memory) {
		why.say("there is no memory for an index of %" PRIu64 " bytes", head.index_size);
		return outcome::no_memory;
	}
	const std::span<std::byte> index(memory.get(), head.index_size);
	if (!f.read(index_at, index))
		return say_damaged(why.say("it can't be read: %s", strerror(errno)));
	if (checksum(index) != head.index_sum)
		return say_damaged(why.say("the index of generation %" PRIu64 " is damaged", head.number));
	contents::change next;
	if (outcome o = c.prepare(index, pages_at, head.pages_size, next, why); o != outcome::done)
		return o;
	c.commit(next);
	s = {s.identity, head.number, index_at + head.index_size + sizeof(generation_end)};
	return outcome::done;
}

// A write that was broken off leaves no end behind. So there is a generation that can't be found as something before
// it is damaged.
bool ends_with_another(file &f, const log_state &s)
{
	generation_end last;
	return f.size() >= s.end + sizeof(last) && read_object(f, f.size() - sizeof(last), last) &&
	       is_whole(last, end_magic) && last.identity == s.identity && last.number > s.generation;
}

outcome check_page(const item &i, uint64_t number, bytes read, fault &why)
{
	if (checksum(read) == i.pages[number].sum)
		return outcome::done;
	return say_damaged(why.say("page %" PRIu64 " of item %.60s is damaged, at byte %" PRIu64, number,
				   *i.name ? i.name : "(launches)", i.pages[number].at));
}

} // namespace

outcome read_log(file &f, contents &c, log_state &s, fault &why)
{
	outcome o = read_head(f, s, why);
	for (generation_head head; o == outcome::done && find_next(f, s, head);)
		o = take_in(f, head, c, s, why);
	if (o != outcome::done)
		return o;
	if (ends_with_another(f, s))
		return say_damaged(
			why.say("generation %" PRIu64 " is damaged, and others are behind it", s.generation + 1));
	return s.end > sizeof(file_head) ? o : say_damaged(why.say("its only generation is damaged"));
}

outcome read_pages(file &f, const item &i, uint64_t first, uint64_t count, std::byte *to, fault &why)
{
	for (uint64_t p = first, end = first + count; p < end;) {
		const page &here = i.pages[p];
		uint64_t n = 1;
		// Those that follow in the file as well are read at once.
		for (; p + n < end; n++) {
			if (i.pages[p + n].at != (here.at ? here.at + n * page_size : 0))
				break;
		}
		const std::span<std::byte> run(to, bytes_of(i.nbytes, p, n));
		if (!here.at)
			memset(run.data(), 0, run.size());
		else if (!f.read(here.at, run))
			return say_damaged(why.say("it can't be read: %s", strerror(errno)));
		for (uint64_t k = 0; here.at && k < n; k++) {
			const bytes one = run.subspan(k * page_size, bytes_of(i.nbytes, p + k, 1));
			if (outcome o = check_page(i, p + k, one, why); o != outcome::done)
				return o;
		}
		p += n;
		to += run.size();
	}
	return outcome::done;
}

} // namespace het::checkpoint
