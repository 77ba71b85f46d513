// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A growing array that says so when there is no memory: the library is built without exceptions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace het::checkpoint
{

template <class T> class list
{
	static_assert(std::is_trivially_copyable_v<T>);

      public:
	size_t size() const { return size_; }
	bool empty() const { return !size_; }
	T &operator[](size_t i) { return items_[i]; }
	const T &operator[](size_t i) const { return items_[i]; }
	T &back() { return items_[size_ - 1]; }
	std::span<const T> all() const { return {items_.get(), size_}; }
	T *begin() { return items_.get(); }
	void clear() { size_ = 0; }
	// What is new is undefined. It is false if there is no memory.
	bool resize(size_t n)
	{
		if (n > room_ && !grow(n))
			return false;
		size_ = n;
		return true;
	}
	void swap(list &o)
	{
		items_.swap(o.items_);
		std::swap(size_, o.size_);
		std::swap(room_, o.room_);
	}

	// They are false, and the list is as it was, if there is no memory.
	bool push(const T &item) { return append({&item, 1}); }
	bool append(std::span<const T> more)
	{
		if (more.size() > room_ - size_ && !grow(size_ + more.size()))
			return false;
		std::ranges::copy(more, items_.get() + size_);
		size_ += more.size();
		return true;
	}

      private:
	static constexpr size_t least = 16;

	bool grow(size_t needed)
	{
		const size_t room = std::max({needed, room_ * 2, least});
		std::unique_ptr<T[]> more(new (std::nothrow) T[room]);
		if (!more)
			return false;
		std::copy_n(items_.get(), size_, more.get());
		items_ = std::move(more);
		room_ = room;
		return true;
	}

	std::unique_ptr<T[]> items_;
	size_t size_ = 0, room_ = 0;
};

} // namespace het::checkpoint
