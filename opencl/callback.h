// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Functions of the program's may be called on threads of the runtime's, where nothing may wait for commands.
#pragma once

namespace hetcl
{

// Stands as long as such a function is called.
class in_callback
{
      public:
	in_callback() : outer_(is_on_) { is_on_ = true; }
	in_callback(const in_callback &) = delete;
	in_callback &operator=(const in_callback &) = delete;
	~in_callback() { is_on_ = outer_; }
	static bool is_on() { return is_on_; }

      private:
	const bool outer_;
	static inline thread_local bool is_on_ = false;
};

inline bool is_in_callback()
{
	return in_callback::is_on();
}

} // namespace hetcl
