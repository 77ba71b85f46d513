# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This builds the kernel module, and tests it in a guest. Its makefile is that of the kernel; what it builds lies in
# build/kmod.

# The guest runs Debian's kernel 6.1, 6.12 from bookworm-backports, or the newest that there is, unstable's.
KERNEL_GIVEN := $(KERNEL)
KERNEL ?= 6.1
# Only these tests of selftests/kmod run; all do if it is empty.
TESTS ?=
export TESTS
KDIR ?= $(wildcard /lib/modules/$(shell uname -r)/build)

ifneq ($(KDIR),)
modules:
	@scripts/vm/module.sh $(KDIR) build/kmod $(if $(GPUVM_TEST),GPUVM_TEST=1)

modules_install: modules
	$(MAKE) -C $(KDIR) M=$(CURDIR)/build/kmod modules_install
else
modules:
	@echo "modules: no headers of the running kernel ($(shell uname -r)) and no KDIR=:" \
		"building for the guest's kernels"
	@scripts/vm/check.sh modules 6.1
	@scripts/vm/check.sh modules 6.12

modules_install:
	$(error there are no headers of the running kernel: install them, or say KDIR=)
endif

# DKMS builds the module again for each new kernel. With DESTDIR= only its sources are laid there.
dkms_source := $(DESTDIR)/usr/src/gpuvm-$(VERSION)
dkms_install:
	install -d $(dkms_source)
	cp -r kmod/. $(dkms_source)
	rm $(dkms_source)/dkms.conf.in
	sed 's|@VERSION@|$(VERSION)|' kmod/dkms.conf.in >$(dkms_source)/dkms.conf
	$(if $(DESTDIR),,dkms install gpuvm/$(VERSION))

check-vm:
	@scripts/vm/check.sh run $(KERNEL) $(ARGS)

check-vm-debug:
	@scripts/vm/check.sh run $(if $(filter 6.1,$(KERNEL_GIVEN)),debug-6.1,debug) $(ARGS)

# `make check` is too short for this. It prints one line of counts for each guest.
check-vm-all:
	@failed=; for kernel in 6.1 6.12 unstable; do scripts/vm/check.sh run $$kernel $(ARGS) || failed=1; done; \
	for kernel in debug-6.1 debug; do HET_TEST_FULL=1 scripts/vm/check.sh run $$kernel $(ARGS) || failed=1; done; \
	[ -z "$$failed" ]

check-vm-library:
	@$(MAKE) --no-print-directory lib selftests inject
	@scripts/vm/check.sh library $(KERNEL) $(ARGS)

# This measures what the module gains, in the guest.
bench-vm:
	@scripts/setup.sh packages run
	@$(MAKE) --no-print-directory build/bin/kmod-latency
	@scripts/vm/bench.sh $(KERNEL) $(ARGS)

.PHONY: modules modules_install dkms_install check-vm check-vm-debug check-vm-all check-vm-library bench-vm
