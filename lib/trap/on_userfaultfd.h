// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The traps on userfaultfd take pages away and show them in the same way, however the kernel tells of touches.
#pragma once

#include "os/userfaultfd.h"
#include "trap/trap.h"

#include <cerrno>
#include <utility>

namespace het
{

// @kind is trap, or a class between it and the trap.
template <class kind> class on_userfaultfd : public kind
{
      public:
	int hold(range old) final
	{
		int err = uffd_.register_private(old);
		if (err)
			return err;
		err = uffd_.write_protect(old, true);
		if (err)
			unhold(old);
		return err;
	}
	void unhold(range old) final
	{
		uffd_.write_protect(old, false);
		uffd_.unregister(old);
		this->wake({old});
	}
	int watch(const pages &p) final { return uffd_.register_shared(p.at); }
	int protect(const pages &p, access to) final
	{
		return to == access::none ? drop_pages(p.at) : uffd_.write_protect(p.at, true);
	}
	// A page whose protection is taken off stays read-only in the page table until a fault of its own, which costs
	// more than all else. What is mapped anew is writable.
	int open_for_writes(const pages &p) final
	{
		int err = drop_pages(p.at);
		return err ? err : this->admit(p, access::write);
	}

      protected:
	template <class... arguments>
	explicit on_userfaultfd(userfaultfd &&u, arguments &&...of_kind)
	    : kind(std::forward<arguments>(of_kind)...), uffd_(std::move(u))
	{
	}

	// Does as trap::admit(), but returns -EEXIST if the first page is shown already, by another resolver perhaps,
	// and nobody was woken.
	int show(range r, access to) const
	{
		int err = uffd_.continue_from(r, to == access::read);
		return err == -EEXIST && to == access::write ? uffd_.write_protect(r, false) : err;
	}

	userfaultfd uffd_;
};

} // namespace het
