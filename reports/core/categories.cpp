#include "reports/core/categories.h"

#include <array>

namespace reports {

namespace {
struct CategoryText {
  std::string_view name, title;
};
constexpr std::array<CategoryText, kMemoryCategoryCount> kCategories{{
    {"variable", "Variables"},
    {"constant", "Constants"},
    {"vertexCode", "Vertex code"},
    {"internalExchangeCode", "Internal exchange code"},
    {"controlCode", "Control code"},
    {"vertexInstanceState", "Vertex instances"},
    {"stack", "Stack"},
    {"message", "Internal exchange buffers"},
    {"vertexFieldData", "Vertex field data"},
    {"copyDescriptor", "Copy descriptors"},
    {"vectorListDescriptor", "Vector-list descriptors"},
    {"controlTable", "Control table"},
    {"controlId", "Program and sync ids"},
    {"hostExchangeCode", "Host exchange code"},
    {"hostExchangePacketHeader", "Host exchange packet headers"},
    {"hostMessage", "Host exchange buffers"},
    {"globalExchangeCode", "Global exchange code"},
    {"globalExchangePacketHeader", "Global exchange packet headers"},
    {"globalMessage", "Global exchange buffers"},
    {"instrumentationResults", "Instrumentation results"},
    {"rearrangement", "Data rearrangement buffers"},
    {"sharedCodeStorage", "Shared code storage"},
    {"sharedDataStorage", "Shared data storage"},
}};
constexpr std::array<std::string_view, kActivityCount> kActivities{
    "compute", "on-tile copy", "internal exchange", "global exchange", "host stream", "sync", "control", "idle", "scope"};
} // namespace

std::string_view activityName(Activity a) {
  const auto i = static_cast<std::size_t>(a);
  return i < kActivities.size() ? kActivities[i] : "unknown";
}

std::string_view memoryCategoryName(MemoryCategory c) {
  const auto i = static_cast<std::size_t>(c);
  return i < kCategories.size() ? kCategories[i].name : "unknown";
}

std::string_view memoryCategoryTitle(MemoryCategory c) {
  const auto i = static_cast<std::size_t>(c);
  return i < kCategories.size() ? kCategories[i].title : "Unknown";
}

std::optional<MemoryCategory> memoryCategoryFromName(std::string_view name) {
  for (std::size_t i = 0; i < kCategories.size(); ++i)
    if (kCategories[i].name == name) return static_cast<MemoryCategory>(i);
  return std::nullopt;
}

bool isCode(MemoryCategory c) {
  switch (c) {
  case MemoryCategory::VertexCode:
  case MemoryCategory::InternalExchangeCode:
  case MemoryCategory::ControlCode:
  case MemoryCategory::HostExchangeCode:
  case MemoryCategory::GlobalExchangeCode:
  case MemoryCategory::SharedCodeStorage: return true;
  default: return false;
  }
}

} // namespace reports
