# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
# This builds the library, the programs and the tests.

layers := core paths os trap dev memory api
runtime_layers := sched policy preempt evict fatbin cache checkpoint dev core api
runtime_srcs := $(foreach l,$(runtime_layers),$(wildcard runtime/$l/*.cc))
ptx_srcs := $(wildcard runtime/ptx/*.cc runtime/ptx/passes/*.cc)
lib_srcs := $(foreach l,$(layers),$(wildcard lib/$l/*.cc)) $(runtime_srcs) $(ptx_srcs)
# The OpenCL platform is a library of its own, over het.h.
opencl_srcs := $(wildcard opencl/*.cc)
# So is the plug-in of libgomp (mk/openmp.mk).
openmp_srcs := $(wildcard openmp/*.cc)
openmp_double_srcs := $(wildcard selftests/openmp/*.cc)
openmp_program_srcs := $(wildcard selftests/openmp/*.c)
interposer_srcs := $(wildcard lib/api/interpose*.cc)
# Python's package het is over het.h, too (mk/python.mk).
python_srcs := $(wildcard python/src/*.cc)
# This stands between programs and MPI, and needs both (mk/mpi.mk).
mpi_srcs := $(wildcard mpi/*.cc)
mpi_test_srcs := $(wildcard selftests/mpi/*.cc)
mpi_bench_srcs := $(wildcard bench/mpi/*.cc)
python_bench_srcs := $(wildcard bench/python/*.c)
unit_srcs := $(foreach l,$(layers),$(wildcard lib/$l/tests/*.cc)) $(wildcard runtime/*/tests/*.cc) $(wildcard openmp/tests/*.cc) \
	$(wildcard tools/base/tests/*.cc) $(if $(HAVE_JSON),$(wildcard tools/json/tests/*.cc)) \
	$(if $(HAVE_ELF),$(wildcard tools/fatbin/tests/*.cc) $(if $(HAVE_LLVM),$(wildcard tools/analysis/tests/*.cc))) \
	$(wildcard bench/apps/tests/*.cc bench/noc/tests/*.cc bench/etc/tests/*.cc bench/pep/tests/*.cc) $(if $(HAVE_JSON),$(wildcard bench/micro/tests/*.cc))
# Of a folder's tests those that are wanted are compiled.
unit_srcs := $(filter-out $(foreach w,$(WITHOUT),%/tests/$w.cc),$(unit_srcs))
# Runs the unit tests of a folder, or under the name of one of its sources those that stand there.
unit_main_src := selftests/unit_tests/main.cc

# What changes PTX is part of the library; what runs it is not, and stands in for GPUs in het-ptx, in the fake driver
# and in tests.
simt_srcs := $(wildcard tools/simt/*.cc)
ptx_tool := tools/het-ptx.cc

# The library reads fat binaries, and so does the tool that makes them.
fatbin_srcs := $(wildcard runtime/fatbin/*.cc)

# Reading and writing checkpoint files is pure.
checkpoint_srcs := $(addprefix runtime/checkpoint/,contents.cc launches.cc reader.cc writer.cc)

# het-info tells this of the library, which has no call for it itself.
told_srcs := $(wildcard runtime/policy/*.cc runtime/cache/*.cc lib/paths/*.cc) lib/os/settings.cc lib/os/log.cc

harness_srcs := $(wildcard selftests/harness/*.cc)
# Tests need no GPU with this libcuda.so.1, which is for them alone.
fake_cuda_srcs := $(wildcard selftests/fake/*.cc)
bench_common_srcs := $(wildcard bench/common/*.cc bench/measure/*.cc bench/apps/common/*.cc)
# These are the sources of the network simulator (mk/noc.mk).
noc_main := bench/noc/main.cc
# These programs are recorded by functions that take the place of ThreadSanitizer's.
noc_recorded_srcs := $(wildcard bench/noc/record/programs/*.cc)
noc_record_srcs := $(wildcard bench/noc/record/*.cc) $(noc_recorded_srcs)
noc_ptx_srcs := $(wildcard bench/noc/record/ptx/*.cc)
noc_srcs := $(filter-out $(noc_main),$(wildcard bench/noc/*.cc bench/noc/policy/*.cc bench/noc/trace/*.cc))
# These are the sources of the model of a GPU with too little memory (mk/etc.mk).
etc_main := bench/etc/main.cc
etc_srcs := $(filter-out $(etc_main),$(wildcard bench/etc/*.cc bench/etc/record/*.cc bench/etc/programs/*.cc))
# These are the sources of the model of preemption (mk/pep.mk), and what it shares with the former.
pep_main := bench/pep/main.cc
pep_srcs := $(filter-out $(pep_main),$(wildcard bench/pep/*.cc bench/pep/record/*.cc bench/pep/programs/*.cc))
model_srcs := $(wildcard bench/model/*.cc)
# These are the parts of het-bench (mk/micro.mk), and those of them that see the machine's devices or files.
micro_srcs := $(wildcard bench/micro/*.cc)
micro_of_devices := $(addprefix bench/micro/,claims.cc profile.cc real.cc)
selftest_srcs := $(wildcard selftests/*.cc)
selftest_c_srcs := $(wildcard selftests/*.c)
# This device stays out of the library that is installed.
example_device_srcs := $(wildcard selftests/example_device/*.cc)
# These programs know nothing of het.h, on which what runs them stands.
proof_srcs := $(wildcard selftests/proof/*.c)
# Tests of the OpenCL platform are one program, which finds it through the loader.
opencl_test_srcs := $(wildcard selftests/opencl/*.cc)
# This is a driver for them, and for benchmarks, whose devices have a known pace.
throttled_srcs := $(wildcard selftests/throttled/*.cc)
bench_srcs := $(wildcard bench/*.cc bench/apps/*.cc)
# These programs' start is measured.
start_up_srcs := $(wildcard bench/start-up/*.c)
tool_srcs := $(filter-out $(if $(HAVE_ELF),,tools/het-fatbin.cc) \
	$(if $(and $(HAVE_ELF),$(HAVE_LLVM)),,tools/het-analyse.cc), $(wildcard tools/*.cc))
json_srcs := $(if $(HAVE_JSON),$(wildcard tools/json/*.cc))
# Tools, benchmarks and the tests' harness have these in common.
base_srcs := $(wildcard tools/base/*.cc)
tool_part_srcs := $(filter-out tools/json/% tools/base/% tools/simt/%,$(wildcard tools/*/*.cc))
# One of them has a fat binary in it, which takes het-fatbin to make.
embedded_example := $(and $(HAVE_ELF),$(HAVE_JSON),$(HAVE_CLI11),$(HAVE_OPENCL),$(if $(SAN),,plain))
example_srcs := $(filter-out $(if $(embedded_example),,%/embedded.c),\
	$(wildcard Documentation/examples/*.c Documentation/examples/*.cc))

program_srcs := $(opencl_srcs) $(openmp_srcs) $(openmp_double_srcs) $(python_srcs) $(mpi_srcs) $(mpi_test_srcs) $(mpi_bench_srcs) $(python_bench_srcs) $(harness_srcs) $(fake_cuda_srcs) $(example_device_srcs) $(bench_common_srcs) \
	$(selftest_srcs) $(selftest_c_srcs) $(proof_srcs) $(opencl_test_srcs) $(throttled_srcs) $(bench_srcs) $(noc_srcs) $(noc_main) \
	$(noc_record_srcs) $(noc_ptx_srcs) $(etc_srcs) $(etc_main) $(pep_srcs) $(pep_main) $(model_srcs) $(micro_srcs) $(start_up_srcs) \
	$(tool_srcs) $(tool_part_srcs) $(base_srcs) $(simt_srcs) $(json_srcs) $(example_srcs) $(unit_srcs) \
	$(unit_main_src)

# A program or test that needs a header which is not on this machine is left out, with a message. (The library
# does without by itself.)
missing_headers := $(strip $(if $(HAVE_OPENCL),,CL/cl.h) $(MISSING_HEADERS))
file_of = $(firstword $(subst :, ,$1))
left_out := $(if $(missing_headers),$(shell scripts/left-out.sh $(missing_headers) -- \
	bench selftests tools Documentation/examples lib runtime opencl openmp python mpi | tr ' ' :))
$(foreach s,$(left_out),$(if $(filter $(program_srcs),$(call file_of,$s)),\
	$(info libhet: $(subst :, is left out: there is no ,$s) here)))
keep = $(filter-out $(foreach s,$(left_out),$(call file_of,$s)),$1)

# In some folders of programs, and with UNITS=1 in those of the library, the sources are compiled as one, a unit: most
# of a small source's time goes into headers that its neighbours include too, LLVM's above all. So two of them must not
# give one name to different things, not even in namespaces without a name; the compiler says where. Otherwise (UNITS=0:
# everywhere) each source shows that it includes what it needs, and each object what it needs of the others. Some stand
# apart: they are linked without their neighbours, compiled otherwise, or alike.
apart := lib/api/interpose% lib/os/module_context.cc runtime/dev/devices.cc tools/fatbin/%
of_programs := $(tool_part_srcs) $(simt_srcs) $(noc_srcs) $(etc_srcs) $(pep_srcs) $(model_srcs)
in_units := $(if $(filter 0,$(UNITS)),,$(filter-out $(apart),$(call keep,$(of_programs) $(if $(UNITS),$(lib_srcs) \
	$(harness_srcs) $(fake_cuda_srcs) $(example_device_srcs)))))
unit_of_folder = $1unit-$(subst /,-,$(patsubst %/,%,$1))
unit_text = $(subst $(newline) ,$(newline),$(foreach s,$1,$(hash)include "$s"$(newline)))
write_unit = $(if $(call differ,$(file <$1),$2),$(shell mkdir -p $(dir $1))$(file >$1,$2))
differ = $(or $(subst x$(strip $1),,x$(strip $2)),$(subst x$(strip $2),,x$(strip $1)))
hash := \#
define newline


endef
make_unit = $(foreach s,$2,$(eval unit_of_$(basename $s) := $(unit_of_folder)))\
	$(call write_unit,$(B)/units/$(unit_of_folder).cc,$(call unit_text,$2))
$(foreach d,$(sort $(dir $(in_units))),$(call make_unit,$d,$(foreach s,$(in_units),$(if $(filter $d,$(dir $s)),$s))))

obj = $(sort $(foreach s,$(basename $1),$(B)/obj/$(or $(unit_of_$s),$s).o))
inject_obj = $(patsubst %,$(B)/inject/obj/%.o,$(basename $1))

lib_objs := $(call obj,$(lib_srcs))
# With -DHET_INJECT these alone come out differently; no header includes os/inject.h.
inject_srcs := $(shell grep -lF '"os/inject.h"' $(lib_srcs))
inject_objs := $(call inject_obj,$(inject_srcs))
harness_objs := $(call obj,$(call keep,$(harness_srcs)))
fake_cuda_objs := $(call obj,$(fake_cuda_srcs))
fake_cuda := $(B)/fake/libcuda.so.1
example_device_objs := $(call obj,$(example_device_srcs))
example_device := $(addprefix $(B)/example-device/,libhet.so $(SONAME))
bench_common_objs := $(call obj,$(call keep,$(bench_common_srcs)))
bench_archive := $(B)/obj/bench.a
noc_archive := $(B)/obj/noc.a
etc_archive := $(B)/obj/etc.a
pep_archive := $(B)/obj/pep.a
micro_archive := $(B)/obj/micro.a
tool_part_objs := $(call obj,$(call keep,$(tool_part_srcs)))
tool_archive := $(B)/obj/tools.a
fatbin_tool_archive := $(B)/obj/fatbin-tools.a
json_archive := $(B)/obj/json.a
base_archive := $(B)/obj/base.a
unit_objs := $(call obj,$(call keep,$(unit_srcs) $(unit_main_src)))
simt_objs := $(call obj,$(simt_srcs))
simt_archive := $(B)/obj/simt.a
ptx_archive := $(B)/obj/ptx.a
fatbin_archive := $(B)/obj/fatbin.a
checkpoint_archive := $(B)/obj/checkpoint.a
told_archive := $(B)/obj/told.a

selftests := $(patsubst selftests/%.cc,$(B)/selftests/%,$(call keep,$(selftest_srcs)))
selftests_c := $(patsubst selftests/%.c,$(B)/selftests/%,$(call keep,$(selftest_c_srcs)))
# The benchmarks share a part that drives OpenCL devices, reads command lines with CLI11 and writes JSON.
bench_kept := $(if $(and $(HAVE_OPENCL),$(HAVE_CLI11),$(HAVE_JSON)),$(call keep,$(bench_srcs)))
apps := $(patsubst bench/apps/%.cc,$(B)/bin/%,$(filter bench/apps/%,$(bench_kept)))
start_ups := $(patsubst bench/start-up/%.c,$(B)/bin/start-up-%,$(call keep,$(start_up_srcs)))
benches := $(patsubst bench/%.cc,$(B)/bin/%,$(filter-out bench/apps/%,$(bench_kept)))
tools := $(if $(HAVE_JSON),$(patsubst tools/%.cc,$(B)/bin/%,$(call keep,$(tool_srcs))))
examples := $(patsubst Documentation/examples/%,$(B)/examples/%,$(basename $(call keep,$(example_srcs))))
proof_programs := $(patsubst selftests/%.c,$(B)/%,$(call keep,$(filter %.c,$(proof_srcs))))
unit_mains := $(filter %_test.cc,$(call keep,$(unit_srcs)))
units := $(addprefix $(B)/tests/,$(notdir $(basename $(unit_mains))))

libhet := $(B)/libhet.so $(B)/$(SONAME)
opencl_tests := $(if $(HAVE_OPENCL),$(B)/selftests/opencl-platform)
throttled := $(if $(and $(HAVE_OPENCL),$(if $(SAN),,plain)),$(B)/throttled/libthrottled.so $(B)/throttled/throttled.icd)
openmp_plugin := $(if $(HAVE_GOMP),$(B)/openmp/libgomp-plugin-nvptx.so.1)
libhetcl := $(if $(HAVE_OPENCL),$(B)/libhetcl.so $(B)/vendors/het.icd)
compat := $(B)/$(COMPAT_SONAME)

all: lib opencl tools bench-programs
lib: $(libhet) $(compat)
opencl: $(libhetcl)
tools: $(tools)
bench-programs: $(benches) $(apps)
# `make run` needs these alone.
main-job-programs: $(filter $(addprefix $(B)/bin/,photo matvec fault-latency),$(benches))
tests: lib $(filter-out $(addprefix %/,$(WITHOUT)),$(units) $(selftests) $(selftests_c) $(examples) $(libhetcl) $(opencl_tests) $(throttled)) \
	$(fake_cuda) \
	$(example_device) $(if $(SAN),,proofs)
unit-tests: $(units)
selftests: $(selftests) $(selftests_c) $(fake_cuda) $(example_device)
proofs: $(proof_programs)
examples: $(examples)
inject: $(B)/inject/libhet.so $(B)/inject/$(SONAME)
.PHONY: all lib opencl tools bench-programs main-job-programs tests unit-tests selftests proofs examples inject

# --- compiling ---------------------------------------------------------------

include mk/flags.mk
$(foreach s,$(lib_srcs) $(program_srcs),$(eval $(call obj,$s): private mode_flags := $$(flags_of_$s)))
$(foreach s,$(inject_srcs),$(eval $(call inject_obj,$s): private mode_flags := $$(flags_of_$s) -DHET_INJECT))
$(call obj,$(with_corpus)): $(wildcard runtime/fatbin/tests/corpus/*.het)
$(call obj,$(tool_srcs)): VERSION

# With PRECOMPILED=1 the system's headers are compiled once, with clang also what their templates make most often.
# Sources name the headers that they need all the same: other trees, which have GoogleTest alone from there, would say
# so. GCC takes what it inlines out of such headers for the project's own when it warns, so it does not warn then.
precompiled = $(B)/precompiled/$1.h
precompiled_for := unit_test $(if $(PRECOMPILED),library program)
as_library := $(sort $(lib_objs) $(inject_objs) $(simt_objs) $(example_device_objs))
as_program := $(call obj,$(filter-out $(unit_srcs) $(unit_main_src) $(simt_srcs) $(example_device_srcs) \
	$(fake_cuda_srcs) $(proof_srcs) $(throttled_srcs) selftests/opencl/driver_table.cc $(opencl_srcs) $(openmp_srcs) $(python_srcs) $(mpi_srcs) $(noc_recorded_srcs), $(filter %.cc,$(program_srcs))))
as_unit_test := $(unit_objs)
$(call precompiled,library).gch: private mode_flags := $(lib_cxxflags)
$(call precompiled,program).gch: private mode_flags := $(lines_only)
$(call precompiled,unit_test).gch: private mode_flags := $(unit_test_flags)
define with_precompiled # name
$(as_$1): private mode_flags += -include $(call precompiled,$1) $(kept_with_precompiled)
$(as_$1): $(call precompiled,$1).gch
endef
# ccache asks GCC for this.
kept_with_precompiled := $(if $(is_clang),,-fpch-preprocess)
$(foreach n,$(precompiled_for),$(eval $(call with_precompiled,$n)))

quiet := $(if $(PRECOMPILED),$(if $(is_clang),,-w))
# GCC takes a source that is included for a header, where classes without a linkage would be a fault.
unit_flags := -I. $(if $(is_clang),,-Wno-subobject-linkage)
compile_cxx = $(ccache) $(CXX) $(cppflags) $(cxxflags) $(mode_flags) $(quiet)
compile_c = $(ccache) $(CC) $(cppflags) $(cflags) $(mode_flags)
# With SYNTAX=1 no code is made: for a second compiler's opinion.
compiled = $1 -MMD -MP -MF $(@:.o=.d) -MT $@ $(if $(SYNTAX),-fsyntax-only $< && touch $@,-c $< -o $@)

$(B)/precompiled/%.h.gch: mk/precompiled/%.h $(flags_stamp)
	@mkdir -p $(@D)
	@cp $< $(basename $@)
	$(call say,CXX)
	$Q$(compile_cxx) $(if $(is_clang),-fpch-instantiate-templates -Xclang -fno-pch-timestamp) -x c++-header $(basename $@) -o $@

$(B)/obj/%.o: %.cc $(flags_stamp)
	@mkdir -p $(@D)
	$(call say,CXX)
	$Q$(call compiled,$(compile_cxx))

$(B)/obj/%.o: $(B)/units/%.cc $(flags_stamp)
	@mkdir -p $(@D)
	$(call say,CXX)
	$Q$(call compiled,$(compile_cxx) $(unit_flags))

$(B)/inject/obj/%.o: %.cc $(flags_stamp)
	@mkdir -p $(@D)
	$(call say,CXX)
	$Q$(call compiled,$(compile_cxx))

$(B)/obj/%.o: %.c $(flags_stamp)
	@mkdir -p $(@D)
	$(call say,CC)
	$Q$(call compiled,$(compile_c))

all_objs := $(lib_objs) $(call obj,$(call keep,$(program_srcs)))
objects_there := $(if $(EXCEPT),$(patsubst $(EXCEPT)/%,$(B)/%,$(wildcard $(patsubst $(B)/%,$(EXCEPT)/%,$(all_objs)))))
objects: $(filter-out $(objects_there),$(all_objs))
.PHONY: objects

-include $(patsubst %.o,%.d,$(lib_objs) $(call obj,$(program_srcs)) $(wildcard $(inject_objs)))

# --- the library -------------------------------------------------------------

# nodelete: resolver threads and signal handlers would outlive a dlclose(). now: a lazy binding could
# be resolved inside a signal handler, under the dynamic linker's lock.
link_lib = $(CXX) -shared $(ldflags) -Wl,-soname,$(SONAME) -Wl,--version-script=lib/libhet.map \
	-Wl,-z,nodelete -Wl,-z,now $(if $(SAN),,-Wl,-z,defs) -o $@ $(filter %.o,$^) $(NUMA_LIBS) -ldl

$(B)/libhet.so: $(lib_objs) lib/libhet.map
	$(call say,LD)
	$Q$(link_lib)

$(B)/inject/libhet.so: $(filter-out $(call obj,$(inject_srcs)),$(lib_objs)) $(inject_objs) lib/libhet.map
	$(call say,LD)
	$Q$(link_lib)

# This library has the device that Documentation/compute-devices.rst adds.
$(B)/example-device/libhet.so: $(filter-out $(B)/obj/runtime/dev/devices.o,$(lib_objs)) $(example_device_objs) \
	lib/libhet.map
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(link_lib)

$(B)/$(SONAME) $(B)/inject/$(SONAME) $(B)/example-device/$(SONAME): %/$(SONAME): %/libhet.so
	@ln -sf libhet.so $@

# Programs of libgpuvm ask for libgpuvm.so.0. This is a filter without code: the dynamic linker puts what it
# filters, libhet, into its place. A library that merely depended on libhet would leave libhet behind
# libc in the search order, and the interposers without effect; a symbolic link would be
# left out of ldconfig's cache, because its name is not the soname.
$(compat): Makefile
	$(call say,LD)
	$Q$(CC) -shared -nostdlib -Wl,-soname,$(COMPAT_SONAME) -Wl,-F,$(SONAME) -Wl,-rpath,'$$ORIGIN' -x c /dev/null \
		-o $@

# The loader opens this library, and finds it by the name that stands in a file: OCL_ICD_VENDORS=$PWD/build/vendors/.
# It has a copy of what knows the user's store.
$(B)/libhetcl.so: $(call obj,$(opencl_srcs)) $(libhet) $(told_archive) $(fatbin_archive)
	$(call say,LD)
	$Q$(CXX) -shared $(ldflags) -Wl,-soname,libhetcl.so -Wl,-z,nodelete $(if $(SAN),,-Wl,-z,defs) -o $@ \
		$(filter %.o,$^) $(told_archive) $(fatbin_archive) $(B)/libhet.so -Wl,-rpath,'$$ORIGIN' \
		-Wl,--as-needed $(NUMA_LIBS) -ldl

$(B)/vendors/het.icd: Makefile
	@mkdir -p $(@D)
	@echo '$(abspath $(B))/libhetcl.so' >$@

# --- programs ----------------------------------------------------------------

# The library comes first, so that its interposers stand before libc; of the rest only what is used stays.
link_with = $(CXX) $(ldflags) -Wl,-z,now -o $@ $(filter %.o,$^) $(filter %.a,$^) $(filter %.so,$^) -Wl,--as-needed
rpath = -Wl,-rpath,'$$ORIGIN/$1'

$(tool_archive): $(tool_part_objs)
# The tests of het-fatbin and het-analyse need these parts of them.
$(fatbin_tool_archive): $(filter $(B)/obj/tools/fatbin/% $(B)/obj/tools/analysis/%,$(tool_part_objs))
$(filter-out $(addprefix $(B)/bin/,het-ptx het-fatbin het-analyse),$(tools)): $(B)/bin/%: $(B)/obj/tools/%.o \
	$(tool_archive) $(json_archive) $(base_archive) $(told_archive) $(fatbin_archive) $(libhet)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(link_with) $(call rpath,..) $(call rpath,../lib) $(OPENCL_LIBS) $(NUMA_LIBS) -ldl

# het-ptx works on files: it needs neither the library nor a device.
$(filter $(B)/bin/het-ptx,$(tools)): $(call obj,$(ptx_tool)) $(tool_archive) $(base_archive) $(json_archive) \
	$(simt_archive) $(ptx_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^)

# het-analyse uses LLVM's library, which het-fatbin must not have: OpenCL's drivers bring another version of it.
$(filter $(B)/bin/het-analyse,$(tools)): private extra_libs := $(LLVM_LIBS)
$(filter $(B)/bin/het-fatbin,$(tools)): | $(filter $(B)/bin/het-analyse,$(tools))
$(filter $(B)/bin/het-fatbin $(B)/bin/het-analyse,$(tools)): $(B)/bin/%: $(B)/obj/tools/%.o $(tool_archive) \
	$(base_archive) $(json_archive) $(fatbin_archive) $(ptx_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(ELF_LIBS) $(extra_libs) -ldl

# libFuzzer looks for texts that the parser or the editor can't take: build/fuzz/ptx-parser runtime/ptx/tests/corpus
# build/fuzz/fat-binary runtime/fatbin/tests/corpus does so with files.
# build/fuzz/noc-traces does so with traces of packets and of accesses, build/fuzz/checkpoint runtime/checkpoint/tests/corpus
# with checkpoint files.
fuzzers := $(addprefix $(B)/fuzz/,ptx-parser fat-binary noc-traces checkpoint)
fuzz: $(fuzzers)
$(B)/fuzz/ptx-parser: runtime/ptx/tests/fuzz/parser.cc $(wildcard runtime/ptx/*.cc runtime/ptx/*.h)
$(B)/fuzz/fat-binary: runtime/fatbin/tests/fuzz/container.cc $(wildcard runtime/fatbin/*.cc runtime/fatbin/*.h)
$(B)/fuzz/noc-traces: bench/noc/tests/fuzz/traces.cc $(wildcard bench/noc/trace/*.cc bench/noc/trace/*.h)
$(B)/fuzz/noc-traces: $(filter-out bench/noc/trace/%,$(noc_srcs))
$(B)/fuzz/checkpoint: runtime/checkpoint/tests/fuzz/reader.cc $(checkpoint_srcs) $(fatbin_srcs)
$(fuzzers):
	@mkdir -p $(@D)
	$(call say,LD)
	$Qclang++ -std=c++20 -O1 -g -Iruntime -Ibench -fsanitize=fuzzer,address,undefined -o $@ $(filter %.cc,$^)
.PHONY: fuzz

$(bench_archive): $(bench_common_objs)
$(benches): $(B)/bin/%: $(B)/obj/bench/%.o
$(apps): $(B)/bin/%: $(B)/obj/bench/apps/%.o
$(B)/bin/start-up: | $(start_ups)
$(start_ups): $(B)/bin/start-up-%: $(B)/obj/bench/start-up/%.o
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) $(ldflags) -Wl,--as-needed -o $@ $^ $(call rpath,..) $(OPENCL_LIBS)
$(B)/bin/start-up-with_het: $(B)/libhet.so $(B)/$(SONAME)
$(B)/bin/fat-binary: | $(filter $(B)/bin/het-fatbin,$(tools))
$(filter $(B)/bin/het-bench,$(benches)): $(call obj,$(micro_of_devices) runtime/fatbin/checksum.cc) \
	$(micro_archive) $(told_archive)
# This one drives the library's own devices, beside the driver's.
$(filter $(B)/bin/transfer-paths,$(benches)): $(B)/obj/het.a
# This is an OpenCL program like others, which finds libhet through the loader, if at all.
$(filter $(B)/bin/cl-platform,$(benches)): $(bench_archive) $(base_archive) $(json_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(OPENCL_LIBS)
$(filter-out $(B)/bin/cl-platform,$(benches)) $(apps): $(bench_archive) $(base_archive) $(json_archive) $(fatbin_archive) $(libhet)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(link_with) $(call rpath,..) $(OPENCL_LIBS) $(PNG_LIBS) $(STARPU_LIBS) $(NUMA_LIBS) -ldl

$(filter $(B)/selftests/runtime_placing,$(selftests)): $(told_archive) $(call obj,runtime/fatbin/checksum.cc)
$(selftests): $(B)/selftests/%: $(B)/obj/selftests/%.o $(harness_objs) $(base_archive) $(libhet)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(link_with) $(call rpath,..) $(OPENCL_LIBS) $(URING_LIBS) $(NUMA_LIBS) -ldl

$(fake_cuda): $(fake_cuda_objs) $(simt_archive) $(ptx_archive)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) -shared $(ldflags) -Wl,-soname,libcuda.so.1 -Wl,-z,nodelete -Wl,--exclude-libs,ALL -o $@ \
		$(filter %.o,$^) $(filter %.a,$^)

$(opencl_tests): $(call obj,$(opencl_test_srcs))
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) $(ldflags) -o $@ $^ $(OPENCL_LIBS)

# It sleeps in native kernels, so it must stay. Loaders find it as they find libhetcl.so.
$(B)/throttled/libthrottled.so: $(call obj,$(throttled_srcs) selftests/opencl/driver_table.cc)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CXX) -shared $(ldflags) -Wl,-soname,libthrottled.so -Wl,-z,nodelete -o $@ $^ -ldl

$(B)/throttled/throttled.icd: Makefile
	@mkdir -p $(@D)
	@echo '$(abspath $(B))/throttled/libthrottled.so' >$@

# Programs in C do without the harness.
$(selftests_c): $(B)/selftests/%: $(B)/obj/selftests/%.o $(libhet)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(link_with) $(call rpath,..) $(OPENCL_LIBS)

# These programs do without libhet.
$(proof_programs): $(B)/proof/%: $(B)/obj/selftests/proof/%.o
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(CC) $(ldflags) -o $@ $(filter %.o,$^) $(OPENCL_LIBS)

$(examples): $(B)/examples/%: $(B)/obj/Documentation/examples/%.o $(libhet)
	@mkdir -p $(@D)
	$(call say,LD)
	$Q$(link_with) $(call rpath,..) $(OPENCL_LIBS) -lm
	$(if $(filter %.het,$^),$Qobjcopy --add-section .het.kernels=$(filter %.het,$^) $@)

$(B)/examples/embedded: $(B)/examples/embedded.het
$(B)/examples/embedded.het: Documentation/examples/embedded.cl | $(filter $(B)/bin/het-fatbin,$(tools))
	@mkdir -p $(@D)
	$(call say,HET)
	$Q$(B)/bin/het-fatbin build $< -o $@

# Unit tests see hidden symbols, so they take the library's objects: core's tests those of core alone
# (core stands by itself), the others everything but the interposers.
core_archive := $(B)/obj/core.a
lib_archive := $(B)/obj/het.a
$(core_archive): $(call obj,$(filter lib/core/%,$(lib_srcs)))
# So do those of lib/paths.
paths_archive := $(B)/obj/paths.a
$(paths_archive): $(call obj,$(filter lib/paths/%,$(lib_srcs)))
$(lib_archive): $(call obj,$(filter-out $(interposer_srcs),$(lib_srcs)))
$(simt_archive): $(simt_objs)
$(ptx_archive): $(call obj,$(ptx_srcs))
$(fatbin_archive): $(call obj,$(fatbin_srcs))
$(checkpoint_archive): $(call obj,$(checkpoint_srcs) $(fatbin_srcs))
$(told_archive): $(call obj,$(told_srcs))
$(json_archive): $(call obj,$(json_srcs))
$(base_archive): $(call obj,$(base_srcs))
$(core_archive) $(paths_archive) $(lib_archive) $(bench_archive) $(tool_archive) $(fatbin_tool_archive) $(base_archive) $(json_archive) \
	$(simt_archive) $(ptx_archive) $(fatbin_archive) $(checkpoint_archive) $(told_archive):
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,AR)
	$Q$(AR) rcs $@ $^

# The archive of bench is not linked: sanitized trees have no use for the rest of it.
matrix_market := $(call obj,bench/apps/common/matrix_market.cc bench/common/format.cc)
micro_parts := $(micro_archive) $(json_archive) $(base_archive)
fatbin_tools := $(fatbin_tool_archive) $(base_archive) $(fatbin_archive) $(ptx_archive)
simulators := $(simt_archive) $(ptx_archive)
etc_parts := $(etc_archive) $(noc_archive) $(told_archive) $(simulators)
pep_parts := $(pep_archive) $(noc_archive) $(simulators)
# The first row that fits counts.
archives_by_folder := bench/noc/:noc_archive bench/etc/:etc_parts bench/pep/:pep_parts bench/micro/:micro_parts bench/:matrix_market lib/core/:core_archive \
	lib/paths/:paths_archive lib/:lib_archive tools/json/:json_archive tools/base/:base_archive tools/:fatbin_tools \
	runtime/ptx/:simulators runtime/fatbin/:fatbin_archive runtime/checkpoint/:checkpoint_archive \
	runtime/:lib_archive
row_of = $(firstword $(foreach r,$(archives_by_folder),$(if $(filter $(firstword $(subst :, ,$r))%,$1),$r)))
under_test = $($(lastword $(subst :, ,$(row_of))))

# Each folder has one program; under the name of one of its sources it runs what stands there.
unit_main := $(call obj,$(unit_main_src))
folder_of_tests = $(B)/tests/in-$(subst /,-,$(patsubst %/tests/,%,$(dir $1)))
define unit_test # source
$(B)/tests/$(notdir $(basename $1)): $(call folder_of_tests,$1)
endef
define unit_tests # source, any one of the folder's
$(call folder_of_tests,$1): $(unit_main) $(call obj,$(filter $(dir $1)%,$(call keep,$(unit_srcs)))) \
	$(call under_test,$1)
	@mkdir -p $$(@D)
	$$(call say,LD)
	$Q$(CXX) $(ldflags) -o $$@ $$(filter %.o,$$^) $$(filter %.a,$$^) $(GTEST_LIBS) $(NUMA_LIBS) \
		$(if $(filter tools/fatbin/% tools/analysis/%,$1),$(ELF_LIBS)) \
		$(if $(filter tools/analysis/%,$1),$(LLVM_LIBS)) -ldl
endef
$(foreach s,$(unit_mains),$(eval $(call unit_test,$s)))
$(foreach d,$(sort $(dir $(unit_mains))),$(eval $(call unit_tests,$(firstword $(filter $d%,$(unit_mains))))))
$(units):
	@ln -sf $(notdir $<) $@
$(B)/tests/in-lib-dev: | $(fake_cuda)

# --- every header compiles alone, the public ones as C too, or as C++17 and C++20 ---

header_dirs := lib/* lib/*/tests runtime/* runtime/*/* mpi opencl opencl/include/CL openmp selftests/* bench/* bench/*/* tools/*
# A header with a file of code beside it comes first there, which the format check sees to: so it compiles alone.
headers := $(filter-out $(foreach s,$(left_out),$(call file_of,$s)) \
	$(patsubst %.cc,%.h,$(wildcard $(addsuffix /*.cc,$(header_dirs)))),$(wildcard $(addsuffix /*.h,$(header_dirs))))
public_headers := $(wildcard lib/include/*.h runtime/include/*.h opencl/include/CL/*.h)
public_cxx_headers := $(wildcard runtime/include/*.hpp)
header_stamps := $(patsubst %,$(B)/headers/%.cxx-ok,$(headers)) $(patsubst %,$(B)/headers/%.c-ok,$(public_headers)) \
	$(patsubst %,$(B)/headers/%.cxx17-ok,$(public_cxx_headers)) \
	$(patsubst %,$(B)/headers/%.cxx20-ok,$(public_cxx_headers))

# A static function that only an includer calls is no fault of the header.
alone = @mkdir -p $(@D) && echo '\#include "$<"' | \
	$1 -I. -Iruntime -Ibench -Iselftests -Itools $(all_versions) $(LLVM_CFLAGS) $(mpi_cflags) -Wno-unused -fsyntax-only -MMD -MP -MF $@.d -MT $@ \
	-x $2 - && touch $@

$(B)/headers/%.h.cxx-ok: %.h $(flags_stamp)
	$(call alone,$(CXX) $(cppflags) $(cxxflags) -fno-rtti,c++)

$(B)/headers/%.h.c-ok: %.h $(flags_stamp)
	$(call alone,$(CC) $(cppflags) $(cflags) -pedantic,c)

$(B)/headers/%.hpp.cxx17-ok: %.hpp $(flags_stamp)
	$(call alone,$(CXX) $(cppflags) $(cxxflags) -std=c++17 -pedantic,c++)

$(B)/headers/%.hpp.cxx20-ok: %.hpp $(flags_stamp)
	$(call alone,$(CXX) $(cppflags) $(cxxflags) -pedantic,c++)

-include $(wildcard $(header_stamps:=.d))

# --- for editors and clang-tidy ----------------------------------------------

# Each source has one entry: the command that compiles it, without the dependency flags. Make itself writes the file,
# since all entries are too long for one command of the shell.
cdb_srcs := $(lib_srcs) $(filter %.cc,$(program_srcs))
cdb_json = {"directory": "$(CURDIR)", "file": "$1", "command": "$(subst ",\",$2) -c $1"}
cdb_comma := ,
compile_commands.json: $(flags_stamp) $(lib_srcs) $(program_srcs)
	$(call say,JSON)
	$(file >$@,[)
	$(foreach s,$(cdb_srcs),$(file >>$@,$(if $(filter $(firstword $(cdb_srcs)),$s),,$(cdb_comma))$(call cdb_json,$s,$(CXX) $(cppflags) $(cxxflags) $(flags_of_$s))))
	$(file >>$@,])
