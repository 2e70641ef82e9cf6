// Names of vertex classes with template arguments, as their source spells them: templateVertex("Sum", FLOAT, true) is "Sum<float,true>".
#pragma once

#include "poplar/StringRef.hpp"
#include "poplar/Type.hpp"

#include <string>
#include <utility>

namespace poputil {

// Programs specialise it for their own enums.
template<class T> struct VertexTemplateToString {
  static std::string to_string(const T& value) { return std::to_string(value); }
};
template<> struct VertexTemplateToString<bool> {
  static std::string to_string(bool value) { return value ? "true" : "false"; }
};
template<> struct VertexTemplateToString<poplar::Type> {
  static std::string to_string(const poplar::Type& value) { return value.toString(); }
};
template<> struct VertexTemplateToString<std::string> {
  static std::string to_string(const std::string& value) { return value; }
};
template<> struct VertexTemplateToString<poplar::StringRef> {
  static std::string to_string(poplar::StringRef value) { return value.cloneAsString(); }
};

inline std::string templateVertexParams(bool first) { return first ? "" : ">"; }
template<class... Rest> std::string templateVertexParams(bool first, const char* value, Rest&&... rest);
template<class T, class... Rest> std::string templateVertexParams(bool first, const T& value, Rest&&... rest) {
  const std::string here = (first ? "<" : ",") + VertexTemplateToString<T>::to_string(value);
  return here + templateVertexParams(false, std::forward<Rest>(rest)...);
}
template<class... Rest> std::string templateVertexParams(bool first, const char* value, Rest&&... rest) {
  return (first ? "<" : ",") + std::string(value) + templateVertexParams(false, std::forward<Rest>(rest)...);
}

template<class... Arguments> std::string templateVertex(const std::string& name, Arguments&&... arguments) {
  return name + templateVertexParams(true, std::forward<Arguments>(arguments)...);
}

} // namespace poputil
