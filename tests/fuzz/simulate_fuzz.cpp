// Models of any operators end to end: the input is read as a list of nodes with attributes and constants (so that most models get
// past the reader), lowered for a tiny machine, and run: fast, vertex by vertex, in fp16, or trained. Any of them gives results
// or an Error. TILESCOPE_FUZZ_MODEL=FILE keeps the model that an input stands for.
#include "reports/core/error.h"
#include "simcore/arch/machine.h"
#include "simcore/model/training/training.h"
#include "simcore/numerics/host_memory.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/onnx/tensor_proto.h"
#include "simcore/placement/parallelism.h"
#include "simcore/prepare/prepare.h"
#include "simcore/run/simulate.h"
#include "tests/support/row_collector.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>

using namespace simcore;

namespace {

constexpr const char* kOperators[] = {"Abs",
                                      "Add",
                                      "And",
                                      "ArgMax",
                                      "ArgMin",
                                      "AveragePool",
                                      "BatchNormalization",
                                      "BitShift",
                                      "Cast",
                                      "Ceil",
                                      "Celu",
                                      "CenterCropPad",
                                      "Clip",
                                      "Col2Im",
                                      "Compress",
                                      "Concat",
                                      "ConstantOfShape",
                                      "Conv",
                                      "ConvInteger",
                                      "ConvTranspose",
                                      "CumSum",
                                      "DFT",
                                      "DepthToSpace",
                                      "DequantizeLinear",
                                      "Det",
                                      "Div",
                                      "DynamicQuantizeLinear",
                                      "Einsum",
                                      "Elu",
                                      "Equal",
                                      "Erf",
                                      "Exp",
                                      "Expand",
                                      "EyeLike",
                                      "Flatten",
                                      "Floor",
                                      "GRU",
                                      "Gather",
                                      "GatherElements",
                                      "GatherND",
                                      "Gelu",
                                      "Gemm",
                                      "GlobalAveragePool",
                                      "GlobalMaxPool",
                                      "GridSample",
                                      "GroupNormalization",
                                      "HammingWindow",
                                      "Hardmax",
                                      "Identity",
                                      "InstanceNormalization",
                                      "IsNaN",
                                      "LRN",
                                      "LSTM",
                                      "LayerNormalization",
                                      "LeakyRelu",
                                      "LogSoftmax",
                                      "LpNormalization",
                                      "LpPool",
                                      "MatMul",
                                      "MatMulInteger",
                                      "Max",
                                      "MaxPool",
                                      "MaxUnpool",
                                      "Mean",
                                      "MelWeightMatrix",
                                      "Mod",
                                      "Mul",
                                      "NegativeLogLikelihoodLoss",
                                      "NonMaxSuppression",
                                      "NonZero",
                                      "Not",
                                      "OneHot",
                                      "PRelu",
                                      "Pad",
                                      "Pow",
                                      "QLinearConv",
                                      "QuantizeLinear",
                                      "RNN",
                                      "Range",
                                      "ReduceL2",
                                      "ReduceLogSumExp",
                                      "ReduceMax",
                                      "ReduceMean",
                                      "ReduceProd",
                                      "ReduceSum",
                                      "Relu",
                                      "Reshape",
                                      "Resize",
                                      "ReverseSequence",
                                      "RoiAlign",
                                      "Round",
                                      "STFT",
                                      "ScatterElements",
                                      "ScatterND",
                                      "Selu",
                                      "SequenceAt",
                                      "SequenceConstruct",
                                      "Shape",
                                      "Shrink",
                                      "Sigmoid",
                                      "Sign",
                                      "Size",
                                      "Slice",
                                      "Softmax",
                                      "SoftmaxCrossEntropyLoss",
                                      "SpaceToDepth",
                                      "Split",
                                      "SplitToSequence",
                                      "Sqrt",
                                      "Squeeze",
                                      "Sub",
                                      "Sum",
                                      "Tanh",
                                      "ThresholdedRelu",
                                      "Tile",
                                      "TopK",
                                      "Transpose",
                                      "Trilu",
                                      "Unique",
                                      "Unsqueeze",
                                      "Upsample",
                                      "Where",
                                      "Xor",
                                      "Attention",
                                      "SkipLayerNormalization",
                                      "FastGelu"};

constexpr const char* kAttributes[] = {"axis",
                                       "axes",
                                       "kernel_shape",
                                       "strides",
                                       "pads",
                                       "dilations",
                                       "group",
                                       "keepdims",
                                       "mode",
                                       "perm",
                                       "to",
                                       "alpha",
                                       "beta",
                                       "epsilon",
                                       "hidden_size",
                                       "direction",
                                       "equation",
                                       "reduction",
                                       "blocksize",
                                       "size",
                                       "num_heads",
                                       "num_groups",
                                       "auto_pad",
                                       "ceil_mode",
                                       "coordinate_transformation_mode",
                                       "nearest_mode",
                                       "largest",
                                       "sorted",
                                       "select_last_index",
                                       "batch_dims",
                                       "start",
                                       "end",
                                       "upper",
                                       "k",
                                       "value",
                                       "p",
                                       "transA",
                                       "transB",
                                       "output_padding",
                                       "output_shape",
                                       "output_height",
                                       "output_width",
                                       "sampling_ratio",
                                       "allowzero",
                                       "noop_with_empty_axes",
                                       "align_corners",
                                       "padding_mode",
                                       "ignore_index",
                                       "exclusive",
                                       "reverse",
                                       "stash_type",
                                       "dtype",
                                       "num_outputs",
                                       "count_include_pad",
                                       "storage_order",
                                       "fmod",
                                       "layout",
                                       "linear_before_reset",
                                       "onesided",
                                       "inverse",
                                       "time_axis",
                                       "batch_axis",
                                       "scales",
                                       "antialias",
                                       "cubic_coeff_a",
                                       "extrapolation_value",
                                       "saturate",
                                       "keep_aspect_ratio_policy"};

constexpr const char* kWords[] = {"reflect",
                                  "edge",
                                  "constant",
                                  "wrap",
                                  "linear",
                                  "nearest",
                                  "cubic",
                                  "SAME_UPPER",
                                  "SAME_LOWER",
                                  "VALID",
                                  "NOTSET",
                                  "bidirectional",
                                  "reverse",
                                  "forward",
                                  "DCR",
                                  "CRD",
                                  "LEFT",
                                  "RIGHT",
                                  "ij,jk->ik",
                                  "ii->i",
                                  "...i->...",
                                  "none",
                                  "sum",
                                  "mean",
                                  "mul",
                                  "add",
                                  "max",
                                  "border",
                                  "zeros",
                                  "align_corners",
                                  "asymmetric",
                                  "half_pixel",
                                  "pytorch_half_pixel",
                                  "tf_crop_and_resize",
                                  "round_prefer_ceil",
                                  "floor",
                                  "tanh"};

// Reads values from the input; gives zeros after its end.
class Draw {
public:
  Draw(const uint8_t* bytes, std::size_t size) : m_at(bytes), m_end(bytes + size) {}
  bool atEnd() const { return m_at == m_end; }
  unsigned byte() { return m_at == m_end ? 0 : *m_at++; }
  unsigned below(unsigned n) { return byte() % n; }
  template<std::size_t N> const char* oneOf(const char* const (&words)[N]) { return words[below(N)]; }
  // Mostly small sizes; sometimes an impossible one.
  std::int64_t integer() {
    const unsigned b = byte();
    if (b < 200) return std::int64_t(b % 25) - 4;
    constexpr std::int64_t odd[] = {std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min(),
                                    std::int64_t(1) << 31,
                                    std::int64_t(1) << 40,
                                    -(std::int64_t(1) << 40),
                                    1 << 20,
                                    65'536,
                                    -1};
    return odd[b % 8];
  }
  std::vector<std::int64_t> dims() {
    std::vector<std::int64_t> dims(below(5));
    for (auto& dim : dims) dim = 1 + below(6) - (byte() == 77);
    return dims;
  }

private:
  const uint8_t *m_at, *m_end;
};

void setType(onnx::ValueInfoProto* value, Draw& draw) {
  constexpr int types[] = {1, 1, 1, 1, 7, 9, 6, 10, 2, 3};
  auto* type = value->mutable_type()->mutable_tensor_type();
  type->set_elem_type(types[draw.below(std::size(types))]);
  type->mutable_shape();
  for (const auto dim : draw.dims()) type->mutable_shape()->add_dim()->set_dim_value(dim);
}

void addConstant(onnx::GraphProto* graph, const std::string& name, Draw& draw) {
  auto* tensor = graph->add_initializer();
  tensor->set_name(name);
  const bool isFloat = draw.byte() % 2;
  tensor->set_data_type(isFloat ? onnx::TensorProto::FLOAT : onnx::TensorProto::INT64);
  std::vector<std::int64_t> dims;
  if (draw.byte() % 4 == 0)
    dims = draw.dims();
  else if (draw.byte() % 4)
    dims = {1 + draw.below(5)};
  std::int64_t count = 1;
  for (const auto dim : dims) tensor->add_dims(dim), count *= dim;
  for (std::int64_t i = 0; i < count; ++i)
    if (isFloat)
      tensor->add_float_data(float(draw.integer()) / 4);
    else
      tensor->add_int64_data(draw.integer());
}

void addAttribute(onnx::NodeProto* node, Draw& draw) {
  auto* a = node->add_attribute();
  a->set_name(draw.oneOf(kAttributes));
  switch (draw.below(6)) {
  case 0:
  case 1: a->set_type(onnx::AttributeProto::INT), a->set_i(draw.integer()); break;
  case 2:
  case 3:
    a->set_type(onnx::AttributeProto::INTS);
    for (unsigned n = draw.below(6); n > 0; --n) a->add_ints(draw.integer());
    break;
  case 4: a->set_type(onnx::AttributeProto::STRING), a->set_s(draw.oneOf(kWords)); break;
  default: a->set_type(onnx::AttributeProto::FLOAT), a->set_f(float(draw.integer()) / 8); break;
  }
}

std::string modelOf(Draw& draw) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  constexpr int opsets[] = {17, 18, 13, 11, 9, 7, 20, 1};
  model.add_opset_import()->set_version(opsets[draw.below(std::size(opsets))]);
  auto* contrib = model.add_opset_import();
  contrib->set_domain("com.microsoft");
  contrib->set_version(1);
  auto* graph = model.mutable_graph();
  std::vector<std::string> values;
  const auto added = [&](const char* kind) { return values.emplace_back(kind + std::to_string(values.size())); };
  for (unsigned n = 1 + draw.below(3); n > 0; --n) {
    auto* input = graph->add_input();
    input->set_name(added("x"));
    setType(input, draw);
  }
  for (unsigned n = draw.below(4); n > 0; --n) addConstant(graph, added("w"), draw);
  for (unsigned n = 1 + draw.below(6); n > 0 && !draw.atEnd(); --n) {
    auto* node = graph->add_node();
    node->set_op_type(draw.oneOf(kOperators));
    if (draw.byte() % 8 == 0) node->set_domain("com.microsoft");
    for (unsigned i = draw.below(5); i > 0; --i) {
      const unsigned which = draw.byte();
      node->add_input(which == 255 ? "" : values[which % values.size()]);
    }
    for (unsigned i = draw.below(4); i > 0; --i) addAttribute(node, draw);
    for (unsigned i = draw.byte() % 8 == 0 ? 3 : 1; i > 0; --i) node->add_output(added("v"));
  }
  graph->add_output()->set_name(values.back());
  if (values.size() > 2 && draw.byte() % 2) graph->add_output()->set_name(values[values.size() - 2]);
  return model.SerializeAsString();
}

void simulateModel(const std::string& bytes, unsigned how) {
  model::ModelRequest request;
  request.training = how % 8 == 5;
  reports::NoProgress progress;
  auto resolved = model::resolveModel(model::parseOnnx(bytes, "fuzz", "/nonexistent"), request, {}, progress);
  arch::Machine machine = arch::tinyMachine(4);
  machine.vertexByVertex = how % 2;
  model::LoweringOptions options;
  if (how % 4 == 2) options.precision = numerics::ElementType::Half;
  graph::Workload load;
  std::map<std::string, std::vector<numerics::HostTensor>> inputs;
  if (request.training) {
    model::LossRequest loss;
    loss.kind = how & 16 ? "mse" : how & 32 ? "output" : "cross-entropy";
    const std::string value = model::addLoss(resolved.model, loss).name;
    inputs = model::inputValues(resolved.model, {}, 1);
    load = model::trainingWorkload(std::move(resolved.model), value, {}, machine, {options}, {});
  } else {
    inputs = model::inputValues(resolved.model, {}, 1);
    load = model::inferenceWorkload(resolved.model, machine, options, {});
  }
  load.inputs = std::move(inputs);
  tests::RowCollector rows;
  run::HostTimeline timeline("fuzz");
  run::SimulateOptions simulation;
  simulation.engine.numbers = how % 16 != 9;
  run::simulate(load, simulation, rows, timeline, {}, progress);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  numerics::limitHostMemory(32 << 20);
  Draw draw(bytes, std::min<std::size_t>(size, 400));
  const unsigned how = draw.byte();
  try {
    const std::string model = modelOf(draw);
    if (const char* file = std::getenv("TILESCOPE_FUZZ_MODEL")) std::ofstream(file, std::ios::binary) << model;
    simulateModel(model, how);
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::Internal) {
      std::cerr << error.what() << "\n";
      std::abort();
    }
  }
  return 0;
}
