// Element-wise maps: one compute set, without exchange if all operands have the same mapping. Operands with another mapping, and
// broadcast operands, are exchanged first. A chain of operations can be one fused codelet.
#pragma once

#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/nonlinearity.h"
#include "simcore/ops/op_builder.h"

namespace simcore::ops {

// Makes steps of operations on elements of one type.
std::vector<codelets::MapStep> mapSteps(ElementType type, std::initializer_list<decltype(codelets::MapStep::op)> operations);

// Any expression over inputs that broadcast to `shape` (numpy rules): `steps` are the operations of the fused codelet. `kernel`
// computes the numbers; it may be empty if the builder has none. `immediates` are constants inside the codelet, which broadcast
// like inputs and follow them.
Tensor map(const OpBuilder& builder, const std::string& name, const std::vector<codelets::MapStep>& steps,
           const std::vector<Tensor>& inputs, ElementType outputType, const Shape& shape, HostKernel kernel = {},
           const std::vector<numerics::HostTensor>& immediates = {});
// Like map(), but the result replaces the first input, which has the full shape.
void mapInPlace(const OpBuilder& builder, const std::string& name, const std::vector<codelets::MapStep>& steps,
                const std::vector<Tensor>& inputs, HostKernel kernel = {},
                const std::vector<numerics::HostTensor>& immediates = {});

// Like map(), but the result goes into an existing tensor, which is not read.
void mapWithOutput(const OpBuilder& builder, const std::string& name, const std::vector<codelets::MapStep>& steps,
                   const std::vector<Tensor>& inputs, const Tensor& out, HostKernel kernel = {});

Tensor unary(const OpBuilder& builder, codelets::UnaryOp op, const Tensor& x, HostKernel kernel = {});
Tensor binary(const OpBuilder& builder, codelets::BinaryOp op, const Tensor& a, const Tensor& b, HostKernel kernel = {});
// x = op(x) or a = op(a, b): popops' addInPlace, sqrtInPlace, …
void unaryInPlace(const OpBuilder& builder, codelets::UnaryOp op, const Tensor& x);
void binaryInPlace(const OpBuilder& builder, codelets::BinaryOp op, const Tensor& a, const Tensor& b);
// popnn's activation codelets; for softmax see reduce.h.
Tensor nonLinearity(const OpBuilder& builder, codelets::NonLinearity kind, const Tensor& x, HostKernel kernel = {});
void nonLinearityInPlace(const OpBuilder& builder, codelets::NonLinearity kind, const Tensor& x, HostKernel kernel = {});
// The gradient of the input, from the gradient of the output and the output itself (for gelu and swish the input). `kernel` must
// be set if the builder has numbers.
Tensor nonLinearityGrad(const OpBuilder& builder, codelets::NonLinearity kind, const Tensor& gradient, const Tensor& at,
                        HostKernel kernel = {});
// x = 0, in place.
void zero(const OpBuilder& builder, const Tensor& x);
// x [N, C, …] += bias [C], in place.
void addBias(const OpBuilder& builder, const Tensor& x, const Tensor& bias, std::size_t channelDimension = 1);
Tensor cast(const OpBuilder& builder, const Tensor& x, ElementType to);
// y += scale * x in place, one codelet (popops::scaledAddTo).
void scaledAddTo(const OpBuilder& builder, const Tensor& y, const Tensor& x, float scale);

} // namespace simcore::ops
