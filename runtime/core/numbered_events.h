// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A set of events that are numbered as they come. It allocates nothing but when it is asked to, as it is filled under
// the graph's lock.
#pragma once

#include "core/event.h"

#include <bit>
#include <memory>
#include <new>
#include <utility>

namespace het::rt
{

class numbered_events
{
      public:
	numbered_events() = default;
	numbered_events(numbered_events &&o) noexcept { swap(o); }
	numbered_events &operator=(numbered_events &&o) noexcept
	{
		swap(o);
		return *this;
	}
	static constexpr uint32_t none = UINT32_MAX;

	// Empties it and makes room for so many. It is false if there is no memory.
	bool make_room(size_t n)
	{
		nplaces_ = std::bit_ceil(2 * n + 2);
		events_.reset(new (std::nothrow) het_event *[n]);
		places_.reset(new (std::nothrow) uint32_t[nplaces_]);
		room_ = events_ && places_ ? n : 0;
		clear();
		return room_ == n;
	}
	// There is room for more than there was; it keeps what it has. It is false if there is no memory.
	bool grow()
	{
		numbered_events larger;
		if (!larger.make_room(2 * room_ + 1))
			return false;
		for (size_t i = 0; i < size_; i++)
			larger.add(*events_[i]);
		*this = std::move(larger);
		return true;
	}
	void clear()
	{
		size_ = 0;
		for (size_t i = 0; i < nplaces_ && places_; i++)
			places_[i] = none;
	}
	size_t size() const { return size_; }
	size_t room() const { return room_; }
	het_event &operator[](size_t i) const { return *events_[i]; }
	// Returns its number, or none.
	uint32_t find(const het_event &e) const { return room_ ? places_[place_of(e)] : none; }
	// It is not there yet. Returns false if there is no room.
	bool add(het_event &e)
	{
		if (size_ == room_)
			return false;
		places_[place_of(e)] = uint32_t(size_);
		events_[size_++] = &e;
		return true;
	}

      private:
	void swap(numbered_events &o)
	{
		events_.swap(o.events_);
		places_.swap(o.places_);
		std::swap(size_, o.size_);
		std::swap(room_, o.room_);
		std::swap(nplaces_, o.nplaces_);
	}
	// Returns where it is, or is to be.
	size_t place_of(const het_event &e) const
	{
		size_t i = (reinterpret_cast<uintptr_t>(&e) >> 4) * 0x9e3779b97f4a7c15ull >> 20;
		for (;; i++) {
			const uint32_t number = places_[i & (nplaces_ - 1)];
			if (number == none || events_[number] == &e)
				return i & (nplaces_ - 1);
		}
	}

	std::unique_ptr<het_event *[]> events_;
	std::unique_ptr<uint32_t[]> places_; // has numbers
	size_t size_ = 0, room_ = 0, nplaces_ = 0;
};

} // namespace het::rt
