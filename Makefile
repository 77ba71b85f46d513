# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This builds libhet. `make help` lists the targets and the settings.
#
# One makefile does it, without recursion into folders: sources are found by wildcard, headers by the compiler (-MMD).
# Everything that is built lies in $(B).

MAKEFLAGS += --no-builtin-rules --no-builtin-variables
# All processors work, unless goals are to be reached one after the other. A -j of the user's counts more.
ifeq ($(MAKELEVEL)$(filter clean setup packages %install,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := all

# make's own defaults (cc, ar -rv) do not count as chosen.
chosen = $(if $(filter undefined default,$(origin $1)),$2,$($1))
CC := $(call chosen,CC,gcc)
CXX := $(call chosen,CXX,g++)
AR := $(call chosen,AR,ar)
PYTHON ?= python3

# Settings. SAN=address|thread builds beside the normal tree.
SAN ?=
B ?= build$(if $(SAN),-$(SAN))
DEBUG_LOCKS ?=
WITHOUT ?=
SYNTAX ?=
EXCEPT ?=
PRECOMPILED ?=
UNITS ?=
HIDE ?=
# Warnings of a compiler that nobody here has seen must not stop a user.
WERROR ?= $(if $(CI),1)
DESTDIR ?=
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
# The OpenCL loader opens the platform by its path.
OPENCLDIR ?= $(LIBDIR)
# The OpenCL loader looks into /etc alone, which is no place for what is installed elsewhere.
VENDORDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),,$(PREFIX))/etc/OpenCL/vendors

V ?=

VERSION := $(file <VERSION)
SONAME := libhet.so.0
COMPAT_SONAME := libgpuvm.so.0
MPI_SONAME := libhet-mpi.so.0

# A step prints one short line, or with V=1 its commands.
Q := $(if $(V),,@)
say = @$(if $(V),:,printf '  %-4s %s\n' $1 '$@')

# Goals that compile nothing need no probing of the machine.
without_probing := help clean setup packages run bench bench-apps bench-vm check check-compilers check-foresight check-opencl \
	check-vm check-vm-debug check-vm-all check-vm-library modules modules_install dkms_install uninstall deb check-deb
ifneq ($(filter-out $(without_probing),$(or $(MAKECMDGOALS),all)),)
include mk/config.mk
include mk/build.mk
include mk/kernels.mk
include mk/python.mk
include mk/mpi.mk
include mk/noc.mk
include mk/etc.mk
include mk/pep.mk
include mk/micro.mk
endif
include mk/install.mk
include mk/checks.mk
include mk/vm.mk
include mk/nvptx.mk
include mk/deb.mk
ifneq ($(filter-out $(without_probing),$(or $(MAKECMDGOALS),all)),)
include mk/openmp.mk
endif

help:
	@sed -n 's/^## \?//p' Makefile

## libhet, version in VERSION. Targets:
##   all              library, OpenCL platform, tools and benchmark programs (default)
##   modules          the kernel module, for the running kernel or that of KDIR=, into build/kmod/
##   check            all tests; installs what they need; ends with a line of counts
##   check-foresight  the memory core's selftests, with all that kernels write foreseen, with chance deciding, and
##                    with nothing
##   check-compilers  all sources through each compiler here, and once without each header that may be missing
##   check-libgomp    libgomp's own tests of target regions, which lie in SUITE=, through het-openmp
##   check-opencl     Khronos' conformance suite, which lies in CTS=, on a driver directly and through the OpenCL platform
##   check-vm         the kernel module's tests in a guest with Debian's kernel 6.1, or KERNEL=6.12, KERNEL=unstable
##   check-vm-debug   the same with a debugging kernel 6.12, or KERNEL=6.1, which is built first, once, in ten minutes
##   check-vm-all     both with every kernel, and the fuzzers for ten minutes in the debugging guests: for each night
##   check-vm-library the library's selftests in the guest
##   run              the main job: photo, matvec, fault-latency, results under build/run/
##   bench            the benchmark suite, results under build/bench/
##   bench-apps       the applications over het.hpp, against copies by hand, results under build/bench-apps/
##   bench-nvptx      builds and checks build/nvptx/, programs in OpenMP, OpenACC and CUDA for a machine with a GPU
##   noc-figures      the network simulator's figures beside a thesis', under build/noc-figures/ (QUICK=1, STUDY=1)
##   etc-figures      figures of a thesis on GPUs with too little memory, on a timing model, under build/etc-figures/
##   pep-figures      figures of the same thesis on preemption, on a timing model, under build/pep-figures/
##   micro-rates      how often het-bench is right about 500 planted devices of two kinds: many minutes
##   bench-vm         what the kernel module gains, measured in a guest, results under build/bench-vm/KERNEL/
##   deb              Debian's packages, into build/deb/
##   check-deb        builds them twice, and tests them in a new Debian 12; as root
##   setup            packages, and as root the udev rules for /dev/gpuvm and /dev/userfaultfd
##   docs             HTML and man pages under build/docs/
##   install, uninstall, modules_install, dkms_install
##   kernels          makes the PTX of the benchmarks' kernels anew from their sources (clang 14, libclc)
##   tests            builds the unit tests, the selftests and the examples
##   fuzz             builds build/fuzz/ptx-parser, fat-binary, noc-traces and checkpoint, libFuzzer programs (clang)
##   inject           builds build/inject/libhet.so, which delays and fails on request (for tests)
##   format, format-check, tidy, headers-check, deps-check, settings-check, vm-setup-check, readme-check, symbols-check
##   compile_commands.json
##   clean
## Settings:
##   SAN=address|thread             with AddressSanitizer and UBSan, or ThreadSanitizer, into build-$SAN/
##   CC=, CXX=                      gcc and g++ by default; clang works
##   CPPFLAGS=, CXXFLAGS=, LDFLAGS= appended to the project's own
##   DEBUG_LOCKS=1                  the library checks its lock order
##   HIDE=                          does without these headers, which the machine has ("numa.h png.h")
##   WITHOUT=                       tests: not these ("fork layout_test")
##   WERROR=1                       warnings are errors; the default where CI is set
##   SYNTAX=1                       with the goal objects and a B of its own: look for errors and warnings alone;
##   EXCEPT=folder                  not in what has been compiled there
##   PRECOMPILED=1                  the system's headers are compiled once; GCC does not warn then
##   UNITS=1                        the sources of a folder of the library are compiled as one; 0: no folder's are
##   V=1                            show the commands
##   B=folder                       where to build
##   ARGS=                          run, bench and bench-apps: handed to the programs (run: another PNG);
##                                  check-opencl: options of scripts/check-opencl.py; check-vm: of scripts/vm/guest.py;
##                                  bench-vm: of kmod-latency
##   SUITE=folder                   check-libgomp: libgomp/testsuite of GCC's sources
##   CTS=folder                     check-opencl: OpenCL-CTS, which the target does not fetch
##   ONLY=regex                     check: these steps alone
##   KERNEL=6.1|6.12|unstable       check-vm, check-vm-library, check-vm-debug and bench-vm (6.1, 6.12): which
##   TESTS=                         check-vm: these of selftests/kmod alone ("faults stale")
##   KDIR=folder                    modules: the kernel's build folder
##   PREFIX=, LIBDIR=, DESTDIR=     where to install
##   PYTHONDIR=                     where Debian's Python finds packages
##   OPENCLDIR=                     where to install the OpenCL platform (LIBDIR)
##   VENDORDIR=                     where the OpenCL loader looks (/etc/OpenCL/vendors)
.PHONY: help
