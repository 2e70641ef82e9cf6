#include "simcore/poplar/libs/vertices.h"

#include "simcore/codelets/elementwise.h"
#include "simcore/codelets/loss.h"
#include "simcore/codelets/reduce.h"
#include "simcore/graph/vertex_fields.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/poplar/libs/library_call.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simcore::poplar {

using codelets::ReduceOp;
using graph::Codelet;
using graph::FieldDirection;
using graph::VertexFields;
using numerics::ElementType;

namespace {

// Adds the codelet, unless the graph has one of this name.
void offer(graph::Graph& graph, Codelet codelet) {
  const auto& known = graph.codelets();
  if (std::none_of(known.begin(), known.end(), [&](const Codelet& c) { return c.name == codelet.name; }))
    graph.addCodelet(std::move(codelet));
}

std::string typeName(ElementType type) { return outer(type).toString(); }

std::vector<double> read(const VertexFields& fields, const char* name) {
  std::vector<double> values;
  numerics::visitAny(fields.type(name), [&](auto t) {
    const auto elements = fields.values<decltype(t)>(name);
    values = numerics::HostTensor::of({int64_t(elements.size())}, elements).toDoubles();
  });
  return values;
}

void write(const VertexFields& fields, const char* name, const std::vector<double>& values) {
  const ElementType type = fields.type(name);
  const auto converted = numerics::HostTensor::vector(values).cast(type);
  numerics::visitAny(
      type, [&](auto t) { std::ranges::copy(converted.values<decltype(t)>(), fields.mutableValues<decltype(t)>(name).begin()); });
}

double startOf(ReduceOp op) {
  switch (op) {
  case ReduceOp::Multiply:
  case ReduceOp::LogicalAnd: return 1;
  case ReduceOp::Maximum:
  case ReduceOp::LogAdd: return -std::numeric_limits<double>::infinity();
  case ReduceOp::Minimum: return std::numeric_limits<double>::infinity();
  case ReduceOp::Add:
  case ReduceOp::SquareAdd:
  case ReduceOp::LogicalOr: break;
  }
  return 0;
}

double combine(ReduceOp op, double sum, double value) {
  switch (op) {
  case ReduceOp::Add: return sum + value;
  case ReduceOp::SquareAdd: return sum + value * value;
  case ReduceOp::Multiply: return sum * value;
  case ReduceOp::Maximum: return std::max(sum, value);
  case ReduceOp::Minimum: return std::min(sum, value);
  case ReduceOp::LogicalAnd: return sum != 0 && value != 0;
  case ReduceOp::LogicalOr: return sum != 0 || value != 0;
  case ReduceOp::LogAdd: {
    const double high = std::max(sum, value), low = std::min(sum, value);
    return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
  }
  }
  return sum;
}

Codelet fillCodelet(const arch::TileArchitecture& tile, ElementType type) {
  Codelet codelet;
  codelet.name = "popops::Fill2d<" + typeName(type) + ">";
  codelet.fields = {{.name = "out", .direction = FieldDirection::Output, .type = type}};
  codelet.state = {{"in", type}};
  codelet.compute = [](VertexFields& fields) {
    write(fields, "out", std::vector<double>(std::size_t(fields.size("out")), fields.state("in")));
  };
  codelet.cycles = [tile, type](const std::map<std::string, int64_t>& sizes) {
    return codelets::fill(tile, type, sizes.at("out")).cycles.value();
  };
  return codelet;
}

Codelet castCodelet(const arch::TileArchitecture& tile, ElementType source, ElementType target) {
  Codelet codelet;
  codelet.name = "popops::Cast2D<" + typeName(source) + "," + typeName(target) + ">";
  codelet.kind = Codelet::Kind::Multi;
  codelet.fields = {{.name = "src", .direction = FieldDirection::Input, .type = source},
                    {.name = "dst", .direction = FieldDirection::Output, .type = target}};
  codelet.compute = [](VertexFields& fields) { write(fields, "dst", read(fields, "src")); };
  codelet.cycles = [tile, source, target](const std::map<std::string, int64_t>& sizes) {
    return codelets::cast1D(tile, source, target, sizes.at("dst")).cycles.value();
  };
  return codelet;
}

Codelet reduceCodelet(const arch::TileArchitecture& tile, const codelets::ReduceTypes& types) {
  Codelet codelet;
  codelet.name = codelets::reduceContiguousSpec(types).name + "/" + codelets::reduceOpName(types.op);
  codelet.fields = {
      {.name = "partials", .direction = FieldDirection::Input, .type = types.partials},
      {.name = "out", .direction = types.update ? FieldDirection::InOut : FieldDirection::Output, .type = types.output}};
  if (types.scale) codelet.fields.push_back({.name = "scale", .direction = FieldDirection::Input});
  codelet.compute = [types](VertexFields& fields) {
    const std::vector<double> partials = read(fields, "partials");
    std::vector<double> results = types.update ? read(fields, "out") : std::vector<double>(std::size_t(fields.size("out")), 0.0);
    const double scale = types.scale ? read(fields, "scale").at(0) : 1;
    const std::size_t each = results.empty() ? 0 : partials.size() / results.size();
    for (std::size_t o = 0; o < results.size(); ++o) {
      double sum = startOf(types.op);
      for (std::size_t p = 0; p < each; ++p) sum = combine(types.op, sum, partials[o * each + p]);
      results[o] += scale * sum;
    }
    write(fields, "out", results);
  };
  codelet.cycles = [tile, types](const std::map<std::string, int64_t>& sizes) {
    const int64_t outputs = std::max<int64_t>(1, sizes.at("out"));
    return codelets::reduceContiguous(tile, types, outputs, sizes.at("partials") / outputs).cycles.value();
  };
  return codelet;
}

numerics::UnaryKind functionOf(codelets::NonLinearity kind) {
  using codelets::NonLinearity;
  using numerics::UnaryKind;
  switch (kind) {
  case NonLinearity::Relu: return UnaryKind::Relu;
  case NonLinearity::Sigmoid: return UnaryKind::Sigmoid;
  case NonLinearity::Tanh: return UnaryKind::Tanh;
  case NonLinearity::Gelu: return UnaryKind::GeluTanh;
  case NonLinearity::GeluErf: return UnaryKind::Gelu;
  case NonLinearity::Swish: break;
  }
  throw ::poputil::poplibs_error("popnn: an unknown activation function");
}

numerics::HostTensor elements(const VertexFields& fields, const char* name) {
  return numerics::HostTensor::vector(read(fields, name)).cast(fields.type(name));
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
std::vector<double> activated(codelets::NonLinearity kind, const numerics::HostTensor& x) {
  if (kind != codelets::NonLinearity::Swish) return numerics::unary(functionOf(kind), x).toDoubles();
  std::vector<double> values = x.toDoubles();
  for (double& v : values) v *= sigmoid(v);
  return values;
}
std::vector<double> gradientOf(codelets::NonLinearity kind, const numerics::HostTensor& gradient,
                               const numerics::HostTensor& at) {
  if (kind != codelets::NonLinearity::Swish) return numerics::activationGradient(functionOf(kind), gradient, at).toDoubles();
  std::vector<double> values = gradient.toDoubles();
  const std::vector<double> points = at.toDoubles();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double s = sigmoid(points[i]);
    values[i] *= s * (1 + points[i] * (1 - s));
  }
  return values;
}

Codelet nonLinearityCodelet(const arch::TileArchitecture& tile, codelets::NonLinearity kind, ElementType type, bool inPlace) {
  const auto where = inPlace ? codelets::Placement::InPlace : codelets::Placement::OutOfPlace;
  Codelet codelet;
  codelet.name = codelets::nonLinearity1DSpec(kind, type, where).name + (inPlace ? "/set in place" : "/set");
  codelet.kind = Codelet::Kind::Multi;
  if (!inPlace) codelet.fields.push_back({.name = "in", .direction = FieldDirection::Input, .type = type});
  codelet.fields.push_back({.name = "out", .direction = inPlace ? FieldDirection::InOut : FieldDirection::Output, .type = type});
  codelet.compute = [kind, inPlace](VertexFields& fields) {
    write(fields, "out", activated(kind, elements(fields, inPlace ? "out" : "in")));
  };
  codelet.cycles = [tile, kind, type, where](const std::map<std::string, int64_t>& sizes) {
    return codelets::nonLinearity1D(tile, kind, type, sizes.at("out"), where).cycles.value();
  };
  return codelet;
}

Codelet nonLinearityGradCodelet(const arch::TileArchitecture& tile, codelets::NonLinearity kind, ElementType type) {
  Codelet codelet;
  codelet.name = codelets::nonLinearityGrad1DSpec(kind, type).name + "/set";
  codelet.kind = Codelet::Kind::Multi;
  codelet.fields = {{.name = "outGrad", .direction = FieldDirection::Input, .type = type},
                    {.name = "at", .direction = FieldDirection::Input, .type = type},
                    {.name = "inGrad", .direction = FieldDirection::Output, .type = type}};
  codelet.compute = [kind](VertexFields& fields) {
    write(fields, "inGrad", gradientOf(kind, elements(fields, "outGrad"), elements(fields, "at")));
  };
  codelet.cycles = [tile, kind, type](const std::map<std::string, int64_t>& sizes) {
    return codelets::nonLinearityGrad1D(tile, kind, type, sizes.at("inGrad")).cycles.value();
  };
  return codelet;
}

// Finds the largest or smallest value and the label at its position.
Codelet extremeCodelet(const arch::TileArchitecture& tile, bool isMax, ElementType type, ElementType label) {
  const std::string prefix = isMax ? "max" : "min", value = prefix + "Value", index = prefix + "Index";
  Codelet codelet;
  codelet.name =
      std::string("popnn::Reduce") + (isMax ? "Max" : "Min") + "ClassSparse<" + typeName(type) + "," + typeName(label) + ">";
  codelet.fields = {{.name = "activations", .direction = FieldDirection::Input, .type = type},
                    {.name = "labels", .direction = FieldDirection::Input, .type = label},
                    {.name = value, .direction = FieldDirection::Output, .type = type, .shape = graph::FieldShape::Scalar},
                    {.name = index, .direction = FieldDirection::Output, .type = label, .shape = graph::FieldShape::Scalar}};
  codelet.compute = [isMax, value, index](VertexFields& fields) {
    const std::vector<double> values = read(fields, "activations");
    const auto best = isMax ? std::max_element(values.begin(), values.end()) : std::min_element(values.begin(), values.end());
    write(fields, value.c_str(), {*best});
    write(fields, index.c_str(), {read(fields, "labels").at(std::size_t(best - values.begin()))});
  };
  codelet.cycles = [tile, type](const std::map<std::string, int64_t>& sizes) {
    return codelets::argMax(tile, type, sizes.at("activations")).cycles.value();
  };
  return codelet;
}

} // namespace

std::optional<Codelet> codeletOfLibrary(const arch::TileArchitecture& tile, const std::string& name) {
  for (const bool isMax : {true, false})
    for (const ElementType type : {ElementType::Float, ElementType::Int32, ElementType::UInt32})
      for (const ElementType label : {ElementType::UInt32, ElementType::Int32})
        if (Codelet c = extremeCodelet(tile, isMax, type, label); c.name == name) return c;
  return std::nullopt;
}

Codelet libraryCodelet(const arch::TileArchitecture& tile, const std::string& name) {
  std::vector<ElementType> types; // the types that Poplar offers
  for (unsigned id = ::poplar::BOOL.id(); id <= ::poplar::FLOAT.id(); ++id) types.push_back(inner(::poplar::Type(id)));
  if (auto codelet = codeletOfLibrary(tile, name)) return *codelet;
  for (const ElementType a : {ElementType::Float, ElementType::Half})
    for (int kind = 0; kind <= int(codelets::NonLinearity::Swish); ++kind) {
      const auto which = codelets::NonLinearity(kind);
      for (const bool inPlace : {false, true})
        if (Codelet c = nonLinearityCodelet(tile, which, a, inPlace); c.name == name) return c;
      if (Codelet c = nonLinearityGradCodelet(tile, which, a); c.name == name) return c;
    }
  for (const ElementType a : types) {
    if (Codelet fill = fillCodelet(tile, a); fill.name == name) return fill;
    for (const ElementType b : types) {
      if (Codelet cast = castCodelet(tile, a, b); cast.name == name) return cast;
      for (int op = 0; op <= int(ReduceOp::LogAdd); ++op)
        for (const bool scale : {false, true})
          for (const bool update : {false, true})
            if (Codelet reduce = reduceCodelet(tile, {ReduceOp(op), a, b, scale, update}); reduce.name == name) return reduce;
    }
  }
  throw reports::Error(reports::ErrorCode::Damaged, "no library has the vertex class '" + name + "'", "executable");
}

ReduceOp reduceOpOf(::popops::Operation operation) {
  switch (operation) {
  case ::popops::Operation::ADD: return ReduceOp::Add;
  case ::popops::Operation::MUL: return ReduceOp::Multiply;
  case ::popops::Operation::MIN: return ReduceOp::Minimum;
  case ::popops::Operation::MAX: return ReduceOp::Maximum;
  case ::popops::Operation::LOGICAL_AND: return ReduceOp::LogicalAnd;
  case ::popops::Operation::LOGICAL_OR: return ReduceOp::LogicalOr;
  case ::popops::Operation::SQUARE_ADD: return ReduceOp::SquareAdd;
  case ::popops::Operation::LOG_ADD: return ReduceOp::LogAdd;
  }
  throw ::poputil::poplibs_error("popops: an unknown operation of a reduction");
}

void addFillVertex(graph::Graph& graph, graph::ComputeSetId set, const graph::Tensor& x, reports::TileId tile, double value) {
  const ElementType type = x.elementType();
  Codelet codelet = fillCodelet(graph.machine().tile, type);
  const std::string name = codelet.name;
  offer(graph, std::move(codelet));
  const graph::VertexRef vertex = graph.addVertex(set, name, {{"out", x}});
  graph.setInitialValue(vertex["in"], value);
  graph.setTileMapping(vertex, tile);
}

void addCastVertex(graph::Graph& graph, graph::ComputeSetId set, const graph::Tensor& from, const graph::Tensor& to,
                   reports::TileId tile) {
  const ElementType source = from.elementType(), target = to.elementType();
  Codelet codelet = castCodelet(graph.machine().tile, source, target);
  const std::string name = codelet.name;
  offer(graph, std::move(codelet));
  graph.setTileMapping(graph.addVertex(set, name, {{"src", from}, {"dst", to}}), tile);
}

void addReduceVertex(graph::Graph& graph, graph::ComputeSetId set, const graph::Tensor& in, const graph::Tensor& out,
                     reports::TileId tile, const ::popops::ReduceParams& params) {
  const codelets::ReduceTypes types{reduceOpOf(params.op), in.elementType(), out.elementType(), params.useScale, params.update};
  Codelet codelet = reduceCodelet(graph.machine().tile, types);
  const std::string name = codelet.name;
  offer(graph, std::move(codelet));
  std::vector<std::pair<std::string, graph::Tensor>> edges{{"partials", in.flatten()}, {"out", out}};
  if (params.useScale) edges.emplace_back("scale", inner(params.scale).flatten());
  graph.setTileMapping(graph.addVertex(set, name, edges), tile);
}

void addNonLinearityVertex(graph::Graph& graph, graph::ComputeSetId set, codelets::NonLinearity kind, const graph::Tensor& from,
                           const graph::Tensor& to, reports::TileId tile) {
  const bool inPlace = from.contiguousRegions() == to.contiguousRegions();
  Codelet codelet = nonLinearityCodelet(graph.machine().tile, kind, to.elementType(), inPlace);
  const std::string name = codelet.name;
  offer(graph, std::move(codelet));
  std::vector<std::pair<std::string, graph::Tensor>> edges{{"out", to}};
  if (!inPlace) edges.emplace_back("in", from);
  graph.setTileMapping(graph.addVertex(set, name, edges), tile);
}

void addNonLinearityGradVertex(graph::Graph& graph, graph::ComputeSetId set, codelets::NonLinearity kind,
                               const graph::Tensor& gradient, const graph::Tensor& at, const graph::Tensor& to,
                               reports::TileId tile) {
  Codelet codelet = nonLinearityGradCodelet(graph.machine().tile, kind, to.elementType());
  const std::string name = codelet.name;
  offer(graph, std::move(codelet));
  graph.setTileMapping(graph.addVertex(set, name, {{"outGrad", gradient}, {"at", at}, {"inGrad", to}}), tile);
}

} // namespace simcore::poplar
