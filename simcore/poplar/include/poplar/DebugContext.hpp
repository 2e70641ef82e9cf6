// The name for the objects that a call makes, and the source location of the call. Reports list variables and operations under it.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/StringRef.hpp"

#include <memory>
#include <ostream>
#include <string>

namespace poplar {

class Type;

class SourceLocation {
public:
  SourceLocation() = default;
  SourceLocation(StringRef functionName, StringRef fileName, unsigned lineNumber);

  std::string getFunctionName() const { return m_function; }
  std::string getFileName() const { return m_file; }
  unsigned getLineNumber() const { return m_line; }
  bool isValid() const { return m_line > 0; }
  // The caller's location. The names are literals of the compiler.
  static SourceLocation Current(const char* functionName = __builtin_FUNCTION(), const char* fileName = __builtin_FILE(),
                                unsigned lineNumber = __builtin_LINE()) {
    SourceLocation location;
    location.m_function = functionName;
    location.m_file = fileName;
    location.m_line = lineNumber;
    return location;
  }

private:
  std::shared_ptr<const std::string> m_kept; // names that are not literals
  const char* m_function = "";
  const char* m_file = "";
  unsigned m_line = 0;
};

using DebugId = unsigned long long;

class DebugInfo;

// The path that an outer call passes to the calls inside it.
class DebugNameAndId {
public:
  DebugNameAndId(std::string name = "", DebugId id = {}, std::string parentPath = "");
  DebugNameAndId(const char* name);
  DebugNameAndId(DebugId id, std::string parentPath = "");
  DebugNameAndId(const DebugInfo& info, std::string name = "");
  DebugNameAndId(const DebugNameAndId& parent, std::string name);

  std::string getPathName() const;
  const std::string& getName() const { return m_name; }
  DebugId getParentId() const { return m_id; }

private:
  std::string m_name, m_parentPath;
  DebugId m_id = 0;
};

class DebugContext {
public:
  DebugContext(SourceLocation location = SourceLocation::Current());
  DebugContext(const char* name, SourceLocation location = SourceLocation::Current());
  DebugContext(StringRef name, SourceLocation location = SourceLocation::Current());
  DebugContext(std::string name, SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugInfo& info, std::string name = "", SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugNameAndId& parent, std::string name = "", SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugContext& parent, StringRef name);
  DebugContext(const DebugContext& other) = default;
  DebugContext(DebugContext&& other) = default;
  DebugContext& operator=(const DebugContext& other) = default;

  std::string getPathName() const { return m_path; } // outer names first, with slashes between
  const SourceLocation& getLocation() const { return m_location; }

private:
  std::string m_path;
  SourceLocation m_location;
};

enum class DebugSerializationFormat { JSON, CBOR };

// An operation of a library: objects made while it exists get its name.
class DebugInfo {
public:
  DebugInfo(const DebugContext& context, std::string layer);
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;
  virtual ~DebugInfo();

  DebugId getId() const { return m_id; }
  std::string getPathName() const { return m_path; }
  // Facts of the operation; reports do not store them yet.
  bool setValue(std::string name, const ProfileValue& value);
  bool setValue(std::string name, const Type& type);
  static void initializeStreamer(const std::string& fileName,
                                 const DebugSerializationFormat& format = DebugSerializationFormat::CBOR);
  static void closeStreamer();

private:
  std::string m_path, m_layer;
  DebugId m_id;
};

} // namespace poplar
