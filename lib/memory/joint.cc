// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/joint.h"

#include "memory/context.h"
#include "memory/joint_end.h"
#include "os/log.h"

#include <algorithm>
#include <gpuvm.h>

namespace het
{

namespace
{

// It knows the boundaries between chunks and edges.
class boundaries
{
      public:
	explicit boundaries(const layout &l) : l_(l) {}

	// Returns the first boundary from @at on.
	uintptr_t up(uintptr_t at) const
	{
		if (at <= l_.user.begin)
			return l_.user.begin;
		if (at <= l_.head.end)
			return l_.head.end;
		if (at > l_.tail.begin)
			return l_.user.end;
		return std::min(l_.body.begin + round_up(at - l_.body.begin, chunk()), l_.tail.begin);
	}
	// Returns the last boundary up to @at.
	uintptr_t down(uintptr_t at) const
	{
		if (at >= l_.user.end)
			return l_.user.end;
		if (at >= l_.tail.begin)
			return l_.tail.begin;
		if (at < l_.head.end)
			return l_.user.begin;
		return std::max(l_.body.begin + round_down(at - l_.body.begin, chunk()), l_.user.begin);
	}

      private:
	size_t chunk() const { return size_t{1} << l_.chunk_shift; }
	const layout &l_;
};

} // namespace

joint_parts cut_for_joint(const array &a, range bytes)
{
	boundaries b(a.place);
	range own = {b.up(bytes.begin), b.down(bytes.end)};
	if (own.empty())
		return {bytes, {bytes.end, bytes.end}, {bytes.end, bytes.end}};
	return {{bytes.begin, own.begin}, own, {own.end, bytes.end}};
}

range widen_for_joint(const array &a, range bytes)
{
	boundaries b(a.place);
	return {b.down(bytes.begin), b.up(bytes.end)};
}

int end_joint(array &a, const void *launch, joint_notes *notes)
{
	caller_guard g(a);
	visit v(a, g);
	if (!v)
		return fail(GPUVM_EHOSTPTR, "array %p was unlinked while kernels wrote there", a.place.user.ptr());
	return joint_end(a, g, launch, notes).run();
}

} // namespace het
