/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/**
 * @file het.h
 * One queue over unlike devices, with ordinary host pointers as kernel arguments.
 *
 * A program makes kernels (from OpenCL C source, from functions of its own, or both), and launches them through a
 * queue. Host memory that a launch names travels by itself: to the device before the kernel, and back when the host
 * touches it (gpuvm.h tells how that is done; nothing of it needs to be called). Commands run as soon as what
 * they depend on has finished: events, and the bytes that they read and write.
 *
 * Conventions
 * - No call starts the library; the first one does.
 * - Functions that return int return 0 or a negative HET_E... code, and write one line with cause and cure
 *   to stderr unless GPUVM_QUIET=1 is set. Nothing that a failed call was to make exists then.
 * - Structures that the program fills begin with their size: set it to sizeof and all other bytes to zero before use.
 *   Bytes that this library does not know must be zero (HET_EARG). Structures that the library fills are
 *   filled as far as their size goes.
 * - Objects are made with one reference, the caller's. Retain and release count; what is still in use lives on.
 *   Devices are not counted.
 * - Every function is thread safe; none may be called from a signal handler, and all but the _release functions, which
 *   do nothing, fail in a forked child (HET_ESTATE).
 * - Times are in nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef HET_H
#define HET_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Error codes. het_strerror() has a sentence for each. */
enum {
	/** Memory, a thread or another resource of the host could not be had. */
	HET_ENOMEM = -101,
	/** An argument is null that must not be. */
	HET_ENULL = -102,
	/** An argument is out of range, contradicts another, or is of a newer version. */
	HET_EARG = -103,
	/** There is no such device, or none that can run the kernel. */
	HET_ENODEV = -104,
	/** The program does not build for a device; het_program_log() tells why. */
	HET_EBUILD = -105,
	/** The program has no kernel of that name. */
	HET_ENAME = -106,
	/** A call of the device's API failed. */
	HET_EDEVICE = -107,
	/**
	 * The host memory can't be used by a device: it is unmapped, read-only, or was freed before the command ran.
	 */
	HET_EMEMORY = -108,
	/** A command that this one waited for has failed. */
	HET_EWAIT = -109,
	/** The command was cancelled. */
	HET_ECANCELED = -110,
	/** The call is not allowed in this state. */
	HET_ESTATE = -111,
	/** A fat binary can't be read: it is missing, cut off, damaged, or of a newer version. */
	HET_EIMAGE = -112,
	/**
	 * A checkpoint file can't be read or written: it is missing, damaged, of a newer version, or the disk is full.
	 */
	HET_EFILE = -113
};

/** These say what a command does with memory. */
enum {
	HET_READ_ONLY = 1,
	/** Every byte is written and none is read. */
	HET_WRITE_ONLY = 2,
	HET_READ_WRITE = 3
};

typedef struct het_device het_device;
typedef struct het_program het_program;
typedef struct het_kernel het_kernel;
typedef struct het_memory het_memory;
typedef struct het_queue het_queue;
typedef struct het_event het_event;
typedef struct het_texture het_texture;
typedef struct het_sampler het_sampler;
typedef struct het_checkpoint het_checkpoint;

/* --- devices --------------------------------------------------------------- */

/** These are the kinds of devices. */
enum {
	/** The device is this process: kernels are functions of the program's, and work on host memory in place. */
	HET_DEVICE_HOST = 1,
	/**
	 * This is the same with memory of its own, so that data travels as to a GPU. It is for tests (see HET_DEVICES).
	 */
	HET_DEVICE_APART = 2,
	/** The device is one of an OpenCL driver. */
	HET_DEVICE_OPENCL = 3,
	/** The device is a GPU through NVIDIA's driver; the environment's HET_DEVICES must name it. */
	HET_DEVICE_CUDA = 4
};

/** het_device_describe() fills this. */
struct het_device_info {
	size_t size;
	/** This is one of HET_DEVICE_... */
	uint32_t kind;
	/** So many processors run work-groups at once. */
	uint32_t units;
	/** A group has at most so many work-items. */
	uint64_t group_size;
	/** These are the bytes of device memory, and of local memory for one group. */
	uint64_t memory;
	uint64_t local_memory;
	/** The name is for people: "host", "NVIDIA H200 (NVIDIA CUDA)". It is valid for ever. */
	const char *name;
};

/**
 * Lists the devices: those of OpenCL drivers, GPUs first, then the host. The environment's HET_DEVICES chooses others.
 * @param room    is the number of entries in @p devices (which may be null if it is 0).
 * @param devices receives at most @p room devices, valid for ever.
 * @param count   receives the number of all there are, which is at least 1.
 * @return 0; HET_ENULL; HET_ENOMEM; HET_EARG if HET_DEVICES can't be understood.
 */
int het_devices(uint32_t room, het_device **devices, uint32_t *count);

/** Describes a device. @return 0; HET_ENULL; HET_EARG for a size too small. */
int het_device_describe(het_device *device, struct het_device_info *info);

/**
 * Asks the OpenCL driver about its device, as clGetDeviceInfo() does. What has no answer is no fault: nothing is
 * written to stderr then.
 * @param what   is one of CL_DEVICE_...
 * @param room   is the number of bytes at @p answer (which may be null).
 * @param nbytes is null, or receives the number of bytes of the answer.
 * @return 0; HET_ENODEV if it is no device of an OpenCL driver; HET_EARG if the driver has no answer, or too little
 * room.
 */
int het_device_opencl_info(het_device *device, uint32_t what, size_t room, void *answer, size_t *nbytes);

/**
 * het_device_memory() fills this. All are bytes but evictions, waits, slices, in_place and accesses_in_place; those
 * from given on count since the start, but for windows, kept, dirty and away.
 */
struct het_memory_info {
	size_t size;
	/** The device has so much memory. */
	uint64_t total;
	/**
	 * The library may use so much of it; UINT64_MAX if nothing limits it but the driver. It is less than was set if
	 * an allocation has failed since.
	 */
	uint64_t budget;
	/** Arrays have this, in buffers. */
	uint64_t arrays;
	/**
	 * This is raw memory, textures, and copies: those that tell what launches with HET_SPLIT have written, what is
	 * kept for launches that stop for more urgent ones, and slots that other devices' copies pass through.
	 */
	uint64_t raw, textures, copies;
	/** Arrays have got this, and had to give it back for others. */
	uint64_t given, evicted;
	/**
	 * This had to travel to the host for it, as no other copy had it; also in vain, where a kernel took an array
	 * again that was about to leave.
	 */
	uint64_t written_back;
	/** So often an array had to leave the device. */
	uint64_t evictions;
	/** So many launches had to wait for memory. */
	uint64_t waits;
	/**
	 * Launches whose own arrays did not fit have run in so many slices; this is what such launches have of the
	 * memory now, and what has travelled there for them, and home.
	 */
	uint64_t slices, windows, sent, brought;
	/**
	 * So many launches that did not fit have worked on host memory in place, and so many accesses of theirs have
	 * gone there.
	 */
	uint64_t in_place, accesses_in_place;
	/**
	 * This is kept of what launches in slices, or in place, have had there, for those to come, and goes when
	 * anything else needs it; and so many bytes had not to travel as they were kept.
	 */
	uint64_t kept, reused;
	/**
	 * Of arrays, this is what a kernel has written and no other copy has: it travels to the host if they have to
	 * leave. The first and last bytes of arrays that are not whole pages do not count.
	 */
	uint64_t dirty;
	/**
	 * Of what is kept, this is what slices have written and has not come home: it travels when it is needed
	 * elsewhere, or its memory is. Bytes that have been overwritten elsewhere since may count still.
	 */
	uint64_t away;
};

/**
 * Tells what the library uses of a device's memory. On devices of kind HOST, which use the host's, all but total are 0.
 * @return 0; HET_ENULL; HET_EARG for a size too small.
 */
int het_device_memory(het_device *device, struct het_memory_info *info);

/** Ways of bulk copies, for struct het_path_info. */
enum {
	HET_PATH_TO_DEVICE,  /**< from the host */
	HET_PATH_TO_HOST,    /**< to the host */
	HET_PATH_FROM_DEVICE /**< from another device */
};

/** This is what is known of one way that bulk copies of a device take. het_device_path() fills it. */
struct het_path_info {
	size_t size;
	/** It is one of HET_PATH_... */
	uint32_t way;
	/** With HET_PATH_FROM_DEVICE the bytes come from this device; it is null otherwise. */
	het_device *from;
	/**
	 * The way takes the link of this device, or its memory is between: the device itself stands for the direct way,
	 * and with HET_PATH_FROM_DEVICE the one that the bytes come from for the way by the host. It is null if it is a
	 * GPU that the process does not use, as HET_PATHS may ask.
	 */
	het_device *by;
	/** It has carried so many bytes. */
	uint64_t carried;
	/** It carries so many bytes a second, as its last copies have shown; 0 if nothing is known. */
	double rate;
	/**
	 * So many of the bytes went by kernels on the device whose link it is, beside a copy engine that others fill.
	 */
	uint64_t by_kernels;
	/** CUDA has that device, or that GPU, under this number. */
	uint32_t cuda_device;
};

/**
 * Counts the ways that bulk copies of a device may take.
 * @param count receives 0 where there is only the direct one, of which nothing is known: on devices of kind HOST, with
 * OpenCL, with one CUDA device that no other helps, with HET_PATHS=direct, and before the first launch.
 * @return 0; HET_ENULL.
 */
int het_device_paths(het_device *device, uint32_t *count);

/**
 * Describes one of them.
 * @param number is less than the count of het_device_paths().
 * @return 0; HET_ENULL; HET_EARG for a size too small or a number that is too large.
 */
int het_device_path(het_device *device, uint32_t number, struct het_path_info *info);

/**
 * Sets how much of a device's memory the library may use, in place of what HET_DEVICE_MEMORY says. If it uses more,
 * arrays leave the device: those that no kernel uses now at once, others when a later launch begins. What can't leave,
 * raw memory and textures, stays. It may wait for kernels on the device.
 * @param budget is in bytes; with 0 it is what is free now besides, less a little.
 * @return 0; HET_ENULL; HET_ENODEV for devices of kind HOST; HET_EDEVICE; HET_ESTATE; HET_ENOMEM.
 */
int het_device_set_budget(het_device *device, uint64_t budget);

/* --- programs and kernels -------------------------------------------------- */

/** A kernel function is called for such a work-group. */
struct het_group {
	uint32_t dimensions;
	/**
	 * These describe the launch: offset, work-items and work-items a group, in each dimension (0, 1, 1 where there
	 * is none).
	 */
	size_t offset[3], global[3], local[3];
	/** These are this group's number in each dimension, and how many groups there are. */
	size_t group[3], groups[3];
	/**
	 * These are the id of this group's first work-item, and its number of work-items: the last group of a dimension
	 * may have fewer.
	 */
	size_t first[3], items[3];
};

/**
 * A kernel can be a function of the program's, which runs all work-items of one group. It is called on several threads
 * at once.
 * @param args has one pointer for each argument of the launch: to the copy of a value; to local memory, which the group
 * has for itself and which keeps nothing; to the first byte of a memory object or host range, where the device has it.
 */
typedef void (*het_kernel_fn)(const struct het_group *group, void *const *args);

/** This is one kernel function of a program. */
struct het_function {
	const char *name;
	het_kernel_fn run;
	/** The function takes so many arguments. */
	uint32_t nargs;
};

/** These are the kinds of images. */
enum {
	/** The image is PTX, as text; the driver compiles it for the GPU. */
	HET_IMAGE_PTX = 1,
	/** The image is code for one kind of GPU, as nvcc -cubin and ptxas make it. */
	HET_IMAGE_CUBIN = 2
};

/**
 * This is one module of a program for devices of kind CUDA. Kernels are its visible entries. An argument of local
 * memory is a parameter of 4 or 8 bytes there, which receives the offset of its bytes, aligned to 16, in the dynamic
 * shared memory.
 */
struct het_image {
	/** This is one of HET_IMAGE_... */
	uint32_t kind;
	/** This must be 0. */
	uint32_t flags;
	const void *data;
	/** PTX is counted with or without a final 0. */
	size_t nbytes;
};

/** Kernels on devices of kind CUDA can have these instruments, if their program is one PTX text. */
enum {
	/** It counts how many lines of memory the warps ask for. */
	HET_COALESCE = 1,
	/** It notes which pages are written: what lies in others stays valid on the host. */
	HET_DIRTY = 2,
	/** It notes which pages are read or written. */
	HET_TOUCH = 4,
	/** There are none, whatever the environment's HET_INSTRUMENT asks for. */
	HET_PLAIN = 8
};

/** These are flags of a program. */
enum {
	/**
	 * The source is compiled for other programs to be linked of, and has no kernels to launch. This is for OpenCL
	 * devices.
	 */
	HET_PROGRAM_OBJECT = 1
};

/** A source that is compiled with HET_PROGRAM_OBJECT includes it by this name. */
struct het_header {
	const char *name, *source;
};

/**
 * These are the arguments of het_program_create(). Kernels come from one of source, a fat binary in memory, and one in
 * a file; or from functions, or images; or from several of these, for different kinds of devices. het-fatbin(1) makes
 * fat binaries.
 */
struct het_program_args {
	size_t size;
	/** This is OpenCL C, null-terminated; it is null if there is none. */
	const char *source;
	/**
	 * These are options for the OpenCL compiler, or null for none. They go with source alone: fat binaries have
	 * their own.
	 */
	const char *options;
	/** These are functions for devices of kind HOST and APART. */
	const struct het_function *functions;
	size_t nfunctions;
	/**
	 * The driver links these modules into one; what is to be linked with others must be relocatable (nvcc
	 * -rdc=true).
	 */
	const struct het_image *images;
	size_t nimages;
	/** This is a fat binary of that many bytes. */
	const void *fat_binary;
	size_t fat_binary_size;
	/**
	 * This file is a fat binary, or has one in a section. It must not be written while the program lives; it may be
	 * removed or replaced.
	 */
	const char *file;
	/** This section of file, or where file is null of the running executable, is a fat binary. */
	const char *section;
	/**
	 * These are the HET_COALESCE... of its kernels, or 0 for what HET_INSTRUMENT asks for. Those that can't be had
	 * are reported and left out.
	 */
	uint32_t instruments;
	/** COALESCE counts one of so many accesses of warps; with 0 it counts all. */
	uint32_t one_of;
	/** This is HET_PROGRAM_OBJECT, which goes with source and nothing else, or 0. */
	uint32_t flags;
	/** This must be 0. */
	uint32_t reserved;
	const struct het_header *headers;
	size_t nheaders;
	/**
	 * The program is linked of these, which were made with HET_PROGRAM_OBJECT or linked themselves; options are the
	 * linker's, and nothing else may be given.
	 */
	het_program *const *objects;
	size_t nobjects;
};

/**
 * Makes a program. Texts, tables and all that lies in memory are copied. It is built for a device when a kernel is
 * first launched there, or by het_program_build(); of a fat binary the image is taken that fits the device best.
 * @return 0; HET_ENULL; HET_EARG; HET_EIMAGE; HET_ENOMEM.
 */
int het_program_create(const struct het_program_args *args, het_program **program);
int het_program_retain(het_program *program);
int het_program_release(het_program *program);

/**
 * Builds for one device; does nothing if that is done.
 * @return 0; HET_ENULL; HET_EBUILD; HET_ENODEV if the program has nothing for this device; HET_EIMAGE; HET_EDEVICE;
 * HET_ENOMEM.
 */
int het_program_build(het_program *program, het_device *device);

/**
 * Shows what the compiler said when it built for this device.
 * @return its words, valid while the program lives; "" if it said nothing, or an earlier process had it built. It is
 * never null.
 */
const char *het_program_log(het_program *program, het_device *device);

/**
 * Asks the OpenCL driver about a program, as clGetProgramInfo() does, having built it for the device if need be.
 * @param what is CL_PROGRAM_NUM_KERNELS, CL_PROGRAM_KERNEL_NAMES...
 * @return as het_device_opencl_info() and het_program_build().
 */
int het_program_opencl_info(het_program *program, het_device *device, uint32_t what, size_t room, void *answer,
			    size_t *nbytes);

/**
 * Finds a variable of a program on a device of kind CUDA, and builds for the device if need be. Its address is used as
 * one of raw memory, while the program lives.
 * @return 0; HET_ENULL; HET_ENAME; HET_ENODEV for other devices; HET_EBUILD; HET_EIMAGE; HET_EDEVICE; HET_ESTATE;
 *         HET_ENOMEM.
 */
int het_program_global(het_program *program, het_device *device, const char *name, void **address, size_t *nbytes);

/**
 * Makes a kernel. Its name is looked up on the first device that the program has something for, which is built for if
 * need be.
 * @return 0; HET_ENULL; HET_ENAME; HET_EBUILD; HET_ENODEV; HET_EIMAGE; HET_EDEVICE; HET_ENOMEM.
 */
int het_kernel_create(het_program *program, const char *name, het_kernel **kernel);
int het_kernel_retain(het_kernel *kernel);
int het_kernel_release(het_kernel *kernel);

/** het_kernel_describe() fills this. */
struct het_kernel_info {
	size_t size;
	uint32_t nargs;
	/** The name is valid while the kernel lives. */
	const char *name;
};

/** Describes a kernel. @return 0; HET_ENULL; HET_EARG for a size too small. */
int het_kernel_describe(het_kernel *kernel, struct het_kernel_info *info);

/** het_kernel_limits() fills this. */
struct het_kernel_needs {
	size_t size;
	/** On the device a group of the kernel has at most so many work-items. */
	uint64_t group_size;
	/**
	 * A work-item takes so many of the registers, of which each of the device's processors has unit_registers. Both
	 * are known on devices of kind CUDA, and 0 elsewhere.
	 */
	uint32_t registers, unit_registers;
};

/**
 * Tells how much of a device a kernel takes, for who sizes its launches; the kernel is made there if need be.
 * @return 0; HET_ENULL; HET_EARG for a size too small; what het_program_build() returns; HET_ENAME.
 */
int het_kernel_limits(het_kernel *kernel, het_device *device, struct het_kernel_needs *needs);

/**
 * Asks the OpenCL driver about a kernel on one of its devices, as clGetKernelWorkGroupInfo() and clGetKernelInfo() do,
 * having made it there if need be.
 * @param what is CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_ATTRIBUTES...
 * @return as het_device_opencl_info() and het_program_build(); HET_ENAME.
 */
int het_kernel_opencl_info(het_kernel *kernel, het_device *device, uint32_t what, size_t room, void *answer,
			   size_t *nbytes);

/** These say where an argument points, or what it is. */
enum {
	HET_SPACE_VALUE = 1,
	HET_SPACE_GLOBAL = 2,
	HET_SPACE_CONSTANT = 3,
	HET_SPACE_LOCAL = 4,
	HET_SPACE_IMAGE = 5,
	HET_SPACE_SAMPLER = 6
};

/** These are the qualifiers of an argument's type. */
enum { HET_QUALIFIED_CONST = 1, HET_QUALIFIED_RESTRICT = 2, HET_QUALIFIED_VOLATILE = 4 };

/** het_kernel_argument() fills this. */
struct het_argument_info {
	size_t size;
	/** This is one of HET_SPACE_... */
	uint32_t space;
	/**
	 * For a pointer or an image this is one of HET_READ_ONLY...: what the kernel may do, as its declaration says.
	 * Else it is 0.
	 */
	uint32_t access;
	/** This is the size of a value, or of what a pointer points to; it is 0 if that is not known. */
	size_t nbytes;
	/** Both are valid while the kernel lives. */
	const char *name, *type;
	/** These are some of HET_QUALIFIED_..., as far as a driver tells. */
	uint32_t qualifiers;
	/**
	 * For a pointer of a kernel from a fat binary this is what its code was found to do at most, whichever device
	 * it is compiled for: HET_READ_ONLY, also where it does nothing, or HET_READ_WRITE. It is 0 if that is not
	 * known.
	 */
	uint32_t found;
};

/**
 * Describes an argument of a kernel from a fat binary, or of one from OpenCL C as a driver has told.
 * @return 0; HET_ENULL; HET_EARG for a size too small or an argument that is not there; HET_ESTATE, with nothing on
 *         stderr, if the program is from nothing of these, or the driver does not tell.
 */
int het_kernel_argument(het_kernel *kernel, uint32_t number, struct het_argument_info *info);

/* --- memory objects -------------------------------------------------------- */

/**
 * Makes a memory object of zeroed bytes, which belongs to no device: each command finds valid bytes on the device where
 * it runs.
 * @return 0; HET_ENULL; HET_EARG for 0 bytes; HET_ENOMEM.
 */
int het_memory_create(size_t nbytes, het_memory **memory);

/**
 * Makes an object of memory of the program's own, which must stay as long as the object lives. It may be any that a
 * range may be (HET_ARG_RANGE), and is used in the same way. When the last reference has gone, its bytes are at home
 * and no device has the memory any longer, unless a command on other bytes beside it still runs: so the program may
 * free it in ways that the library does not see.
 * @return 0; HET_ENULL; HET_EARG for 0 bytes; HET_ENOMEM.
 */
int het_memory_wrap(void *pointer, size_t nbytes, het_memory **memory);

/**
 * Makes an object for a part of another; both see the same bytes. The part keeps the whole alive.
 * @return 0; HET_ENULL; HET_EARG if the part is empty or not inside; HET_ENOMEM.
 */
int het_memory_part(het_memory *whole, size_t offset, size_t nbytes, het_memory **part);
int het_memory_retain(het_memory *memory);
/** The last release may be made while commands use the object: they keep it. */
int het_memory_release(het_memory *memory);

/**
 * Tells where the host sees the object. Host accesses there are those of a host range: they are not allowed while a
 * command uses the bytes, and always are right after it.
 * @return the address, valid while the object lives; null for null.
 */
void *het_memory_pointer(het_memory *memory);

/* --- raw device memory ----------------------------------------------------- */

/**
 * Allocates memory of one device's, for what knows its memory by addresses, such as the runtimes of other languages.
 * Addresses anywhere in it are arguments of launches (HET_ARG_ADDRESS), sides of het_copy(), and may be stored in
 * device memory; with OpenCL a kernel reaches only the memory that its own arguments point into. The library does not
 * see what kernels do with it, so nothing but events, barriers and in-order queues gives commands on it an order. On
 * devices of kind HOST and APART it is host memory of the library's.
 * @param address receives its address on the device, aligned to 128 at least.
 * @return 0; HET_ENULL; HET_EARG for 0 bytes; HET_ENODEV if the device's memory has no addresses (OpenCL without
 *         coarse-grained shared virtual memory); HET_EDEVICE; HET_ESTATE; HET_ENOMEM.
 */
int het_device_alloc(het_device *device, size_t nbytes, void **address);

/**
 * Frees it when the commands that name an address in it have finished. Those that reach it by a stored address, or a
 * parameter block, must have finished before.
 * @param address comes from het_device_alloc(), or is null.
 * @return 0; HET_ENULL; HET_EARG; HET_ESTATE.
 */
int het_device_free(het_device *device, void *address);

/* --- textures and samplers -------------------------------------------------- */

/** A texture's channels have one of these types: fixed-point from 0 or -1 to 1, whole numbers, floating-point. */
enum {
	HET_TEXEL_UNORM8 = 1,
	HET_TEXEL_UNORM16 = 2,
	HET_TEXEL_SNORM8 = 3,
	HET_TEXEL_SNORM16 = 4,
	HET_TEXEL_INT8 = 5,
	HET_TEXEL_INT16 = 6,
	HET_TEXEL_INT32 = 7,
	HET_TEXEL_UINT8 = 8,
	HET_TEXEL_UINT16 = 9,
	HET_TEXEL_UINT32 = 10,
	HET_TEXEL_HALF = 11,
	HET_TEXEL_FLOAT = 12
};

/** A texel has these channels, in this order in memory. */
enum {
	HET_ORDER_R = 1,
	HET_ORDER_RG = 2,
	HET_ORDER_RGBA = 3,
	HET_ORDER_A = 4,
	HET_ORDER_RA = 5,
	HET_ORDER_BGRA = 6,
	HET_ORDER_ARGB = 7,
	/** The one channel is red, green, blue and alpha. */
	HET_ORDER_INTENSITY = 8,
	/** The one channel is red, green and blue. */
	HET_ORDER_LUMINANCE = 9
};

/** These are flags of a texture. */
enum {
	/** Kernels have it as image1d_buffer_t; it has 1 dimension and no layers. */
	HET_TEXTURE_OF_BUFFER = 1,
	/** One kernel reads and writes it, as read_write. */
	HET_TEXTURE_READ_AND_WRITTEN = 2
};

/** These are the arguments of het_texture_create(). */
struct het_texture_args {
	size_t size;
	het_device *device;
	/** A texture has 1 to 3 dimensions. */
	uint32_t dimensions;
	/** The channels are 1, 2 or 4: R, RG, RGBA. With an order they may be 0. */
	uint32_t channels;
	/** This is one of HET_TEXEL_... */
	uint32_t type;
	/** These are flags of HET_TEXTURE_..., or 0. */
	uint32_t flags;
	/** These are the texels in each dimension; they are 0 or 1 in those that it does not have. */
	size_t extent[3];
	/** This is one of HET_ORDER_..., or 0: then the channels tell. */
	uint32_t order;
	/** This must be 0. */
	uint32_t reserved;
	/**
	 * If this is not 0, the texture is an array of so many of 1 or 2 dimensions. To copies the layer is a further
	 * dimension.
	 */
	size_t layers;
};

/**
 * Makes a texture: what OpenCL calls an image, as kernels read it through samplers and write it. It belongs to one
 * device, and het_texture_copy() fills it. (An image is a module of a program here.)
 * @return 0; HET_ENULL; HET_EARG, also for what the device does not support; HET_ENODEV if it has no textures;
 *         HET_EDEVICE; HET_ENOMEM.
 */
int het_texture_create(const struct het_texture_args *args, het_texture **texture);
int het_texture_retain(het_texture *texture);
int het_texture_release(het_texture *texture);

/** het_texture_formats() lists these. */
struct het_texture_format {
	/** This is one of HET_ORDER_... */
	uint32_t order;
	/** This is one of HET_TEXEL_... */
	uint32_t type;
};

/**
 * Lists which formats a device's textures can have.
 * @param like tells by its dimensions, its flags, and whether it has layers, which textures of which device are meant.
 * @param room is the number of entries in @p formats (which may be null if it is 0).
 * @param formats receives at most @p room formats.
 * @param count receives the number of all there are.
 * @return 0; HET_ENULL; HET_EARG; HET_ENODEV if the device has no textures; HET_EDEVICE; HET_ENOMEM.
 */
int het_texture_formats(const struct het_texture_args *like, uint32_t room, struct het_texture_format *formats,
			uint32_t *count);

/** These say what a sampler reads outside of a texture. */
enum {
	/** The kernel reads nothing there. */
	HET_OUTSIDE_UNDEFINED = 0,
	/** It reads the nearest texel. */
	HET_OUTSIDE_EDGE = 1,
	/** It reads 0. */
	HET_OUTSIDE_BORDER = 2,
	/** It reads the texture again; this needs normalized coordinates. */
	HET_OUTSIDE_REPEATED = 3,
	/** It reads the texture again, every other time mirrored; this needs normalized coordinates. */
	HET_OUTSIDE_MIRRORED = 4
};

/** These are the arguments of het_sampler_create(). */
struct het_sampler_args {
	size_t size;
	het_device *device;
	/** With 1, coordinates go from 0 to 1; with 0, they count texels. */
	uint32_t normalized;
	/** This is one of HET_OUTSIDE_... */
	uint32_t outside;
	/** With 1, it reads between texels; with 0, it reads the nearest one. */
	uint32_t linear;
	/** This must be 0. */
	uint32_t flags;
};

/** Makes a sampler for kernels on one device. @return as het_texture_create(). */
int het_sampler_create(const struct het_sampler_args *args, het_sampler **sampler);
int het_sampler_retain(het_sampler *sampler);
int het_sampler_release(het_sampler *sampler);

/* --- queues ---------------------------------------------------------------- */

/** These are the flags of a queue. */
enum {
	/** Each command waits for the one before. */
	HET_QUEUE_IN_ORDER = 1,
	/** All launches of the queue have HET_TOUCH_AFTER_WAIT. */
	HET_QUEUE_TOUCH_AFTER_WAIT = 2
};

/**
 * Such a function is told of each command of a queue that fails, on some thread, before waiters are. It must not wait
 * for events.
 * @param event   is valid as long as the call lasts; retain it to keep it.
 * @param message is valid as long as the call lasts: it has the kernel's name, if there is one, and the driver's or the
 * library's words about the cause.
 */
typedef void (*het_error_fn)(int code, het_event *event, const char *message, void *arg);

/** These are the arguments of het_queue_create(). */
struct het_queue_args {
	size_t size;
	/** These are flags of HET_QUEUE_... */
	uint32_t flags;
	uint32_t ndevices;
	/** Commands may run on these devices; if there are none, on all. */
	het_device *const *devices;
	het_error_fn on_error;
	void *on_error_arg;
	/**
	 * So urgent are its commands, from -8 to 7: see het_queue_set_priority(). 0 is what HET_PRIORITY says in the
	 * environment, which is 0 unless it is set.
	 */
	int32_t priority;
	/** This must be 0. */
	uint32_t reserved;
	/**
	 * Each launch is to have ended so many nanoseconds after its call: see het_launch_args. 0 means no set time.
	 */
	uint64_t deadline_ns;
};

/**
 * Makes a queue.
 * @param args may be null: then the queue has all devices and is out of order.
 * @return 0; HET_ENULL; HET_EARG; HET_ENOMEM.
 */
int het_queue_create(const struct het_queue_args *args, het_queue **queue);
int het_queue_retain(het_queue *queue);
/** Releases a queue, whose commands go on. */
int het_queue_release(het_queue *queue);

/**
 * Sets how urgent the commands are that the queue gets from now on. Of those that are ready for a device the most
 * urgent comes first, but that one who has waited rises with time; and what a command waits for becomes as urgent as
 * that is. On devices of kind CUDA each priority has a stream of its own, and a kernel stops for more urgent ones and
 * goes on when they have ended: HET_PREEMPT in the environment chooses how. As long as a process has commands of one
 * priority alone, nothing of this is done.
 * @param priority is from -8 to 7; a queue has 0, or what HET_PRIORITY says, until it is set.
 * @return 0; HET_ENULL; HET_EARG; HET_ENOMEM; HET_ESTATE.
 */
int het_queue_set_priority(het_queue *queue, int priority);

/**
 * Tells that a launch of the queue's priority will come. On devices of kind CUDA blocks of less urgent kernels that run
 * just now, and would not have ended by then, as far as that is known, save what they hold and run on; when the launch
 * comes they save only what has changed. Nothing is promised, and if it does not come no more than that is lost.
 * @param ns is how long it will take until it comes, in nanoseconds.
 * @return 0; HET_ENULL; HET_ESTATE.
 */
int het_queue_announce(het_queue *queue, uint64_t ns);

/**
 * Waits until all commands that the queue has at this moment have finished.
 * @return 0; HET_ENULL; HET_ENOMEM; HET_ESTATE.
 */
int het_finish(het_queue *queue);

/* --- commands -------------------------------------------------------------- */

/** These are the kinds of arguments. */
enum {
	/** The call copies nbytes at pointer. */
	HET_ARG_VALUE = 1,
	/** Each group gets nbytes of local memory; a device that has less in all does not get the launch. */
	HET_ARG_LOCAL = 2,
	/** The argument is the memory object, used as access says. */
	HET_ARG_MEMORY = 3,
	/** The argument is nbytes of host memory at pointer, used as access says. */
	HET_ARG_RANGE = 4,
	/**
	 * The pointer is an address on the device, anywhere in its raw memory or a variable; it may be null, any other
	 * is HET_EARG.
	 */
	HET_ARG_ADDRESS = 5,
	/**
	 * The nbytes at pointer, which the call copies, are all parameters of the kernel as it lays them out; local
	 * memory may follow, which the block names by its offset, and nothing else. This is for devices of kind CUDA.
	 */
	HET_ARG_BLOCK = 6,
	/** The pointer is a het_texture, used as access says; the launch runs on its device. */
	HET_ARG_TEXTURE = 7,
	/** The pointer is a het_sampler; the launch runs on its device. */
	HET_ARG_SAMPLER = 8
};

/**
 * A pattern says which bytes of an argument a work-item uses, by its number i (from 0) along the dimension in which a
 * launch is split, or cut into slices as its arrays do not fit into the device's memory: @p length bytes from @p offset
 * + i * @p step on, and that @p count times, each @p stride bytes further. What lies outside of the argument does not
 * count. Of an argument that is written, no two work-items with different i may write between the first and the last
 * byte of one piece of either, so length is at most step.
 */
struct het_pattern {
	size_t size;
	int64_t offset;
	uint64_t step, length;
	/** The count is at least 1. */
	uint64_t count;
	uint64_t stride;
};

/**
 * This is one argument of a launch. A range may be any memory that the program may write: what can't be watched, such
 * as stacks and shared mappings, is copied before and after the kernel.
 * Ranges and objects may overlap in any way, within a launch and between launches: equal bytes have one place on the
 * device.
 */
struct het_arg {
	/** This is one of HET_ARG_... */
	uint32_t kind;
	/** This is one of HET_READ_ONLY... for MEMORY and RANGE, else 0. */
	uint32_t access;
	size_t nbytes;
	void *pointer;
	het_memory *memory;
	/**
	 * For MEMORY and RANGE this is null, or tells what each work-item uses of it; it is looked at if the launch is
	 * split.
	 */
	const struct het_pattern *pattern;
};

/** These are the flags of a launch. */
enum {
	/**
	 * The work-groups may run on several devices at once: none looks at what another one writes. Along its last
	 * dimension that has more than one group (and is a multiple of the group's size) the launch is cut into slices;
	 * work-item functions return what they do in the whole. A device gets the bytes that its slices read by their
	 * patterns, or all. Where an argument is written and has no pattern, all devices begin with the same bytes, and
	 * compare them with those from before at the end; no two may change the same byte. That costs, so it is done if
	 * it is known to pay, and not by devices in place. A launch that can't be split runs on one device:
	 * GPUVM_VERBOSE=1 tells why. So does one of a kernel that is unsafe to split as its fat binary says, with a
	 * warning, but for the next flag; and one of a kernel of which a part has waited for another before. The
	 * environment's HET_POLICY chooses how devices share the work.
	 */
	HET_SPLIT = 1,
	/** With HET_SPLIT: it holds whatever the fat binary says of the kernel. */
	HET_SPLIT_UNSAFE = 2,
	/**
	 * From the call on, the host does not touch the bytes of the launch's arguments before a wait, a callback or a
	 * status says that it has finished, or a command that waits for it. So what the host is expected to touch
	 * afterwards, as it did after the launches before, stays mapped on the host all the time, comes home behind the
	 * kernel, and is there when the program hears of the end: the touch takes no fault. Other commands do not wait
	 * for that. Who breaks the promise may read bytes from before the kernel, or some of before and some of after
	 * it, and what he writes may be lost. It makes no difference to a launch that is divided, to devices in place,
	 * to kernels with the instrument HET_DIRTY, and to bytes that share a chunk of the library's with others. The
	 * flag HET_QUEUE_TOUCH_AFTER_WAIT and the environment's HET_TOUCH_AFTER_WAIT promise it for all launches of a
	 * queue, and of the process.
	 */
	HET_TOUCH_AFTER_WAIT = 4
};

/** These are the arguments of het_launch(). */
struct het_launch_args {
	size_t size;
	het_kernel *kernel;
	/** A launch has 1 to 3 dimensions. */
	uint32_t dimensions;
	/** These are flags of HET_SPLIT..., or 0; HET_SPLIT_UNSAFE goes with HET_SPLIT alone. */
	uint32_t flags;
	/** These are the number of work-items, and the id of the first, in each dimension. */
	size_t global[3], offset[3];
	/**
	 * A group has so many work-items; if all are 0, the library chooses. For CUDA, and for OpenCL devices that have
	 * no smaller last groups, global must be a multiple of it. For CUDA, offset must be 0 unless het-fatbin made
	 * the PTX. Devices that can't have such groups leave the launch to others.
	 */
	size_t local[3];
	/** This is sizeof(struct het_arg). */
	size_t arg_size;
	size_t nargs;
	const struct het_arg *args;
	/** The launch waits for these events first. */
	size_t nwaits;
	het_event *const *waits;
	/**
	 * The launch runs here. If it is null, it runs on that of the queue's devices which is expected to have
	 * finished first, transfers included, as far as speeds are known from earlier launches; else on the first that
	 * can run the kernel.
	 */
	het_device *device;
	/** So urgent it is, from -8 to 7; with 0 it is as urgent as its queue. */
	int32_t priority;
	/** This must be 0. */
	uint32_t reserved;
	/**
	 * It is to have ended so many nanoseconds after this call; with 0 it has what its queue says. As that comes
	 * nearer it becomes more urgent than its priority; HET_URGENCY=priority in the environment keeps it from that.
	 * Nothing is promised: het_event_preemption() tells whether it came too late.
	 */
	uint64_t deadline_ns;
};

/**
 * Launches a kernel. Arguments of another kind, size or number than the kernel is known to have, and groups that no
 * device of the queue can have, are HET_EARG with a sentence that names them; what is not known (the arguments of
 * functions on the host, structures of OpenCL C) a driver may still refuse, and that is the event's status. Host memory
 * may be used again, and freed, when the event has finished. If it is freed before that and the device has memory of
 * its own, a command that has not begun ends with HET_EMEMORY, and for one that runs the free waits.
 * @param event is null, or receives the command's event, which the caller releases.
 * @return 0; HET_ENULL; HET_EARG; HET_ENODEV; HET_EBUILD; HET_EIMAGE; HET_ENAME; HET_EMEMORY; HET_ESTATE if the program
 * has called gpuvm_init() and a device needs memory linked; HET_ENOMEM. What fails later is the event's status.
 */
int het_launch(het_queue *queue, const struct het_launch_args *args, het_event **event);

/**
 * These are the arguments of het_copy(). Each side is an object with an offset, or with a null object a host pointer,
 * or with a device an address in raw memory of that device.
 */
struct het_copy_args {
	size_t size;
	het_memory *to;
	size_t to_offset;
	void *to_pointer;
	het_memory *from;
	size_t from_offset;
	const void *from_pointer;
	size_t nbytes;
	size_t nwaits;
	het_event *const *waits;
	/** If this is not null, to_pointer is an address on this device. */
	het_device *to_device;
	/** If this is not null, from_pointer is an address on this device. */
	het_device *from_device;
};

/**
 * Copies bytes between objects, host memory and raw device memory; the sides must not overlap. It reads an object (to a
 * host pointer) and writes one (from a host pointer); a host pointer may be used again when the event has finished.
 * @return as het_launch().
 */
int het_copy(het_queue *queue, const struct het_copy_args *args, het_event **event);

/**
 * This is one side of het_copy_rect(): rows of bytes, in planes, in an object or with a null object at a host pointer.
 */
struct het_rect {
	het_memory *memory;
	void *pointer;
	/** The rectangle begins here, from the object's or pointer's first byte: byte in a row, row, plane. */
	size_t origin[3];
	/**
	 * These are the bytes from one row to the next, and from one plane to the next; with 0 there is nothing between
	 * them. Rows must not overlap, nor must planes.
	 */
	size_t row_pitch;
	size_t slice_pitch;
};

/** These are the arguments of het_copy_rect(). */
struct het_copy_rect_args {
	size_t size;
	struct het_rect to;
	struct het_rect from;
	/** These are bytes of a row, rows of a plane, planes: at least 1 of each. */
	size_t region[3];
	size_t nwaits;
	het_event *const *waits;
};

/**
 * Copies a rectangle of bytes; the bytes of the sides must not overlap, their rows may alternate. To later commands, it
 * uses all from its first to its last byte on either side.
 * @return as het_launch().
 */
int het_copy_rect(het_queue *queue, const struct het_copy_rect_args *args, het_event **event);

/** These are the flags of het_map(). */
enum {
	/**
	 * Nothing comes home: the bytes are for gpuvm_host_read() and gpuvm_host_write() of <gpuvm.h> alone, which move
	 * no others, until they are unmapped.
	 */
	HET_MAP_UNMOVED = 1
};

/** These are the arguments of het_map(). */
struct het_map_args {
	size_t size;
	het_memory *memory;
	size_t offset;
	size_t nbytes;
	/** This says what the host will do: HET_READ_ONLY... */
	uint32_t access;
	/** This is 0 or HET_MAP_UNMOVED. */
	uint32_t flags;
	size_t nwaits;
	het_event *const *waits;
	/** Without an object the bytes are these of the program's own, which may be any that a range may be. */
	void *pointer;
};

/**
 * Gives bytes of an object, or of the program's own, to the host until het_unmap(). When the event has finished, they
 * are valid on the host; later commands that write them, or with access to write use them, wait until they are
 * unmapped. het_finish() and later commands of an in-order queue that use other bytes do not. (Without a mapping the
 * host may use het_memory_pointer() as well, and sees to the order itself.)
 * @param pointer receives where the bytes are; an address inside het_memory_pointer()'s.
 * @return as het_launch(). What is mapped when the process exits is unmapped.
 */
int het_map(het_queue *queue, const struct het_map_args *args, void **pointer, het_event **event);

/** These are the arguments of het_unmap(). */
struct het_unmap_args {
	size_t size;
	/** The object is the one that was given to het_map(). */
	het_memory *memory;
	/** The pointer is the one that het_map() gave. */
	void *pointer;
	size_t nwaits;
	het_event *const *waits;
	/** If this is not 0 the mapping is one of so many bytes. */
	size_t nbytes;
};

/**
 * Ends a mapping, the oldest of those that the object has there, when the map and the events have finished; it does so
 * even if one of them has failed.
 * @return as het_launch(); HET_EARG if there is none: a map that has failed leaves none.
 */
int het_unmap(het_queue *queue, const struct het_unmap_args *args, het_event **event);

/** These are the arguments of het_texture_copy(). */
struct het_texture_copy_args {
	size_t size;
	/** This texture is written, from this origin on; if it is null, host is written. */
	het_texture *to;
	size_t to_origin[3];
	/** This texture is read, from this origin on; if it is null, host is read. */
	het_texture *from;
	size_t from_origin[3];
	/** These are the texels in each dimension; there is 1 in those that the texture does not have. */
	size_t region[3];
	/**
	 * This is used if one of the two is null: its rows are those of the region, its pitches and origin are in
	 * bytes.
	 */
	struct het_rect host;
	size_t nwaits;
	het_event *const *waits;
};

/**
 * Copies texels between two textures of one device with texels of one size, or between a texture and memory objects or
 * host memory. Commands are ordered as if they used all of a texture.
 * @return as het_launch().
 */
int het_texture_copy(het_queue *queue, const struct het_texture_copy_args *args, het_event **event);

/** These are the arguments of het_fill(). */
struct het_fill_args {
	size_t size;
	het_memory *to;
	size_t to_offset;
	void *to_pointer;
	/** This is a multiple of pattern_size. */
	size_t nbytes;
	/** The pattern has 1 to 128 bytes, which the call copies. */
	const void *pattern;
	size_t pattern_size;
	size_t nwaits;
	het_event *const *waits;
};

/** Fills bytes with a repeated pattern. @return as het_launch(). */
int het_fill(het_queue *queue, const struct het_fill_args *args, het_event **event);

/**
 * Adds a command that does nothing and finishes when the events have, or, if there are none, all commands that the
 * queue has.
 * @return as het_launch().
 */
int het_marker(het_queue *queue, size_t nwaits, het_event *const *waits, het_event **event);

/** Does the same as het_marker(), and all later commands of the queue wait for it. */
int het_barrier(het_queue *queue, size_t nwaits, het_event *const *waits, het_event **event);

/* --- events ---------------------------------------------------------------- */

/** het_event_status() tells with these how far a command is; a negative value is the code with which it has failed. */
enum { HET_COMPLETE = 0, HET_RUNNING = 1, HET_SUBMITTED = 2, HET_QUEUED = 3 };

/**
 * Waits until all events have finished.
 * @return 0; HET_EWAIT if one of them has failed; HET_ENULL; HET_ESTATE.
 */
int het_event_wait(size_t nevents, het_event *const *events);

/**
 * Tells how far a command is.
 * @param status receives HET_COMPLETE... or a code.
 * @return 0; HET_ENULL.
 */
int het_event_status(het_event *event, int *status);

/** Such a function is called once when an event has finished, on some thread; it must not wait for events. */
typedef void (*het_event_fn)(het_event *event, int status, void *arg);

/** Adds a callback; one that comes late is called by this very call. @return 0; HET_ENULL; HET_ENOMEM. */
int het_event_callback(het_event *event, het_event_fn fn, void *arg);

/** het_event_profile() fills this. What the device does not tell is the nearest moment that the host knows. */
struct het_event_times {
	size_t size;
	/** At these times het_launch() was called, the device got the command, it began, and it ended. */
	uint64_t queued, submitted, started, ended;
};

/**
 * Tells when a command did what.
 * @return 0; HET_ENULL; HET_EARG for a size too small; HET_ESTATE before the command has finished.
 */
int het_event_profile(het_event *event, struct het_event_times *times);

/**
 * Tells how many parts a launch had.
 * @param count receives 0 for commands that are no launches, or were cancelled before a device had them.
 * @return 0; HET_ENULL; HET_ESTATE before the command has finished.
 */
int het_event_parts(het_event *event, uint32_t *count);

/** This is what one device did of a launch: all of it, or one of several parts. het_event_part() fills it. */
struct het_event_part_info {
	size_t size;
	het_device *device;
	/**
	 * These count work-items, along the dimension in which the launch is split: the number of the first, and how
	 * many there are; an unsplit launch has all along its last dimension.
	 */
	uint64_t first, count;
	/** The part began, transfers included, and ended at these times. */
	uint64_t started, ended;
};

/**
 * Describes a part of a launch; parts stand in no order.
 * @param number is less than the count of het_event_parts().
 * @return 0; HET_ENULL; HET_EARG for a size too small or a number that is too large; HET_ESTATE before the command has
 * finished.
 */
int het_event_part(het_event *event, uint32_t number, struct het_event_part_info *info);

/** het_event_counters() fills this. Pages are the device's, of 64 KiB. */
struct het_launch_counters {
	size_t size;
	/** The launch had these, of HET_COALESCE...; what belongs to the others is 0. */
	uint32_t instruments;
	/**
	 * With COALESCE these are the instructions that have counters, for het_event_site(), and their sums, of one of
	 * so many accesses.
	 */
	uint32_t sites;
	uint64_t one_of;
	uint64_t warps, threads, lines, pages;
	/** With DIRTY these are the pages of arguments that the kernel may write, and those of them that it wrote. */
	uint64_t writable_pages, written_pages;
	/** The host keeps so many bytes of read-write arguments because the kernel did not write near them. */
	uint64_t bytes_kept;
	/** With TOUCH these are the pages of all arguments, and those that the kernel used. */
	uint64_t usable_pages, touched_pages;
};

/**
 * Shows what a launch's instruments have counted.
 * @return 0; HET_ENULL; HET_EARG for a size too small; HET_ESTATE before it has finished.
 */
int het_event_counters(het_event *event, struct het_launch_counters *counters);

/** het_event_preemption() fills this. */
struct het_preemption {
	size_t size;
	/**
	 * So often the launch left its device to more urgent ones before it had ended; on devices of kinds host and
	 * apart, so many of those came between its groups.
	 */
	uint64_t stops;
	/** Blocks that were saved then, in so many bytes, and those that had not begun; each stop counts them anew. */
	uint64_t saved_blocks, saved_bytes, waiting_blocks;
	/** It went on so often beside what is more urgent, as it had waited for long. */
	uint64_t rescues;
	/** It was away for so long altogether, or so long those between its groups took. */
	uint64_t away_ns;
	/** It was to have ended so long after its call, or 0; and it ended so much later than that. */
	uint64_t deadline_ns, late_ns;
	/**
	 * Blocks that were saved when a stop was announced, and ran on, in so many bytes. Of the blocks and bytes above
	 * those of which only what had changed since was saved: since then, or since they went on after another stop.
	 */
	uint64_t base_blocks, base_bytes, delta_blocks, delta_bytes;
};

/**
 * Shows how a launch was stopped for more urgent ones, and whether it came too late. All but that is 0 if it was not
 * stopped, and for a launch in parts or slices.
 * @return 0; HET_ENULL; HET_EARG for a size too small; HET_ESTATE before it has finished.
 */
int het_event_preemption(het_event *event, struct het_preemption *preemption);

/** Ways in which a launch uses a device's memory, for struct het_memory_use. */
enum {
	HET_MEMORY_WHOLE,   /**< its arrays were there whole, or it needed no memory of a device's */
	HET_MEMORY_SLICES,  /**< they did not fit, and it ran slice after slice */
	HET_MEMORY_IN_PLACE /**< they did not fit, and it worked on host memory in place */
};

/** Classes of launches that do not fit, for struct het_memory_use. */
enum {
	HET_CLASS_UNKNOWN,  /**< nothing is known: its arrays were there whole */
	HET_CLASS_REGULAR,  /**< each row of groups uses bytes that are known before it runs */
	HET_CLASS_IRREGULAR /**< of some argument any row may use all bytes */
};

/** het_event_memory() fills this. */
struct het_memory_use {
	size_t size;
	/** It is one of HET_MEMORY_..., and one of HET_CLASS_... */
	uint32_t way, memory_class;
	/** It is 1 if a launch before, which did not fit either, had used some of its arrays there. */
	uint32_t is_shared;
	/**
	 * So many of its arguments are memory of which the bytes that a row uses are known: from patterns of the
	 * program's, or from the fat binary's analysis; and of so many nothing is known, so any row may use all.
	 */
	uint32_t declared, analysed, whole;
	/** It was so urgent at its end, from -8 to 7. */
	int32_t level;
	/** It ran in so many slices; in place it counts as one. */
	uint64_t slices;
	/** So long it waited for memory, and for bytes that were elsewhere, before it had all to begin with. */
	uint64_t waited_ns;
	/**
	 * So often the device had ended all slices before the bytes of the next one were there, and so long it waited.
	 */
	uint64_t stalls, stalled_ns;
	/** So many bytes have travelled to the device for it, and home by its end. */
	uint64_t sent, brought;
	/** So many bytes had not to travel as they were there, and so many that it has written have stayed there. */
	uint64_t reused, left;
	/** So many accesses of it went to host memory; in place alone. */
	uint64_t accesses_in_place;
};

/**
 * Shows how a launch used its device's memory. For one whose arrays were there whole, for one in parts, and for other
 * commands all but level is 0.
 * @return 0; HET_ENULL; HET_EARG for a size too small; HET_ESTATE before it has finished.
 */
int het_event_memory(het_event *event, struct het_memory_use *use);

/** het_event_site() fills this. */
struct het_site_counters {
	size_t size;
	/** A warp came to the instruction so often with an address in global memory, and with so many threads. */
	uint64_t warps, threads;
	/** It asked for so many lines of 128 bytes and pages of 64 KiB, each time counted anew. */
	uint64_t lines, pages;
	/** These tell where it stands in the program's PTX; they are valid while the event lives. */
	const char *function, *instruction;
	uint32_t line, column;
};

/**
 * Shows the counters of one instruction of the launch's module.
 * @param number is less than het_launch_counters::sites.
 * @return 0; HET_ENULL; HET_EARG for a size too small or a number that is too large; HET_ESTATE before it has finished.
 */
int het_event_site(het_event *event, uint32_t number, struct het_site_counters *site);

/** Makes an event that the program finishes. @return 0; HET_ENULL; HET_ENOMEM. */
int het_user_event_create(het_event **event);
/**
 * Finishes it.
 * @param status is HET_COMPLETE, or a negative code, which those who wait inherit as HET_EWAIT.
 * @return 0; HET_ENULL; HET_EARG for another status or event; HET_ESTATE if it has finished.
 */
int het_user_event_set(het_event *event, int status);

int het_event_retain(het_event *event);
int het_event_release(het_event *event);

/* --- checkpoint files ------------------------------------------------------- */

/** These are flags of het_checkpoint_open(). */
enum {
	/** The file must be there, and is only read; another process may write it meanwhile. */
	HET_CHECKPOINT_READ_ONLY = 1
};

/**
 * Opens a checkpoint file, or prepares to make one: the first het_checkpoint_write() makes it. It holds named pieces of
 * memory as they were at one moment between commands; each write adds what has changed since. If a write fails, or the
 * process or the machine stops, the file holds what it held before. checkpoint.rst of the documentation has its format.
 * @param file  is a path, whose folder must be there.
 * @param flags is HET_CHECKPOINT_READ_ONLY or 0.
 * @return 0; HET_ENULL; HET_EARG; HET_EFILE if it can't be read, or is damaged; HET_ESTATE if something else has it
 * open and writes it; HET_ENOMEM, after which another call may succeed.
 */
int het_checkpoint_open(const char *file, uint32_t flags, het_checkpoint **checkpoint);
int het_checkpoint_retain(het_checkpoint *checkpoint);
/** With the last reference the file is closed; writes and restores that are under way keep it open. */
int het_checkpoint_release(het_checkpoint *checkpoint);

/** This is a piece of memory that a checkpoint file holds by its name. */
struct het_checkpoint_item {
	/** It has 1 to 255 bytes, and no other item of the call has the same. */
	const char *name;
	/**
	 * This is HET_ARG_RANGE or HET_ARG_MEMORY. Addresses of raw device memory and textures are refused with
	 * HET_EARG: copy them to memory objects first.
	 */
	uint32_t kind;
	/** This must be 0. */
	uint32_t reserved;
	/** These are a range's; of a memory object all is meant, and they are 0. */
	void *pointer;
	size_t nbytes;
	het_memory *memory;
};

/** Launches in a checkpoint file are of kernels of such a program, which another process knows by the same name. */
struct het_checkpoint_program {
	/** It has 1 to 255 bytes, and no other program of the call has the same. */
	const char *name;
	het_program *program;
};

/** These are flags of het_checkpoint_write() and het_checkpoint_restore(). */
enum {
	/** Launches that have not begun are written to the file, and given back. */
	HET_CHECKPOINT_LAUNCHES = 1,
	/** A restore leaves launches in the file alone: the items are as they were before those. */
	HET_CHECKPOINT_WITHOUT_LAUNCHES = 2
};

/** These are the arguments of het_checkpoint_write() and het_checkpoint_restore(). */
struct het_checkpoint_args {
	size_t size;
	het_checkpoint *checkpoint;
	/** This is sizeof(struct het_checkpoint_item). */
	size_t item_size;
	/** There are 1 to 4096 items. */
	size_t nitems;
	const struct het_checkpoint_item *items;
	size_t nwaits;
	het_event *const *waits;
	/**
	 * So many bytes of what has changed may be kept in memory for a write, so that who writes the items need not
	 * wait for the disk; with 0 they are 256 MiB.
	 */
	uint64_t memory;
	/** These are HET_CHECKPOINT_LAUNCHES..., or 0. */
	uint32_t flags;
	/** This must be 0. */
	uint32_t reserved;
	/** With HET_CHECKPOINT_LAUNCHES: this is sizeof(struct het_checkpoint_program), unless there are none. */
	size_t program_size;
	/** With HET_CHECKPOINT_LAUNCHES: there are 0 to 4096 programs. */
	size_t nprograms;
	const struct het_checkpoint_program *programs;
	/**
	 * This is null, or a restore puts the events of the launches that it has added here, which the caller releases:
	 * as many as struct het_checkpoint_info has counted, for which there is room.
	 */
	size_t nlaunches;
	het_event **launches;
};

/**
 * Writes the items to the file, which holds them alone afterwards. The call is a command that reads them, in order with
 * others: it takes them as they are when all commands that were added before and write them have finished. Those that
 * come later and write them wait until what has changed was copied, to memory as far as there is room for it, and not
 * for the disk; all others wait for nothing. The later commands of an in-order queue, and the host if it writes the
 * items, must wait for that as well: struct het_checkpoint_info tells how long it took.
 *
 * With HET_CHECKPOINT_LAUNCHES the call does not wait for launches that have not begun when it is made: they are
 * written, too, and the items as they are before them. It is in no order of a queue's then, and waits for no events
 * (nwaits must be 0). What uses an item and has begun is waited for; what uses one and has not begun is held back until
 * the items are copied, and goes on. The file has all launches of those, with the order in which they have to come,
 * whichever queues they are in. Each of their arguments must be a value, local memory, or bytes of one item; their
 * programs must be among @p programs. If a command that is no launch, an event of the program's own or a mapping stands
 * among them, or an argument is anything else, the call fails and says which. Deadlines, and the device that a launch
 * may have been given, are not kept.
 * @param event is null, or receives an event that finishes when the file holds the items, whatever happens to the
 * machine. Its status is HET_EFILE, HET_ENOMEM or HET_EDEVICE if it does not: the file is as it was before, and the
 * next write writes all that has changed since.
 * @return as het_launch(); HET_ESTATE if the file was opened to be read only. With HET_CHECKPOINT_LAUNCHES also
 * HET_EARG and HET_ESTATE for what can't be written, as above.
 */
int het_checkpoint_write(het_queue *queue, const struct het_checkpoint_args *args, het_event **event);

/**
 * Gives items the bytes that the file holds for their names, in any process and with any devices. The call is a command
 * that writes the items. Before it changes the first byte it has read and checked all of them; if one is not there, has
 * another size, or is damaged, or there is no memory, nothing has changed, and it may be tried again.
 *
 * If there are launches in the file, one of the flags must be given. With HET_CHECKPOINT_LAUNCHES the call adds them to
 * the queue, behind the items that it restores, which must be all that they use: they run on whatever devices the queue
 * has. Their programs must be those from which they were launched, in the same words or the same fat binary; of
 * functions alone the names are compared. If a launch can't be added, the call returns why, and what it has added
 * before ends with HET_EWAIT, the restore, too.
 * @param event is null, or receives the command's event, whose status may be HET_EARG, HET_EFILE or HET_ENOMEM.
 * @return as het_launch().
 */
int het_checkpoint_restore(het_queue *queue, const struct het_checkpoint_args *args, het_event **event);

/** het_checkpoint_describe() fills this. */
struct het_checkpoint_info {
	size_t size;
	/** So many writes the file has had; with 0 there is nothing in it. */
	uint64_t generation;
	/** It holds so many items, and has so many bytes on the disk. */
	uint64_t nitems, file_bytes;
	/** The last write of this handle has added so many bytes to the file, and made others wait so long. */
	uint64_t written_bytes, pause_ns;
	/**
	 * It has looked at so many bytes of the items; of the others it was known that they are as the file has them.
	 */
	uint64_t compared_bytes;
	/** The file holds so many launches that had not begun. */
	uint64_t nlaunches;
};

/**
 * Describes what is in the file after the last write that has finished.
 * @return 0; HET_ENULL; HET_EARG for a size too small.
 */
int het_checkpoint_describe(het_checkpoint *checkpoint, struct het_checkpoint_info *info);

/**
 * Tells the name and the size of an item in the file.
 * @param number is less than het_checkpoint_info::nitems.
 * @param name   receives the name, with a final 0; it has room for 256 bytes.
 * @return 0; HET_ENULL; HET_EARG for a number that is too large.
 */
int het_checkpoint_holds(het_checkpoint *checkpoint, uint64_t number, char *name, uint64_t *nbytes);

/** Explains an error code. @return a sentence, never null. */
const char *het_strerror(int err);

/**
 * Tells what the call of this thread that failed last had to say: the line that it wrote to stderr, or would have
 * written without GPUVM_QUIET=1. Calls that succeed, and failures that have nothing to say, leave it as it is.
 * @return text without the newline, valid until a call of this thread fails; "" if there was none. It is never null.
 */
const char *het_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* HET_H */
