/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/**
 * @file gpuvm.h
 * Ordinary host arrays that live on devices too.
 *
 * The program allocates an array as it always did, links it to one buffer per
 * device, and brackets the kernels that use it with gpuvm_kernel_begin() and
 * gpuvm_kernel_end(). The first host touch after a kernel that wrote the array
 * brings the touched part back; no other thread is stopped meanwhile.
 *
 * The first part of this file is the interface of libgpuvm 0.0.1 (Adinetz,
 * 2011): same names, values, types and meaning. The second part, "Extensions",
 * is new in libhet.
 *
 * Conventions
 * - Every function that returns int returns 0 or a negative GPUVM_E... code
 *   (gpuvm_library_exists() apart); it also writes one line with the cause and
 *   the cure to stderr unless GPUVM_QUIET=1 is set in the environment.
 * - Sizes are in bytes, times in seconds.
 * - Every function is thread safe; none may be called from a signal handler.
 * - A host pointer argument other than gpuvm_link()'s may point anywhere into a
 *   linked array.
 */
#ifndef GPUVM_H
#define GPUVM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Page size that libgpuvm assumed. Kept for source compatibility; libhet asks the system. */
#define GPUVM_PAGE_SIZE 4096

/** gpuvm_unlink(): every device on which the array is linked. */
#define GPUVM_ALL_DEVICES ~0

/** Flags. Each function lists those that it takes; any other is GPUVM_EARG. */
enum {
	GPUVM_NONE = 0,
	/** devices are OpenCL command queues (cl_command_queue), buffers cl_mem */
	GPUVM_OPENCL = 0x1,
	/** devices are CUDA ordinals, buffers CUdeviceptr */
	GPUVM_CUDA = 0x2,
	/** mask of the two above */
	GPUVM_API = 0x3,
	/** gpuvm_link(): the host copy is the valid one */
	GPUVM_ON_HOST = 0x4,
	/** gpuvm_link(): the device copy is the valid one */
	GPUVM_ON_DEVICE = 0x8,
	/** gpuvm_kernel_begin(): the kernel only reads the array */
	GPUVM_READ_ONLY = 0x10,
	/** gpuvm_kernel_begin(): the kernel writes every byte of the array and reads none */
	GPUVM_WRITE_ONLY = 0x20,
	/** gpuvm_kernel_begin(): the kernel reads and writes */
	GPUVM_READ_WRITE = 0x30,
	/** gpuvm_init(): collect times (GPUVM_STAT_COPY_TIME and its kin) */
	GPUVM_STAT = 0x40,
	/** gpuvm_pre_init(): before the device run-time system starts its threads */
	GPUVM_THREADS_BEFORE_INIT = 0x80,
	/** gpuvm_pre_init(): after it; only the trap sigsegv-stop has a use for either */
	GPUVM_THREADS_AFTER_INIT = 0x100,
	/** gpuvm_init(): accepted for compatibility; libhet never needs it */
	GPUVM_WRITER_SIG_BLOCK = 0x200,
	/** gpuvm_init(): the last gpuvm_unlink() does not bring device data home */
	GPUVM_UNLINK_NO_SYNC_BACK = 0x400,

	/* Extensions of libhet; one enum, as C++20 warns where values of two are combined. */

	/** gpuvm_init(): devices are host memory, buffers plain pointers */
	GPUVM_HOST = 0x800,
	/** gpuvm_link(): memory that can't be adopted is copied whole at begin and end */
	GPUVM_COPY = 0x1000,
	/** gpuvm_init(): the host loses an array at the begin of a writing kernel; touches wait for the end */
	GPUVM_STRICT = 0x2000,
	/** gpuvm_malloc(): use huge pages where they can be had */
	GPUVM_HUGE = 0x4000,
	/**
	 * gpuvm_init(): the end of a kernel brings nothing home that the host is expected to touch (GPUVM_FORESIGHT=0)
	 */
	GPUVM_NO_FORESIGHT = 0x8000,

	/** gpuvm_init(): how host touches are caught. Default: the first of these that works here */
	GPUVM_TRAP_KMOD = 0x10000,
	GPUVM_TRAP_UFFD = 0x20000,
	GPUVM_TRAP_UFFD_SIGBUS = 0x30000,
	GPUVM_TRAP_SIGSEGV = 0x40000,
	/** the 2011 mechanism, which stops every thread of the process: for the benchmark only */
	GPUVM_TRAP_SIGSEGV_STOP = 0x50000,
	GPUVM_TRAP_MASK = 0xf0000,

	/** gpuvm_init(): resolvers always spin, or never. Default: they spin while that pays */
	GPUVM_SPIN_ALWAYS = 0x100000,
	GPUVM_SPIN_NEVER = 0x200000,
	GPUVM_SPIN_MASK = 0x300000,

	/** gpuvm_init(): what the host writes between kernels is sent to the device while it still writes elsewhere
	 * (GPUVM_SEND_AHEAD=1). The program promises that then nothing writes to linked arrays past the processor's
	 * page tables (direct I/O, RDMA, io_uring's buffers) but where gpuvm_host_begin() has said so since the last
	 * kernel */
	GPUVM_SEND_AHEAD = 0x400000
};

/** Error codes. gpuvm_strerror() names them. */
enum {
	/** nothing more specific is known */
	GPUVM_ERROR = -1,
	/** memory or another resource of the library could not be had */
	GPUVM_ESALLOC = -2,
	/** an argument is null that must not be */
	GPUVM_ENULL = -3,
	/** an argument is out of range, or a flag is unknown */
	GPUVM_EARG = -4,
	/** a call that is allowed once was made again */
	GPUVM_ETWICE = -5,
	/** the range overlaps a linked array without being the same */
	GPUVM_ERANGE = -6,
	/** the array is linked on this device already */
	GPUVM_ELINK = -7,
	/** the pointer points into no linked array */
	GPUVM_EHOSTPTR = -8,
	/** a call of the device's API failed, most likely for lack of memory */
	GPUVM_EDEVALLOC = -9,
	/** the memory can not be watched (see gpuvm_link()) */
	GPUVM_EPROT = -10,
	/** the array has no link on this device */
	GPUVM_ENOLINK = -11,
	/** not allowed in this state */
	GPUVM_ESTATE = -12,
	/** the device's API is missing or of the wrong version */
	GPUVM_EAPI = -13
};

/** Parameters of gpuvm_stat(), each with the type that @p value points to. */
enum {
	/** int: non-zero if GPUVM_STAT was given to gpuvm_init() */
	GPUVM_STAT_ENABLED = 1,
	/** unsigned: number of devices */
	GPUVM_STAT_NDEVS = 2,
	/** double: time spent in copies between host and devices */
	GPUVM_STAT_COPY_TIME = 3,
	/** unsigned long long: host touches that were caught */
	GPUVM_STAT_PAGEFAULTS = 4,
	/** double: the part of GPUVM_STAT_COPY_TIME that went to the host */
	GPUVM_STAT_HOST_COPY_TIME = 5,
	/** double: time spent serving touches, copies included */
	GPUVM_STAT_PAGEFAULT_TIME = 6
};

/**
 * Tells which threads belong to a device run-time system and must not be stopped.
 * @param flags GPUVM_THREADS_BEFORE_INIT before it is started, GPUVM_THREADS_AFTER_INIT after.
 * No thread is ever stopped by libhet, so only the benchmark's trap
 * sigsegv-stop uses the answer; the call is accepted everywhere, at any time before gpuvm_init().
 * @return 0; GPUVM_EARG for other flags; GPUVM_ESTATE for AFTER without BEFORE; GPUVM_ESALLOC.
 */
int gpuvm_pre_init(int flags);

/**
 * Lets a program that loads the library at run time see that it is there.
 * @return 1. May be called before gpuvm_init().
 */
#ifdef __cplusplus
int gpuvm_library_exists(void);
#else
int gpuvm_library_exists();
#endif

/**
 * Starts the library, once a process.
 * @param ndevs number of devices, 1 to 31.
 * @param devs  GPUVM_OPENCL: @p ndevs command queues. The library only takes their context and
 *              device; its transfers run on queues of its own.
 *              GPUVM_CUDA: ignored, device i is CUDA ordinal i, in its primary context.
 *              GPUVM_HOST: null, or @p ndevs pointers to struct gpuvm_host_device (null entries allowed).
 * @param flags one of GPUVM_OPENCL, GPUVM_CUDA, GPUVM_HOST; with any of GPUVM_STAT,
 *              GPUVM_UNLINK_NO_SYNC_BACK, GPUVM_WRITER_SIG_BLOCK, GPUVM_STRICT, GPUVM_NO_FORESIGHT, one
 *              GPUVM_TRAP_..., one GPUVM_SPIN_...
 * @return 0; GPUVM_EARG, GPUVM_ENULL; GPUVM_ETWICE if it has succeeded before; GPUVM_EAPI if the
 *         device API is not there; GPUVM_EDEVALLOC if it refuses; GPUVM_EPROT if no trap, or not the
 *         one asked for, works here; GPUVM_ESALLOC.
 */
int gpuvm_init(unsigned ndevs, void **devs, int flags);

/**
 * Links a host array to a buffer of one device.
 * @param hostptr first byte of the array, any alignment.
 * @param nbytes  its size, at least 1.
 * @param idev    device number, below gpuvm_init()'s ndevs.
 * @param devbuf  the buffer there, at least @p nbytes large. It stays the caller's, and must outlive the link.
 * @param flags   the API that gpuvm_init() was given (optional), with GPUVM_ON_HOST (default) or
 *                GPUVM_ON_DEVICE, and optionally GPUVM_COPY.
 *
 * The memory must be private anonymous memory (malloc, new, mmap, .bss) or come from gpuvm_malloc().
 * Anything else (file and shared mappings, hugetlb, stacks, .data) is refused with GPUVM_EPROT, or copied
 * at begin and end where GPUVM_COPY is given. The link moves the array's whole pages into memory of the
 * library's; address and contents stay. Other threads may use the array meanwhile.
 * @return 0; GPUVM_ENULL, GPUVM_EARG; GPUVM_ERANGE; GPUVM_ELINK; GPUVM_EPROT; GPUVM_ESALLOC;
 *         GPUVM_ESTATE before gpuvm_init() and in a forked child.
 */
int gpuvm_link(void *hostptr, size_t nbytes, unsigned idev, void *devbuf, int flags);

/**
 * Removes the link of an array on one device, or on all (GPUVM_ALL_DEVICES).
 * If the device has the only valid copy, it comes home first, unless it is the last link and
 * GPUVM_UNLINK_NO_SYNC_BACK was given. After the last one the memory is
 * ordinary private memory again. A link that does not exist is removed with success, and so is a null @p hostptr.
 * @return 0; GPUVM_EARG; GPUVM_EHOSTPTR; GPUVM_ESTATE while a kernel uses the array on that device;
 *         GPUVM_EDEVALLOC if the data, edges that a gpuvm_kernel_end() could not read among them, can't be read back
 *         (the link stays); GPUVM_ESALLOC.
 */
int gpuvm_unlink(void *hostptr, unsigned idev);

/**
 * @return the buffer that the array is linked to on device @p idev, or null.
 */
void *gpuvm_xlate(void *hostptr, unsigned idev);

/**
 * Announces a kernel: makes the array's copy on device @p idev valid. Only the chunks that are not
 * valid there travel, and none for GPUVM_WRITE_ONLY.
 * @param flags GPUVM_READ_ONLY, GPUVM_WRITE_ONLY or GPUVM_READ_WRITE.
 * The data is there when the call returns. Between begin and end of a writing kernel the array is the
 * device's: a host touch is a race of the program's (see GPUVM_STRICT).
 * @return 0; GPUVM_ENULL, GPUVM_EARG; GPUVM_EHOSTPTR; GPUVM_ENOLINK; GPUVM_ESTATE if another
 *         device is writing the array, or (writing) with GPUVM_STRICT if the array has edges; GPUVM_EDEVALLOC if the
 *         copy failed; GPUVM_EPROT.
 */
int gpuvm_kernel_begin(void *hostptr, unsigned idev, int flags);

/**
 * Ends what gpuvm_kernel_begin() began. The kernel must have finished. After one that wrote, what the host is expected
 * to touch (GPUVM_NO_FORESIGHT) has come home when this returns; the rest is on the device alone, and touches wait.
 * @return 0; GPUVM_ENULL, GPUVM_EARG; GPUVM_EHOSTPTR; GPUVM_ENOLINK; GPUVM_ESTATE without a begin;
 *         GPUVM_EDEVALLOC if the edges could not be read back: the call may be repeated, which reads them again (as do
 *         the next begin, gpuvm_host_begin(), fork() and gpuvm_unlink()); until it succeeds the host has the edges' old
 *         bytes, and what it writes there is lost; GPUVM_EPROT.
 */
int gpuvm_kernel_end(void *hostptr, unsigned idev);

/**
 * Reads one statistic or parameter.
 * @param value points to an object of the type listed with @p parameter.
 * @return 0; GPUVM_ENULL; GPUVM_EARG; GPUVM_ESTATE before gpuvm_init(), or for a time without GPUVM_STAT.
 */
int gpuvm_stat(int parameter, void *value);

/* ------------------------------------------------------------------------ */
/* Extensions of libhet                                                     */
/* ------------------------------------------------------------------------ */

/** Parameters of gpuvm_stat() that libhet adds. */
enum {
	/** unsigned long long: bytes copied from host to devices, and between devices */
	GPUVM_STAT_BYTES_TO_DEVICE = 64,
	/** unsigned long long: bytes copied from devices to the host */
	GPUVM_STAT_BYTES_TO_HOST = 65,
	/** unsigned long long: bytes that a begin did not copy because they were valid already */
	GPUVM_STAT_BYTES_KEPT = 66,
	/** unsigned long long: host touches (the same count as GPUVM_STAT_PAGEFAULTS) */
	GPUVM_STAT_TOUCHES = 67,
	/** unsigned long long: touches for which a device was read */
	GPUVM_STAT_FETCHES = 68,
	/** double: how long touches were stalled, as the library sees it (from event to resolve) */
	GPUVM_STAT_STALL_MIN = 69,
	GPUVM_STAT_STALL_MEDIAN = 70,
	GPUVM_STAT_STALL_P99 = 71,
	GPUVM_STAT_STALL_MAX = 72,
	/** unsigned long long: bytes of the library's own bookkeeping */
	GPUVM_STAT_BOOKKEEPING = 73,
	/** unsigned long long: what the error callback was told so far: failures of devices and of memory, linked
	 * memory that was freed, device calls that hang */
	GPUVM_STAT_FAILURES = 74,
	/** const char *: name of the trap in use */
	GPUVM_STAT_TRAP = 75,
	/** const char *: why that trap, and what is lost against the best one; valid for ever */
	GPUVM_STAT_TRAP_REASON = 76,
	/** const char *: text of the last of them ("" if none); valid until it is asked for again */
	GPUVM_STAT_LAST_FAILURE = 77,
	/** unsigned: number of resolver threads */
	GPUVM_STAT_RESOLVERS = 78,
	/** unsigned long long: bytes of gpuvm_malloc(GPUVM_HUGE) that are in huge pages now, of those that are
	 * allocated */
	GPUVM_STAT_HUGE_BYTES = 79,
	/** unsigned long long: bytes that came home at the end of a kernel, as the host was expected to touch them */
	GPUVM_STAT_FORESEEN = 80,
	/** unsigned long long: of them those that the host has used, and those that came in vain, as far as asking
	 * tells (a chunk that is taken away now and then stands for its neighbours) */
	GPUVM_STAT_FORESEEN_USED = 81,
	GPUVM_STAT_FORESEEN_IN_VAIN = 82,
	/** unsigned long long: bytes that were sent at the begin of a reading kernel and stayed writable, as the host
	 * was expected to write them anew; and those that were sent again in vain, as far as asking tells */
	GPUVM_STAT_LEFT_WRITABLE = 83,
	GPUVM_STAT_LEFT_IN_VAIN = 84,
	/** struct gpuvm_touch_times: those of the touch that was served last. They are collected from the first time on
	 * that they are asked for; until then all are 0. */
	GPUVM_STAT_LAST_TOUCH = 85,
	/** unsigned long long: bytes that were sent to a device while the host still wrote elsewhere (GPUVM_SEND_AHEAD)
	 */
	GPUVM_STAT_SENT_AHEAD = 86,
	/** unsigned long long: of them those that a kernel found there, and those that the host wrote again first */
	GPUVM_STAT_SENT_AHEAD_USED = 87,
	GPUVM_STAT_SENT_AHEAD_IN_VAIN = 88,
	/** int: 1 if the system's own accesses to arrays, as in write(2), wait for the data; 0 if they may fail with
	 * EFAULT. It may be asked for before gpuvm_init(), and is -1 then: nobody knows yet. */
	GPUVM_STAT_SYSTEM_TOUCHES = 89
};

/**
 * When a touch passed from hand to hand, in nanoseconds of CLOCK_MONOTONIC; 0 where it did not pass. The members stand
 * in the order of time.
 */
struct gpuvm_touch_times {
	/** sizeof(struct gpuvm_touch_times), which the caller sets */
	size_t size;
	/** the library had it: in the toucher's signal handler, or in the resolver that received the event */
	unsigned long long caught;
	/** the signal handler handed it over to the resolvers */
	unsigned long long handed;
	/** a resolver received it from a signal handler */
	unsigned long long taken;
	/** the array's lock was had */
	unsigned long long locked;
	/** the copy was about to be given to the device */
	unsigned long long given;
	/** the call that gives it to the device returned; 0 if the copy was a memcpy() */
	unsigned long long started;
	/** the bytes had arrived */
	unsigned long long copied;
	/** the page was shown, and the toucher told to go on */
	unsigned long long shown;
};

/**
 * A device of GPUVM_HOST whose buffers are reached through functions of the program's own.
 * Null functions mean memcpy(). Functions return 0 or a negative GPUVM_E... code; they run on any
 * thread, several at once, and must not touch linked arrays.
 */
struct gpuvm_host_device {
	/** sizeof(struct gpuvm_host_device) */
	size_t size;
	/** copies @p n bytes from the buffer, starting at @p off, to the host */
	int (*read)(void *arg, const void *devbuf, size_t off, void *dst, size_t n);
	/** copies @p n bytes from the host to the buffer, starting at @p off */
	int (*write)(void *arg, void *devbuf, size_t off, const void *src, size_t n);
	/** first argument of both */
	void *arg;
};

/** One device of gpuvm_init_devices(). */
struct gpuvm_device {
	/** GPUVM_OPENCL, GPUVM_CUDA or GPUVM_HOST */
	int api;
	/** what gpuvm_init()'s devs holds for this API; for GPUVM_CUDA the ordinal, cast */
	void *handle;
};

/**
 * gpuvm_init() for devices of several APIs in one list.
 * @param flags as gpuvm_init()'s, without an API.
 */
int gpuvm_init_devices(unsigned ndevs, const struct gpuvm_device *devs, int flags);

/**
 * Allocates page-aligned memory that has no edges and needs no adoption when it is linked.
 * @param idev  device near which the memory should lie (NUMA), or GPUVM_ALL_DEVICES for any.
 * @param flags GPUVM_NONE or GPUVM_HUGE.
 * @return zeroed memory, or null (reason on stderr).
 */
void *gpuvm_malloc(size_t nbytes, unsigned idev, int flags);

/**
 * Frees memory of gpuvm_malloc(). Links of arrays in it are removed first, without bringing data home.
 * @return 0; GPUVM_EHOSTPTR if @p ptr did not come from gpuvm_malloc(); GPUVM_ESTATE while a kernel uses it.
 */
int gpuvm_free(void *ptr);

/**
 * gpuvm_kernel_begin() and gpuvm_kernel_end() for a part of an array: only the chunks that hold
 * bytes of [@p hostptr, @p hostptr + @p nbytes) take part. Chunks at the ends are treated whole, so
 * GPUVM_WRITE_ONLY copies those that are covered in part. Every begin has an end with the same range.
 * Two devices may write disjoint parts at once if no chunk and no edge holds bytes of both
 * (else GPUVM_ESTATE).
 */
int gpuvm_kernel_begin_range(void *hostptr, size_t nbytes, unsigned idev, int flags);
int gpuvm_kernel_end_range(void *hostptr, size_t nbytes, unsigned idev);

/**
 * gpuvm_kernel_end() for a kernel that has not finished: returns without waiting for it; touches, and a later
 * begin, wait for the event. An array waits for one event at a time: where another is pending on it, the call
 * waits for that. What the host is expected to touch comes home behind the event.
 * @param event a cl_event (GPUVM_OPENCL) of the kernel; the library retains it. For GPUVM_CUDA: a CUevent that was
 *              recorded behind the kernel; it may be recorded again or destroyed once the call has returned. For
 *              GPUVM_HOST: a pointer to an int that becomes non-zero when the kernel has finished, and stays until a
 *              touch, a begin or an unlink of the array has returned.
 * @return as gpuvm_kernel_end(); GPUVM_ESTATE for an array with edges.
 */
int gpuvm_kernel_end_event(void *hostptr, unsigned idev, void *event);

/**
 * Makes a part of an array valid on the host now, as a touch of each byte would.
 * @param flags GPUVM_READ_ONLY, or GPUVM_READ_WRITE / GPUVM_WRITE_ONLY: the host becomes the only owner.
 * Useful before a touch with a lock held that a device driver needs.
 */
int gpuvm_host_begin(void *hostptr, size_t nbytes, int flags);

/**
 * Copy bytes of arrays, or of other memory of the program's, from @p hostptr to @p to, or to @p hostptr from @p from,
 * wherever they are valid: of what a device alone has these bytes travel and no others. All stays where it is: nothing
 * is made valid on the host or taken from a device, and a touch afterwards is what it would have been before. What is
 * written, all valid copies get. @p to and @p from lie in no array. No kernel may be using these bytes.
 * @return 0; GPUVM_ENULL; GPUVM_EARG if the other memory lies in an array, or a range wraps;
 * GPUVM_EDEVALLOC if a device has failed: of a write some bytes may be done then, and the device has lost its copy of
 * the others unless it was the only one.
 */
int gpuvm_host_read(const void *hostptr, size_t nbytes, void *to);
int gpuvm_host_write(void *hostptr, size_t nbytes, const void *from);

/**
 * @return 1 if one of the @p nbytes at @p hostptr is a linked array's, in an edge or not; 0 if none is, before
 * gpuvm_init() too. The time it takes does not depend on @p nbytes. Any thread may call it; another one may link or
 * unlink arrays before it has returned.
 */
int gpuvm_is_linked(const void *hostptr, size_t nbytes);

/**
 * @return the second address of the byte at @p hostptr, always readable and writable, for pins that
 * outlive kernels (RDMA, registered io_uring buffers); null for bytes in an edge. The library does not see
 * accesses through it: bracket them with gpuvm_host_begin() as needed. Valid until the last unlink.
 */
void *gpuvm_alias(void *hostptr);

/**
 * Called on a thread of the library's for failures that no call returns: a device that failed during
 * a touch, a linked array that was freed or unmapped, a fetch that does not end.
 * @param code  a GPUVM_E... code.
 * @param hostptr first byte of the array concerned, or null.
 * @param message one line, valid during the call.
 */
typedef void (*gpuvm_error_fn)(int code, void *hostptr, const char *message, void *arg);

/** Sets the error callback; null removes it. @return 0. May be called before gpuvm_init(). */
int gpuvm_set_error_callback(gpuvm_error_fn fn, void *arg);

/** @return a sentence for an error code; never null. */
const char *gpuvm_strerror(int err);

#ifdef __cplusplus
}
#endif

#endif /* GPUVM_H */
