/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * This stands for the library of 2011 while an old program is linked, and is never called. Only the names and the
 * absence of symbol versions matter.
 */
void gpuvm_pre_init(void) {}
void gpuvm_library_exists(void) {}
void gpuvm_init(void) {}
void gpuvm_link(void) {}
void gpuvm_unlink(void) {}
void gpuvm_xlate(void) {}
void gpuvm_kernel_begin(void) {}
void gpuvm_kernel_end(void) {}
void gpuvm_stat(void) {}
