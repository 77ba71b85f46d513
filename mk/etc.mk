# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# The timing model of a GPU with too little memory is a program of its own; of the library it has some policies, and the
# PTX interpreter runs its programs. (Its sources are named in build.mk.)

etc_model := $(if $(and $(HAVE_CLI11),$(HAVE_JSON)),$(B)/bin/etc-model)
etc_common := $(call obj,$(addprefix bench/common/,figures.cc machine.cc options.cc plot.cc progress.cc report.cc \
	stats.cc table.cc))

bench-programs: $(etc_model)

$(etc_archive): $(call obj,$(etc_srcs) $(model_srcs)) $(filter $(B)/obj/kernels/etc/%,$(bench_kernel_objs)) \
	$(B)/obj/kernels/micro/transforms.o $(B)/obj/kernels/apps/reduction.o $(call obj,bench/common/format.cc)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$Q$(AR) rcs $@ $^

# All figures: some minutes on two processors.
etc-figures: $(etc_model)
	$Q$(etc_model) --figures $(B)/etc-figures --json $(B)/etc-figures/etc-figures.json
.PHONY: etc-figures

$(etc_model): $(call obj,$(etc_main)) $(etc_common) $(etc_parts) $(json_archive) $(base_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^)
