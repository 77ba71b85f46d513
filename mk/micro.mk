# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# The parts of het-bench that need no device: its tests, what they infer, and the planted devices that these are tested
# on. (Its sources are named in build.mk.)

$(micro_archive): $(call obj,$(filter-out $(micro_of_devices),$(micro_srcs))) \
	$(call obj,$(addprefix bench/common/,format.cc stats.cc table.cc report.cc machine.cc plot.cc)) \
	$(filter $(B)/obj/kernels/micro/%,$(bench_kernel_objs))
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$Q$(AR) rcs $@ $^

# What the tests say of hundreds of planted devices, and how often it is true: some minutes.
micro-rates: $(B)/tests/in-bench-micro
	HET_TEST_FULL=1 $(B)/tests/in-bench-micro --gtest_filter='planted.*'
.PHONY: micro-rates
