#include "poplar/DebugContext.hpp"

#include "poplar/ProfileValue.hpp"
#include "poplar/Type.hpp"

#include <atomic>

namespace poplar {

namespace {
std::string joined(const std::string& outer, const std::string& name) {
  if (outer.empty() || name.empty()) return outer + name;
  return outer + "/" + name;
}
} // namespace

SourceLocation::SourceLocation(StringRef functionName, StringRef fileName, unsigned lineNumber) : m_line(lineNumber) {
  const auto kept = std::make_shared<std::string>(functionName.cloneAsString());
  kept->push_back('\0');
  const std::size_t file = kept->size();
  kept->append(fileName.data(), fileName.size());
  m_function = kept->c_str();
  m_file = kept->c_str() + file;
  m_kept = kept;
}

DebugNameAndId::DebugNameAndId(std::string name, DebugId id, std::string parentPath)
    : m_name(std::move(name)), m_parentPath(std::move(parentPath)), m_id(id) {}
DebugNameAndId::DebugNameAndId(const char* name) : m_name(name ? name : "") {}
DebugNameAndId::DebugNameAndId(DebugId id, std::string parentPath) : m_parentPath(std::move(parentPath)), m_id(id) {}
DebugNameAndId::DebugNameAndId(const DebugInfo& info, std::string name)
    : m_name(std::move(name)), m_parentPath(info.getPathName()), m_id(info.getId()) {}
DebugNameAndId::DebugNameAndId(const DebugNameAndId& parent, std::string name)
    : m_name(std::move(name)), m_parentPath(parent.getPathName()), m_id(parent.m_id) {}
std::string DebugNameAndId::getPathName() const { return joined(m_parentPath, m_name); }

DebugContext::DebugContext(SourceLocation location) : m_location(std::move(location)) {}
DebugContext::DebugContext(const char* name, SourceLocation location)
    : m_path(name ? name : ""), m_location(std::move(location)) {}
DebugContext::DebugContext(StringRef name, SourceLocation location) : m_path(name), m_location(std::move(location)) {}
DebugContext::DebugContext(std::string name, SourceLocation location)
    : m_path(std::move(name)), m_location(std::move(location)) {}
DebugContext::DebugContext(const DebugInfo& info, std::string name, SourceLocation location)
    : m_path(joined(info.getPathName(), name)), m_location(std::move(location)) {}
DebugContext::DebugContext(const DebugNameAndId& parent, std::string name, SourceLocation location)
    : m_path(joined(parent.getPathName(), name)), m_location(std::move(location)) {}
DebugContext::DebugContext(const DebugContext& parent, StringRef name)
    : m_path(joined(parent.m_path, name)), m_location(parent.m_location) {}

DebugInfo::DebugInfo(const DebugContext& context, std::string layer) : m_path(context.getPathName()), m_layer(std::move(layer)) {
  static std::atomic<DebugId> next{1};
  m_id = next++;
}
DebugInfo::~DebugInfo() = default;
bool DebugInfo::setValue(std::string, const ProfileValue&) { return false; }
bool DebugInfo::setValue(std::string, const Type&) { return false; }
void DebugInfo::initializeStreamer(const std::string&, const DebugSerializationFormat&) {}
void DebugInfo::closeStreamer() {}

} // namespace poplar
