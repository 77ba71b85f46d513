// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The events of this userfaultfd come as SIGBUS in the toucher: no event is read and nobody is woken where the handler
// can serve the touch itself. No mapping is split, unlike with mprotect().
#include "trap/on_userfaultfd.h"
#include "trap/signal_trap.h"

#include <cerrno>
#include <linux/userfaultfd.h>

namespace het
{

namespace
{

class uffd_sigbus_trap final : public on_userfaultfd<signal_trap>
{
      public:
	uffd_sigbus_trap(const touch_sink &sink, userfaultfd &&u) : on_userfaultfd(std::move(u), sink, SIGBUS) {}

	const char *name() const override { return "uffd-sigbus"; }
	trap_features features() const override
	{
		return {.kernel_touches = false, .shared_reads = uffd_.continue_wp(), .by_page = true};
	}

	int unwatch(const pages &p) override;
	int admit(const pages &p, access to) override;
};

int uffd_sigbus_trap::unwatch(const pages &p)
{
	int err = uffd_.unregister(p.at);
	wake(p);
	return err;
}

int uffd_sigbus_trap::admit(const pages &p, access to)
{
	int err = show(p.at, to);
	complete(p.at);
	return err == -EEXIST ? 0 : err;
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
