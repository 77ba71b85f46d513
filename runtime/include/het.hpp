// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/**
 * @file het.hpp
 * het.h for C++17 and newer: handles that own, errors as exceptions, arguments with types.
 *
 *	std::vector<float> x = ..., y(x.size());
 *	het::queue queue; // over all devices
 *	het::program program(het::sources().opencl(text).functions(table));
 *	het::kernel scale(program, "scale");
 *	queue.launch(scale, het::work(x.size()), het::read(x), het::write(y), 2.0f).wait();
 *
 * What a call does, and when it may be made, is told in het.h; here is only how it looks. Conventions
 * - A handle owns one reference: its copies own one each. A handle without an object (default-made or moved from) may
 *   only be assigned, destroyed and tested.
 * - A call that fails throws het::error. Destructors wait for nothing: commands go on.
 * - Everything is inline over the C functions. Nothing keeps state of its own, so C and C++ may be mixed: get() lends
 *   the C handle.
 */
#ifndef HET_HPP
#define HET_HPP

#include "het.h"

#include <array>
#include <chrono>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace het
{

// --- errors --------------------------------------------------------------------

/** A call has failed. The library's sentence about the cause is on stderr, as for C. */
class error : public std::runtime_error
{
      public:
	error(int code, const char *call)
	    : std::runtime_error(std::string(call) + ": " + het_strerror(code)), code_(code)
	{
	}
	/** Returns one of HET_E... */
	int code() const noexcept { return code_; }

      private:
	int code_;
};

/** Throws for a negative code of a C function. */
inline void check(int code, const char *call)
{
	if (code < 0)
		throw error(code, call);
}

// --- handles -------------------------------------------------------------------

/** Owns one reference to an object of the runtime's. */
template <class T, int (*retain_function)(T *), int (*release_function)(T *)> class handle
{
      public:
	using object = T;

	handle() noexcept = default;
	/** Takes over the caller's reference. */
	explicit handle(T *owned) noexcept : p_(owned) {}
	handle(const handle &o) noexcept : p_(o.p_)
	{
		if (p_)
			retain_function(p_);
	}
	handle(handle &&o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
	handle &operator=(handle o) noexcept
	{
		std::swap(p_, o.p_);
		return *this;
	}
	~handle()
	{
		if (p_)
			release_function(p_);
	}

	/** Lends the object, which is valid while the handle has it. */
	T *get() const noexcept { return p_; }
	/** Gives the reference up to the caller. */
	T *give_up() noexcept { return std::exchange(p_, nullptr); }
	explicit operator bool() const noexcept { return p_; }

      protected:
	/** Functions that make the object of a handle that has none write it here. */
	T **out() noexcept { return &p_; }

      private:
	T *p_ = nullptr;
};

/** Makes an owner of what is only lent, such as the event of a callback: share<het::event>(p). */
template <class H> H share(typename H::object *lent)
{
	H lender(lent);
	H copy = lender;
	static_cast<void>(lender.give_up()); // The reference was not its own.
	return copy;
}

namespace detail
{

template <class C> using element = std::remove_pointer_t<decltype(std::data(std::declval<C &>()))>;

template <class C, class = void> struct is_contiguous : std::false_type {
};
template <class C>
struct is_contiguous<C, std::void_t<element<C>, decltype(std::size(std::declval<C &>()))>> : std::true_type {
};

template <class C, class T>
using if_contiguous_of = std::enable_if_t<std::is_same_v<std::remove_cv_t<element<const C>>, T>>;

/** Returns the C handles of a list. */
template <class C> auto lend(const C &list)
{
	std::vector<decltype(std::data(list)->get())> lent;
	lent.reserve(std::size(list));
	for (const auto &h : list)
		lent.push_back(h.get());
	return lent;
}

} // namespace detail

// --- devices -------------------------------------------------------------------

/** Devices are there as long as the process; this is a pointer to one. */
class device
{
      public:
	device() noexcept = default;
	explicit device(het_device *d) noexcept : p_(d) {}

	het_device_info info() const
	{
		het_device_info i = {};
		i.size = sizeof i;
		check(het_device_describe(p_, &i), "het_device_describe");
		return i;
	}
	/** Tells what the library uses of its memory. */
	het_memory_info memory() const
	{
		het_memory_info i = {};
		i.size = sizeof i;
		check(het_device_memory(p_, &i), "het_device_memory");
		return i;
	}
	/** Tells what is known of the ways that its bulk copies take; empty where there is only one. */
	std::vector<het_path_info> paths() const
	{
		uint32_t count = 0;
		check(het_device_paths(p_, &count), "het_device_paths");
		std::vector<het_path_info> all(count);
		for (uint32_t number = 0; number < count; number++) {
			all[number].size = sizeof all[number];
			check(het_device_path(p_, number, &all[number]), "het_device_path");
		}
		return all;
	}
	/** Sets how much of it the library may use; 0 is the usual budget. */
	void set_budget(uint64_t bytes) const { check(het_device_set_budget(p_, bytes), "het_device_set_budget"); }
	/** Returns one of HET_DEVICE_... */
	uint32_t kind() const { return info().kind; }
	const char *name() const { return info().name; }

	het_device *get() const noexcept { return p_; }
	explicit operator bool() const noexcept { return p_; }
	friend bool operator==(device a, device b) noexcept { return a.p_ == b.p_; }
	friend bool operator!=(device a, device b) noexcept { return a.p_ != b.p_; }

      private:
	het_device *p_ = nullptr;
};

/** Returns all devices, at least one, in the runtime's order. */
inline std::vector<device> devices()
{
	uint32_t count = 0;
	check(het_devices(0, nullptr, &count), "het_devices");
	std::vector<het_device *> all(count);
	check(het_devices(count, all.data(), &count), "het_devices");
	return {all.begin(), all.end()};
}

// --- programs and kernels ------------------------------------------------------

/** These are what a program is made from. They are only pointed to: let them live until the program has been made. */
class sources
{
      public:
	sources() noexcept { args_.size = sizeof args_; }

	/** Takes a text, and options for the compiler. */
	sources &opencl(const char *text, const char *options = nullptr) noexcept
	{
		args_.source = text;
		args_.options = options;
		return *this;
	}
	/** Takes any contiguous container or array of het_function, for HET_DEVICE_HOST and HET_DEVICE_APART. */
	template <class C, class = detail::if_contiguous_of<C, het_function>>
	sources &functions(const C &table) noexcept
	{
		args_.functions = std::data(table);
		args_.nfunctions = std::size(table);
		return *this;
	}
	/** Takes the same of het_image, for HET_DEVICE_CUDA. */
	template <class C, class = detail::if_contiguous_of<C, het_image>> sources &images(const C &table) noexcept
	{
		args_.images = std::data(table);
		args_.nimages = std::size(table);
		return *this;
	}
	sources &fat_binary(const void *data, size_t nbytes) noexcept
	{
		args_.fat_binary = data;
		args_.fat_binary_size = nbytes;
		return *this;
	}
	/** Takes a file that is a fat binary. */
	sources &file(const char *path) noexcept
	{
		args_.file = path;
		return *this;
	}
	/** Takes the section of the file, or else of the running executable. */
	sources &section(const char *name) noexcept
	{
		args_.section = name;
		return *this;
	}

	/** Takes HET_COALESCE..., and for that how few of the warps are counted: one of so many. */
	sources &instruments(uint32_t which, uint32_t one_of = 0) noexcept
	{
		args_.instruments = which;
		args_.one_of = one_of;
		return *this;
	}

	const het_program_args &args() const noexcept { return args_; }

      private:
	het_program_args args_ = {};
};

/** This is a variable of a program, on a device. */
struct variable {
	void *address = nullptr;
	size_t nbytes = 0;
};

class program : public handle<het_program, het_program_retain, het_program_release>
{
      public:
	using handle::handle;
	program() noexcept = default;
	explicit program(const sources &s) { check(het_program_create(&s.args(), out()), "het_program_create"); }

	void build(device d) const { check(het_program_build(get(), d.get()), "het_program_build"); }
	/** Returns what the compiler said, or "" if it said nothing. */
	const char *log(device d) const noexcept { return het_program_log(get(), d.get()); }
	/**
	 * Finds a variable on devices of kind CUDA; its address is used as one of raw memory, while the program lives.
	 */
	variable global(device d, const char *name) const
	{
		variable v;
		check(het_program_global(get(), d.get(), name, &v.address, &v.nbytes), "het_program_global");
		return v;
	}
};

class kernel : public handle<het_kernel, het_kernel_retain, het_kernel_release>
{
      public:
	using handle::handle;
	kernel() noexcept = default;
	kernel(const program &p, const char *name)
	{
		check(het_kernel_create(p.get(), name, out()), "het_kernel_create");
	}

	het_kernel_info info() const
	{
		het_kernel_info i = {};
		i.size = sizeof i;
		check(het_kernel_describe(get(), &i), "het_kernel_describe");
		return i;
	}
	/** Describes an argument; only kernels from fat binaries can tell. */
	het_argument_info argument(uint32_t number) const
	{
		het_argument_info i = {};
		i.size = sizeof i;
		check(het_kernel_argument(get(), number, &i), "het_kernel_argument");
		return i;
	}
};

// --- memory --------------------------------------------------------------------

class memory : public handle<het_memory, het_memory_retain, het_memory_release>
{
      public:
	using handle::handle;
	memory() noexcept = default;
	/** Makes an object of zeroed bytes. */
	explicit memory(size_t nbytes) { check(het_memory_create(nbytes, out()), "het_memory_create"); }
	/** Makes an object of the elements of a container, an array or a span, which must stay as long as it lives. */
	template <class C, class = std::enable_if_t<detail::is_contiguous<C>::value>> static memory of(C &c)
	{
		static_assert(!std::is_const_v<detail::element<C>>, "devices write to memory objects");
		memory m;
		check(het_memory_wrap(std::data(c), std::size(c) * sizeof(*std::data(c)), m.out()), "het_memory_wrap");
		return m;
	}

	memory part(size_t offset, size_t nbytes) const
	{
		memory m;
		check(het_memory_part(get(), offset, nbytes, m.out()), "het_memory_part");
		return m;
	}
	/** Returns where the host sees it, as an array. */
	template <class T> T *as() const noexcept { return static_cast<T *>(het_memory_pointer(get())); }
};

/** Owns raw memory of one device's. */
class raw_memory
{
      public:
	raw_memory() noexcept = default;
	raw_memory(device d, size_t nbytes) : device_(d)
	{
		check(het_device_alloc(d.get(), nbytes, &address_), "het_device_alloc");
	}
	raw_memory(raw_memory &&o) noexcept : device_(o.device_), address_(std::exchange(o.address_, nullptr)) {}
	raw_memory &operator=(raw_memory &&o) noexcept
	{
		std::swap(device_, o.device_);
		std::swap(address_, o.address_);
		return *this;
	}
	/** Commands that name an address in it keep it; those that reach it otherwise must have finished. */
	~raw_memory()
	{
		if (address_)
			static_cast<void>(het_device_free(device_.get(), address_));
	}

	device where() const noexcept { return device_; }
	/** Returns the address of a byte, on the device. */
	void *at(size_t offset) const noexcept { return static_cast<char *>(address_) + offset; }

      private:
	device device_;
	void *address_ = nullptr;
};

/**
 * This is one side of a copy or a fill: a memory object with an offset in bytes; host memory; for copies, also an
 * address on a device.
 */
template <class Pointer> class basic_place
{
      public:
	basic_place(const memory &m, size_t offset = 0) noexcept : memory_(m.get()), offset_(offset) {}
	basic_place(Pointer p) noexcept : pointer_(p) {}
	basic_place(device d, Pointer address) noexcept : pointer_(address), device_(d) {}

	het_memory *object() const noexcept { return memory_; }
	size_t offset() const noexcept { return offset_; }
	Pointer pointer() const noexcept { return pointer_; }
	device where() const noexcept { return device_; }

      private:
	het_memory *memory_ = nullptr;
	size_t offset_ = 0;
	Pointer pointer_ = nullptr;
	device device_;
};
using place = basic_place<void *>;
using const_place = basic_place<const void *>;

/**
 * This is one side of queue::copy_rect(): rows of bytes, in planes, in a memory object or in host memory. See struct
 * het_rect.
 */
template <class Pointer> class basic_rect
{
      public:
	basic_rect(const memory &m) noexcept { rect_.memory = m.get(); }
	basic_rect(Pointer p) noexcept { rect_.pointer = const_cast<void *>(static_cast<const void *>(p)); }

	/** Tells where it begins: byte in a row, row, slice. */
	basic_rect &from(size_t byte, size_t row, size_t slice = 0) noexcept
	{
		rect_.origin[0] = byte;
		rect_.origin[1] = row;
		rect_.origin[2] = slice;
		return *this;
	}
	/**
	 * Tells the bytes from one row to the next, and from one slice to the next; there is nothing between them
	 * unless told.
	 */
	basic_rect &pitch(size_t row, size_t slice = 0) noexcept
	{
		rect_.row_pitch = row;
		rect_.slice_pitch = slice;
		return *this;
	}

	const het_rect &get() const noexcept { return rect_; }

      private:
	het_rect rect_ = {};
};
using rect = basic_rect<void *>;
using const_rect = basic_rect<const void *>;

// --- textures and samplers -----------------------------------------------------

/** A texture belongs to one device, and has channels of a HET_TEXEL_... type, in one to three dimensions. */
class texture : public handle<het_texture, het_texture_retain, het_texture_release>
{
      public:
	using handle::handle;
	texture() noexcept = default;
	texture(device d, uint32_t type, uint32_t channels, size_t x) { make(d, type, channels, 1, {x, 0, 0}); }
	texture(device d, uint32_t type, uint32_t channels, size_t x, size_t y)
	{
		make(d, type, channels, 2, {x, y, 0});
	}
	texture(device d, uint32_t type, uint32_t channels, size_t x, size_t y, size_t z)
	{
		make(d, type, channels, 3, {x, y, z});
	}

      private:
	void make(device d, uint32_t type, uint32_t channels, uint32_t dimensions, const std::array<size_t, 3> &extent)
	{
		het_texture_args a = {};
		a.size = sizeof a;
		a.device = d.get();
		a.dimensions = dimensions;
		a.channels = channels;
		a.type = type;
		for (size_t i = 0; i < extent.size(); i++)
			a.extent[i] = extent[i];
		check(het_texture_create(&a, out()), "het_texture_create");
	}
};

class sampler : public handle<het_sampler, het_sampler_retain, het_sampler_release>
{
      public:
	using handle::handle;
	sampler() noexcept = default;
	/** @p outside is one of HET_OUTSIDE_... */
	sampler(device d, bool normalized, uint32_t outside, bool linear)
	{
		het_sampler_args a = {};
		a.size = sizeof a;
		a.device = d.get();
		a.normalized = normalized;
		a.outside = outside;
		a.linear = linear;
		check(het_sampler_create(&a, out()), "het_sampler_create");
	}
};

/** This is a side of queue::copy_texture(), and tells where in the texture. */
class texels
{
      public:
	texels(const texture &t, const std::array<size_t, 3> &origin = {}) noexcept : texture_(t.get()), origin_(origin)
	{
	}
	het_texture *object() const noexcept { return texture_; }
	const std::array<size_t, 3> &origin() const noexcept { return origin_; }

      private:
	het_texture *texture_;
	std::array<size_t, 3> origin_;
};

// --- arguments of launches -----------------------------------------------------

/**
 * This is an argument that is more than a value. read(), write(), read_write(), local(), address() and block() make it.
 * Host memory is only pointed to: it belongs to the command until that has finished.
 */
class argument
{
      public:
	/** @p unit is the number of bytes of an element. */
	argument(const het_arg &a, size_t unit) noexcept : arg_(a), unit_(unit) {}

	/**
	 * For launches that may be split: work-item number i uses @p length elements (of a memory object: bytes) from
	 * @p offset + i * @p step on, and that @p count times, each @p stride elements further. See struct het_pattern.
	 */
	argument each(uint64_t step, uint64_t length, int64_t offset = 0, uint64_t count = 1,
		      uint64_t stride = 0) const noexcept
	{
		argument a = *this;
		a.pattern_.size = sizeof a.pattern_;
		a.pattern_.offset = offset * int64_t(unit_);
		a.pattern_.step = step * unit_;
		a.pattern_.length = length * unit_;
		a.pattern_.count = count;
		a.pattern_.stride = stride * unit_;
		return a;
	}
	/** Work-item number i uses @p length elements from i * @p length on. */
	argument each(uint64_t length) const noexcept { return each(length, length); }

	/** Nothing is known of what a work-item uses. */
	argument anywhere() const noexcept
	{
		argument a = *this;
		a.pattern_ = {};
		return a;
	}

	/** Returns what is valid while this lives. */
	het_arg get() const noexcept
	{
		het_arg a = arg_;
		a.pattern = pattern_.size ? &pattern_ : nullptr;
		return a;
	}

      private:
	het_arg arg_;
	size_t unit_;
	het_pattern pattern_ = {};
};

namespace detail
{

inline het_arg make_arg(uint32_t kind, uint32_t access, size_t nbytes, const void *pointer, het_memory *m) noexcept
{
	het_arg a = {};
	a.kind = kind;
	a.access = access;
	a.nbytes = nbytes;
	a.pointer = const_cast<void *>(pointer);
	a.memory = m;
	return a;
}

/** Makes an argument of @p count elements of host memory. */
template <class T> argument range(T *p, size_t count, uint32_t access)
{
	static_assert(std::is_trivially_copyable_v<T>, "a device can only be given what may be copied byte by byte");
	return argument(make_arg(HET_ARG_RANGE, access, count * sizeof(T), p, nullptr), sizeof(T));
}

inline argument object(const memory &m, uint32_t access)
{
	return argument(make_arg(HET_ARG_MEMORY, access, 0, nullptr, m.get()), 1);
}

inline argument object(const texture &t, uint32_t access)
{
	return argument(make_arg(HET_ARG_TEXTURE, access, 0, t.get(), nullptr), 1);
}

template <class C> argument writable(C &&c, uint32_t access)
{
	static_assert(!std::is_const_v<element<C>>, "these elements are const: a kernel can only read() them");
	return range(std::data(c), std::size(c), access);
}

inline het_arg as_arg(const argument &a) noexcept
{
	return a.get();
}

inline het_arg as_arg(const sampler &s) noexcept
{
	return make_arg(HET_ARG_SAMPLER, 0, 0, s.get(), nullptr);
}

template <class T> het_arg as_arg(const T &value)
{
	static_assert(!std::is_pointer_v<T>,
		      "say what the kernel does there: read(p, n), write(p, n), read_write(p, n)");
	static_assert(!is_contiguous<const T>::value,
		      "say what the kernel does there: read(c), write(c), read_write(c)");
	static_assert(std::is_trivially_copyable_v<T>, "a value is copied to the device byte by byte");
	return make_arg(HET_ARG_VALUE, 0, sizeof value, std::addressof(value), nullptr);
}

} // namespace detail

/**
 * The kernel only reads: of a contiguous container, an array or a span, all elements; or @p count at @p p; or an
 * object.
 */
template <class C, class = std::enable_if_t<detail::is_contiguous<const C>::value>> argument read(const C &c)
{
	return detail::range(std::data(c), std::size(c), HET_READ_ONLY);
}
template <class T> argument read(const T *p, size_t count)
{
	return detail::range(p, count, HET_READ_ONLY);
}
inline argument read(const memory &m)
{
	return detail::object(m, HET_READ_ONLY);
}
inline argument read(const texture &t)
{
	return detail::object(t, HET_READ_ONLY);
}

/** The kernel writes every byte, and reads none. */
template <class C, class = std::enable_if_t<detail::is_contiguous<C>::value>> argument write(C &&c)
{
	return detail::writable(c, HET_WRITE_ONLY);
}
template <class T> argument write(T *p, size_t count)
{
	return detail::range(p, count, HET_WRITE_ONLY);
}
inline argument write(const memory &m)
{
	return detail::object(m, HET_WRITE_ONLY);
}
inline argument write(const texture &t)
{
	return detail::object(t, HET_WRITE_ONLY);
}

/** The kernel reads and writes, or writes some bytes only. */
template <class C, class = std::enable_if_t<detail::is_contiguous<C>::value>> argument read_write(C &&c)
{
	return detail::writable(c, HET_READ_WRITE);
}
template <class T> argument read_write(T *p, size_t count)
{
	return detail::range(p, count, HET_READ_WRITE);
}
inline argument read_write(const memory &m)
{
	return detail::object(m, HET_READ_WRITE);
}
inline argument read_write(const texture &t)
{
	return detail::object(t, HET_READ_WRITE);
}

/** Makes local memory for @p count elements, for each group. */
template <class T> argument local(size_t count)
{
	return argument(detail::make_arg(HET_ARG_LOCAL, 0, count * sizeof(T), nullptr, nullptr), sizeof(T));
}

/** Makes an argument of an address in raw memory of the device, or null. */
inline argument address(const void *p)
{
	return argument(detail::make_arg(HET_ARG_ADDRESS, 0, 0, p, nullptr), 1);
}

/**
 * Makes an argument of all parameters of the kernel as it lays them out, copied by the launch. It is for devices of
 * kind CUDA.
 */
template <class T> argument block(const T &parameters)
{
	static_assert(std::is_trivially_copyable_v<T>, "parameters are copied to the device byte by byte");
	return argument(detail::make_arg(HET_ARG_BLOCK, 0, sizeof parameters, std::addressof(parameters), nullptr), 1);
}

// --- events --------------------------------------------------------------------

class event : public handle<het_event, het_event_retain, het_event_release>
{
      public:
	using handle::handle;

	/** Throws the code with which the command has failed, if it has. */
	void wait() const
	{
		het_event *e = get();
		const int err = het_event_wait(1, &e);
		check(err == HET_EWAIT ? status() : err, "het_event_wait");
	}
	/** Returns HET_COMPLETE, HET_RUNNING, ..., or the negative code with which the command has failed. */
	int status() const
	{
		int s = 0;
		check(het_event_status(get(), &s), "het_event_status");
		return s;
	}
	het_event_times times() const
	{
		het_event_times t = {};
		t.size = sizeof t;
		check(het_event_profile(get(), &t), "het_event_profile");
		return t;
	}
	/**
	 * Tells what devices did of a launch that has finished, each one part or more. Together, the parts have all
	 * work-items.
	 */
	std::vector<het_event_part_info> parts() const
	{
		uint32_t count = 0;
		check(het_event_parts(get(), &count), "het_event_parts");
		std::vector<het_event_part_info> all(count);
		for (uint32_t number = 0; number < count; number++) {
			all[number].size = sizeof all[number];
			check(het_event_part(get(), number, &all[number]), "het_event_part");
		}
		return all;
	}
	/**
	 * Tells what the instruments of a launch have counted, in all and at an instruction: @p number <
	 * counters().sites.
	 */
	het_launch_counters counters() const
	{
		het_launch_counters c = {};
		c.size = sizeof c;
		check(het_event_counters(get(), &c), "het_event_counters");
		return c;
	}
	het_preemption preemption() const
	{
		het_preemption p = {};
		p.size = sizeof p;
		check(het_event_preemption(get(), &p), "het_event_preemption");
		return p;
	}
	/** Tells how a launch used its device's memory. */
	het_memory_use memory() const
	{
		het_memory_use u = {};
		u.size = sizeof u;
		check(het_event_memory(get(), &u), "het_event_memory");
		return u;
	}
	het_site_counters site(uint32_t number) const
	{
		het_site_counters c = {};
		c.size = sizeof c;
		check(het_event_site(get(), number, &c), "het_event_site");
		return c;
	}
	/** Has f(status) called once, on some thread; it must neither throw nor wait for events. */
	template <class F> void then(F f) const
	{
		auto owned = std::make_unique<F>(std::move(f));
		const het_event_fn call = [](het_event *, int status, void *arg) noexcept {
			std::unique_ptr<F> callee(static_cast<F *>(arg));
			(*callee)(status);
		};
		check(het_event_callback(get(), call, owned.get()), "het_event_callback");
		static_cast<void>(owned.release());
	}

      private:
	friend class mapping;
	friend class queue;
	friend class user_event;
};

/** This is an event that the program finishes. */
class user_event : public event
{
      public:
	user_event() { check(het_user_event_create(out()), "het_user_event_create"); }
	void set(int status = HET_COMPLETE) const { check(het_user_event_set(get(), status), "het_user_event_set"); }
};

/** Waits for all of them; throws the code of the first that has failed. */
template <class Events = std::initializer_list<event>> void wait_for(const Events &events)
{
	const auto lent = detail::lend(events);
	const int err = het_event_wait(lent.size(), lent.data());
	if (err == HET_EWAIT)
		for (const event &e : events)
			e.wait();
	check(err, "het_event_wait");
}

// --- checkpoint files ----------------------------------------------------------

/** This is a piece of memory that a checkpoint file holds by its name, which is only pointed to. */
class named
{
      public:
	named(const char *name, const memory &m) noexcept : object_(m)
	{
		item_.name = name;
		item_.kind = HET_ARG_MEMORY;
		item_.memory = m.get();
	}
	template <class T> named(const char *name, T *p, size_t n) noexcept
	{
		static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
			      "a restore writes elements byte by byte");
		item_.name = name;
		item_.kind = HET_ARG_RANGE;
		item_.pointer = p;
		item_.nbytes = n * sizeof(T);
	}
	/** Names the elements of a container, an array or a span. */
	template <class C, class = std::enable_if_t<detail::is_contiguous<C>::value>>
	named(const char *name, C &c) noexcept : named(name, std::data(c), std::size(c))
	{
	}
	const het_checkpoint_item &item() const noexcept { return item_; }

      private:
	memory object_;
	het_checkpoint_item item_ = {};
};

/** Launches in a checkpoint file are of kernels of such a program; the name is only pointed to. */
class named_program
{
      public:
	named_program(const char *name, const program &p) noexcept : object_(p), program_{name, p.get()} {}
	const het_checkpoint_program &item() const noexcept { return program_; }

      private:
	program object_;
	het_checkpoint_program program_;
};

/** This is a checkpoint file: queue::write() adds to it, queue::restore() reads it. */
class checkpoint_file : public handle<het_checkpoint, het_checkpoint_retain, het_checkpoint_release>
{
      public:
	using handle::handle;
	/** Opens a file, which the first write makes. @p flags is HET_CHECKPOINT_READ_ONLY or 0. */
	explicit checkpoint_file(const char *file, uint32_t flags = 0)
	{
		check(het_checkpoint_open(file, flags, out()), "het_checkpoint_open");
	}
	het_checkpoint_info info() const
	{
		het_checkpoint_info i = {};
		i.size = sizeof i;
		check(het_checkpoint_describe(get(), &i), "het_checkpoint_describe");
		return i;
	}
	/** Returns names and sizes of what it holds. */
	std::vector<std::pair<std::string, uint64_t>> items() const
	{
		std::vector<std::pair<std::string, uint64_t>> all;
		for (uint64_t i = 0, n = info().nitems; i < n; i++) {
			char name[256];
			uint64_t nbytes;
			check(het_checkpoint_holds(get(), i, name, &nbytes), "het_checkpoint_holds");
			all.emplace_back(name, nbytes);
		}
		return all;
	}
};

// --- queues --------------------------------------------------------------------

/** These are the work-items of a launch, and where and when they run: het::work(n).groups_of(64).after({e}). */
class work
{
      public:
	work(size_t x) noexcept : work(1, x, 0, 0) {}
	work(size_t x, size_t y) noexcept : work(2, x, y, 0) {}
	work(size_t x, size_t y, size_t z) noexcept : work(3, x, y, z) {}

	/** Sets the work-items a group; the library chooses unless told. */
	work &groups_of(size_t x, size_t y = 1, size_t z = 1) noexcept { return set(args_.local, {x, y, z}); }
	/** Sets the id of the first work-item. */
	work &from(size_t x, size_t y = 0, size_t z = 0) noexcept { return set(args_.offset, {x, y, z}); }
	/** Chooses one of the queue's devices; the library chooses unless told. */
	work &on(device d) noexcept
	{
		args_.device = d.get();
		return *this;
	}
	/** Makes it so urgent, from -8 to 7; with 0 it is as urgent as its queue. */
	work &urgent(int priority) noexcept
	{
		args_.priority = priority;
		return *this;
	}
	/**
	 * It is to have ended so long after the launch: as that comes nearer it becomes more urgent. If no time is left
	 * it is as urgent as anything from the start.
	 */
	work &within(std::chrono::nanoseconds time) noexcept
	{
		args_.deadline_ns = time.count() > 0 ? uint64_t(time.count()) : 1;
		return *this;
	}
	/** Lets it not begin before these have finished. */
	template <class Events = std::initializer_list<event>> work &after(const Events &events)
	{
		waits_.insert(waits_.end(), std::begin(events), std::end(events));
		return *this;
	}
	/** Sets more of het_launch_args.flags, such as HET_SPLIT. */
	work &with(uint32_t flags) noexcept
	{
		args_.flags |= flags;
		return *this;
	}

	const het_launch_args &args() const noexcept { return args_; }
	const std::vector<event> &waits() const noexcept { return waits_; }

      private:
	work(uint32_t dimensions, size_t x, size_t y, size_t z) noexcept
	{
		args_.size = sizeof args_;
		args_.dimensions = dimensions;
		set(args_.global, {x, y, z});
		args_.arg_size = sizeof(het_arg);
	}
	work &set(size_t *to, std::array<size_t, 3> sizes) noexcept
	{
		for (uint32_t d = 0; d < args_.dimensions; d++)
			to[d] = sizes[d];
		return *this;
	}

	het_launch_args args_ = {};
	std::vector<event> waits_;
};

/**
 * A queue tells this of failed commands: f(code, event, message), on some thread; f is only pointed to and must outlive
 * them.
 */
class error_handler
{
      public:
	error_handler() noexcept = default;
	template <class F, class = std::enable_if_t<!std::is_same_v<std::remove_cv_t<F>, error_handler>>>
	error_handler(F &f) noexcept : arg_(std::addressof(f))
	{
		call_ = [](int code, het_event *e, const char *message, void *arg) noexcept {
			(*static_cast<F *>(arg))(code, share<event>(e), message);
		};
	}

	het_error_fn call() const noexcept { return call_; }
	void *arg() const noexcept { return arg_; }

      private:
	het_error_fn call_ = nullptr;
	void *arg_ = nullptr;
};

class mapping;

class queue : public handle<het_queue, het_queue_retain, het_queue_release>
{
      public:
	using handle::handle;
	/** Makes a queue over all devices. @p flags are HET_QUEUE_... */
	explicit queue(uint32_t flags = 0, error_handler on_error = {}) { make(nullptr, 0, flags, on_error); }
	/** Makes a queue over these: any contiguous container, array or span of devices, not empty. */
	template <class C, class = detail::if_contiguous_of<C, device>>
	explicit queue(const C &devices, uint32_t flags = 0, error_handler on_error = {})
	{
		if (!std::size(devices))
			throw error(HET_EARG, "het::queue");
		make(detail::lend(devices).data(), std::size(devices), flags, on_error);
	}
	queue(std::initializer_list<device> devices, uint32_t flags = 0, error_handler on_error = {})
	    : queue(std::vector<device>(devices), flags, on_error)
	{
	}

	/**
	 * @p args are values, whose bytes are copied, or arguments as read(), write(), read_write() and local() make
	 * them.
	 */
	template <class... A> event launch(const kernel &k, const work &w, const A &...args) const
	{
		const std::array<het_arg, sizeof...(A)> list = {{detail::as_arg(args)...}};
		const auto waits = detail::lend(w.waits());
		het_launch_args l = w.args();
		l.kernel = k.get();
		l.args = list.data();
		l.nargs = list.size();
		l.waits = waits.data();
		l.nwaits = waits.size();
		event e;
		check(het_launch(get(), &l, e.out()), "het_launch");
		return e;
	}

	template <class Events = std::initializer_list<event>>
	event copy(const place &to, const const_place &from, size_t nbytes, const Events &after = {}) const
	{
		const auto waits = detail::lend(after);
		het_copy_args c = {};
		c.size = sizeof c;
		c.to = to.object();
		c.to_offset = to.offset();
		c.to_pointer = to.pointer();
		c.from = from.object();
		c.from_offset = from.offset();
		c.from_pointer = from.pointer();
		c.nbytes = nbytes;
		c.to_device = to.where().get();
		c.from_device = from.where().get();
		c.waits = waits.data();
		c.nwaits = waits.size();
		event e;
		check(het_copy(get(), &c, e.out()), "het_copy");
		return e;
	}

	/** @p region is bytes of a row, rows of a plane, planes. */
	template <class Events = std::initializer_list<event>>
	event copy_rect(const rect &to, const const_rect &from, const std::array<size_t, 3> &region,
			const Events &after = {}) const
	{
		const auto waits = detail::lend(after);
		het_copy_rect_args c = {};
		c.size = sizeof c;
		c.to = to.get();
		c.from = from.get();
		for (size_t d = 0; d < region.size(); d++)
			c.region[d] = region[d];
		c.waits = waits.data();
		c.nwaits = waits.size();
		event e;
		check(het_copy_rect(get(), &c, e.out()), "het_copy_rect");
		return e;
	}

	/** @p region is texels in each dimension, 1 in those that there are not. */
	template <class Events = std::initializer_list<event>>
	event copy_texture(const texels &to, const texels &from, const std::array<size_t, 3> &region,
			   const Events &after = {}) const
	{
		return copy_texture(&to, &from, nullptr, region, after);
	}
	template <class Events = std::initializer_list<event>>
	event copy_texture(const texels &to, const const_rect &from, const std::array<size_t, 3> &region,
			   const Events &after = {}) const
	{
		return copy_texture(&to, nullptr, &from.get(), region, after);
	}
	template <class Events = std::initializer_list<event>>
	event copy_texture(const rect &to, const texels &from, const std::array<size_t, 3> &region,
			   const Events &after = {}) const
	{
		return copy_texture(nullptr, &from, &to.get(), region, after);
	}

	/** @p access is one of HET_READ_ONLY... */
	template <class Events = std::initializer_list<event>>
	mapping map(const memory &m, size_t offset, size_t nbytes, uint32_t access, const Events &after = {}) const;

	/** Writes @p pattern, of at most 128 bytes, @p count times. */
	template <class T, class Events = std::initializer_list<event>>
	event fill(const place &to, const T &pattern, size_t count, const Events &after = {}) const
	{
		static_assert(std::is_trivially_copyable_v<T>, "a pattern is copied byte by byte");
		const auto waits = detail::lend(after);
		het_fill_args f = {};
		f.size = sizeof f;
		f.to = to.object();
		f.to_offset = to.offset();
		f.to_pointer = to.pointer();
		f.nbytes = count * sizeof(T);
		f.pattern = &pattern;
		f.pattern_size = sizeof(T);
		f.waits = waits.data();
		f.nwaits = waits.size();
		event e;
		check(het_fill(get(), &f, e.out()), "het_fill");
		return e;
	}

	/** Finishes when these events have, or without any, when all commands have that the queue has. */
	template <class Events = std::initializer_list<event>> event marker(const Events &after = {}) const
	{
		const auto waits = detail::lend(after);
		event e;
		check(het_marker(get(), waits.size(), waits.data(), e.out()), "het_marker");
		return e;
	}
	/** Does the same, and all later commands wait for it. */
	template <class Events = std::initializer_list<event>> event barrier(const Events &after = {}) const
	{
		const auto waits = detail::lend(after);
		event e;
		check(het_barrier(get(), waits.size(), waits.data(), e.out()), "het_barrier");
		return e;
	}

	/** Makes the commands that come from now on so urgent, from -8 to 7. */
	void set_priority(int priority) const
	{
		check(het_queue_set_priority(get(), priority), "het_queue_set_priority");
	}
	/** A launch of this priority will come so much later. */
	void announce(std::chrono::nanoseconds later) const
	{
		check(het_queue_announce(get(), uint64_t(std::max<int64_t>(later.count(), 0))), "het_queue_announce");
	}

	/** The event finishes when the file holds the items. */
	template <class Items = std::initializer_list<named>, class Events = std::initializer_list<event>>
	event write(const checkpoint_file &file, const Items &items, const Events &after = {}) const
	{
		return with_file(het_checkpoint_write, "het_checkpoint_write", file, items, after, {});
	}
	/** Does the same with the launches that have not begun, of these programs: it is for the moment of the call. */
	template <class Items = std::initializer_list<named>, class Programs = std::initializer_list<named_program>>
	event write_with_launches(const checkpoint_file &file, const Items &items, const Programs &programs) const
	{
		return with_file(het_checkpoint_write, "het_checkpoint_write", file, items, no_events,
				 launches_of(programs));
	}
	/** Gives the items what the file holds for their names. */
	template <class Items = std::initializer_list<named>, class Events = std::initializer_list<event>>
	event restore(const checkpoint_file &file, const Items &items, const Events &after = {}) const
	{
		return with_file(het_checkpoint_restore, "het_checkpoint_restore", file, items, after, {});
	}
	/** Adds the file's launches behind that, too, which use these items, and are of these programs. */
	template <class Items = std::initializer_list<named>, class Programs = std::initializer_list<named_program>>
	event restore_with_launches(const checkpoint_file &file, const Items &items, const Programs &programs) const
	{
		return with_file(het_checkpoint_restore, "het_checkpoint_restore", file, items, no_events,
				 launches_of(programs));
	}

	/** Waits for all commands that the queue has; throws for none that has failed. */
	void finish() const { check(het_finish(get()), "het_finish"); }

      private:
	static constexpr std::initializer_list<event> no_events = {};

	struct launches {
		uint32_t flags = 0;
		std::vector<het_checkpoint_program> programs;
	};
	template <class Programs> static launches launches_of(const Programs &programs)
	{
		launches l;
		l.flags = HET_CHECKPOINT_LAUNCHES;
		for (const named_program &p : programs)
			l.programs.push_back(p.item());
		return l;
	}
	template <class F, class Items, class Events>
	event with_file(F call, const char *name, const checkpoint_file &file, const Items &items, const Events &after,
			const launches &with) const
	{
		std::vector<het_checkpoint_item> list;
		for (const named &i : items)
			list.push_back(i.item());
		const auto waits = detail::lend(after);
		het_checkpoint_args a = {};
		a.size = sizeof a;
		a.checkpoint = file.get();
		a.item_size = sizeof(het_checkpoint_item);
		a.items = list.data();
		a.nitems = list.size();
		a.waits = waits.data();
		a.nwaits = waits.size();
		a.flags = with.flags;
		a.program_size = sizeof(het_checkpoint_program);
		a.programs = with.programs.data();
		a.nprograms = with.programs.size();
		event e;
		check(call(get(), &a, e.out()), name);
		return e;
	}
	template <class Events>
	event copy_texture(const texels *to, const texels *from, const het_rect *host,
			   const std::array<size_t, 3> &region, const Events &after) const
	{
		const auto waits = detail::lend(after);
		het_texture_copy_args c = {};
		c.size = sizeof c;
		c.to = to ? to->object() : nullptr;
		c.from = from ? from->object() : nullptr;
		for (size_t d = 0; d < region.size(); d++) {
			c.to_origin[d] = to ? to->origin()[d] : 0;
			c.from_origin[d] = from ? from->origin()[d] : 0;
			c.region[d] = region[d];
		}
		if (host)
			c.host = *host;
		c.waits = waits.data();
		c.nwaits = waits.size();
		event e;
		check(het_texture_copy(get(), &c, e.out()), "het_texture_copy");
		return e;
	}
	void make(het_device *const *devices, size_t count, uint32_t flags, const error_handler &on_error)
	{
		het_queue_args q = {};
		q.size = sizeof q;
		q.flags = flags;
		q.devices = devices;
		q.ndevices = uint32_t(count);
		q.on_error = on_error.call();
		q.on_error_arg = on_error.arg();
		check(het_queue_create(&q, out()), "het_queue_create");
	}
};

/** The host has these bytes of a memory object until unmap(), or the end of this. */
class mapping
{
      public:
	mapping(mapping &&o) noexcept
	    : queue_(std::move(o.queue_)), memory_(std::move(o.memory_)), pointer_(std::exchange(o.pointer_, nullptr)),
	      ready_(std::move(o.ready_))
	{
	}
	mapping(const mapping &) = delete;
	mapping &operator=(const mapping &) = delete;
	~mapping()
	{
		if (pointer_)
			static_cast<void>(give_back(nullptr));
	}

	/** Returns the bytes, once they are the host's; throws if they can't be. */
	template <class T> T *as() const
	{
		ready_.wait();
		return static_cast<T *>(pointer_);
	}
	const event &ready() const noexcept { return ready_; }
	event unmap()
	{
		event e;
		check(give_back(e.out()), "het_unmap");
		return e;
	}

      private:
	friend class queue;
	mapping(const queue &q, const memory &m) : queue_(q), memory_(m) {}

	int give_back(het_event **done) noexcept
	{
		het_unmap_args u = {};
		u.size = sizeof u;
		u.memory = memory_.get();
		u.pointer = std::exchange(pointer_, nullptr);
		return het_unmap(queue_.get(), &u, done);
	}

	queue queue_;
	memory memory_;
	void *pointer_ = nullptr;
	event ready_;
};

template <class Events>
mapping queue::map(const memory &m, size_t offset, size_t nbytes, uint32_t access, const Events &after) const
{
	const auto waits = detail::lend(after);
	het_map_args a = {};
	a.size = sizeof a;
	a.memory = m.get();
	a.offset = offset;
	a.nbytes = nbytes;
	a.access = access;
	a.waits = waits.data();
	a.nwaits = waits.size();
	mapping mapped(*this, m);
	check(het_map(get(), &a, &mapped.pointer_, mapped.ready_.out()), "het_map");
	return mapped;
}

} // namespace het

#endif /* HET_HPP */
