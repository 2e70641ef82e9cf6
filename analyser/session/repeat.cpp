#include "analyser/session/repeat.h"

#include "analyser/session/shell_line.h"
#include "reports/core/text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

namespace analyser {

namespace {

// Grouped by topic, as in `tilescope-cli run --help`. Not here: -o, --report, --output, --outputs, --save-model and --force
// (they write), --memory-limit (of this computer), --json, --progress and --dry-run (of the call).
constexpr RepeatableOption kOptions[] = {
    {"--machine", ValueKind::Word},
    {"--ipus", ValueKind::Number},
    {"--replicas", ValueKind::Number},
    {"--pipeline", ValueKind::Number},
    {"--accumulation", ValueKind::Number},
    {"--batches-per-step", ValueKind::Number},
    {"--shard", ValueKind::Name},
    {"--recompute", ValueKind::Word},
    {"--checkpoint", ValueKind::Name},
    {"--offload", ValueKind::Word},
    {"--available-memory", ValueKind::Number},
    {"--memory-retries", ValueKind::Number},
    {"--linear-bytes", ValueKind::Number},
    {"--partials", ValueKind::Word},
    {"--io-tiles", ValueKind::Number},
    {"--overlap-io", ValueKind::Word},
    {"--shard-state", ValueKind::None},
    {"--half-sums", ValueKind::None},
    {"--half-state", ValueKind::None},
    {"--no-outline", ValueKind::None},
    {"--shape", ValueKind::Pair},
    {"--batch", ValueKind::Number},
    {"--disable-pass", ValueKind::Word},
    {"--train", ValueKind::None},
    {"--loss", ValueKind::Word},
    {"--labels", ValueKind::Name},
    {"--class-axis", ValueKind::Number},
    {"--ignore-index", ValueKind::Number},
    {"--label-smoothing", ValueKind::Number},
    {"--loss-output", ValueKind::Name},
    {"--parameters", ValueKind::Name},
    {"--freeze", ValueKind::Name},
    {"--buffers", ValueKind::Name},
    {"--optimiser", ValueKind::Word},
    {"--learning-rate", ValueKind::Number},
    {"--momentum", ValueKind::Number},
    {"--weight-decay", ValueKind::Number},
    {"--trust-coefficient", ValueKind::Number},
    {"--epsilon", ValueKind::Number},
    {"--set", ValueKind::Pair},
    {"--precision", ValueKind::Word},
    {"--fp8-scale", ValueKind::Number},
    {"--fp8-skip", ValueKind::Name},
    {"--fp8-history", ValueKind::Number},
    {"--unit-scaling", ValueKind::None},
    {"--iterations", ValueKind::Number},
    {"--seed", ValueKind::Number},
    {"--engine-option", ValueKind::Pair},
    {"--tag", ValueKind::Pair},
    {"--vertex-by-vertex", ValueKind::None},
    {"--no-numbers", ValueKind::None},
    {"--tags", ValueKind::File},
    {"--input", ValueKind::Input},
    {"--arguments", ValueKind::Text},
    {"--environment", ValueKind::Text},
    {"--folder", ValueKind::Text},
};

constexpr std::string_view kProgram = "program:";

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool isWord(std::string_view text) {
  return !text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), [](char c) {
    return isDigit(c) || isLetter(c) || std::string_view("_.,:+-").find(c) != std::string_view::npos;
  });
}

// Text that can be shown unchanged: valid UTF-8 on one line, without control characters and characters that reverse or hide text.
bool isText(std::string_view text) {
  constexpr std::size_t kLongest = 4096; // of a path
  return !text.empty() && text.size() <= kLongest && reports::displayText(text, kLongest) == text;
}

bool isName(std::string_view text) { return isText(text) && text.front() != '-'; }

bool isPair(std::string_view text) {
  const std::size_t at = text.find('=');
  return at != std::string_view::npos && at > 0 && isName(text.substr(0, at)) && isName(text);
}

bool isOfKind(std::string_view value, ValueKind kind) {
  switch (kind) {
  case ValueKind::None: return false;
  case ValueKind::Number: return isNumber(value);
  case ValueKind::Word: return isWord(value);
  case ValueKind::Name:
  case ValueKind::File: return isName(value);
  case ValueKind::Text: return isText(value);
  case ValueKind::Pair:
  case ValueKind::Input: return isPair(value);
  }
  return false;
}

// For an input: its value may be numbers instead of a file.
bool readsFile(const RepeatableOption& option, std::string_view value) {
  if (option.kind == ValueKind::Input) return !isNumber(value.substr(value.find('=') + 1));
  return option.kind == ValueKind::File;
}

// An engine option that makes files, in a folder that it names.
bool writes(std::string_view option, std::string_view value) {
  return option == "--engine-option" && value.starts_with("autoReport.");
}

// Options, with or without a value, that a report may never set.
bool isFlagOfTheCall(std::string_view name) {
  return name == "--json" || name == "--force" || name == "--dry-run" || name == "--help";
}

} // namespace

bool isNumber(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  constexpr std::size_t kLongest = 40;
  if (text.empty() || text.size() > kLongest || !(isDigit(text.front()) || text.front() == '.')) return false;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

const RepeatableOption* repeatableOption(std::string_view name) {
  const auto found = std::find_if(std::begin(kOptions), std::end(kOptions), [&](const auto& o) { return o.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

bool isProgram(std::string_view graph) { return graph.starts_with(kProgram); }

std::string programFile(std::string_view graph) { return std::string(graph.substr(kProgram.size())); }

bool readsGraph(std::string_view graph, const std::filesystem::path& folder) {
  if (graph.ends_with(".onnx") || graph.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string_view::npos)
    return true;
  std::error_code ignored;
  const std::filesystem::path file = folder / graph;
  return std::filesystem::is_regular_file(file, ignored) || std::filesystem::is_regular_file(file / "model.onnx", ignored);
}

std::string fileOf(std::string_view option, std::string_view value) {
  const RepeatableOption* known = repeatableOption(option);
  return std::string(known && known->kind == ValueKind::Input ? value.substr(value.find('=') + 1) : value);
}

Repeat repeatOf(std::string_view commandLine, std::string_view workload) {
  const std::vector<std::string> words = shellWords(commandLine);
  const auto run = std::find(words.begin(), words.end(), "run");
  if (run == words.end()) return {};
  Repeat repeat = repeatOfWords({run + 1, words.end()});
  if (repeat.graph.empty() && isName(workload)) repeat.graph = workload;
  return repeat;
}

Repeat repeatOfWords(const std::vector<std::string>& words) {
  Repeat repeat;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (!word->starts_with('-')) {
      if (repeat.graph.empty() && isName(*word)) repeat.graph = *word;
      continue;
    }
    const std::size_t equals = word->starts_with("--") ? word->find('=') : std::string::npos;
    const std::string name = word->substr(0, equals);
    const RepeatableOption* option = repeatableOption(name);
    std::optional<std::string> value;
    if (equals != std::string::npos)
      value = word->substr(equals + 1);
    else if (option ? option->kind != ValueKind::None : !isFlagOfTheCall(name) && !(name[1] != '-' && name.size() > 2)) // -oFILE
      if (word + 1 != words.end()) value = *++word;
    const bool isTaken =
        option && (option->kind == ValueKind::None ? !value : value && isOfKind(*value, option->kind) && !writes(name, *value));
    if (!isTaken) {
      repeat.left.push_back(name);
      continue;
    }
    auto& list = value && readsFile(*option, *value) ? repeat.reading : repeat.options;
    if (option->kind == ValueKind::Text) {
      list.push_back(name + "=" + *value);
      continue;
    }
    list.push_back(name);
    if (value) list.push_back(std::move(*value));
  }
  return repeat;
}

} // namespace analyser
