// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All clGet...Info() calls look in tables: a row is what is asked for, and who answers.
#pragma once

#include <CL/cl.h>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace hetcl
{

// This is where an answer is to go.
class answer
{
      public:
	answer(size_t room, void *value, size_t *size) : room_(room), value_(value), size_(size) {}

	cl_int bytes(const void *from, size_t n)
	{
		if (value_ && room_ < n)
			return CL_INVALID_VALUE;
		if (value_ && n)
			memcpy(value_, from, n);
		if (size_)
			*size_ = n;
		return CL_SUCCESS;
	}
	template <class T> cl_int value(const T &v) { return bytes(&v, sizeof(v)); }
	template <class T> cl_int list(std::span<const T> l) { return bytes(l.data(), l.size_bytes()); }
	template <class T> cl_int list(const std::vector<T> &l) { return list(std::span<const T>(l)); }
	cl_int nothing() { return bytes(nullptr, 0); }
	cl_int text(std::string_view t)
	{
		const size_t n = t.size() + 1;
		if (value_ && room_ < n)
			return CL_INVALID_VALUE;
		if (value_) {
			memcpy(value_, t.data(), t.size());
			static_cast<char *>(value_)[t.size()] = 0;
		}
		if (size_)
			*size_ = n;
		return CL_SUCCESS;
	}

	size_t room() const { return room_; }
	void *place() const { return value_; }
	size_t *size_place() const { return size_; }

      private:
	size_t room_;
	void *value_;
	size_t *size_;
};

// O is the object that is asked, or what else its answers need.
template <class O> struct info_row {
	cl_uint what;
	cl_int (*get)(const O &o, answer &a);
};

template <class O, size_t n> cl_int look_up(const info_row<O> (&rows)[n], cl_uint what, const O &o, answer a)
{
	for (const info_row<O> &row : rows) {
		if (row.what == what)
			return row.get(o, a);
	}
	return CL_INVALID_VALUE;
}

} // namespace hetcl
