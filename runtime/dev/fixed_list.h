// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A list with room for as many as were asked for before. The library is built without exceptions, so where memory may
// be missing no vector can be used.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace het::rt
{

template <class T> class fixed_list
{
      public:
	// Empties it, and has room for so many from now on. It is false if there is no memory.
	bool reset(size_t room)
	{
		count_ = 0;
		if (room <= room_)
			return true;
		std::unique_ptr<T[]> more(new (std::nothrow) T[room]);
		if (!more)
			return false;
		items_ = std::move(more);
		room_ = room;
		return true;
	}
	void clear() { count_ = 0; }
	// There is room.
	void push_back(T item) { items_[count_++] = item; }

	bool empty() const { return !count_; }
	size_t size() const { return count_; }
	T *begin() const { return items_.get(); }
	T *end() const { return items_.get() + count_; }
	T &front() const { return items_[0]; }
	T &back() const { return items_[count_ - 1]; }

      private:
	std::unique_ptr<T[]> items_;
	size_t count_ = 0, room_ = 0;
};

} // namespace het::rt
