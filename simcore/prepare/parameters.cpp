#include "simcore/prepare/parameters.h"

#include "reports/core/error.h"
#include "reports/core/join.h"
#include "reports/core/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fnmatch.h>

namespace simcore::model {

namespace {

using numerics::HostTensor;
using reports::Error;
using reports::ErrorCode;

constexpr std::size_t kMostNamed = 6; // names listed in one sentence

bool matchesAny(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& p) { return fnmatch(p.c_str(), name.c_str(), 0) == 0; });
}

bool allAre(const HostTensor& value, double wanted) {
  for (std::int64_t i = 0; i < value.count(); ++i)
    if (value.at(i) != wanted) return false;
  return true;
}

bool isFinite(const HostTensor& value) {
  for (std::int64_t i = 0; i < value.count(); ++i)
    if (!std::isfinite(value.at(i))) return false;
  return true;
}

// Whether at(i)^2 + with(i)^2 = 1 for all i < count, and for some i neither of them is 0.
template<class At, class With> bool areOfAngles(std::int64_t count, At at, With with) {
  bool between = false;
  for (std::int64_t i = 0; i < count; ++i) {
    const double a = at(i), b = with(i);
    if (!(std::abs(a * a + b * b - 1) < 1e-4)) return false;
    between |= std::abs(a) > 0.01 && std::abs(b) > 0.01;
  }
  return between;
}

// Whether a table [..., positions, width] has sines and cosines side by side, alternating or in the halves of each row, as
// positional encodings do.
bool hasSinesAndCosines(const HostTensor& value) {
  const std::int64_t width = value.rank() < 2 ? 0 : value.shape().back(), pairs = value.count() / 2;
  if (width < 4 || width % 2) return false;
  const auto row = [&](std::int64_t i) { return i / (width / 2) * width + i % (width / 2); };
  return areOfAngles(
             pairs, [&](auto i) { return value.at(2 * i); }, [&](auto i) { return value.at(2 * i + 1); }) ||
         areOfAngles(
             pairs, [&](auto i) { return value.at(row(i)); }, [&](auto i) { return value.at(row(i) + width / 2); });
}

// Whether all rows have at least six numbers at equal steps: a grid, or a table of distances or positions.
bool isEvenlySpaced(const HostTensor& value) {
  const std::int64_t width = value.rank() < 1 ? 0 : value.shape().back();
  if (width < 6) return false;
  for (std::int64_t at = 0; at < value.count(); at += width) {
    const double step = (value.at(at + width - 1) - value.at(at)) / double(width - 1);
    if (!(std::abs(step) > 0)) return false;
    for (std::int64_t i = 1; i < width; ++i)
      if (!(std::abs(value.at(at + i) - value.at(at + i - 1) - step) < 1e-4 * std::abs(step))) return false;
  }
  return value.count() > 0;
}

// Whether this is a table [functions, times] of basis functions, at least two of them not constant. Each row must be constant or
// evenly spaced, be the product of the previous row and an evenly spaced one (powers), or have its sine or cosine in another row.
bool isBasis(const HostTensor& value) {
  if (value.rank() != 2 || value.dim(0) < 2 || value.dim(0) > 64 || value.dim(1) < 6) return false;
  const std::int64_t rows = value.dim(0), width = value.dim(1);
  const auto at = [&](std::int64_t row, std::int64_t i) { return value.at(row * width + i); };
  const auto isEach = [&](auto holds) {
    for (std::int64_t i = 0; i < width; ++i)
      if (!holds(i)) return false;
    return true;
  };
  std::int64_t line = -1, functions = 0; // line: the last evenly spaced row
  for (std::int64_t row = 0; row < rows; ++row) {
    if (isEach([&](auto i) { return at(row, i) == at(row, 0); })) continue;
    ++functions;
    const double step = (at(row, width - 1) - at(row, 0)) / double(width - 1);
    if (std::abs(step) > 0 && isEach([&](auto i) {
          return std::abs(at(row, i) - at(row, 0) - double(i) * step) < 1e-4 * std::abs(step * double(width));
        })) {
      line = row;
      continue;
    }
    if (line >= 0 && isEach([&](auto i) { return std::abs(at(row, i) - at(row - 1, i) * at(line, i)) < 1e-5; })) continue;
    bool hasOther = false;
    for (std::int64_t other = 0; other < rows && !hasOther; ++other)
      hasOther = other != row && areOfAngles(
                                     width, [&](auto i) { return at(row, i); }, [&](auto i) { return at(other, i); });
    if (!hasOther) return false;
  }
  return functions >= 2;
}

// Whether the elements of matrices [..., n, n] depend only on their distance from the diagonal and have at least three values: a
// bias for distances.
bool isOfDistances(const HostTensor& value) {
  const std::int64_t n = value.rank() < 2 ? 0 : value.shape().back();
  if (n < 4 || value.shape()[value.rank() - 2] != n) return false;
  for (std::int64_t at = 0; at < value.count(); at += n * n) {
    std::set<double> values;
    for (std::int64_t i = 0; i < n; ++i) {
      values.insert(value.at(at + i)), values.insert(value.at(at + i * n));
      for (std::int64_t j = 0; i > 0 && j + 1 < n; ++j)
        if (value.at(at + i * n + j + 1) != value.at(at + (i - 1) * n + j)) return false;
    }
    if (values.size() < 3) return false; // e.g. the identity
  }
  return value.count() > 0;
}

bool endsInDigits(std::string_view name, std::string_view beginning) {
  return name.starts_with(beginning) && name.size() > beginning.size() &&
         std::all_of(name.begin() + std::ptrdiff_t(beginning.size()), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether torch's exporter gave the name, as it does for constants that it folded: "onnx::MatMul_12" and "17".
bool isNamedByExporter(const std::string& name) { return name.starts_with("onnx::") || endsInDigits(name, ""); }

// Whether torch's newer exporter gave the name, as it does for constants of the program: val_3, scalar_tensor_default_1,
// _tensor_constant0, c_lifted_tensor_0.
bool isConstantOfProgram(const std::string& name) {
  constexpr std::string_view kLifted = "lifted_tensor_";
  const std::size_t lifted = name.rfind(kLifted);
  return endsInDigits(name, "val_") || endsInDigits(name, "_tensor_constant") || name.starts_with("scalar_tensor") ||
         (lifted != std::string::npos && name.find('.') == std::string::npos && endsInDigits(name.substr(lifted), kLifted));
}

bool isOfTorch(const Model& model) {
  return std::any_of(model.notes.begin(), model.notes.end(),
                     [](const auto& note) { return note.first == "producer" && note.second.starts_with("pytorch"); });
}

std::string lastPart(const std::string& name) { return name.substr(name.find_last_of("./") + 1); }

// "attn_mask" is a mask, "mask_token" is a parameter. For other names with this word, as "masked_bias", the values decide: a mask
// has 0 and 1, or 0 and a number that stands for infinity.
bool isMask(const std::string& name, const HostTensor& value) {
  const std::string last = lastPart(name);
  if (last.find("mask") == std::string::npos) return false;
  if (last.ends_with("mask") || last.ends_with("masks")) return true;
  constexpr double kStandsForInfinity = 1e3;
  std::set<double> values;
  for (std::int64_t i = 0; i < value.count() && values.size() < 3; ++i) values.insert(value.at(i));
  values.erase(0);
  return values.size() == 1 && (std::abs(*values.begin()) >= kStandsForInfinity || (*values.begin() == 1 && !allAre(value, 1)));
}

// Whether the values are 1, r, r^2 … with r below 1, as frequencies of rotary embeddings, or r, r^2 …, as slopes of ALiBi.
bool isGeometric(const HostTensor& value) {
  const std::int64_t count = value.count();
  if (count < 4 || std::none_of(value.shape().begin(), value.shape().end(), [&](auto size) { return size == count; }))
    return false;
  const double first = value.at(0), ratio = value.at(1) / first;
  if (!(ratio > 0 && ratio < 0.999) || std::min(std::abs(first - 1), std::abs(first - ratio)) > 1e-5) return false;
  for (std::int64_t i = 1; i < count; ++i)
    if (!(std::abs(value.at(i) - value.at(i - 1) * ratio) <= 1e-3 * value.at(i))) return false;
  return true;
}

class Judge {
public:
  explicit Judge(const Model& model) : m_model(model), m_isOfTorch(isOfTorch(model)) {
    note(model.graph);
    noteFixedNorms();
  }

  bool isRead(const std::string& name) const { return m_readers.count(name) > 0; }

  // The reason why a constant is not a parameter; empty if it is a parameter.
  std::string against(const std::string& name, const HostTensor& value) const {
    for (const auto& [node, input] : m_readers.at(name)) {
      if (node->opType == "BatchNormalization" && input >= 3) return "a statistic";
      const bool affine = node->opType == "InstanceNormalization" && (input == 1 || input == 2);
      if (affine && isNamedByExporter(name) && allAre(value, input == 1 ? 1 : 0)) return "a norm without scale and shift";
    }
    if (value.count() == 1 && isNamedByExporter(name)) return "a number";
    if (value.rank() == 0 && !m_isOfTorch) return "a number";
    if (m_isOfTorch && isConstantOfProgram(name)) return "a constant";
    if (m_ofFixedNorms.count(name)) return m_ofFixedNorms.at(name);
    if (isMask(name, value)) return "a mask";
    if (!isFinite(value)) return "not finite";
    if (isEvenlySpaced(value)) return "evenly spaced";
    if (lastPart(name) == "inv_freq" || isGeometric(value)) return "frequencies";
    if (isBasis(value)) return "basis functions";
    if (isOfDistances(value)) return "a table of distances";
    if (value.count() > 1 && normalisesInput(name)) return "scales an input";
    if (hasSinesAndCosines(value) || hasPartner(name, value)) return "sines and cosines";
    return {};
  }

private:
  // Whether the values are sines and another constant has their cosines, or the reverse, as for rotary embeddings.
  bool hasPartner(const std::string& name, const HostTensor& value) const {
    if (value.rank() < 2 || value.count() < 4) return false;
    return std::any_of(m_model.graph.initialisers.begin(), m_model.graph.initialisers.end(), [&](const auto& other) {
      const HostTensor& with = other.second;
      return other.first != name && with.type() == value.type() && with.shape() == value.shape() &&
             areOfAngles(
                 value.count(), [&](auto i) { return value.at(i); }, [&](auto i) { return with.at(i); });
    });
  }

  // Finds norms whose statistics no BatchNormalization reads. They are written as ordinary arithmetic, and all four of their
  // tensors are buffers (FrozenBatchNorm2d).
  void noteFixedNorms() {
    const auto& all = m_model.graph.initialisers;
    for (const auto& [name, value] : all) {
      const std::string last = lastPart(name);
      if ((last != "running_mean" && last != "running_var") || !isRead(name)) continue;
      const auto& readers = m_readers.at(name);
      if (std::any_of(readers.begin(), readers.end(), [](const auto& r) { return r.first->opType == "BatchNormalization"; }))
        continue;
      m_ofFixedNorms[name] = "a statistic";
      for (const char* beside : {"weight", "bias"}) {
        const std::string other = name.substr(0, name.size() - last.size()) + beside;
        if (const auto found = all.find(other); found != all.end() && found->second.shape() == value.shape())
          m_ofFixedNorms[other] = "of a norm with fixed statistics";
      }
    }
  }

  // Whether the constant is subtracted from an input of the model, or divides the input or this difference, like the mean and
  // deviation of the data.
  bool normalisesInput(const std::string& name) const {
    const auto& readers = m_readers.at(name);
    return std::all_of(readers.begin(), readers.end(), [&](const auto& reader) {
      const auto& [node, input] = reader;
      if (input != 1 || node->inputs.size() != 2) return false;
      const std::string& other = node->inputs[0];
      return (node->opType == "Sub" && m_inputs.count(other)) ||
             (node->opType == "Div" && (m_inputs.count(other) || m_centred.count(other)));
    });
  }

  void note(const Graph& graph) {
    for (const ValueDeclaration& input : graph.inputs) m_inputs.insert(input.name);
    for (const Node& node : graph.nodes) {
      for (std::size_t i = 0; i < node.inputs.size(); ++i) m_readers[node.inputs[i]].emplace_back(&node, i);
      if (node.opType == "Sub" && node.inputs.size() == 2 && m_inputs.count(node.inputs[0]) &&
          graph.initialisers.count(node.inputs[1]))
        m_centred.insert(node.outputs.at(0));
      for (const auto& [key, attribute] : node.attributes.all())
        if (const auto* sub = std::get_if<std::shared_ptr<const Graph>>(&attribute)) note(**sub);
    }
  }

  const Model& m_model;
  bool m_isOfTorch;
  std::set<std::string> m_inputs, m_centred; // m_centred: inputs minus their mean
  std::map<std::string, std::vector<std::pair<const Node*, std::size_t>>> m_readers;
  std::map<std::string, std::string> m_ofFixedNorms; // by name: why it is not trained
};

void requireMatch(const Model& model, const std::vector<std::string>& patterns, const char* optionName) {
  std::vector<std::string> names;
  for (const auto& [name, value] : model.graph.initialisers)
    if (numerics::isFloating(value.type())) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const std::string& pattern : patterns)
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return matchesAny(name, {pattern}); })) {
      if (names.size() > kMostNamed) names.resize(kMostNamed), names.push_back("…");
      throw Error(ErrorCode::NotFound, "no constant of the model has this name", reports::option(optionName) + " " + pattern,
                  names.empty() ? "it has none" : "it has " + reports::joined(names));
    }
}

std::string inShort(std::int64_t values) {
  if (values >= 1'000'000'000) return fmt::format("{:.3g} G", double(values) / 1e9);
  if (values >= 1'000'000) return fmt::format("{:.3g} M", double(values) / 1e6);
  if (values >= 10'000) return fmt::format("{:.3g} k", double(values) / 1e3);
  return std::to_string(values);
}

} // namespace

std::string ChosenParameters::othersText(std::size_t most) const {
  const std::size_t named = std::min(others.size(), most);
  std::string words;
  for (std::size_t i = 0; i < named; ++i)
    words += (i == 0 ? "" : ", ") + others[i].name + (others[i].why.empty() ? "" : " (" + others[i].why + ")");
  return words + (named < others.size() ? fmt::format(" and {} more", others.size() - named) : "");
}

std::string ChosenParameters::text() const {
  std::string words = fmt::format("{} tensor{}, {} values", trained.size(), trained.size() == 1 ? "" : "s", inShort(elements));
  return others.empty() ? words : words + "; not trained: " + othersText(kMostNamed);
}

ChosenParameters chooseParameters(const Model& read, const ParameterChoice& choice) {
  requireMatch(read, choice.parameters, "parameters");
  requireMatch(read, choice.freeze, "freeze");
  requireMatch(read, choice.buffers, "buffers");
  const Judge judge(read);
  ChosenParameters chosen;
  for (const auto& [name, value] : read.graph.initialisers) {
    if (!numerics::isFloating(value.type()) || !judge.isRead(name)) continue;
    std::string why;
    if (matchesAny(name, choice.freeze))
      why = "frozen";
    else if (matchesAny(name, choice.buffers))
      why = "a buffer";
    else if (!choice.parameters.empty())
      why = matchesAny(name, choice.parameters) ? "" : "not chosen";
    else
      why = judge.against(name, value);
    if (why.empty()) {
      chosen.trained.insert(name);
      chosen.elements += value.count();
    } else {
      chosen.others.push_back({name, why});
    }
  }
  std::sort(chosen.others.begin(), chosen.others.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  if (chosen.trained.empty() && !choice.mayBeEmpty && !chosen.others.empty())
    throw Error(ErrorCode::InvalidInput, "nothing is left to train: not trained are " + chosen.othersText(kMostNamed), read.file,
                choice.freeze.empty() && choice.buffers.empty()
                    ? "name some with " + reports::option("parameters")
                    : "leave some to train with " + reports::option("freeze") + " and " + reports::option("buffers"));
  if (chosen.trained.empty() && !choice.mayBeEmpty)
    throw Error(ErrorCode::InvalidInput,
                "nothing is left to train: the model's weights are not floating-point constants of the file", read.file,
                "name some with " + reports::option("parameters"));
  return chosen;
}

} // namespace simcore::model
