# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This builds Python's package het: build/python is a folder for PYTHONPATH.

# The extension is for Debian's Python, as numpy is. One that lacks a source is of no use.
python_kept := $(call keep,$(python_srcs))
python_whole := $(if $(and $(python_kept),$(HAVE_PYTHON),$(if $(filter-out $(python_kept),$(python_srcs)),,whole)),plain)
python_texts := $(wildcard python/het/*.py python/het/*.pyi python/het/py.typed)
python_extension := $(if $(python_whole),$(B)/python/het/_het.so)
python_package := $(if $(python_whole),$(python_extension) $(patsubst python/%,$(B)/python/%,$(python_texts)))

# A sanitizer would have to be in Python itself.
python: $(if $(SAN),,$(python_package))
.PHONY: python
all: python

$(B)/python/het/_het.so: $(call obj,$(python_srcs)) $(libhet)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) -shared $(ldflags) -o $@ $(filter %.o,$^) $(B)/libhet.so -Wl,-rpath,'$$ORIGIN/../..'

$(filter-out $(python_extension),$(python_package)): $(B)/python/%: python/%
	@mkdir -p $(@D)
	@cp $< $@

# Debian's folder for this machine's kind is one of the system's, too.
folders_of_system := /usr/lib /usr/local/lib $(addprefix /usr/lib/,$(shell $(CC) -print-multiarch 2>/dev/null))
# A library in a folder of the system's is found without being told where it is. The build tree's rpath would lead
# astray elsewhere.
python_rpath = $(if $(filter $(folders_of_system),$(LIBDIR)),,-Wl,-rpath,$(LIBDIR))
$(B)/python-installed/_het.so: $(python_extension) Makefile
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) -shared $(ldflags) -o $@ $(call obj,$(python_srcs)) $(B)/libhet.so $(python_rpath)
.PHONY: $(if $(filter $(folders_of_system),$(LIBDIR)),,$(B)/python-installed/_het.so)

# bench/python/costs.py compares with this.
python-bench: python $(if $(python_extension),$(B)/python-bench/launch.so)
.PHONY: python-bench
all: python-bench

$(B)/python-bench/launch.so: $(call obj,$(python_bench_srcs)) $(libhet)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) -shared $(ldflags) -o $@ $(filter %.o,$^) $(B)/libhet.so -Wl,-rpath,'$$ORIGIN/..'
