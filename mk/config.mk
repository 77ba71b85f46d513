# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This finds what the machine offers, and the flags that follow from it.

# What was found before the questions changed is asked again. Another make may read the file meanwhile.
probe_for := $(CXX) -std=c++20 $(CPPFLAGS)$(if $(HIDE), without $(HIDE)) by $(shell cksum scripts/probe.sh)
$(eval $(file <$(B)/config.mk))
ifneq ($(probed_for),$(probe_for))
$(shell mkdir -p $(B) && { HIDE='$(HIDE)' scripts/probe.sh $(CXX) -std=c++20 $(CPPFLAGS) \
	&& echo 'probed_for := $(probe_for)'; } >$(B)/config.mk.$$$$; mv $(B)/config.mk.$$$$ $(B)/config.mk)
$(eval $(file <$(B)/config.mk))
ifneq ($(MISSING_HEADERS),)
$(info libhet: not on this machine: $(MISSING_HEADERS) (`make setup` installs what Debian has))
endif
endif

ifeq ($(HAVE_CL),)
$(error CL/cl.h not found: install opencl-headers (`make setup` does), or set CPPFLAGS=-I... or CUDA_HOME)
endif

# ccache, where there is one, keeps what was compiled, also for other folders with the same sources; CCACHE= does without.
# What uses a precompiled header it keeps only if it need not look at macros and times in there.
CCACHE ?= $(shell command -v ccache)
ccache := $(if $(SYNTAX),,$(CCACHE))
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1

is_clang := $(findstring clang,$(notdir $(firstword $(CXX))))

ifneq ($(SAN),)
ifeq ($(filter $(SAN),address thread),)
$(error SAN=$(SAN): say address (with the checks for undefined behaviour) or thread)
endif
# vptr checks need run-time type information, which the library does without.
san_flags := -fsanitize=$(SAN) $(if $(filter address,$(SAN)),-fsanitize=undefined -fno-sanitize=vptr) \
	-fno-sanitize-recover=all -fno-omit-frame-pointer
endif

cppflags := -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=300 \
	-Ilib -Ilib/include -Iruntime/include -Ikmod/uapi $(CL_CFLAGS) \
	$(if $(DEBUG_LOCKS),-DHET_DEBUG_LOCKS) $(if $(HAVE_SDT),,-DHET_NO_SDT) $(if $(HAVE_NUMA),,-DHET_NO_NUMA) \
	$(CPPFLAGS)
# Clang from 17 or so on takes what the C++ library does in its own headers, for std::stable_sort(), for ours.
warnings := -Wall -Wextra $(if $(is_clang),-Wno-deprecated-declarations) $(if $(WERROR),-Werror)
# Nobody opens a debugger in CI, and what one would need takes up to a third of a source's compile time.
common_flags := -O2 $(if $(CI),-g1,-g) -pthread $(warnings) $(san_flags)
cflags := -std=c11 $(common_flags) $(CFLAGS)
cxxflags := -std=c++20 $(common_flags) $(CXXFLAGS)
lib_cxxflags := -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions -fno-rtti
ldflags := -pthread $(san_flags) $(LDFLAGS)

# Objects depend on this file, which changes when the way of compiling does.
flags_stamp := $(B)/flags
flags_now := $(CC) $(CXX) $(cppflags) $(cflags) $(cxxflags) $(lib_cxxflags)
ifneq ($(file <$(flags_stamp)),$(flags_now))
$(file >$(flags_stamp),$(flags_now))
endif
