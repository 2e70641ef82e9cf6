// Codelets with published cycle measurements, and the cycles that counting their instructions gives (decision 060).
#pragma once

#include "simcore/validation/vertex_object.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace simcore::validation {

struct CodeletMember {
  std::string name, shape, type; // shape: scalar, vector, list or state; type: as C++ spells it
  int64_t elements = 1, vectors = 1;
  double value = 1; // value of every element
};

struct CodeletCase {
  std::string id, title, source, codelet, from; // source: a file of resources/validation/codelets; from: who measured it
  double published = 0;                         // tile cycles
  double besides = 0;                 // cycles in `published` for exchange (received bytes / 4), sync (166) and launch (55)
  std::vector<CodeletMember> members; // in the order of the class
};

struct CodeletResult {
  CodeletCase codeletCase;
  std::optional<double> estimated; // tile cycles, including `besides`
  std::optional<double> error;     // estimated / published - 1
  std::string problem;
};

std::vector<CodeletCase> builtInCodelets();
// Throws Error(InvalidInput).
std::vector<CodeletCase> parseCodelets(const std::string& json, const std::string& where);
// The vertex of a case. fieldsOf() throws Error(InvalidInput) for a type that codelets do not have.
std::vector<ConnectedField> fieldsOf(const CodeletCase& c);
std::vector<std::pair<std::string, double>> stateOf(const CodeletCase& c);
std::string sourceOfCodelet(const std::string& file); // text of the file; empty if there is no such file

// Compiles a source with this name and text.
using CompileCodelets = std::function<std::vector<graph::Codelet>(const std::string& file, const std::string& text)>;
std::vector<CodeletResult> runCodelets(const std::vector<CodeletCase>& cases, const CompileCodelets& compile);

struct CodeletTotals {
  double medianError = 0, largestError = 0; // of the absolute errors
  int estimated = 0, failed = 0;
};
CodeletTotals totalsOfCodelets(const std::vector<CodeletResult>& results);

} // namespace simcore::validation
