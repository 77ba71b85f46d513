# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# The device kernels of the benchmarks have one source in OpenCL C for each program, and het-fatbin makes PTX of it. The
# PTX is checked in, because machines with GPUs have neither clang 14 nor libclc as a rule, and so that all measure the
# same code.

bench_kernels := $(patsubst bench/%.cl,%,$(wildcard bench/apps/*.cl bench/measure/*.cl bench/micro/*.cl bench/etc/kernels/*.cl bench/pep/kernels/*.cl))
bench_kernel_objs := $(patsubst %,$(B)/obj/kernels/%.o,$(bench_kernels))
fresh_ptx := $(patsubst %,$(B)/kernels/%.ptx,$(bench_kernels))

$(B)/kernels/%.cc: bench/%.cl bench/%.ptx scripts/kernel-text.sh
	@mkdir -p $(@D)
	@scripts/kernel-text.sh $(filter bench/%,$^) >$@

$(bench_kernel_objs): private mode_flags := -Ibench
$(bench_kernel_objs): $(B)/obj/kernels/%.o: $(B)/kernels/%.cc bench/common/kernel_text.h $(flags_stamp)
	@mkdir -p $(@D)
	$(call say,CXX)
	$Q$(call compiled,$(compile_cxx))

$(foreach k,$(filter apps/%,$(bench_kernels)),$(eval $(B)/bin/$(notdir $k): $(B)/obj/kernels/$k.o))

# It has no kernels of its own.
$(B)/bin/oversubscription: $(patsubst %,$(B)/obj/kernels/apps/%.o,black-scholes stencil vectoradd)

$(B)/bin/cl-platform: $(patsubst %,$(B)/obj/kernels/apps/%.o,black-scholes histogram mandelbrot matmul nbody reduction \
	spmv stencil vectoradd)

# Several programs use these.
$(bench_archive): $(filter $(B)/obj/kernels/measure/%,$(bench_kernel_objs))

$(fresh_ptx): $(B)/kernels/%.ptx: bench/%.cl $(B)/bin/het-fatbin scripts/kernel-ptx.sh
	@mkdir -p $(@D)
	$(call say,PTX)
	$Qscripts/kernel-ptx.sh $(B)/bin/het-fatbin $< $@

kernels: $(fresh_ptx)
	$Q$(foreach k,$(bench_kernels),cp $(B)/kernels/$k.ptx bench/$k.ptx &&) true

kernels-check: $(fresh_ptx)
	$Qfor k in $(bench_kernels); do cmp $(B)/kernels/$$k.ptx bench/$$k.ptx || \
		{ echo "bench/$$k.ptx was made of another bench/$$k.cl, or by another compiler: make kernels"; \
		exit 1; }; done
.PHONY: kernels kernels-check
.SECONDARY: $(patsubst %,$(B)/kernels/%.cc,$(bench_kernels))
