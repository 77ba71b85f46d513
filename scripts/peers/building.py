# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Builds the peers of het-bench from their checkouts, which stay as they are: what today's compiler does not take is
changed in a copy."""

import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


def compile_with_nvcc(sources: list[Path], program: Path, *options: str) -> None:
    command = ["nvcc", "-std=c++20", "-O3", "-arch=sm_90", "-I", str(HERE), "-o", str(program)]
    subprocess.run([*command, *map(str, sources), *options], check=True)


def management_library(scratch: Path) -> list[str]:
    """The linker wants a library, which the machine with the driver has; here one whose functions are empty stands for
    it. (Where it is only told to let them pass, they get relocations that no loader takes.)"""
    header = (HERE / "nvml.h").read_text()
    others = dict(re.findall(r"#define (nvml\w+) (nvml\w+)", header))
    functions = [others.get(name, name) for name in re.findall(r"(nvml\w+)\(", header)]
    source = scratch / "nvml.c"
    source.write_text("".join(f"void {name}(void) {{}}\n" for name in functions))
    library = scratch / "libnvidia-ml.so.1"
    flags = ["-shared", "-fPIC", "-Wl,-soname,libnvidia-ml.so.1"]
    subprocess.run(["gcc", *flags, "-o", str(library), str(source)], check=True)
    return ["-Xlinker", str(library)]  # nvcc knows no library by such a name


def build_gpu_benches(checkout: Path, into: Path, scratch: Path) -> None:
    """Its 46 numbers of threads and 230 footprints take minutes: these are seven numbers, and footprints that double."""
    openmp = ["-Xcompiler", "-fopenmp"]
    text = (checkout / "gpu-stream/main.cu").read_text().replace("warpCount++", "warpCount += 12")
    stream = scratch / "stream.cu"
    stream.write_text(re.sub(r"(?m)^ *measureKernels\(kernels, \d+, 1\);", "", text).replace('"../', '"'))
    compile_with_nvcc([stream], into / "gpu-stream", *openmp, "-I", str(checkout))
    text = (checkout / "gpu-latency/main.cu").read_text()
    latency = scratch / "latency.cu"
    latency.write_text(re.sub(r"LEN = LEN \* 1[^;{]*\) {", "LEN = LEN * 2) {", text).replace('"../', '"'))
    compile_with_nvcc([latency], into / "gpu-latency", *openmp, "-I", str(checkout), *management_library(scratch))


def build_nvbandwidth(checkout: Path, into: Path, scratch: Path) -> None:
    names = "testcase.cpp testcases_ce.cpp testcases_sm.cpp kernels.cu memcpy.cpp nvbandwidth.cpp"
    names += " multinode_memcpy.cpp multinode_testcases.cpp output.cpp json_output.cpp"
    options = ["-I", "/usr/include/jsoncpp", '-DGIT_VERSION="peer"', "-lboost_program_options", "-ljsoncpp"]
    options += ["-L/usr/local/cuda/lib64/stubs", "-lcuda", *management_library(scratch)]
    compile_with_nvcc([checkout / n for n in names.split()], into / "nvbandwidth", *options)


def build_mixbench(checkout: Path, into: Path, scratch: Path) -> None:
    (scratch / "version_info.h").write_text('#define VERSION_INFO "peer"\n')
    folder = checkout / "mixbench-cuda"
    sources = [folder / "main-cuda.cpp", folder / "mix_kernels_cuda.cu"]
    compile_with_nvcc(sources, into / "mixbench-cuda", "-I", str(scratch), "-I", str(checkout / "include"))


def build_shoc(checkout: Path, into: Path, scratch: Path) -> None:
    """Of its level 0 four programs, without textures: CUDA 12 has no references of them any more."""
    source = checkout / "src"
    cuda = scratch / "shoc"
    shutil.copytree(source / "cuda", cuda, dirs_exist_ok=True)
    main = cuda / "common/main.cpp"
    main.write_text(re.sub(r'cout << "  clockRate .*', "", main.read_text()))
    memory = cuda / "level0/DeviceMemory.cu"
    text = re.sub(r"(?m)^ *TestTextureMem\(.*\);", "", memory.read_text())
    text = re.sub(r"(?ms)^void TestTextureMem\([^;{]*\n{.*?^}\n", "", text)
    text = re.sub(r"(?ms)^__global__ void readTexels\w*\([^;{]*\n{.*?^}\n", "", text)
    memory.write_text(re.sub(r"(?m)^texture<.*", "", text))
    readback = cuda / "level0/BusSpeedReadback.cu"
    readback.write_text(readback.read_text().replace("cudaThreadSynchronize", "cudaDeviceSynchronize"))
    common = [source / f"common/{n}.cpp" for n in "Option OptionParser ResultDatabase Timer ProgressBar".split()]
    (scratch / "config.h").write_text("#define HAVE_CLOCK_GETTIME 1\n#define HAVE_CLOCK_PROCESS_CPUTIME_ID 1\n")
    options = ["-w", "-I", str(source / "common"), "-I", str(cuda / "common"), "-I", str(scratch)]
    for name in "DeviceMemory MaxFlops BusSpeedDownload BusSpeedReadback".split():
        compile_with_nvcc([cuda / f"level0/{name}.cu", main, *common], into / f"shoc-{name}", *options)


def hip_by_cuda(sources: list[Path]) -> str:
    """Returns a header that has what MT4G uses of HIP, by CUDA's names: the same but for the beginning, mostly."""
    others = {
        "hipDeviceAttributeMultiprocessorCount": "cudaDevAttrMultiProcessorCount",
        "hipDeviceProp_t": "cudaDeviceProp",
        "hipFuncCache_t": "cudaFuncCache",
    }
    names = {n for s in sources for n in re.findall(r"\bhip[A-Z]\w+", s.read_text())} - {"hipCheck", "hipCheckImpl"}
    lines = ["#pragma once", "#include <cooperative_groups.h>", "#include <cuda_runtime.h>"]
    for n in sorted(names):
        twin = n.replace("hipDeviceAttribute", "cudaDevAttr").replace("hip", "cuda", 1)
        lines.append(f"#define {n} {others.get(n, twin)}")
    lines += [f"#define HIP_VERSION_{part} 0" for part in ("MAJOR", "MINOR", "PATCH")]
    lines.append("inline int attribute_of_device(cudaDeviceAttr what)")
    lines.append("{ int value = 0; cudaDeviceGetAttribute(&value, what, 0); return value; }")
    return "\n".join(lines) + "\n"


def build_mt4g(checkout: Path, into: Path, scratch: Path) -> None:
    """It takes minutes of all cores. cxxopts and nlohmann-json are Debian's."""
    folder = scratch / "mt4g"
    shutil.copytree(checkout, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git", "sample_results"))
    sources = [s for s in sorted(folder.glob("src/**/*.cpp")) if "amd" not in s.parts]
    headers = [h for h in folder.glob("include/**/*.hpp") if "amd" not in h.parts]
    # Since CUDA 13 the properties of a device have no clock rates, and of a revision only HIP knows.
    lacking = {
        r"\w+\.clockRate": "attribute_of_device(cudaDevAttrClockRate)",
        r"\w+\.memoryClockRate": "attribute_of_device(cudaDevAttrMemoryClockRate)",
        r"\w+\.asicRevision": "0",
    }
    for source in [*sources, *headers]:
        text = source.read_text()
        for there, instead in lacking.items():
            text = re.sub(there, instead, text)
        source.write_text(text)
    hip = folder / "include/hip"
    hip.mkdir()
    (hip / "hip_runtime.h").write_text(hip_by_cuda([*sources, *headers]))
    for name in ("hip_version.h", "hip_cooperative_groups.h"):
        (hip / name).write_text("#include <hip/hip_runtime.h>\n")
    version = (folder / "include/version.hpp.in").read_text()
    (folder / "include/version.hpp").write_text(version.replace("@MT4G_VERSION@", "peer"))
    options = ["-x", "cu", "-D__HIP_PLATFORM_NVIDIA__", "-I", str(folder / "include"), "-t", "0", "-w"]
    compile_with_nvcc(sources, into / "mt4g", *options)


BUILDERS = {
    "gpu-benches": build_gpu_benches,
    "nvbandwidth": build_nvbandwidth,
    "mixbench": build_mixbench,
    "shoc": build_shoc,
    "mt4g": build_mt4g,
}
