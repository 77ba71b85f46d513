// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring keeps memory for itself (registered buffers). It may do so with the alias where the kernel allows it, but
 * never with the primary, whose pages a revoke must be able to take away.
 */
#include "common/context.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/harness.h"

#define MIB (1UL << 20)

FIXTURE(registered_buffers)
{
	struct context c;
	struct array a;
	int fd; /* io_uring's */
};

FIXTURE_SETUP(registered_buffers)
{
	struct io_uring_params parameters = {};

	self->c.fd = self->fd = -1;
	if (no_device())
		SKIP(return, "%s", no_device());
	self->fd = syscall(SYS_io_uring_setup, 4, &parameters);
	if (self->fd < 0)
		SKIP(return, "no io_uring here");
	ASSERT_EQ(context_open(&self->c, ALL_FEATURES, 0), 0);
	ASSERT_EQ(array_create(&self->a, &self->c, 0, MIB, 16), 0);
}

FIXTURE_TEARDOWN(registered_buffers)
{
	close(self->fd);
	if (self->c.fd >= 0)
		context_close(&self->c);
}

static int enlist(int fd, volatile char *memory, size_t length)
{
	struct iovec buffer = {(void *)memory, length};

	return syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &buffer, 1) ? -errno : 0;
}

/*
 * The kernel returns EFAULT since 6.5. Before, io_uring takes no mapping of a file (EOPNOTSUPP), and holds a lock with
 * which a touch may not wait (EFAULT).
 */
static bool is_refusal(int rc)
{
	return rc == -EFAULT || rc == -EOPNOTSUPP;
}

TEST_F(registered_buffers, not_of_the_primary)
{
	struct resolver r;

	EXPECT_TRUE(is_refusal(enlist(self->fd, self->a.primary, MIB)));
	ASSERT_EQ(resolver_start(&r, &self->a, GPUVM_STATE_HOST), 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_DEVICE, NULL), 0);
	EXPECT_TRUE(is_refusal(enlist(self->fd, self->a.primary, MIB)));
	EXPECT_EQ(differs(self->a.primary, 0, MIB, 0), -1);
	EXPECT_EQ(resolver_stop(&r), 0);
}

TEST_F(registered_buffers, of_the_alias)
{
	bool refused = enlist(self->fd, self->a.primary, MIB) == -EOPNOTSUPP;
	int rc = enlist(self->fd, self->a.alias, MIB);

	EXPECT_EQ(rc, refused ? -EOPNOTSUPP : 0);
	/* Revokes go on. */
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_FAILED, NULL), 0);
	EXPECT_EQ(try_read(self->a.primary), -1);
	EXPECT_EQ(try_write(self->a.alias, 1), 0);
	ASSERT_EQ(set_state(&self->a, 0, MIB, GPUVM_STATE_HOST, NULL), 0);
	EXPECT_EQ(try_read(self->a.primary), 1);
	EXPECT_EQ(array_destroy(&self->a), 0);
	if (!rc) {
		EXPECT_EQ(syscall(SYS_io_uring_register, self->fd, IORING_UNREGISTER_BUFFERS, NULL, 0), 0);
	}
}

TEST_HARNESS_MAIN
