// Debug annotations of Perfetto's track events as JSON.
#pragma once

#include "reports/exchange/details_json.h"
#include "reports/exchange/proto_fields.h"

#include <functional>
#include <map>
#include <string>

namespace reports::exchange {

// Names that packets of a sequence reference by number.
struct PerfettoNames {
  std::map<uint64_t, std::string> categories, events, annotations, strings;
};

// Appends `"name":value` of one annotation.
void appendAnnotation(std::string& out, std::string_view annotation, const PerfettoNames& names);

} // namespace reports::exchange
