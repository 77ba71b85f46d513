// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/layout.h"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <ostream>
#include <random>
#include <set>
#include <vector>

namespace het
{

static void PrintTo(const range &r, std::ostream *out)
{
	*out << std::hex << "[0x" << r.begin << ", 0x" << r.end << ")" << std::dec;
}

namespace
{

constexpr size_t smallest_chunk = 64 << 10, largest_chunk = 2 << 20;
constexpr uintptr_t base = uintptr_t{1} << 40;

struct arrangement {
	range user, owned;
};

// Returns the sizes beside each power of two of pages and chunks, and a few in between.
std::vector<size_t> sizes_near(size_t page)
{
	std::set<size_t> sizes{1, 2, 15, 16, 17, 3 * page + 5, 100 * page + 1};
	for (size_t edge :
	     {page, 2 * page, 3 * page, smallest_chunk, 2 * smallest_chunk, largest_chunk, 3 * largest_chunk}) {
		for (size_t n : {edge - 17, edge - 16, edge - 1, edge, edge + 1, edge + 16, edge + 17})
			sizes.insert(n);
	}
	return {sizes.begin(), sizes.end()};
}

// Covers every class of alignment: at a page, just after and just before one, and where malloc's headers leave arrays.
std::vector<arrangement> arrangements(size_t page)
{
	std::vector<arrangement> all;
	for (size_t offset :
	     {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17}, page / 2, page - 16, page - 1}) {
		for (size_t n : sizes_near(page)) {
			range user{base + offset, base + offset + n};
			range pages{round_down(user.begin, page), round_up(user.end, page)};
			all.push_back({user, user});
			all.push_back({user, {user.begin, pages.end}});
			all.push_back({user, {pages.begin, user.end}});
			// This is like malloc's own mapping.
			all.push_back({user, pages});
			// Here more is owned than is useful.
			all.push_back({user, {pages.begin - 3 * page, pages.end + page}});
			all.push_back({user, {user.begin - 1, user.end + page}});
		}
	}
	return all;
}

std::vector<range> chunks_in(const layout &l)
{
	std::vector<range> chunks;
	for (uint32_t c = 0; c < l.chunks; c++)
		chunks.push_back(l.chunk_range(c, 1));
	return chunks;
}

// Checks that the head, the body's part of the user range and the tail follow each other without gap or overlap.
void expect_partition(const layout &l, range user)
{
	EXPECT_EQ(l.user, user);
	range middle = intersect(l.body, user);
	EXPECT_EQ(l.head.size() + middle.size() + l.tail.size(), user.size());
	EXPECT_EQ(l.head.begin, user.begin);
	EXPECT_EQ(l.tail.end, user.end);
	if (!middle.empty()) {
		EXPECT_EQ(l.head.end, middle.begin);
		EXPECT_EQ(middle.end, l.tail.begin);
	}
	EXPECT_EQ(l.has_edges(), middle != user);
	range extent = l.extent();
	EXPECT_TRUE(extent.covers(user));
	EXPECT_TRUE(l.body.empty() || extent.covers(l.body));
	EXPECT_LE(extent.size(), user.size() + l.body.size());
}

// Checks that the body is all whole pages that the array owns, and no other byte.
void expect_body(const layout &l, range owned, size_t page)
{
	range whole{round_up(owned.begin, page), round_down(owned.end, page)};
	if (intersect(whole, l.user).empty()) {
		EXPECT_TRUE(l.body.empty());
		EXPECT_EQ(l.chunks, 0u);
		return;
	}
	EXPECT_EQ(l.body, whole);
	EXPECT_TRUE(owned.covers(l.body));
}

void expect_chunks_cover_body(const layout &l, size_t page)
{
	size_t chunk = size_t{1} << l.chunk_shift;
	EXPECT_GE(chunk, page);
	uintptr_t at = l.body.begin;
	for (range c : chunks_in(l)) {
		EXPECT_EQ(c.begin, at);
		EXPECT_TRUE(c.size() == chunk || c.end == l.body.end);
		EXPECT_FALSE(c.empty());
		at = c.end;
	}
	EXPECT_EQ(at, l.body.end);
	for (uint32_t c = 0; c < l.chunks; c++) {
		range r = l.chunk_range(c, 1);
		EXPECT_EQ(l.chunk_at(r.begin), c);
		EXPECT_EQ(l.chunk_at(r.end - 1), c);
	}
	if (l.chunks > 2) {
		EXPECT_EQ(l.chunk_range(1, l.chunks), (range{l.chunk_range(1, 1).begin, l.body.end}));
	}
}

class layouts : public testing::TestWithParam<size_t>
{
      protected:
	size_t page() const { return GetParam(); }
};

TEST_P(layouts, divide_each_array_exactly)
{
	for (const arrangement &a : arrangements(page())) {
		for (size_t chunk : {size_t{0}, page(), 2 * page(), smallest_chunk, largest_chunk}) {
			SCOPED_TRACE(testing::PrintToString(a.user) + " owns " + testing::PrintToString(a.owned) +
				     ", chunk " + std::to_string(chunk));
			layout l = plan_layout(a.user, a.owned, page(), chunk);
			expect_partition(l, a.user);
			expect_body(l, a.owned, page());
			expect_chunks_cover_body(l, page());
			if (chunk && l.chunks) {
				EXPECT_EQ(size_t{1} << l.chunk_shift, chunk);
			}
			if (HasFailure())
				return;
		}
	}
}

TEST_P(layouts, an_array_that_is_copied_is_one_edge)
{
	for (const arrangement &a : arrangements(page())) {
		layout l = plan_copied(a.user, page());
		expect_partition(l, a.user);
		EXPECT_EQ(l.head, a.user);
		EXPECT_TRUE(l.body.empty());
		EXPECT_EQ(l.chunks, 0u);
		EXPECT_EQ(l.extent(), a.user);
		EXPECT_EQ(l.chunks_of(a.user).first, l.chunks_of(a.user).last);
	}
}

TEST_P(layouts, spans_are_what_a_search_finds)
{
	std::mt19937_64 random(1);
	for (int round = 0; round < 300; round++) {
		range user{base + random() % (2 * page()), 0};
		user.end = user.begin + 1 + random() % (40 * page());
		layout l = plan_layout(user, user, page(), page() << random() % 4);
		std::vector<range> chunks = chunks_in(l);
		for (int i = 0; i < 50; i++) {
			range r{user.begin - page() + random() % (44 * page()), 0};
			r.end = r.begin + random() % (i % 2 ? page() : 44 * page());
			layout::span s = l.chunks_of(r);
			for (uint32_t c = 0; c < l.chunks; c++)
				ASSERT_EQ(s.first <= c && c < s.last, !r.empty() && chunks[c].overlaps(r))
					<< testing::PrintToString(r) << ", chunk " << c;
			ASSERT_TRUE(s.first <= s.last && s.last <= l.chunks);
		}
	}
}

TEST_P(layouts, spans_end_with_the_last_byte)
{
	layout l = plan_layout({base, base + 10 * page()}, {base, base + 10 * page()}, page(), page());
	auto span_of = [&](uintptr_t begin, uintptr_t end) {
		layout::span s = l.chunks_of({base + begin, base + end});
		return std::pair(s.first, s.last);
	};
	EXPECT_EQ(span_of(0, 1), std::pair(0u, 1u));
	EXPECT_EQ(span_of(0, page()), std::pair(0u, 1u));
	EXPECT_EQ(span_of(0, page() + 1), std::pair(0u, 2u));
	EXPECT_EQ(span_of(page() - 1, page() + 1), std::pair(0u, 2u));
	EXPECT_EQ(span_of(9 * page(), 100 * page()), std::pair(9u, 10u));
	EXPECT_EQ(span_of(3 * page(), 3 * page()), std::pair(0u, 0u));
	EXPECT_EQ(span_of(10 * page(), 11 * page()), std::pair(0u, 0u));
}

INSTANTIATE_TEST_SUITE_P(pages, layouts, testing::Values(4096, 16384, 65536));

TEST(layout, chunks_grow_with_the_array)
{
	size_t last = 0;
	for (size_t body = 4096; body <= size_t{64} << 30; body += 1 + body / 3) {
		body = round_up(body, 4096);
		range user{base, base + body};
		layout l = plan_layout(user, user, 4096, 0);
		size_t chunk = size_t{1} << l.chunk_shift;
		EXPECT_GE(chunk, std::max(smallest_chunk, last));
		EXPECT_LE(chunk, largest_chunk);
		EXPECT_TRUE(l.chunks <= 4096 || chunk == largest_chunk) << body;
		EXPECT_EQ(l.chunks, (body + chunk - 1) / chunk);
		last = chunk;
	}
	EXPECT_EQ(last, largest_chunk);
}

TEST(layout, a_malloc_mapping_has_no_edges)
{
	// glibc puts two words before the array, and the mapping ends after it.
	range user{base + 16, base + 16 + (1 << 20)};
	layout l = plan_layout(user, {base, round_up(user.end, 4096)}, 4096, 0);
	EXPECT_FALSE(l.has_edges());
	EXPECT_EQ(l.body, (range{base, base + (1 << 20) + 4096}));
	EXPECT_EQ(l.extent(), l.body);
}

TEST(layout, pages_beside_the_array_are_no_body)
{
	// The array is two bytes at the end of a page, and its owner has the whole page after them.
	range user{base + 4094, base + 4096};
	layout l = plan_layout(user, {user.begin, base + 2 * 4096}, 4096, 0);
	EXPECT_TRUE(l.body.empty());
	EXPECT_EQ(l.head, user);
	EXPECT_TRUE(l.tail.empty());
}

} // namespace

} // namespace het
