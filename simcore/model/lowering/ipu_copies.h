// Copies of values on other IPUs, each made once: in the program of the first reader, in a given program for persistent
// variables, or in a list of copies from each IPU to the next (collect()).
#pragma once

#include "simcore/model/lowering/value_uses.h"
#include "simcore/ops/collective/inter_ipu.h"

#include <map>

namespace simcore::model {

class IpuCopies {
public:
  IpuCopies(graph::Graph& target, reports::DebugContextId context, ValueUses& uses)
      : m_target(target), m_context(context), m_uses(uses) {}

  // From now on values move from each IPU to the next, and their copies are added to `list` instead of to programs.
  void collect(std::vector<ops::IpuCopy>& list) { m_crossings = &list; }
  // Copies of this persistent variable are made in the program `copies` instead of the reader's program.
  void keep(const std::string& name, graph::Sequence& copies) { m_kept[name] = &copies; }
  bool isKept(const std::string& name) const { return m_kept.count(name) != 0; }

  // Null if there is no copy.
  const graph::Tensor* find(const std::string& name, int ipu) const;
  graph::Tensor add(const std::string& name, int ipu, const graph::Tensor& copy);
  // Makes a copy on the builder's IPU.
  graph::Tensor make(const std::string& name, const graph::Tensor& value, const ops::OpBuilder& at);
  const std::map<std::pair<std::string, int>, graph::Tensor>& all() const { return m_copies; } // by name and IPU

private:
  graph::Graph& m_target;
  reports::DebugContextId m_context;
  ValueUses& m_uses;
  std::map<std::pair<std::string, int>, graph::Tensor> m_copies;
  std::map<std::string, graph::Sequence*> m_kept;
  std::vector<ops::IpuCopy>* m_crossings = nullptr;
};

} // namespace simcore::model
