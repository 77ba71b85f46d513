/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/**
 * @file cl_ext_het.h
 * What libhet's OpenCL platform has beyond OpenCL: the extension cl_het_parts.
 */
#ifndef CL_EXT_HET_H
#define CL_EXT_HET_H

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

#define cl_het_parts 1

/**
 * A question of clGetEventInfo(), answered by a cl_uint: on how many devices a launch has run, once it has finished. It
 * is 0 before, and for other commands.
 */
#define CL_EVENT_PARTS_HET 0x4E10

#ifdef __cplusplus
}
#endif

#endif /* CL_EXT_HET_H */
