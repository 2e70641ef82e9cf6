// Draws a graph as Graphviz text, for the same tools that Poplar users have.
#include "simcore/graph/graph.h"

#include <ostream>
#include <set>

namespace simcore::graph {

namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

class ComputeGraphText {
public:
  ComputeGraphText(std::ostream& out, const Graph& graph) : m_out(out), m_graph(graph) {}

  void program(const Program& p) {
    if (!p) return;
    switch (p->kind) {
    case ProgramNode::Kind::Execute: computeSet(p->computeSet); break;
    case ProgramNode::Kind::Copy: {
      for (const VariableId a : p->source.variables())
        for (const VariableId b : p->destination.variables()) edge(variable(a), variable(b));
      break;
    }
    case ProgramNode::Kind::Rearrange:
      for (const VariableId a : p->reads)
        for (const VariableId b : p->writes) edge(variable(a), variable(b));
      break;
    case ProgramNode::Kind::Call:
      if (m_functions.insert(p->function.value).second) program(m_graph.functions()[p->function.value].body);
      break;
    default: break;
    }
    for (const Program& c : p->children) program(c);
  }

private:
  std::string variable(VariableId id) {
    const std::string node = "v" + std::to_string(id.value());
    if (m_variables.insert(id).second) {
      const Variable& v = m_graph.variable(id);
      m_out << "  " << node << " [shape=box,label="
            << quoted(m_graph.fullName(id) + " " + numerics::toString(v.shape) + " " + numerics::elementTypeName(v.type))
            << "];\n";
    }
    return node;
  }

  void computeSet(ComputeSetId id) {
    if (!m_sets.insert(id).second) return;
    const ComputeSet& set = m_graph.computeSet(id);
    const std::string node = "c" + std::to_string(id.value());
    m_out << "  " << node << " [label=" << quoted(m_graph.fullName(id)) << "];\n";
    std::set<VariableId> reads(set.reads.begin(), set.reads.end()), writes(set.writes.begin(), set.writes.end());
    for (const UserVertex& v : set.vertices)
      for (const auto& [field, view] : v.edges) {
        const FieldDirection d = m_graph.codeletOf(v).fields[field].direction;
        for (const VariableId x : view.variables()) {
          if (d != FieldDirection::Output) reads.insert(x);
          if (d != FieldDirection::Input) writes.insert(x);
        }
      }
    for (const VariableId v : reads) edge(variable(v), node);
    for (const VariableId v : writes) edge(node, variable(v));
  }

  void edge(const std::string& from, const std::string& to) {
    if (m_edges.insert({from, to}).second) m_out << "  " << from << " -> " << to << ";\n";
  }

  std::ostream& m_out;
  const Graph& m_graph;
  std::set<VariableId> m_variables;
  std::set<ComputeSetId> m_sets;
  std::set<uint32_t> m_functions;
  std::set<std::pair<std::string, std::string>> m_edges;
};

} // namespace

void Graph::outputComputeGraph(std::ostream& out, const std::vector<Program>& programs) const {
  out << "digraph compute {\n";
  ComputeGraphText text(out, *this);
  for (const Program& p : programs) text.program(p);
  out << "}\n";
}

void Graph::outputVertexGraph(std::ostream& out) const {
  out << "digraph vertices {\n";
  std::set<VariableId> named;
  for (std::size_t s = 0; s < computeSets().size(); ++s) {
    const ComputeSet& set = computeSets()[s];
    for (std::size_t i = 0; i < set.vertices.size(); ++i) {
      const UserVertex& v = set.vertices[i];
      const Codelet& c = codeletOf(v);
      const std::string node = "c" + std::to_string(s) + "_" + std::to_string(i);
      out << "  " << node
          << " [label=" << quoted(c.name + (v.tile.valid() ? " on tile " + std::to_string(v.tile.value()) : std::string()))
          << "];\n";
      for (const auto& [field, view] : v.edges)
        for (const VariableId x : view.variables()) {
          const std::string variable = "v" + std::to_string(x.value());
          if (named.insert(x).second) out << "  " << variable << " [shape=box,label=" << quoted(fullName(x)) << "];\n";
          const bool written = c.fields[field].direction != FieldDirection::Input;
          out << "  " << (written ? node : variable) << " -> " << (written ? variable : node)
              << " [label=" << quoted(c.fields[field].name) << "];\n";
        }
    }
  }
  out << "}\n";
}

} // namespace simcore::graph
