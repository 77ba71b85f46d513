# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# Each source has flags beside those that all have: flags_of_SOURCE, for its object and for editors.

# Adds to the flags of some sources. With UNITS=1 the sources of a folder must have the same.
add_flags = $(foreach s,$1,$(eval flags_of_$s += $2))

# Functions and lines are enough to read a report of a program's; all that debuggers could know is a quarter of the time
# to compile it.
lines_only := $(if $(filter -g%,$(CXXFLAGS)),,-g1)
# Unit tests derive from the library's classes, which have no type information. GoogleTest's macros take long to
# optimise, and longer with a sanitizer's checks in them. (GCC is wrong about what those leave uninitialized.)
unit_test_flags := $(lines_only) -O0 -fno-rtti $(if $(SAN),$(if $(is_clang),,-Wno-maybe-uninitialized))
fatbin_corpus := -DHET_FATBIN_CORPUS='"$(CURDIR)/runtime/fatbin/tests/corpus"'
with_corpus := $(addprefix selftests/runtime_,analysed.cc cxx.cc programs.cc)

$(call add_flags,$(lib_srcs),$(lib_cxxflags))
$(call add_flags,$(runtime_srcs) $(ptx_srcs),-Iruntime)
$(call add_flags,$(simt_srcs),$(lib_cxxflags) -Iruntime -Itools)

$(call add_flags,$(unit_srcs) $(unit_main_src),$(unit_test_flags) -Iruntime -Itools -Ibench)
$(call add_flags,$(filter openmp/%,$(unit_srcs)),-Iopenmp)
$(call add_flags,$(filter bench/pep/%,$(unit_srcs)),-DPEP_PARAMETERS='"$(CURDIR)/bench/pep/gtx980.parameters"')
$(call add_flags,$(filter lib/dev/%,$(unit_srcs)),-Iselftests -DHET_FAKE_CUDA='"$(abspath $(fake_cuda))"')
$(call add_flags,$(filter runtime/%,$(unit_srcs)),-DHET_CORPUS='"$(CURDIR)/runtime/ptx/tests/corpus"' $(fatbin_corpus))
$(call add_flags,$(filter runtime/checkpoint/%,$(unit_srcs)),\
	-DHET_CHECKPOINT_CORPUS='"$(CURDIR)/runtime/checkpoint/tests/corpus"')

# Some selftests go through a null pointer on purpose.
$(call add_flags,$(harness_srcs) $(selftest_srcs),-Iselftests -Itools $(if $(filter address,$(SAN)),-fno-sanitize=null))
$(call add_flags,$(with_corpus),$(fatbin_corpus))
$(call add_flags,selftests/cuda_abi.cc,$(CUDA_CFLAGS))
$(call add_flags,$(example_device_srcs),$(lib_cxxflags) -Iruntime -Iselftests)
$(call add_flags,$(fake_cuda_srcs),-fPIC -fvisibility=hidden -Iselftests -Iruntime -Itools)
# The platform has the calls of all versions.
all_versions := $(foreach v,1_0 1_1 1_2 2_0 2_1 2_2,-DCL_USE_DEPRECATED_OPENCL_$v_APIS=)
$(call add_flags,$(opencl_srcs),-Iopencl/include -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -DHET_VERSION='"$(VERSION)"' \
	$(all_versions))
$(call add_flags,opencl/kept_binaries.cc,-Iruntime)
$(call add_flags,$(opencl_test_srcs),-Iopencl/include $(all_versions))
$(call add_flags,$(throttled_srcs),-Iselftests $(all_versions) -fvisibility=hidden)
$(call add_flags,$(throttled_srcs) selftests/opencl/driver_table.cc,-fPIC)
$(call add_flags,$(openmp_srcs),-fPIC -fvisibility=hidden -fvisibility-inlines-hidden)
$(call add_flags,$(openmp_double_srcs),-Iopenmp)
# pybind11 hides all of itself from other modules that have another version of it.
$(call add_flags,$(python_srcs),-fPIC -fvisibility=hidden $(PYTHON_CFLAGS) $(PYBIND11_CFLAGS))
$(call add_flags,$(python_bench_srcs),-fPIC)
# Open MPI's C++ interface is no longer one, and is full of warnings.
mpi_cflags := $(MPI_CFLAGS) -DOMPI_SKIP_MPICXX
$(call add_flags,$(mpi_srcs),-fPIC -fvisibility=hidden $(mpi_cflags))
$(call add_flags,$(mpi_test_srcs),$(mpi_cflags))
$(call add_flags,$(mpi_bench_srcs),-Ibench -Itools $(mpi_cflags))
# Programs and platforms of OpenCL 1.2 have these.
opencl_1_2 := -UCL_TARGET_OPENCL_VERSION -DCL_TARGET_OPENCL_VERSION=120
$(call add_flags,$(proof_srcs),$(opencl_1_2))

$(call add_flags,$(bench_common_srcs) $(bench_srcs) $(noc_srcs) $(noc_main) $(noc_record_srcs) $(micro_srcs),\
	-Ibench -Itools)
$(call add_flags,$(noc_recorded_srcs),-fsanitize=thread)
$(call add_flags,$(noc_ptx_srcs) $(etc_srcs) $(etc_main) $(pep_srcs) $(pep_main) $(model_srcs),-Ibench -Itools -Iruntime)
$(call add_flags,bench/fat-binary.cc bench/micro/profile.cc selftests/runtime_placing.cc,-Iruntime)
$(call add_flags,bench/measure/cl_way.cc,-Iopencl/include)
$(call add_flags,bench/measure/tasks_starpu.cc,$(STARPU_CFLAGS))

$(call add_flags,$(tool_srcs) $(tool_part_srcs) $(base_srcs) $(json_srcs),-Itools -Iruntime \
	-DHET_VERSION='"$(VERSION)"')
$(call add_flags,$(filter tools/analysis/%,$(tool_part_srcs)),$(LLVM_CFLAGS))

$(call add_flags,$(filter-out $(unit_srcs),$(filter %.cc,$(program_srcs))),$(lines_only))
# CLI11 takes long to optimise, and runs once.
$(call add_flags,$(tool_srcs) bench/common/options.cc,$(if $(filter -O%,$(CXXFLAGS)),,-Og))
