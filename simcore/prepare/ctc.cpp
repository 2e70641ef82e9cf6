#include "simcore/prepare/ctc.h"

#include <fmt/format.h>

namespace simcore::model {

namespace {

constexpr double kNever = -1e30; // stands for log 0; finite, so that sums of a few stay finite
constexpr std::int64_t kMostSteps = 4096;

class CtcWriter {
public:
  CtcWriter(GraphBuilder& builder, const std::string& labels, const CtcRequest& request)
      : g(builder), m_request(request), m_batch(builder.shape(labels).at(0)), m_length(builder.shape(labels).at(1)),
        m_states(2 * m_length + 1) {
    count(labels);
    extend();
  }

  std::string write(const std::string& scores) {
    const Shape shape = g.shape(scores);
    const std::string wide = g.type(scores).type == ElementType::Float ? scores : toFloat(scores);
    const std::string logarithms = g.add("LogSoftmax", {wide}, attributes({{"axis", std::int64_t(2)}}), "logarithms");
    // For each step and state, the logarithm of the class's probability: a product with a matrix that has a one at the class.
    const std::string classes = g.transpose(oneHot(shape[2]), {0, 2, 1});
    const std::string ofStates = g.add("MatMul", {g.transpose(logarithms, {1, 0, 2}), classes}, {}, "of_states");
    const std::string steps = g.transpose(ofStates, {1, 0, 2});
    const auto step = [&](std::int64_t t) { return g.reshape(rows(steps, 0, t, t + 1), {m_batch, m_states}); };
    std::string chances = g.add("Add", {step(0), g.constant("begin", beginning())}, {}, "begin");
    for (std::int64_t t = 1; t < shape[0]; ++t) {
      const std::string after = shifted(chances, 1), behind = g.add("Add", {shifted(chances, 2), m_skips});
      chances = g.add("Add", {logOfSum({chances, after, behind}), step(t)}, {}, "step");
    }
    const std::string last = g.add("Where", {ends(), chances, g.number(kNever, ElementType::Float)}, {}, "last");
    const std::string most = g.reduce("ReduceMax", last, {1}, true);
    const std::string sum = g.reduce("ReduceSum", g.add("Exp", {g.add("Sub", {last, most})}), {1}, false);
    const std::string chance = g.add("Add", {g.reshape(most, {m_batch}), g.add("Log", {sum})}, {}, "chance");
    const std::string each =
        g.add("Div", {g.add("Neg", {chance}), g.add("Max", {toFloat(m_lengths), g.number(1, ElementType::Float)})});
    return g.add("ReduceMean", {each}, attributes({{"keepdims", std::int64_t(0)}}), "loss");
  }

private:
  std::string toFloat(const std::string& x) { return g.add("Cast", {x}, attributes({{"to", onnxTypeOf(ElementType::Float)}})); }
  std::string word(std::int64_t value) { return g.number(double(value), ElementType::Int64); }
  std::string rows(const std::string& x, std::int64_t axis, std::int64_t from, std::int64_t to) {
    return g.add("Slice", {x, g.integers({from}), g.integers({to}), g.integers({axis})});
  }
  std::string joined(const std::vector<std::string>& parts, std::int64_t axis) {
    return g.add("Concat", parts, attributes({{"axis", axis}}));
  }
  std::string full(const Shape& shape, ElementType type, double value) {
    return g.constant("full", HostTensor::full(type, shape, value));
  }

  // Sets the labels that count, and how many each text has.
  void count(const std::string& labels) {
    m_labels = labels;
    if (!m_request.ignoreIndex) {
      m_lengths = full({m_batch}, ElementType::Int64, double(m_length));
      return;
    }
    const std::string behind = g.add("Equal", {labels, word(*m_request.ignoreIndex)});
    m_labels = g.add("Where", {behind, word(m_request.blank), labels}, {}, "labels_that_count");
    m_lengths = g.reduce(
        "ReduceSum", g.add("Cast", {g.add("Not", {behind})}, attributes({{"to", onnxTypeOf(ElementType::Int64)}})), {1}, false);
  }

  // Adds a blank before, between and after the labels: [batch, 2 length + 1]. A path may skip a blank unless the labels around it
  // are equal.
  void extend() {
    const std::string pairs = joined(
        {full({m_batch, m_length, 1}, ElementType::Int64, double(m_request.blank)), g.reshape(m_labels, {m_batch, m_length, 1})},
        2);
    m_extended =
        joined({g.reshape(pairs, {m_batch, 2 * m_length}), full({m_batch, 1}, ElementType::Int64, double(m_request.blank))}, 1);
    const std::string now = rows(m_extended, 1, 2, m_states), before = rows(m_extended, 1, 0, m_states - 2);
    const std::string may = g.add(
        "And", {g.add("Not", {g.add("Equal", {now, word(m_request.blank)})}), g.add("Not", {g.add("Equal", {now, before})})});
    const std::string price = g.add("Where", {may, g.number(0, ElementType::Float), g.number(kNever, ElementType::Float)});
    m_skips = joined({full({m_batch, 2}, ElementType::Float, kNever), price}, 1);
  }

  std::string oneHot(std::int64_t classes) {
    return g.add("OneHot", {m_extended, word(classes), g.constant("off_on", HostTensor::of<float>({2}, {0, 1}))}, {}, "classes");
  }

  // The states in which a text can begin: the first blank and the first label.
  HostTensor beginning() const {
    HostTensor x = HostTensor::full(ElementType::Float, {1, m_states}, kNever);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(2, m_states); ++i) x.mutableValues<float>()[std::size_t(i)] = 0;
    return x;
  }

  std::string shifted(const std::string& chances, std::int64_t by) {
    return joined({full({m_batch, by}, ElementType::Float, kNever), rows(chances, 1, 0, m_states - by)}, 1);
  }

  std::string logOfSum(const std::vector<std::string>& values) {
    const std::string most = g.add("Max", values);
    std::string sum;
    for (const std::string& value : values) {
      const std::string share = g.add("Exp", {g.add("Sub", {value, most})});
      sum = sum.empty() ? share : g.add("Add", {sum, share});
    }
    return g.add("Add", {most, g.add("Log", {sum})});
  }

  // The states in which a text can end: its last label and the blank after it.
  std::string ends() {
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < m_states; ++i) places.push_back(i);
    const std::string place = g.constant("places", HostTensor::of({1, m_states}, places));
    const std::string blank = g.reshape(g.add("Mul", {m_lengths, word(2)}), {m_batch, 1});
    return g.add("Or", {g.add("Equal", {place, blank}), g.add("Equal", {place, g.add("Sub", {blank, word(1)})})});
  }

  GraphBuilder& g;
  const CtcRequest& m_request;
  std::int64_t m_batch, m_length, m_states;
  std::string m_labels, m_lengths, m_extended, m_skips;
};

} // namespace

std::string addCtc(GraphBuilder& builder, const std::string& scores, const std::string& labels, const CtcRequest& request) {
  const Shape &from = builder.shape(scores), &to = builder.shape(labels);
  if (to.size() != 2 || to[1] < 1)
    throw Error(ErrorCode::InvalidInput, "the labels have the shape " + numerics::toString(to) + ", not [batch, length]");
  if (to[1] > from[0])
    throw Error(ErrorCode::InvalidInput, fmt::format("a text has {} labels, more than the {} steps", to[1], from[0]));
  if (from[0] > kMostSteps)
    throw Error(ErrorCode::Unsupported, fmt::format("the loss has {} steps, more than {}", from[0], kMostSteps));
  return CtcWriter(builder, labels, request).write(scores);
}

} // namespace simcore::model
