/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Host arrays whose pages come and go with the GPU's copies: the contract
 * between gpuvm.ko and user space.
 */
#ifndef _UAPI_LINUX_GPUVM_H
#define _UAPI_LINUX_GPUVM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/**
 * DOC: Overview
 *
 * Each open of /dev/gpuvm gives a *context*. It belongs to the address space
 * (mm) that opened it: from any other one, ioctl() and mmap() fail with
 * ``EPERM``, so a descriptor that was inherited or passed on is of no use. One
 * context serves all arrays of a process.
 *
 * A context is a sparse space of *offsets*, from 0 to %GPUVM_SPACE. User space
 * divides it as it likes into *regions*, one for each array
 * (%GPUVM_IOC_REGION_CREATE). Their pages can be mapped twice: at the *primary*
 * offset, where the state of each page decides what a touch does, and at the
 * *alias* offset, where the same pages are always readable and writable. Pages
 * come at the first touch that is allowed (or with %GPUVM_IOC_POPULATE),
 * zeroed, and stay in memory until they are punched, the region is destroyed or
 * the context ends.
 *
 * All memory of a context, tables and ring too, is charged to the process that
 * owns it, whoever touches: to its memory cgroup, and to the RLIMIT_MEMLOCK of
 * its user unless it had CAP_IPC_LOCK at HELLO. Pages that others have pinned
 * count until they are let go.
 *
 * Each page has a state (&enum gpuvm_state), which user space sets by ranges
 * (%GPUVM_IOC_SET_STATE) and reads in a mapped table, with no system call. The
 * kernel acts by *chunks*: power-of-two pieces of a region, counted from its
 * begin. A touch maps its whole chunk as far as the pages have the same state
 * and exist, marks a whole chunk as written, and is posted once a chunk.
 *
 * A touch of a page in state DEVICE is posted to the *ring*, and the thread
 * waits, first spinning, then asleep. A *resolver*, a thread of the process,
 * takes the touch from the ring, brings the bytes into the alias and sets the
 * state to HOST or SHARED, which lets all that wait go on. Touches by system
 * calls (read(2), O_DIRECT, vmsplice(2)) are served alike; only those that may
 * not wait fail, with ``EFAULT``. Pins that are meant to last (buffers that are
 * registered with io_uring, RDMA) are refused for the primary with ``EFAULT``
 * since Linux 6.5; the alias can be pinned so. Before, io_uring registers no
 * mapping of a file, the alias neither (``EOPNOTSUPP``).
 *
 * When the SET_STATE that takes access away has returned, no thread has that
 * access any more. DMA to pages that were pinned before goes on. Who waits for
 * a mapping that is unmapped looks again, and finds what is there now.
 */

/**
 * DOC: Compatibility
 *
 * Each structure begins with its size in bytes, as the caller knows it. A
 * shorter one than the kernel's is taken as if its missing end were zero (not
 * shorter than its first version); a longer one is taken if what the kernel
 * does not know is zero (else ``E2BIG``). Reserved fields and unknown flags
 * must be zero (else ``EINVAL``). New abilities are feature bits:
 * %GPUVM_IOC_HELLO grants those that both sides know, and what needs a bit that
 * was not granted fails with ``EOPNOTSUPP``.
 */

/**
 * DOC: Errors
 *
 * ===============  ===========================================================
 * E2BIG            the structure has an end that this kernel does not know, and
 *                  it is not zero
 * EACCES           mmap() of a read-only table for writing
 * EALREADY         HELLO was said before on this context
 * EBADFD           HELLO was not said yet
 * EBUSY            there is a region in that range already
 * EFAULT           a pointer leads nowhere, or the structure can only be read;
 *                  nothing was done then
 * EINTR            a signal came; what was done so far stays done, and the call
 *                  may be repeated
 * EINVAL           a reserved field is not zero, a value is unknown, or a range
 *                  is empty, not of whole pages or outside the space; mmap()
 *                  that is not shared
 * EMFILE, ENFILE   no descriptor is left for the event
 * ENODEV           mmap() of offsets that mean nothing
 * ENOENT           no region there: a range must lie in one region
 * ENOMEM           no memory, or a limit is reached: the memory cgroup's,
 *                  RLIMIT_MEMLOCK, the module's ``max_mb``
 * ENOSPC           more regions than %GPUVM_REGIONS_MAX
 * ENOTTY           no such ioctl
 * EOPNOTSUPP       the feature that this needs was not granted
 * EPERM            the context belongs to another address space
 * SIGBUS, EFAULT   a touch of a page that is FAILED, belongs to no region or
 *                  got no memory; of a DEVICE page when the event descriptor is
 *                  closed, or where the toucher may not wait (it exits, dumps
 *                  core, holds the address space's lock, or is a thread of the
 *                  kernel)
 * ===============  ===========================================================
 */

/**
 * DOC: What to map
 *
 * A context's space has %GPUVM_SPACE bytes. Places in the file for mmap(),
 * always MAP_SHARED:
 *
 * %GPUVM_MMAP_PRIMARY, %GPUVM_MMAP_ALIAS
 *	The space, twice.
 * %GPUVM_MMAP_STATE
 *	One byte a page of the space, read-only; NONE where no region is.
 * %GPUVM_MMAP_UPGRADES
 *	One __u64 a region, by the region's id, read-only.
 * %GPUVM_MMAP_RING
 *	&struct gpuvm_ring, as large as HELLO says.
 */
#define GPUVM_SPACE		(1ULL << 46)
#define GPUVM_MMAP_PRIMARY	(0ULL << 46)
#define GPUVM_MMAP_ALIAS	(1ULL << 46)
#define GPUVM_MMAP_STATE	(2ULL << 46)
#define GPUVM_MMAP_UPGRADES	(3ULL << 46)
#define GPUVM_MMAP_RING		(4ULL << 46)

/**
 * DOC: Limits
 *
 * %GPUVM_REGIONS_MAX regions a context, %GPUVM_REGION_BYTES_MAX bytes a region,
 * %GPUVM_CHUNK_SHIFT_MAX for the log2 of a chunk's bytes, %GPUVM_RANGES_MAX
 * ranges a call.
 */
#define GPUVM_REGIONS_MAX	(1U << 20)
#define GPUVM_REGION_BYTES_MAX	(1ULL << 39)
#define GPUVM_CHUNK_SHIFT_MAX	21
#define GPUVM_RANGES_MAX	4096

/**
 * enum gpuvm_state - what a touch of a page in the primary mapping does
 * @GPUVM_STATE_NONE: SIGBUS: the page belongs to no region. Can not be set.
 * @GPUVM_STATE_HOST: Maps the chunk's pages of this state, writable (after
 *	%GPUVM_IOC_ACCESSED from the first write on). The state of a new region.
 * @GPUVM_STATE_SHARED: A read maps the chunk's pages of this state, read-only.
 *	The first write changes all of them to HOST | UPGRADED, maps them
 *	writable and goes on, all in the kernel; the region's upgrade counter
 *	goes up before and after the change. Needs %GPUVM_FEATURE_SHARED.
 * @GPUVM_STATE_DEVICE: Is posted to the ring and waits.
 * @GPUVM_STATE_FAILED: SIGBUS (EFAULT in a system call): the data is lost.
 * @GPUVM_STATE_MASK: The bits of a state byte that hold one of the above; the
 *	others are flags that the kernel sets, and clears with the next
 *	SET_STATE.
 * @GPUVM_STATE_UPGRADED: Flag: a write to the SHARED page's chunk made it HOST.
 *	Who sees the written bytes sees the flag, and a counter other than
 *	before. So a reader loads the counter (acquire), looks through the bytes
 *	if it differs from the last time, and keeps the value that it loaded.
 * @GPUVM_STATE_POSTED: Flag: a touch of the DEVICE page's chunk is in the ring
 *	or was taken from it, and threads may wait.
 */
enum gpuvm_state {
	GPUVM_STATE_NONE	= 0,
	GPUVM_STATE_HOST	= 1,
	GPUVM_STATE_SHARED	= 2,
	GPUVM_STATE_DEVICE	= 3,
	GPUVM_STATE_FAILED	= 4,

	GPUVM_STATE_MASK	= 0x0f,
	GPUVM_STATE_UPGRADED	= 0x40,
	GPUVM_STATE_POSTED	= 0x80,
};

/**
 * DOC: Features
 *
 * %GPUVM_FEATURE_SHARED
 *	State SHARED with its upgrades.
 * %GPUVM_FEATURE_HUGE
 *	Huge pages and huge mappings.
 * %GPUVM_FEATURE_NODE
 *	The choice of a NUMA node.
 * %GPUVM_FEATURE_ACCESSED
 *	%GPUVM_IOC_ACCESSED.
 */
#define GPUVM_FEATURE_SHARED	(1ULL << 0)
#define GPUVM_FEATURE_HUGE	(1ULL << 1)
#define GPUVM_FEATURE_NODE	(1ULL << 2)
#define GPUVM_FEATURE_ACCESSED	(1ULL << 3)

/**
 * struct gpuvm_hello - argument of %GPUVM_IOC_HELLO
 * @size: sizeof(struct gpuvm_hello)
 * @flags: must be 0
 * @features: in: the features that the caller can use; out: those of them that
 *	are granted
 * @offered: out: all features of this kernel, for reports
 * @ring_entries: in: touches that the ring shall hold, 0 for the kernel's
 *	choice; out: what it holds, a power of two
 * @ring_bytes: out: what to map at %GPUVM_MMAP_RING
 * @page_size: out: bytes a page
 * @huge_size: out: bytes of a huge page, 0 if %GPUVM_FEATURE_HUGE was not
 *	granted
 * @event_fd: out: a descriptor (close-on-exec) that polls readable while the
 *	ring holds touches. It stands for the resolver: when its last copy is
 *	closed, all touches of DEVICE pages, waiting ones and later ones, get
 *	SIGBUS.
 * @reserved: must be 0
 *
 * The first call on a context. Can be said once.
 */
struct gpuvm_hello {
	__u32 size;
	__u32 flags;
	__aligned_u64 features;
	__aligned_u64 offered;
	__u32 ring_entries;
	__u32 ring_bytes;
	__u32 page_size;
	__u32 huge_size;
	__s32 event_fd;
	__u32 reserved;
};

/* Flags of a region */
#define GPUVM_REGION_HUGE	(1U << 0)
#define GPUVM_REGION_NODE	(1U << 1)

/**
 * struct gpuvm_region - argument of REGION_CREATE and REGION_DESTROY
 * @size: sizeof(struct gpuvm_region)
 * @flags: %GPUVM_REGION_HUGE: pages come as huge pages where there are some
 *	(@offset must be a multiple of the huge size; needs
 *	%GPUVM_FEATURE_HUGE). If the chunks are huge pages too, a mapping of
 *	nothing but whole ones, at a multiple of the huge size, maps them as
 *	such. %GPUVM_REGION_NODE: pages come from @node while it has some (needs
 *	%GPUVM_FEATURE_NODE).
 * @offset: first byte in the space, a multiple of the page size
 * @length: bytes, a multiple of the page size; at most %GPUVM_REGION_BYTES_MAX
 * @chunk_shift: log2 of the bytes of a chunk
 * @node: the NUMA node of %GPUVM_REGION_NODE, otherwise 0
 * @id: out: which counter of %GPUVM_MMAP_UPGRADES is the region's; it may have
 *	any value at first and never goes down while the region exists. The
 *	smallest free number is given.
 * @reserved: must be 0
 *
 * REGION_DESTROY looks at @size and @offset only, the others must be 0. It
 * unmaps and frees all pages of the region; who waits gets SIGBUS.
 */
struct gpuvm_region {
	__u32 size;
	__u32 flags;
	__aligned_u64 offset;
	__aligned_u64 length;
	__u32 chunk_shift;
	__u32 node;
	__u32 id;
	__u32 reserved;
};

/**
 * struct gpuvm_range - some pages of one region
 * @offset: first byte in the space, a multiple of the page size
 * @length: bytes, a multiple of the page size
 */
struct gpuvm_range {
	__aligned_u64 offset;
	__aligned_u64 length;
};

/* What ACCESSED says of a range: it was read or written; it was written. */
#define GPUVM_ACCESSED_ANY	(1U << 0)
#define GPUVM_ACCESSED_WRITE	(1U << 1)

/**
 * struct gpuvm_range_op - argument of SET_STATE, WAKE, POPULATE, PUNCH and
 * ACCESSED
 * @size: sizeof(struct gpuvm_range_op)
 * @state: SET_STATE: the new &enum gpuvm_state; otherwise 0
 * @ranges: pointer to an array of &struct gpuvm_range
 * @count: how many, up to %GPUVM_RANGES_MAX
 * @done: out, also with an error: how many ranges were done whole
 * @upgraded: out: SET_STATE: how many pages had %GPUVM_STATE_UPGRADED
 * @accessed: ACCESSED: pointer to one __u8 a range, which gets GPUVM_ACCESSED_*
 *	bits; otherwise 0. Came with %GPUVM_FEATURE_ACCESSED.
 *
 * Ranges are done in turn. %GPUVM_IOC_SET_STATE changes the pages of a range at
 * once for all touches, unmaps them from the primary unless the new state is
 * HOST, and lets all that wait in its chunks look again. %GPUVM_IOC_WAKE only
 * does the last: who still finds DEVICE posts its touch anew.
 * %GPUVM_IOC_POPULATE makes pages exist; %GPUVM_IOC_PUNCH takes them away (pinned ones when they are
 * unpinned), leaves the states alone, and later touches find zeroes.
 *
 * %GPUVM_IOC_ACCESSED tells what was done to a range, in whole chunks, through
 * primary mappings since it was asked the last time, and begins anew. States
 * stay as they are, and so do bytes. But the next access to a chunk that had
 * been accessed costs a fault, and so does the first write; they wait for
 * nobody. What is told is exact, but for pages that others have pinned. A chunk
 * that is asked about for the first time counts as written if it was accessed.
 */
struct gpuvm_range_op {
	__u32 size;
	__u32 state;
	__aligned_u64 ranges;
	__u32 count;
	__u32 done;
	__aligned_u64 upgraded;
	__aligned_u64 accessed;
};

/*
 * Flags of a touch: a write; by a system call; by another process, as
 * process_vm_readv(2) does.
 */
#define GPUVM_TOUCH_WRITE	(1U << 0)
#define GPUVM_TOUCH_KERNEL	(1U << 1)
#define GPUVM_TOUCH_REMOTE	(1U << 2)

/**
 * struct gpuvm_touch - one entry of the ring
 * @offset: page in the space
 * @address: page in the primary mapping, as the toucher sees it
 * @flags: GPUVM_TOUCH_*
 * @tid: thread that touched first, as its own PID namespace numbers it
 * @reserved: 0, to be ignored
 */
struct gpuvm_touch {
	__aligned_u64 offset;
	__aligned_u64 address;
	__u32 flags;
	__u32 tid;
	__aligned_u64 reserved;
};

/**
 * struct gpuvm_ring - the first bytes of the mapping at %GPUVM_MMAP_RING
 * @head: how many touches were posted so far, modulo 2^32; written by the
 *	kernel, to be loaded with acquire semantics
 * @tail: how many touches were taken; written by the consumer with release
 *	semantics, after it has read the entries
 * @entries: how many touches the ring holds, a power of two
 * @first: bytes from the ring's begin to its first &struct gpuvm_touch; touch n
 *	lies in entry n modulo @entries
 * @overflows: how often a touch found the ring full. It is not lost: its thread
 *	tries again each millisecond.
 * @pad0: not used
 * @pad1: not used
 *
 * One consumer at a time. An entry may be outdated when it is taken: the page's
 * state tells. Where @head differs from @tail there are touches; no system call
 * is needed to see it.
 */
struct gpuvm_ring {
	__u32 head;
	__u32 pad0[15];
	__u32 tail;
	__u32 pad1[15];
	__u32 entries;
	__u32 first;
	__aligned_u64 overflows;
};

/**
 * DOC: Calls
 *
 * The ioctls of /dev/gpuvm and what they take. Numbers carry no size.
 *
 * %GPUVM_IOC_HELLO
 *	&struct gpuvm_hello. Must be the first.
 * %GPUVM_IOC_REGION_CREATE, %GPUVM_IOC_REGION_DESTROY
 *	&struct gpuvm_region.
 * %GPUVM_IOC_SET_STATE, %GPUVM_IOC_WAKE, %GPUVM_IOC_POPULATE, %GPUVM_IOC_PUNCH,
 * %GPUVM_IOC_ACCESSED
 *	&struct gpuvm_range_op.
 */
#define GPUVM_IOC			0xB9
#define GPUVM_IOC_HELLO			_IO(GPUVM_IOC, 0x00)
#define GPUVM_IOC_REGION_CREATE		_IO(GPUVM_IOC, 0x01)
#define GPUVM_IOC_REGION_DESTROY	_IO(GPUVM_IOC, 0x02)
#define GPUVM_IOC_SET_STATE		_IO(GPUVM_IOC, 0x03)
#define GPUVM_IOC_WAKE			_IO(GPUVM_IOC, 0x04)
#define GPUVM_IOC_POPULATE		_IO(GPUVM_IOC, 0x05)
#define GPUVM_IOC_PUNCH			_IO(GPUVM_IOC, 0x06)
#define GPUVM_IOC_ACCESSED		_IO(GPUVM_IOC, 0x07)

#endif /* _UAPI_LINUX_GPUVM_H */
