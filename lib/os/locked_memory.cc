// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/locked_memory.h"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace het
{

namespace
{

bool is_privileged()
{
	__user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
	__user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
	return !syscall(SYS_capget, &header, data) && data[0].effective & (1u << CAP_IPC_LOCK);
}

} // namespace

uint64_t lockable_bytes()
{
	rlimit limit{};
	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY || is_privileged())
		return UINT64_MAX;
	return limit.rlim_cur;
}

} // namespace het
