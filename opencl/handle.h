// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// All handles of the platform begin alike, and are counted alike.
//
// A handle has two counts. The first is the program's, which clRetain...() and clRelease...() change and clGet...Info()
// tells. The second is that of all who need the object: the program's references together are one of them, and objects
// that stand on it are others. So an object may be released while others use it, and counts are told exactly.
#pragma once

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <atomic>
#include <memory>
#include <utility>

namespace hetcl
{

extern const cl_icd_dispatch dispatch_table;

enum class kind : cl_uint {
	none,
	platform,
	device,
	context,
	queue,
	memory,
	program,
	kernel,
	event,
	sampler,
	command_buffer
};

// Memory for objects stays readable when they are gone, and is used again late, so that released handles can be told.
void *take_slot(size_t nbytes);
void give_slot(void *slot, size_t nbytes);
// Returns whether such memory begins there: what a kernel's argument means may be known by nothing else.
bool is_slot(const void *p);

struct handle {
	explicit handle(kind k) : is(k) {}
	handle(const handle &) = delete;
	handle &operator=(const handle &) = delete;
	~handle() { is.store(kind::none); }

	// The loader wants this first.
	const cl_icd_dispatch *const dispatch = &dispatch_table;
	std::atomic<kind> is;
	std::atomic<cl_uint> references{1};
	std::atomic<cl_uint> holds{1};
};

// A handle of the program's may be null, another platform's, of another kind, or released.
inline bool is_valid(const handle *h, kind k)
{
	return h && h->dispatch == &dispatch_table && h->is.load(std::memory_order_acquire) == k &&
	       h->references.load(std::memory_order_relaxed);
}
template <class T> bool is_valid(const T *h)
{
	return is_valid(static_cast<const handle *>(h), T::own_kind);
}

// Objects live in slots.
template <kind k> struct object : handle {
	static constexpr kind own_kind = k;
	object() : handle(k) {}
	static void *operator new(size_t n) { return take_slot(n); }
	static void operator delete(void *p, size_t n) { give_slot(p, n); }
};

template <class T> void hold(T *o)
{
	o->holds.fetch_add(1, std::memory_order_relaxed);
}

template <class T> void let_go(T *o)
{
	if (o->holds.fetch_sub(1, std::memory_order_acq_rel) == 1)
		delete o;
}

// Holds an object, or none.
template <class T> class held
{
      public:
	held() = default;
	explicit held(T *o) : o_(o)
	{
		if (o_)
			hold(o_);
	}
	held(const held &other) : held(other.o_) {}
	held(held &&other) noexcept : o_(std::exchange(other.o_, nullptr)) {}
	held &operator=(held other) noexcept
	{
		std::swap(o_, other.o_);
		return *this;
	}
	~held()
	{
		if (o_)
			let_go(o_);
	}
	T *get() const { return o_; }
	T *operator->() const { return o_; }
	T &operator*() const { return *o_; }
	explicit operator bool() const { return o_ != nullptr; }

      private:
	T *o_ = nullptr;
};

// These serve clRetain...() and clRelease...().
template <class T> cl_int retain(T *o, cl_int if_invalid)
{
	if (!is_valid(o))
		return if_invalid;
	o->references.fetch_add(1, std::memory_order_relaxed);
	return CL_SUCCESS;
}
// Of threads that release one reference too many, one is told, and the count stays what it is.
template <class T> cl_int release(T *o, cl_int if_invalid)
{
	if (!is_valid(o))
		return if_invalid;
	cl_uint n = o->references.load(std::memory_order_relaxed);
	do {
		if (!n)
			return if_invalid;
	} while (!o->references.compare_exchange_weak(n, n - 1, std::memory_order_acq_rel, std::memory_order_relaxed));
	if (n == 1)
		let_go(o);
	return CL_SUCCESS;
}

// Lends the program a reference to an object that the caller holds. A callback gets a handle that it may ask, though
// the program may have released all references of its own before, or does so meanwhile on another thread.
template <class T> class lent
{
      public:
	explicit lent(T *o) : o_(o)
	{
		if (!o->references.fetch_add(1, std::memory_order_relaxed))
			hold(o);
	}
	lent(const lent &) = delete;
	lent &operator=(const lent &) = delete;
	~lent() { release(o_, CL_SUCCESS); }
	T *get() const { return o_; }

      private:
	T *const o_;
};

// Owns one handle of the runtime's.
template <class T, int (*release_function)(T *)> struct releases {
	void operator()(T *p) const { release_function(p); }
};
template <class T, int (*release_function)(T *)> using owner = std::unique_ptr<T, releases<T, release_function>>;

// Answers a call that makes something.
template <class T> T *give(T *made, cl_int code, cl_int *error)
{
	if (error)
		*error = code;
	return made;
}
inline std::nullptr_t refuse(cl_int code, cl_int *error)
{
	if (error)
		*error = code;
	return nullptr;
}

} // namespace hetcl
