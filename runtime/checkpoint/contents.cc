// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "checkpoint/contents.h"

#include <bit>
#include <cinttypes>
#include <cstring>

namespace het::checkpoint
{

static_assert(std::endian::native == std::endian::little, "checkpoint files are little-endian");

using fatbin::cut;
using fatbin::load;

namespace
{

// Reads an item, and where the next one begins. Only the @last one may have no name.
bool read_item(bytes index, uint64_t &next, item &i, bool last)
{
	index_item given;
	bytes name;
	if (!load(index, next, given) || (!given.name_size && !last) || given.name_size > most_name ||
	    !cut(index, next + sizeof(given), given.name_size, name) || !given.nbytes || given.nbytes >= most_bytes)
		return false;
	next += sizeof(given) + padded(given.name_size);
	i = {.nbytes = given.nbytes};
	memcpy(i.name, name.data(), name.size());
	return strlen(i.name) == name.size();
}

// Checks extents by the items that they are of, and counts their sums and bytes.
bool check_extents(bytes extents, std::span<const item> items, uint64_t &sums, uint64_t &stored)
{
	uint64_t last_item = 0, last_end = 0;
	for (size_t e = 0; e < extents.size(); e += sizeof(index_extent)) {
		index_extent x;
		load(extents, e, x);
		if (x.item >= items.size() || x.item < last_item)
			return false;
		last_end = x.item == last_item ? last_end : 0;
		last_item = x.item;
		const item &i = items[x.item];
		if (x.first < last_end || x.first > i.npages() || !x.count || x.count > i.npages() - x.first ||
		    (x.kind != extent_kind::stored && x.kind != extent_kind::zeros))
			return false;
		last_end = x.first + x.count;
		// None overlap, so there are no more than the items have: the sums can't wrap.
		if (x.kind == extent_kind::stored) {
			stored += bytes_of(i.nbytes, x.first, x.count);
			sums += x.count;
		}
	}
	return true;
}

// The memory of pages that have always been zeros is not touched: a small file may say so of any number.
void enter_page(item &i, uint64_t number, page now)
{
	page &to = i.pages[number];
	if (!to.at && !now.at)
		return;
	const uint64_t n = bytes_of(i.nbytes, number, 1);
	i.stored -= to.at ? n : 0;
	i.stored += now.at ? n : 0;
	to = now;
}

} // namespace

contents::~contents()
{
	for (const item &i : items_.all())
		free(i.pages);
}

contents::change::~change()
{
	for (size_t i = 0; i < items_.size(); i++) {
		if (is_own_[i])
			free(items_[i].pages);
	}
}

uint64_t contents::stored_bytes() const
{
	uint64_t n = 0;
	for (const item &i : items_.all())
		n += i.stored;
	return n;
}

const item *contents::find(const char *name) const
{
	for (const item &i : items_.all()) {
		if (!strcmp(i.name, name))
			return &i;
	}
	return nullptr;
}

// The pages of an item that is new are not touched: one of zeros takes no memory.
outcome contents::add_item(item &i, change &next, fault &why) const
{
	for (const item &other : next.items_.all()) {
		if (!strcmp(other.name, i.name))
			return say_damaged(why.say("the index is wrong: two items have the name %.60s", i.name));
	}
	const item *old = find(i.name);
	const bool is_own = !old || old->nbytes != i.nbytes;
	i.pages = is_own ? static_cast<page *>(calloc(i.npages(), sizeof(page))) : old->pages;
	i.stored = is_own ? 0 : old->stored;
	if (i.pages && next.is_own_.push(is_own)) {
		if (next.items_.push(i))
			return outcome::done;
	}
	if (is_own)
		free(i.pages);
	why.say("there is no memory for the %" PRIu64 " pages of item %.60s", i.npages(), i.name);
	return outcome::no_memory;
}

outcome contents::prepare(bytes index, uint64_t pages_at, uint64_t pages_size, change &next, fault &why) const
{
	index_head head;
	if (!load(index, 0, head) || head.nitems > most_items + 1)
		return say_damaged(why.say("the index is wrong: it has no head, or too many items"));
	uint64_t at = sizeof(head), npages = 0;
	for (uint64_t n = 0; n < head.nitems; n++) {
		item i;
		if (!read_item(index, at, i, n + 1 == head.nitems))
			return say_damaged(why.say("the index is wrong: item %" PRIu64 " can't be one", n));
		npages += i.npages();
		if (npages > most_pages) {
			why.say("there is no memory for %" PRIu64 " pages", npages);
			return outcome::no_memory;
		}
		if (outcome o = add_item(i, next, why); o != outcome::done)
			return o;
	}
	uint64_t sums = 0, stored = 0;
	if (head.nextents > index.size() || !cut(index, at, head.nextents * sizeof(index_extent), next.extents_) ||
	    !check_extents(next.extents_, next.items_.all(), sums, stored))
		return say_damaged(why.say("the index is wrong: its extents are of pages that are not there"));
	at += next.extents_.size();
	next.sums_ = index.subspan(at);
	next.pages_at_ = pages_at;
	if (next.sums_.size() != sums * sizeof(uint64_t) || stored != pages_size)
		return say_damaged(why.say("the index is wrong: it has %zu bytes of sums, and %" PRIu64
					   " bytes of pages, for others",
					   next.sums_.size(), pages_size));
	return outcome::done;
}

void contents::commit(change &next)
{
	uint64_t at = next.pages_at_;
	size_t next_sum = 0;
	for (size_t e = 0; e < next.extents_.size(); e += sizeof(index_extent)) {
		index_extent x;
		load(next.extents_, e, x);
		item &i = next.items_[x.item];
		for (uint64_t p = x.first; p < x.first + x.count; p++) {
			page now = {};
			if (x.kind == extent_kind::stored) {
				now.at = at;
				load(next.sums_, next_sum, now.sum);
				at += bytes_of(i.nbytes, p, 1);
				next_sum += sizeof(now.sum);
			}
			enter_page(i, p, now);
		}
	}
	items_.swap(next.items_);
	for (const item &old : next.items_.all()) {
		const item *kept = find(old.name);
		if (!kept || kept->pages != old.pages)
			free(old.pages);
	}
	next.items_.clear();
}

bool index_builder::add_item(const char *name, uint64_t nbytes)
{
	const index_item i = {nbytes, strlen(name)};
	const std::byte zeros[8] = {};
	nitems_++;
	return items_.append(std::as_bytes(std::span(&i, 1))) &&
	       items_.append(std::as_bytes(std::span(name, i.name_size))) &&
	       items_.append({zeros, padded(i.name_size) - i.name_size});
}

bool index_builder::add(uint32_t item, extent_kind kind, uint64_t page)
{
	if (!extents_.empty()) {
		index_extent &last = extents_.back();
		if (last.item == item && last.kind == kind && last.first + last.count == page) {
			last.count++;
			return true;
		}
	}
	return extents_.push({item, kind, page, 1});
}

bool index_builder::build(list<std::byte> &index) const
{
	const index_head head = {nitems_, extents_.size()};
	index.clear();
	return index.append(std::as_bytes(std::span(&head, 1))) && index.append(items_.all()) &&
	       index.append(std::as_bytes(extents_.all())) && index.append(std::as_bytes(sums_.all()));
}

} // namespace het::checkpoint
