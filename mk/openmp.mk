# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# The door for OpenMP programs is a plug-in of libgomp, and het-openmp, which runs a program with it. GCC 12 with its
# back end for nvptx compiles the programs that test it.

# A double of libgomp's stands for those of GCC 13 and later.
openmp_double := $(if $(openmp_plugin),$(B)/selftests/openmp/libgomp13)
openmp_programs := $(if $(and $(openmp_plugin),$(nvptx_gcc)),$(patsubst %.c,$(B)/%,$(openmp_program_srcs)) \
	$(B)/examples/openmp/saxpy $(B)/bench/openmp/figures)

# Some reductions call it on the device.
offload_atomic := -foffload-options=nvptx-none=-latomic

openmp: $(openmp_plugin) $(if $(openmp_plugin),$(B)/bin/het-openmp)
openmp-tests: openmp $(openmp_double) $(openmp_programs) $(fake_cuda)
all: openmp
$(if $(SAN),,tests: openmp-tests)
.PHONY: openmp openmp-tests

$(openmp_plugin): $(call obj,$(openmp_srcs)) $(libhet)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) -shared $(ldflags) -Wl,-soname,$(@F) -Wl,-z,nodelete -o $@ $(filter %.o,$^) $(B)/libhet.so \
		$(call rpath,..) $(GOMP_LIBS) -ldl

$(B)/bin/het-openmp: openmp/het-openmp
	@mkdir -p $(@D)
	@sed -e 's|@LIBRARY@|..|' -e 's|@PLUGIN@|../openmp|' $< >$@ && chmod +x $@

# What it has of libgomp's the plug-in finds in the program itself.
$(openmp_double): $(call obj,$(openmp_double_srcs)) | $(openmp_plugin)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -rdynamic -o $@ $(filter %.o,$^) -ldl

$(filter $(B)/selftests/%,$(openmp_programs)): $(B)/%: %.c mk/nvptx.mk mk/openmp.mk
$(B)/bench/openmp/figures: bench/openmp/figures.c mk/nvptx.mk mk/openmp.mk
$(B)/examples/openmp/saxpy: Documentation/examples/openmp/saxpy.c mk/nvptx.mk mk/openmp.mk
$(openmp_programs):
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(nvptx_gcc) $(nvptx_cflags) -fopenmp $(offload) $(offload_atomic) $< -o $@

# SUITE is the folder libgomp/testsuite of GCC's sources.
check-libgomp: openmp $(fake_cuda)
	$Q$(PYTHON) scripts/check-libgomp.py compile $(SUITE) $(B)/libgomp
	$Q$(PYTHON) scripts/check-libgomp.py run $(B)/libgomp --build $(B) $(ARGS)
.PHONY: check-libgomp
