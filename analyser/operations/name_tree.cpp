// The tree of names of rollup.h.
#include "analyser/operations/rollup.h"
#include "analyser/operations/sums.h"

namespace analyser::operations {

namespace {

struct Folder {
  std::map<std::string, std::size_t> index; // of the children, by part of the name
  std::vector<std::size_t> children;        // in program order
  std::string part;
  int operation = -1;
  std::vector<const Operation*> below;
};

class TreeBuilder {
public:
  explicit TreeBuilder(const Operations& all) : m_all(all), m_folders(1) {
    for (std::size_t i = 0; i < all.rows.size(); ++i) add(static_cast<int>(i), 0);
  }
  // Builds one tree below each root; `rootOf`: the root of each operation.
  TreeBuilder(const Operations& all, const std::vector<std::string>& roots, const std::vector<std::size_t>& rootOf)
      : m_all(all), m_folders(1), m_hasRoots(true) {
    for (const std::string& root : roots) childOf(0, root);
    for (std::size_t i = 0; i < all.rows.size(); ++i) {
      const std::size_t root = m_folders[0].children[rootOf[i]];
      m_folders[root].below.push_back(&all.rows[i]);
      add(static_cast<int>(i), root);
    }
  }

  std::vector<TreeRow> rows() {
    std::vector<TreeRow> rows;
    emitChildren(0, -1, 0, {}, rows);
    return rows;
  }

private:
  void add(int operation, std::size_t at) {
    const Operation& o = m_all.rows[static_cast<std::size_t>(operation)];
    for (std::size_t begin = 0; begin <= o.name.size();) {
      const std::size_t end = std::min(o.name.find('/', begin), o.name.size());
      at = childOf(at, o.name.substr(begin, end - begin));
      m_folders[at].below.push_back(&o);
      begin = end + 1;
    }
    // Operations with the same name get a leaf each.
    if (m_folders[at].operation >= 0) {
      const std::size_t twin = m_folders.size();
      m_folders.push_back({{}, {}, m_folders[at].part, operation, {&o}});
      m_folders[at].children.push_back(twin);
    } else {
      m_folders[at].operation = operation;
    }
  }

  std::size_t childOf(std::size_t folder, std::string part) {
    const auto [at, isNew] = m_folders[folder].index.try_emplace(part, m_folders.size());
    const std::size_t child = at->second;
    if (!isNew) return child;
    m_folders[folder].children.push_back(child);
    m_folders.push_back({{}, {}, std::move(part), -1, {}});
    return child;
  }

  TreeRow rowOf(const Folder& f, std::string title, const std::string& path, int parent, int depth) const {
    TreeRow row;
    row.title = std::move(title), row.parent = parent, row.depth = depth;
    row.operations = static_cast<int64_t>(f.below.size());
    row.totals = sumOf(m_all, f.below);
    row.totals.name = path;
    return row;
  }

  void emitChildren(std::size_t folder, int parent, int depth, const std::string& path, std::vector<TreeRow>& rows) {
    if (depth > kDeepest) return;
    for (std::size_t child : m_folders[folder].children) {
      const bool isRoot = m_hasRoots && depth == 0;
      std::string title = m_folders[child].part, whole = isRoot || path.empty() ? title : path + "/" + title;
      std::string below = isRoot ? std::string() : whole; // names of operations do not include their root
      while (m_folders[child].operation < 0 && m_folders[child].children.size() == 1 &&
             !(isRoot && m_folders[m_folders[child].children.front()].children.empty())) { // single children: one row
        child = m_folders[child].children.front();
        const std::string& part = m_folders[child].part;
        below += (below.empty() ? "" : "/") + part;
        if (!isRoot) title += "/" + part, whole = below;
      }
      const Folder& f = m_folders[child];
      const int at = static_cast<int>(rows.size());
      rows.push_back(rowOf(f, title, whole, parent, depth));
      if (f.children.empty()) {
        setOperation(rows.back(), f.operation);
        continue;
      }
      if (f.operation >= 0) { // an operation whose name is the folder of others
        Folder own{{}, {}, f.part, f.operation, {&m_all.rows[static_cast<std::size_t>(f.operation)]}};
        rows.push_back(rowOf(own, "(" + f.part + " itself)", whole, at, depth + 1));
        setOperation(rows.back(), f.operation);
      }
      emitChildren(child, at, depth + 1, below, rows);
    }
  }

  void setOperation(TreeRow& row, int operation) const {
    row.operation = operation;
    if (operation >= 0) row.totals.kind = m_all.rows[static_cast<std::size_t>(operation)].kind;
  }

  static constexpr int kDeepest = 64; // folders: a name of only slashes is not a hierarchy
  const Operations& m_all;
  std::vector<Folder> m_folders;
  bool m_hasRoots = false;
};

constexpr auto kBetweenIpus = "Between IPUs", kNoIpu = "No IPU";

} // namespace

std::vector<TreeRow> nameTree(const Operations& all) { return TreeBuilder(all).rows(); }

std::vector<TreeRow> ipuTree(const Operations& all) {
  std::map<std::vector<int>, std::size_t> roots; // in the order of the first IPU
  for (const Operation& o : all.rows)
    if (!o.ipus.empty() && (o.compute > Cycles() || o.ipus.size() == 1)) roots.emplace(o.ipus, 0);
  std::vector<std::string> titles;
  for (auto& [ipus, root] : roots) root = titles.size(), titles.push_back(ipusTitle(ipus));
  std::vector<std::size_t> rootOf;
  const std::size_t between = titles.size(), nowhere = between + 1;
  for (const Operation& o : all.rows) {
    const auto root = roots.find(o.ipus);
    rootOf.push_back(root != roots.end() ? root->second : o.ipus.empty() ? nowhere : between);
  }
  const auto has = [&](std::size_t root) { return std::find(rootOf.begin(), rootOf.end(), root) != rootOf.end(); };
  if (has(between)) titles.emplace_back(kBetweenIpus);
  if (has(nowhere)) {
    std::replace(rootOf.begin(), rootOf.end(), nowhere, titles.size());
    titles.emplace_back(kNoIpu);
  }
  return TreeBuilder(all, titles, rootOf).rows();
}

std::string ipusTitle(const std::vector<int>& ipus) {
  if (ipus.empty()) return {};
  const std::string first = std::to_string(ipus.front());
  if (ipus.size() == 1) return "IPU " + first;
  const bool areInRow = std::size_t(ipus.back() - ipus.front()) + 1 == ipus.size();
  if (areInRow && ipus.size() > 2) return "IPUs " + first + " to " + std::to_string(ipus.back());
  std::string title = "IPUs " + first;
  for (std::size_t i = 1; i < ipus.size(); ++i) title += (i + 1 < ipus.size() ? ", " : " and ") + std::to_string(ipus[i]);
  return title;
}

} // namespace analyser::operations
