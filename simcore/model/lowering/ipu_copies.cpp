#include "simcore/model/lowering/ipu_copies.h"

namespace simcore::model {

const graph::Tensor* IpuCopies::find(const std::string& name, int ipu) const {
  if (m_copies.empty()) return nullptr;
  const auto copy = m_copies.find({name, ipu});
  return copy == m_copies.end() ? nullptr : &copy->second;
}

graph::Tensor IpuCopies::add(const std::string& name, int ipu, const graph::Tensor& copy) {
  m_uses.addName(copy, name);
  return m_copies[{name, ipu}] = copy;
}

graph::Tensor IpuCopies::make(const std::string& name, const graph::Tensor& value, const ops::OpBuilder& at) {
  const std::string copyName = "IpuCopy/" + name + " to IPU " + std::to_string(at.ipu());
  if (const auto kept = m_kept.find(name); kept != m_kept.end()) {
    const ops::OpBuilder whole(m_target, *kept->second, m_context, at.withNumbers(), at.ipu());
    const graph::Tensor copy = add(name, at.ipu(), ops::interIpuCopy(whole, value, at.ipu(), copyName));
    for (const auto id : copy.variables()) m_target.variable(id).alwaysLive = true;
    return copy;
  }
  if (!m_crossings) {
    const ops::OpBuilder whole(m_target, at.program(), m_context, at.withNumbers(), at.ipu());
    return add(name, at.ipu(), ops::interIpuCopy(whole, value, at.ipu(), copyName));
  }
  graph::Tensor last = value;
  for (int ipu = std::max(0, ops::ipuOf(m_target, value)); ipu != at.ipu();) {
    ipu += ipu < at.ipu() ? 1 : -1;
    if (const graph::Tensor* known = find(name, ipu)) {
      last = *known;
      continue;
    }
    const graph::Tensor next = ops::destinationOn(ops::OpBuilder(m_target, at.program(), m_context), last, ipu, name);
    m_crossings->push_back({last, next});
    last = add(name, ipu, next);
  }
  return last;
}

} // namespace simcore::model
