// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/layout.h"

#include <algorithm>
#include <bit>

namespace het
{

namespace
{

constexpr size_t smallest_chunk = 64 << 10, largest_chunk = 2 << 20;
// More chunks than this cost more bookkeeping than finer fetches are worth.
constexpr size_t wanted_chunks = 4096;

size_t chunk_size_for(size_t body)
{
	return std::clamp(std::bit_ceil((body + wanted_chunks - 1) / wanted_chunks), smallest_chunk, largest_chunk);
}

} // namespace

layout plan_layout(range user, range owned, size_t page, size_t chunk)
{
	range body{round_up(owned.begin, page), round_down(owned.end, page)};
	// Also where only bytes around the user's make a whole page.
	if (intersect(body, user).empty())
		return plan_copied(user, page);
	layout l{};
	l.user = user;
	l.body = body;
	l.head = {user.begin, std::max(user.begin, body.begin)};
	l.tail = {std::min(user.end, body.end), user.end};
	if (!chunk)
		chunk = chunk_size_for(body.size());
	l.chunk_shift = unsigned(std::countr_zero(std::max(chunk, page)));
	l.page = page;
	l.chunks = uint32_t((body.size() + chunk - 1) >> l.chunk_shift);
	return l;
}

layout plan_copied(range user, size_t page)
{
	layout l{};
	l.user = user;
	l.body = {user.end, user.end};
	l.head = user;
	l.tail = {user.end, user.end};
	l.chunk_shift = unsigned(std::countr_zero(page));
	l.page = page;
	return l;
}

range layout::chunk_range(uint32_t first, uint32_t count) const
{
	uintptr_t begin = body.begin + (uintptr_t{first} << chunk_shift);
	return {begin, std::min(body.end, begin + (uintptr_t{count} << chunk_shift))};
}

layout::span layout::chunks_of(range r) const
{
	range in = intersect(r, body);
	if (in.empty())
		return {0, 0};
	return {chunk_at(in.begin), chunk_at(in.end - 1) + 1};
}

range layout::extent() const
{
	if (body.empty())
		return user;
	return {std::min(user.begin, body.begin), std::max(user.end, body.end)};
}

} // namespace het
