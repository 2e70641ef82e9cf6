#include "simcore/model/graph/operator.h"

#include <unordered_map>

namespace simcore::model {

const Call::Operand& Call::operand(std::size_t i) const {
  if (!has(i)) throw Error(ErrorCode::InvalidInput, "input " + std::to_string(i) + " of " + m_node.opType + " is missing");
  return *m_operands[i];
}

const numerics::HostTensor& Call::value(std::size_t i) const {
  const Operand& given = operand(i);
  if (given.value) return *given.value;
  throw Error(ErrorCode::Unsupported, m_node.opType + " needs the value of its input '" + m_node.inputs[i] + "' before the run",
              {}, "it must be a constant, because shapes depend on it");
}

std::vector<numerics::HostTensor> Call::values() const {
  std::vector<numerics::HostTensor> result;
  for (std::size_t i = 0; i < m_operands.size(); ++i) result.push_back(value(i));
  return result;
}

namespace {
constexpr std::int64_t kMostParameters = 1'000'000; // sizes, axes, parts of a split
}

std::vector<std::int64_t> Call::integers(std::size_t i, const std::string& attribute) const {
  if (!has(i)) return attributes().integers(attribute);
  const numerics::HostTensor& given = value(i);
  if (given.count() > kMostParameters)
    throw Error(ErrorCode::Unsupported,
                "input '" + m_node.inputs[i] + "' has " + std::to_string(given.count()) + " values, too many for a parameter");
  return given.toIntegers();
}

std::vector<const Operator*> allOperators() {
  std::vector<const Operator*> all;
  for (const auto family :
       {batchNormOperators(),     collectivesOperators(), controlOperators(),  convolutionOperators(), detectionOperators(),
        elementwiseOperators(),   generatorsOperators(),  indexingOperators(), layoutOperators(),      lossesOperators(),
        normalisationOperators(), poolingOperators(),     productsOperators(), quantisedOperators(),   recurrentOperators(),
        reductionOperators(),     resamplingOperators(),  signalOperators(),   slicingOperators(),     updateOperators()})
    for (const Operator& entry : family) all.push_back(&entry);
  return all;
}

namespace {

// Returns null for an unknown operator.
const Operator* findOperator(const Node& node) {
  static const auto table = [] {
    std::unordered_map<std::string, const Operator*> map;
    for (const Operator* entry : allOperators()) map[std::string(entry->domain) + ":" + entry->type] = entry;
    return map;
  }();
  const auto found = table.find(node.domain + ":" + node.opType);
  return found == table.end() ? nullptr : found->second;
}

constexpr const char* kOlderOpset = "export the model with an older opset: torch.onnx.export(…, opset_version=18), or 17";
std::string withOpset(const Node& node) {
  return "operator " + (node.domain.empty() ? "" : node.domain + ".") + node.opType + " (opset " + std::to_string(node.opset) +
         ")";
}

} // namespace

const Operator& operatorFor(const Node& node) {
  if (const Operator* found = findOperator(node)) return *found;
  throw Error(ErrorCode::Unsupported, withOpset(node) + " is not supported", {}, node.opset > kNewestOpset ? kOlderOpset : "");
}

void requireKnownForm(const Node& node) {
  constexpr int kNewestKnownForms = 24; // forms up to this opset were compared; later ones are unknown
  if (!node.domain.empty() || (node.opset >= kOldestOpset && node.opset <= kNewestOpset)) return;
  const Operator* found = findOperator(node);
  if (node.opset < kOldestOpset ? found && found->since <= node.opset : node.opset <= kNewestKnownForms) return;
  throw Error(ErrorCode::Unsupported, withOpset(node) + " is not supported", node.label(),
              "opsets " + std::to_string(kOldestOpset) + " to " + std::to_string(kNewestOpset) +
                  " are supported, and operators that have the same form in other opsets; " + kOlderOpset);
}

} // namespace simcore::model
