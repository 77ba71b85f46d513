// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// userfaultfd whose events come as SIGBUS in the toucher: no event is read and nobody is woken where the handler can
// serve the touch itself. No mapping is split, unlike with mprotect().
#include "os/userfaultfd.h"
#include "trap/signal_trap.h"

#include <cerrno>
#include <linux/userfaultfd.h>

namespace het
{

namespace
{

class uffd_sigbus_trap final : public signal_trap
{
      public:
	uffd_sigbus_trap(const touch_sink &sink, userfaultfd &&u) : signal_trap(sink, SIGBUS), uffd_(std::move(u)) {}

	const char *name() const override { return "uffd-sigbus"; }
	trap_features features() const override
	{
		return {.kernel_touches = false, .shared_reads = uffd_.continue_wp(), .by_page = true};
	}

	int hold(range old) override;
	void unhold(range old) override;
	int watch(const pages &p) override { return uffd_.register_shared(p.at); }
	int unwatch(const pages &p) override;
	int protect(const pages &p, access to) override
	{
		return to == access::none ? drop_pages(p.at) : uffd_.write_protect(p.at, true);
	}
	int admit(const pages &p, access to) override;

      private:
	int show(range r, access to) const;

	userfaultfd uffd_;
};

int uffd_sigbus_trap::hold(range old)
{
	int err = uffd_.register_private(old);
	if (err)
		return err;
	err = uffd_.write_protect(old, true);
	if (err)
		unhold(old);
	return err;
}

void uffd_sigbus_trap::unhold(range old)
{
	uffd_.write_protect(old, false);
	uffd_.unregister(old);
	wake({old});
}

int uffd_sigbus_trap::unwatch(const pages &p)
{
	int err = uffd_.unregister(p.at);
	wake(p);
	return err;
}

int uffd_sigbus_trap::show(range r, access to) const
{
	int err = uffd_.continue_from(r, to == access::read);
	if (err != -EEXIST)
		return err;
	// The first page is there already: shown read-only before, or mapped by another resolver since.
	return to == access::write ? uffd_.write_protect(r, false) : 0;
}

int uffd_sigbus_trap::admit(const pages &p, access to)
{
	int err = show(p.at, to);
	complete(p.at);
	return err;
}

} // namespace

std::unique_ptr<trap> make_uffd_sigbus_trap(const touch_sink &sink, const char **why)
{
	std::optional<userfaultfd> u = userfaultfd::open(UFFD_FEATURE_SIGBUS, why);
	if (!u)
		return nullptr;
	auto t = std::make_unique<uffd_sigbus_trap>(sink, std::move(*u));
	if (!t->install(why))
		return nullptr;
	*why = nullptr;
	return t;
}

} // namespace het
