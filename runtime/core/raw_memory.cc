// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/raw_memory.h"

#include "core/ranges.h"
#include "core/reserve.h"
#include "os/log.h"

#include <new>

namespace het::rt
{

namespace
{

futex_lock raw_lock; // has rank leaf

// Returns all ranges of a device: there is a tree for each one, with a reference to each range. The caller holds the
// lock.
interval_tree &ranges_of(const het_device &d)
{
	static constinit interval_tree all[most_devices];
	return all[d.executor.number()];
}

class raw_guard
{
      public:
	raw_guard() { raw_lock.lock(lock_rank::leaf); }
	~raw_guard() { raw_lock.unlock(lock_rank::leaf); }
	raw_guard(const raw_guard &) = delete;
	raw_guard &operator=(const raw_guard &) = delete;
};

// Returns the first range that @r touches and for which wanted() is true. The caller holds the lock.
template <class F> raw_range *first_in(const het_device &d, range r, F wanted)
{
	raw_range *found = nullptr;
	ranges_of(d).for_overlaps(r, [&](access_entry &e) {
		auto &b = static_cast<raw_range &>(e);
		if (!found && wanted(b))
			found = &b;
	});
	return found;
}

void insert(raw_range &b)
{
	raw_guard g;
	ranges_of(b.device).insert(b);
}

// Takes a range out, with the reference that the tree had.
template <class F> reference<raw_range> take_out(const het_device &d, range r, F wanted)
{
	raw_guard g;
	raw_range *b = first_in(d, r, wanted);
	if (b)
		ranges_of(d).remove(*b);
	return reference<raw_range>(b);
}

int allocate_counted(het_device &d, size_t nbytes, void **buffer)
{
	int err = reserve(d, memory_kind::raw, nbytes, "het_device_alloc");
	if (err)
		return err;
	err = allocate_reserved(d, nbytes, buffer);
	if (err && !d.compute->is_in_place())
		give_back(d, memory_kind::raw, nbytes);
	return err;
}

} // namespace

raw_range::~raw_range()
{
	if (program)
		return;
	device.compute->drop(buffer);
	if (!device.compute->is_in_place())
		give_back(device, memory_kind::raw, bytes.size());
}

int allocate_raw(het_device &d, size_t nbytes, void **address)
{
	compute_device &c = *d.compute;
	if (!c.has_addresses())
		return fail(
			HET_ENODEV,
			"%s: its memory has no addresses (OpenCL without shared virtual memory): use memory objects",
			c.info().name);
	void *buffer = nullptr;
	int err = c.is_in_place() ? 0 : start_memory();
	if (!err)
		err = allocate_counted(d, nbytes, &buffer);
	if (err)
		return err;
	auto *b = new (std::nothrow) raw_range(d, buffer, nullptr);
	if (!b) {
		c.drop(buffer);
		if (!c.is_in_place())
			give_back(d, memory_kind::raw, nbytes);
		return fail(HET_ENOMEM, "%s: no memory", c.info().name);
	}
	b->bytes = range_of(c.address_of(buffer), nbytes);
	*address = b->bytes.ptr();
	insert(*b);
	return 0;
}

int free_raw(het_device &d, void *address)
{
	auto begins = [&](const raw_range &b) { return b.bytes.ptr() == address && !b.program; };
	if (take_out(d, range_of(address, 1), begins))
		return 0;
	return fail(HET_EARG, "%s: nothing that het_device_alloc() has returned is at %p", d.compute->info().name,
		    address);
}

int add_variable(het_device &d, const het_program &p, void *address, size_t nbytes)
{
	if (find_raw(d, range_of(address, nbytes)))
		return 0;
	auto *b = new (std::nothrow) raw_range(d, address, &p);
	if (!b)
		return fail(HET_ENOMEM, "%s: no memory", d.compute->info().name);
	b->bytes = range_of(address, nbytes);
	insert(*b);
	return 0;
}

void forget_variables(const het_program &p)
{
	constexpr range everywhere = {0, UINTPTR_MAX};
	for (unsigned i = 0; i < core().ndevices; i++) {
		while (take_out(*core().devices[i], everywhere, [&](const raw_range &b) { return b.program == &p; })) {
		}
	}
}

reference<raw_range> find_raw(het_device &d, range r)
{
	raw_guard g;
	return reference<raw_range>::to(first_in(d, r, [&](const raw_range &b) { return b.bytes.covers(r); }));
}

} // namespace het::rt
