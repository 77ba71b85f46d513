# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This builds the programs of bench/nvptx, with whatever compilers for NVIDIA's GPUs are here. The machine with the GPU
# needs nothing but build/nvptx and bench/nvptx/sweep.py.

nvptx := $(B)/nvptx
nvptx_gcc := $(if $(filter /%,$(shell gcc-12 -print-prog-name=accel/nvptx-none/mkoffload 2>/dev/null)),gcc-12)
nvcc := $(firstword $(shell command -v nvcc || ls $(or $(CUDA_HOME),/usr/local/cuda)/bin/nvcc 2>/dev/null))
nvptx_clang := $(shell command -v clang-14)

nvptx_cflags := -O2 $(warnings)
# ptxas is not asked: CUDA 13's does not know the sm_35 of GCC's own libraries. The tables of what is offloaded hold
# absolute addresses.
offload := -no-pie -foffload=nvptx-none -foffload-options=nvptx-none="-misa=sm_75 -Wa,--no-verify"
clang_ptx := -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -Wno-unknown-cuda-version \
	-Xclang -target-feature -Xclang +ptx63 -O2 -S
nvptx_texts := $(if $(nvcc),nvcc) $(if $(nvptx_clang),clang)
nvptx_host_cc := $(or $(nvptx_gcc),$(firstword $(shell command -v gcc-12 || command -v gcc)))
nvptx_programs := $(addprefix $(nvptx)/,ptx $(if $(nvptx_host_cc),host) \
	$(if $(nvptx_gcc),openmp openacc lib/libgomp.so.1) $(foreach t,$(nvptx_texts),$t.ptx $t-warps.ptx))

nvptx_overheads := $(if $(nvcc),$(patsubst %,$(nvptx)/overheads/%.ptx,plain dirty touch coalesce resident slice uniform-simt))

nvptx_checkpoints := $(if $(nvcc),$(addprefix $(nvptx)/checkpoints/,plain.ptx checkpoint.ptx info.json))

bench-nvptx: $(nvptx_programs) $(nvptx_overheads) $(nvptx_checkpoints) $(fake_cuda) $(B)/bin/het-ptx
	$(if $(nvptx_gcc),,@echo 'left out: OpenMP and OpenACC, for want of gcc-12-offload-nvptx')
	$(if $(nvcc),,@echo 'left out: nvcc')
	$(if $(nvptx_clang),,@echo 'left out: clang-14')
	$Q$(PYTHON) bench/nvptx/sweep.py --check --bin $(nvptx) --het-ptx $(B)/bin/het-ptx
	$(if $(nvcc),$Qfor p in overheads resident stops uniform; do \
		LD_LIBRARY_PATH=$(B)/fake $(PYTHON) bench/nvptx/$$p.py --check --bin $(nvptx)/overheads || exit; done)
	$(if $(nvcc),$QLD_LIBRARY_PATH=$(B)/fake $(PYTHON) bench/nvptx/checkpoints.py --check --bin $(nvptx)/checkpoints)
	$Q$(PYTHON) bench/nvptx/matrices.py --check --fake $(B)/fake
.PHONY: bench-nvptx

nvptx_headers := $(wildcard bench/nvptx/*.h)

$(nvptx)/openmp $(nvptx)/openacc: $(nvptx)/%: bench/nvptx/main.c bench/nvptx/%.c $(nvptx_headers) mk/nvptx.mk
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(nvptx_gcc) $(nvptx_cflags) -f$* $(offload) $(filter %.c,$^) -o $@ -lm

# Only simd has an effect among the directives: these are the loops of one core. The others, and the sizes that only
# maps name, are ignored on purpose.
$(nvptx)/host: bench/nvptx/main.c bench/nvptx/openmp.c $(nvptx_headers) mk/nvptx.mk
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(nvptx_host_cc) $(nvptx_cflags) -DONE_CORE -fopenmp-simd -Wno-unused-variable -Wno-unknown-pragmas \
		$(filter %.c,$^) -o $@ -lm

$(nvptx)/ptx: bench/nvptx/main.c bench/nvptx/ptx.c $(nvptx_headers)
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(CC) $(nvptx_cflags) $(filter %.c,$^) -o $@ -lm -ldl

# The machine with the GPU looks for them at run time.
$(nvptx)/lib/libgomp.so.1:
	@mkdir -p $(@D)
	$Qcp $(foreach l,libgomp.so.1 libgomp-plugin-nvptx.so.1,$(shell $(nvptx_gcc) -print-file-name=$l)) $(@D)

$(nvptx)/nvcc.ptx $(nvptx)/nvcc-regions.ptx: bench/nvptx/kernels.cu bench/nvptx/steps.h mk/nvptx.mk
	@mkdir -p $(@D)
	$(call say,NVCC)
	$Q$(nvcc) -ptx -arch=sm_75 $(if $(findstring regions,$@),-DREGIONS) $< -o $@

$(nvptx)/clang.ptx $(nvptx)/clang-regions.ptx: bench/nvptx/kernels.cu bench/nvptx/steps.h mk/nvptx.mk
	@mkdir -p $(@D)
	$(call say,CLANG)
	$Q$(nvptx_clang) $(clang_ptx) $(if $(findstring regions,$@),-DREGIONS) $< -o $@

# Threads become warps.
$(nvptx)/%-warps.ptx: $(nvptx)/%-regions.ptx $(B)/bin/het-ptx
	$(call say,PTX)
	$Q$(B)/bin/het-ptx instrument --pass soft-stack,uniform-simt $< -o $@

# overheads.py measures what the passes make of kernels.
$(nvptx)/overheads/plain.ptx: bench/nvptx/overheads.cu
	@mkdir -p $(@D)
	$(call say,NVCC)
	$Q$(nvcc) -ptx -arch=sm_75 $< -o $@

$(filter-out %/plain.ptx,$(nvptx_overheads)): %.ptx: $(nvptx)/overheads/plain.ptx $(B)/bin/het-ptx
	$(call say,PTX)
	$Q$(B)/bin/het-ptx instrument --pass $(*F) $< $(if $(findstring coalesce,$@),--sites $(@D)/sites.json) -o $@

# checkpoints.py stops these in the middle.
$(nvptx)/checkpoints/plain.ptx: bench/nvptx/checkpoints.cu
	@mkdir -p $(@D)
	$(call say,NVCC)
	$Q$(nvcc) -ptx -arch=sm_75 $< -o $@

$(nvptx)/checkpoints/checkpoint.ptx: $(nvptx)/checkpoints/plain.ptx $(B)/bin/het-ptx
	$(call say,PTX)
	$Q$(B)/bin/het-ptx instrument --pass checkpoint $< -o $@

$(nvptx)/checkpoints/info.json: $(nvptx)/checkpoints/plain.ptx $(B)/bin/het-ptx
	$(call say,PTX)
	$Q$(B)/bin/het-ptx info --json $< > $@
