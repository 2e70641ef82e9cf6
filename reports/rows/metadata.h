// Table `metadata`: The subject of the report and how it was made.
#pragma once

#include "reports/rows/column.h"

namespace reports {

struct MetadataRow {
  std::string key;
  std::string value;

  static constexpr std::string_view kTable = "metadata";
  static constexpr std::string_view kMeaning =
      "The subject of the report and how it was made. Keys written by the simulator: title, workload, command_line, "
      "working_directory (where the command looked for files), created_utc, tool, tool_version, provenance, state (fits, "
      "out_of_memory), seed, precision, has_numbers, parameter.<name> for each parameter of a sample; tag.<name> for each tag "
      "that the user gave the run; model.<name> for the facts that an ONNX file states about itself (producer, ir_version, opset "
      "<domain>, graph, domain, model_version, description, metadata <key>, more metadata); peak_fp8_flops_per_second of a "
      "program with fp8 products; of a program that was planned again because tiles overflowed, plans (how many) and "
      "available_memory_of_operations (JSON: the reduced memory share of each operation that was planned with less). The key "
      "complete is written last.";
  template<class Row = MetadataRow> static constexpr auto columns() {
    return std::make_tuple(column("key", &Row::key, "name of the fact", "PRIMARY KEY"), column("value", &Row::value, "its text"));
  }
};

} // namespace reports
