// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Declares what gpu-benches and nvbandwidth call of NVIDIA's management library, whose header many machines with a
// driver lack. scripts/bench-peers.py builds them with it.
#pragma once

extern "C" {
typedef struct nvmlDevice_st *nvmlDevice_t;
typedef int nvmlReturn_t;
#define NVML_SUCCESS 0
#define NVML_ERROR_NOT_SUPPORTED 3
#define NVML_CLOCK_SM 1
#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE 80
#define nvmlInit nvmlInit_v2
#define nvmlDeviceGetHandleByIndex nvmlDeviceGetHandleByIndex_v2
nvmlReturn_t nvmlInit(void);
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *name, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int which, unsigned *mhz);
nvmlReturn_t nvmlDeviceSetCpuAffinity(nvmlDevice_t device);
nvmlReturn_t nvmlSystemGetDriverVersion(char *text, unsigned size);
const char *nvmlErrorString(nvmlReturn_t error);
}
