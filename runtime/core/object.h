// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The program holds these objects by counted handles.
#pragma once

#include <atomic>
#include <cstdint>

namespace het::rt
{

// An object is made with one reference, its maker's. The last release destroys it.
class object
{
      public:
	object() = default;
	object(const object &) = delete;
	object &operator=(const object &) = delete;

	void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
	void release()
	{
		if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
			delete this;
	}

      protected:
	virtual ~object() = default;

      private:
	std::atomic<uint32_t> references_{1};
};

// A reference owns one reference of an object, or none.
template <class T> class reference
{
      public:
	reference() = default;
	// Takes over the caller's reference.
	explicit reference(T *taken) : p_(taken) {}
	reference(reference &&o) noexcept : p_(o.give_up()) {}
	reference &operator=(reference &&o) noexcept
	{
		T *taken = o.give_up();
		if (p_)
			p_->release();
		p_ = taken;
		return *this;
	}
	~reference()
	{
		if (p_)
			p_->release();
	}
	static reference to(T *p)
	{
		if (p)
			p->retain();
		return reference(p);
	}

	T *get() const { return p_; }
	T *operator->() const { return p_; }
	T &operator*() const { return *p_; }
	explicit operator bool() const { return p_ != nullptr; }
	T *give_up()
	{
		T *p = p_;
		p_ = nullptr;
		return p;
	}

      private:
	T *p_ = nullptr;
};

} // namespace het::rt
