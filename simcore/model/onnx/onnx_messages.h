// The ONNX protobuf messages of Debian's libonnx-dev, with the macros its headers want. Messages only: nothing else of the
// onnx library is used.
#pragma once

#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#include <onnx/onnx_pb.h>
#pragma GCC diagnostic pop
