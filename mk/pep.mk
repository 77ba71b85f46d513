# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# The timing model of preemption is a program of its own; the PTX interpreter runs its kernels. (Its sources are named in
# build.mk.)

pep_model := $(if $(and $(HAVE_CLI11),$(HAVE_JSON)),$(B)/bin/pep-model)

bench-programs: $(pep_model)

$(pep_archive): $(call obj,$(pep_srcs) $(model_srcs)) $(filter $(B)/obj/kernels/pep/%,$(bench_kernel_objs)) \
	$(B)/obj/kernels/etc/kernels/lud.o $(call obj,bench/common/format.cc)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$Q$(AR) rcs $@ $^

# All figures: a few minutes on two processors.
pep-figures: $(pep_model)
	$Q$(pep_model) --parameters bench/pep/gtx980.parameters --figures $(B)/pep-figures --json $(B)/pep-figures/pep-figures.json
.PHONY: pep-figures

$(pep_model): $(call obj,$(pep_main)) $(etc_common) $(pep_parts) $(json_archive) $(base_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^)
