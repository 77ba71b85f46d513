// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "copies.h"

#include "copy_kernel.h"
#include "lazy.h"
#include "waiting.h"

#include <chrono>
#include <gpuvm.h>

namespace het_omp
{

namespace
{

constexpr size_t bytes_of_item = 16, items_of_group = 256; // of the kernel
constexpr size_t most_seen = 4096;

class stopwatch
{
      public:
	double seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

      private:
	using clock = std::chrono::steady_clock;
	const clock::time_point begin_ = clock::now();
};

het_arg range_arg(const void *p, size_t nbytes, uint32_t access)
{
	return {HET_ARG_RANGE, access, nbytes, const_cast<void *>(p), nullptr, nullptr};
}

het_arg address_arg(const void *p)
{
	return {HET_ARG_ADDRESS, 0, 0, const_cast<void *>(p), nullptr, nullptr};
}

} // namespace

copies::copies(het_device *device, het_queue *queue) : device_(device), queue_(queue), kernel_("copy", copy_kernel_ptx)
{
}

template <class ByKernel, class Copy>
bool copies::go(const void *on_host, size_t nbytes, bool comes_home, ByKernel by_kernel, Copy copy)
{
	if (nbytes < least_watched || !lazy_from())
		return copy();
	const way wanted = way_of(on_host, nbytes, comes_home);
	const stopwatch s;
	const bool is_lazy = wanted != way::copied && by_kernel();
	const bool done = is_lazy || copy();
	note(on_host, nbytes, comes_home, wanted, is_lazy, s.seconds());
	return done;
}

bool copies::to_host(void *to, const void *from, size_t nbytes)
{
	return go(
		to, nbytes, true,
		[&] { return by_kernel(range_arg(to, nbytes, HET_WRITE_ONLY), address_arg(from), nbytes); },
		[&] { return copy(nullptr, to, device_, from, nbytes); });
}

bool copies::to_device(void *to, const void *from, size_t nbytes)
{
	return go(
		from, nbytes, false,
		[&] { return by_kernel(address_arg(to), range_arg(from, nbytes, HET_READ_ONLY), nbytes); },
		[&] { return copy(device_, to, nullptr, from, nbytes); });
}

bool copies::on_device(void *to, const void *from, size_t nbytes)
{
	return copy(device_, to, device_, from, nbytes);
}

bool copies::copy(het_device *to_on, void *to, het_device *from_on, const void *from, size_t nbytes)
{
	het_copy_args a = {};
	a.size = sizeof a;
	a.to_device = to_on;
	a.to_pointer = to;
	a.from_device = from_on;
	a.from_pointer = from;
	a.nbytes = nbytes;
	het_event *e = nullptr;
	return !nbytes || (!het_copy(queue_, &a, &e) && !finish(e));
}

// The lock is held.
homecomings &copies::history_of(const void *p, size_t nbytes)
{
	if (seen_.size() > most_seen)
		seen_.clear();
	homecomings &h = seen_[reinterpret_cast<uintptr_t>(p)];
	if (h.nbytes() != nbytes)
		h = homecomings(nbytes);
	return h;
}

// The lock is held. This time counts, too.
bool copies::may_begin(homecomings &h, const void *p)
{
	const bool is_time = lazy_from() == by_cost ? h.pays(price_) : h.copies_home() + 1 >= lazy_from();
	if (!is_time || h.is_refused() || !has_room(h.nbytes()))
		return false;
	if (calls_may_use_watched() && can_be_watched(p, h.nbytes()) && kernel_.make())
		return true;
	h.refused();
	return false;
}

// Memory that was watched and has been freed is no longer an array, whatever lies there now. What is one already can't
// be looked at again: its memory is not what it was. Without the kernel nothing is.
copies::way copies::way_of(const void *p, size_t nbytes, bool comes_home)
{
	std::lock_guard g(lock_);
	homecomings &h = history_of(p, nbytes);
	const bool is_array = kernel_.get() && gpuvm_is_linked(p, nbytes);
	if (h.is_watched() && !is_array)
		h.gone(price_);
	if (is_array)
		return has_room(nbytes) ? way::watched : way::copied;
	return comes_home && may_begin(h, p) ? way::begins_to_be_watched : way::copied;
}

// What could not be moved now is not tried again; het has said why.
void copies::note(const void *p, size_t nbytes, bool came_home, way wanted, bool was_lazy, double time)
{
	std::lock_guard g(lock_);
	homecomings &h = history_of(p, nbytes);
	const bool began = wanted == way::begins_to_be_watched;
	if (!was_lazy) {
		came_home ? h.copied_home(time) : h.copied_there(time);
		if (began)
			h.refused();
	} else if (began) {
		price_.measured(nbytes, time);
		h.moved();
	} else {
		h.launched(time);
	}
}

// What is watched has a place of its own on the device, beside the mapped block. Other arrays can make room for it, the
// program's memory can't.
bool copies::has_room(size_t nbytes) const
{
	het_memory_info m = {};
	m.size = sizeof m;
	return !het_device_memory(device_, &m) && m.raw + m.textures + m.copies + nbytes <= m.budget;
}

bool copies::by_kernel(const het_arg &to, const het_arg &from, size_t nbytes)
{
	const het_arg args[] = {to, from, {HET_ARG_VALUE, 0, sizeof nbytes, &nbytes, nullptr, nullptr}};
	const size_t bytes_of_group = bytes_of_item * items_of_group;
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel_.get();
	l.dimensions = 1;
	l.local[0] = items_of_group;
	l.global[0] = (nbytes + bytes_of_group - 1) / bytes_of_group * items_of_group;
	l.arg_size = sizeof args[0];
	l.nargs = std::size(args);
	l.args = args;
	l.device = device_;
	het_event *e = nullptr;
	return !het_launch(queue_, &l, &e) && !finish(e);
}

} // namespace het_omp
