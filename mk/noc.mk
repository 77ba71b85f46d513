# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# The network simulator is a program of its own, which needs nothing of the library. (Its sources are named in
# build.mk.)

noc_sim := $(if $(and $(HAVE_CLI11),$(HAVE_JSON)),$(B)/bin/noc-sim)
noc_common := $(call obj,$(addprefix bench/common/,format.cc machine.cc options.cc progress.cc report.cc stats.cc \
	table.cc))

# The recorder has the functions of ThreadSanitizer, which a sanitized tree has from elsewhere.
noc_record := $(if $(noc_sim),$(if $(SAN),,$(B)/bin/noc-record))

noc_record_ptx := $(if $(noc_record),$(B)/bin/noc-record-ptx)

bench-programs: $(noc_sim) $(noc_record) $(noc_record_ptx)

$(noc_archive): $(call obj,$(noc_srcs))
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$Q$(AR) rcs $@ $^

# What was interrupted goes on; QUICK=1: one seed and short runs; STUDY=1: also a row for each open parameter.
# SETTINGS= names what search.py wrote.
noc-figures: $(noc_sim) $(noc_record) $(noc_record_ptx)
	$Q$(PYTHON) bench/noc/figures.py --program $(noc_sim) --recorder $(B)/bin/noc-record \
		--kernel-recorder $(B)/bin/noc-record-ptx --folder $(B)/noc-figures $(if $(QUICK),--quick) $(if $(STUDY),--study) \
		$(if $(SETTINGS),--settings $(SETTINGS))
.PHONY: noc-figures

$(noc_sim): $(call obj,$(noc_main)) $(noc_common) $(noc_archive) $(json_archive) $(base_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^)

$(noc_record): $(call obj,$(noc_record_srcs)) $(noc_common) $(noc_archive) $(json_archive) $(base_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^)

$(noc_record_ptx): $(call obj,$(noc_ptx_srcs)) $(noc_common) $(noc_archive) $(tool_archive) $(json_archive) $(base_archive) \
	$(simt_archive) $(ptx_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^)
