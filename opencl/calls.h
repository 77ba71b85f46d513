// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These are the calls of OpenCL, as this platform has them. The loader finds them through the table (dispatch.cc).
#pragma once

#include <CL/cl.h>
#include <type_traits>

namespace hetcl
{

extern std::remove_pointer_t<decltype(&::clGetPlatformIDs)> clGetPlatformIDs;
extern std::remove_pointer_t<decltype(&::clGetPlatformInfo)> clGetPlatformInfo;
extern std::remove_pointer_t<decltype(&::clGetDeviceIDs)> clGetDeviceIDs;
extern std::remove_pointer_t<decltype(&::clGetDeviceInfo)> clGetDeviceInfo;
extern std::remove_pointer_t<decltype(&::clCreateContext)> clCreateContext;
extern std::remove_pointer_t<decltype(&::clCreateContextFromType)> clCreateContextFromType;
extern std::remove_pointer_t<decltype(&::clRetainContext)> clRetainContext;
extern std::remove_pointer_t<decltype(&::clReleaseContext)> clReleaseContext;
extern std::remove_pointer_t<decltype(&::clGetContextInfo)> clGetContextInfo;
extern std::remove_pointer_t<decltype(&::clCreateCommandQueue)> clCreateCommandQueue;
extern std::remove_pointer_t<decltype(&::clRetainCommandQueue)> clRetainCommandQueue;
extern std::remove_pointer_t<decltype(&::clReleaseCommandQueue)> clReleaseCommandQueue;
extern std::remove_pointer_t<decltype(&::clGetCommandQueueInfo)> clGetCommandQueueInfo;
// The headers have it no longer, but the table does.
cl_int clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties flags, cl_bool on,
				 cl_command_queue_properties *old);
extern std::remove_pointer_t<decltype(&::clCreateBuffer)> clCreateBuffer;
extern std::remove_pointer_t<decltype(&::clCreateImage2D)> clCreateImage2D;
extern std::remove_pointer_t<decltype(&::clCreateImage3D)> clCreateImage3D;
extern std::remove_pointer_t<decltype(&::clRetainMemObject)> clRetainMemObject;
extern std::remove_pointer_t<decltype(&::clReleaseMemObject)> clReleaseMemObject;
extern std::remove_pointer_t<decltype(&::clGetSupportedImageFormats)> clGetSupportedImageFormats;
extern std::remove_pointer_t<decltype(&::clGetMemObjectInfo)> clGetMemObjectInfo;
extern std::remove_pointer_t<decltype(&::clGetImageInfo)> clGetImageInfo;
extern std::remove_pointer_t<decltype(&::clCreateSampler)> clCreateSampler;
extern std::remove_pointer_t<decltype(&::clRetainSampler)> clRetainSampler;
extern std::remove_pointer_t<decltype(&::clReleaseSampler)> clReleaseSampler;
extern std::remove_pointer_t<decltype(&::clGetSamplerInfo)> clGetSamplerInfo;
extern std::remove_pointer_t<decltype(&::clCreateProgramWithSource)> clCreateProgramWithSource;
extern std::remove_pointer_t<decltype(&::clCreateProgramWithBinary)> clCreateProgramWithBinary;
extern std::remove_pointer_t<decltype(&::clRetainProgram)> clRetainProgram;
extern std::remove_pointer_t<decltype(&::clReleaseProgram)> clReleaseProgram;
extern std::remove_pointer_t<decltype(&::clBuildProgram)> clBuildProgram;
extern std::remove_pointer_t<decltype(&::clUnloadCompiler)> clUnloadCompiler;
extern std::remove_pointer_t<decltype(&::clGetProgramInfo)> clGetProgramInfo;
extern std::remove_pointer_t<decltype(&::clGetProgramBuildInfo)> clGetProgramBuildInfo;
extern std::remove_pointer_t<decltype(&::clCreateKernel)> clCreateKernel;
extern std::remove_pointer_t<decltype(&::clCreateKernelsInProgram)> clCreateKernelsInProgram;
extern std::remove_pointer_t<decltype(&::clRetainKernel)> clRetainKernel;
extern std::remove_pointer_t<decltype(&::clReleaseKernel)> clReleaseKernel;
extern std::remove_pointer_t<decltype(&::clSetKernelArg)> clSetKernelArg;
extern std::remove_pointer_t<decltype(&::clGetKernelInfo)> clGetKernelInfo;
extern std::remove_pointer_t<decltype(&::clGetKernelWorkGroupInfo)> clGetKernelWorkGroupInfo;
extern std::remove_pointer_t<decltype(&::clWaitForEvents)> clWaitForEvents;
extern std::remove_pointer_t<decltype(&::clGetEventInfo)> clGetEventInfo;
extern std::remove_pointer_t<decltype(&::clRetainEvent)> clRetainEvent;
extern std::remove_pointer_t<decltype(&::clReleaseEvent)> clReleaseEvent;
extern std::remove_pointer_t<decltype(&::clGetEventProfilingInfo)> clGetEventProfilingInfo;
extern std::remove_pointer_t<decltype(&::clFlush)> clFlush;
extern std::remove_pointer_t<decltype(&::clFinish)> clFinish;
extern std::remove_pointer_t<decltype(&::clEnqueueReadBuffer)> clEnqueueReadBuffer;
extern std::remove_pointer_t<decltype(&::clEnqueueWriteBuffer)> clEnqueueWriteBuffer;
extern std::remove_pointer_t<decltype(&::clEnqueueCopyBuffer)> clEnqueueCopyBuffer;
extern std::remove_pointer_t<decltype(&::clEnqueueReadImage)> clEnqueueReadImage;
extern std::remove_pointer_t<decltype(&::clEnqueueWriteImage)> clEnqueueWriteImage;
extern std::remove_pointer_t<decltype(&::clEnqueueCopyImage)> clEnqueueCopyImage;
extern std::remove_pointer_t<decltype(&::clEnqueueCopyImageToBuffer)> clEnqueueCopyImageToBuffer;
extern std::remove_pointer_t<decltype(&::clEnqueueCopyBufferToImage)> clEnqueueCopyBufferToImage;
extern std::remove_pointer_t<decltype(&::clEnqueueMapBuffer)> clEnqueueMapBuffer;
extern std::remove_pointer_t<decltype(&::clEnqueueMapImage)> clEnqueueMapImage;
extern std::remove_pointer_t<decltype(&::clEnqueueUnmapMemObject)> clEnqueueUnmapMemObject;
extern std::remove_pointer_t<decltype(&::clEnqueueNDRangeKernel)> clEnqueueNDRangeKernel;
extern std::remove_pointer_t<decltype(&::clEnqueueTask)> clEnqueueTask;
extern std::remove_pointer_t<decltype(&::clEnqueueNativeKernel)> clEnqueueNativeKernel;
extern std::remove_pointer_t<decltype(&::clEnqueueMarker)> clEnqueueMarker;
extern std::remove_pointer_t<decltype(&::clEnqueueWaitForEvents)> clEnqueueWaitForEvents;
extern std::remove_pointer_t<decltype(&::clEnqueueBarrier)> clEnqueueBarrier;
extern std::remove_pointer_t<decltype(&::clGetExtensionFunctionAddress)> clGetExtensionFunctionAddress;
extern std::remove_pointer_t<decltype(&::clSetEventCallback)> clSetEventCallback;
extern std::remove_pointer_t<decltype(&::clCreateSubBuffer)> clCreateSubBuffer;
extern std::remove_pointer_t<decltype(&::clSetMemObjectDestructorCallback)> clSetMemObjectDestructorCallback;
extern std::remove_pointer_t<decltype(&::clCreateUserEvent)> clCreateUserEvent;
extern std::remove_pointer_t<decltype(&::clSetUserEventStatus)> clSetUserEventStatus;
extern std::remove_pointer_t<decltype(&::clEnqueueReadBufferRect)> clEnqueueReadBufferRect;
extern std::remove_pointer_t<decltype(&::clEnqueueWriteBufferRect)> clEnqueueWriteBufferRect;
extern std::remove_pointer_t<decltype(&::clEnqueueCopyBufferRect)> clEnqueueCopyBufferRect;
extern std::remove_pointer_t<decltype(&::clCreateSubDevices)> clCreateSubDevices;
extern std::remove_pointer_t<decltype(&::clRetainDevice)> clRetainDevice;
extern std::remove_pointer_t<decltype(&::clReleaseDevice)> clReleaseDevice;
extern std::remove_pointer_t<decltype(&::clCreateImage)> clCreateImage;
extern std::remove_pointer_t<decltype(&::clCreateProgramWithBuiltInKernels)> clCreateProgramWithBuiltInKernels;
extern std::remove_pointer_t<decltype(&::clCompileProgram)> clCompileProgram;
extern std::remove_pointer_t<decltype(&::clLinkProgram)> clLinkProgram;
extern std::remove_pointer_t<decltype(&::clUnloadPlatformCompiler)> clUnloadPlatformCompiler;
extern std::remove_pointer_t<decltype(&::clGetKernelArgInfo)> clGetKernelArgInfo;
extern std::remove_pointer_t<decltype(&::clEnqueueFillBuffer)> clEnqueueFillBuffer;
extern std::remove_pointer_t<decltype(&::clEnqueueFillImage)> clEnqueueFillImage;
extern std::remove_pointer_t<decltype(&::clEnqueueMigrateMemObjects)> clEnqueueMigrateMemObjects;
extern std::remove_pointer_t<decltype(&::clEnqueueMarkerWithWaitList)> clEnqueueMarkerWithWaitList;
extern std::remove_pointer_t<decltype(&::clEnqueueBarrierWithWaitList)> clEnqueueBarrierWithWaitList;
extern std::remove_pointer_t<decltype(&::clGetExtensionFunctionAddressForPlatform)>
	clGetExtensionFunctionAddressForPlatform;
extern std::remove_pointer_t<decltype(&::clCreateCommandQueueWithProperties)> clCreateCommandQueueWithProperties;
extern std::remove_pointer_t<decltype(&::clCreatePipe)> clCreatePipe;
extern std::remove_pointer_t<decltype(&::clGetPipeInfo)> clGetPipeInfo;
extern std::remove_pointer_t<decltype(&::clSVMAlloc)> clSVMAlloc;
extern std::remove_pointer_t<decltype(&::clSVMFree)> clSVMFree;
extern std::remove_pointer_t<decltype(&::clEnqueueSVMFree)> clEnqueueSVMFree;
extern std::remove_pointer_t<decltype(&::clEnqueueSVMMemcpy)> clEnqueueSVMMemcpy;
extern std::remove_pointer_t<decltype(&::clEnqueueSVMMemFill)> clEnqueueSVMMemFill;
extern std::remove_pointer_t<decltype(&::clEnqueueSVMMap)> clEnqueueSVMMap;
extern std::remove_pointer_t<decltype(&::clEnqueueSVMUnmap)> clEnqueueSVMUnmap;
extern std::remove_pointer_t<decltype(&::clCreateSamplerWithProperties)> clCreateSamplerWithProperties;
extern std::remove_pointer_t<decltype(&::clSetKernelArgSVMPointer)> clSetKernelArgSVMPointer;
extern std::remove_pointer_t<decltype(&::clSetKernelExecInfo)> clSetKernelExecInfo;
extern std::remove_pointer_t<decltype(&::clCloneKernel)> clCloneKernel;
extern std::remove_pointer_t<decltype(&::clCreateProgramWithIL)> clCreateProgramWithIL;
extern std::remove_pointer_t<decltype(&::clEnqueueSVMMigrateMem)> clEnqueueSVMMigrateMem;
extern std::remove_pointer_t<decltype(&::clGetDeviceAndHostTimer)> clGetDeviceAndHostTimer;
extern std::remove_pointer_t<decltype(&::clGetHostTimer)> clGetHostTimer;
extern std::remove_pointer_t<decltype(&::clGetKernelSubGroupInfo)> clGetKernelSubGroupInfo;
extern std::remove_pointer_t<decltype(&::clSetDefaultDeviceCommandQueue)> clSetDefaultDeviceCommandQueue;
extern std::remove_pointer_t<decltype(&::clSetProgramReleaseCallback)> clSetProgramReleaseCallback;
extern std::remove_pointer_t<decltype(&::clSetProgramSpecializationConstant)> clSetProgramSpecializationConstant;
extern std::remove_pointer_t<decltype(&::clCreateBufferWithProperties)> clCreateBufferWithProperties;
extern std::remove_pointer_t<decltype(&::clCreateImageWithProperties)> clCreateImageWithProperties;
extern std::remove_pointer_t<decltype(&::clSetContextDestructorCallback)> clSetContextDestructorCallback;

} // namespace hetcl
