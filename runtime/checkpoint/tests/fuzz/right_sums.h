// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include "checkpoint/format.h"
#include "checkpoint/tests/memory_file.h"
#include "fatbin/checksum.h"

#include <cstring>

namespace het::checkpoint
{

template <class T> bool make_right(image &i, uint64_t at, const char (&magic)[8], T &record)
{
	if (!fatbin::load(i, at, record))
		return false;
	memcpy(record.magic, magic, sizeof(magic));
	record.sum = fatbin::checksum(image_of(record).first(offsetof(T, sum)));
	memcpy(i.data() + at, &record, sizeof(record));
	return true;
}

// Makes heads, ends and indexes of generations, as far as they fit, those of one file.
inline void make_sums_right(image &i)
{
	file_head file;
	if (!fatbin::load(i, 0, file))
		return;
	file.version = format_version;
	file.page = page_size;
	memcpy(i.data(), &file, sizeof(file));
	make_right(i, 0, file_magic, file);
	uint64_t at = sizeof(file), number = file.before;
	for (generation_head head; fatbin::load(i, at, head);) {
		const uint64_t room = i.size() - at - sizeof(head);
		head.identity = file.identity;
		head.number = ++number;
		head.pages_size %= room + 1;
		head.index_size %= room - head.pages_size + 1;
		const uint64_t index_at = at + sizeof(head) + head.pages_size;
		head.index_sum = fatbin::checksum(bytes(i).subspan(index_at, head.index_size));
		memcpy(i.data() + at, &head, sizeof(head));
		make_right(i, at, head_magic, head);
		at = index_at + head.index_size;
		generation_end end;
		if (!fatbin::load(i, at, end))
			return;
		end.identity = file.identity;
		end.number = number;
		memcpy(i.data() + at, &end, sizeof(end));
		make_right(i, at, end_magic, end);
		at += sizeof(end);
	}
}

} // namespace het::checkpoint
