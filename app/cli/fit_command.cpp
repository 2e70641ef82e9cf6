#include "app/cli/fit_command.h"

#include "analyser/compare/samples.h"
#include "analyser/memory/excess.h"
#include "analyser/memory/verdict.h"
#include "analyser/session/format.h"
#include "analyser/summary/summary.h"
#include "app/cli/onnx_model.h"
#include "app/cli/system_limits.h"
#include "reports/core/json.h"
#include "simcore/native/unit.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace app::cli {

using reports::Error;
using reports::ErrorCode;

void FitCommand::declare(Options& command) {
  m_run.declare(command);
  command
      .addOption("--over", m_over,
                 "value to increase: batch, a parameter of a sample, a symbolic dimension of a model, or an option of a run "
                 "(--accumulation)")
      .check(isNamed())
      .showDefault();
  command.addOption("--from", m_from, "smallest value to try").check(isInRange(1, 1 << 20)).showDefault();
  command.addOption("--most", m_most, "largest value to try").check(isInRange(1, 1 << 20)).showDefault();
  command.footer(
      "The value is doubled until the graph does not fit; then the interval is halved. If a value does not fit, larger values "
      "are assumed not to fit.\nThe exit code is 1 if not even --from fits, and 2 if the batch of a model file cannot be "
      "changed.");
}

std::vector<std::string> FitCommand::wordsFor(const Context& context, int64_t value) const {
  std::vector<std::string> words;
  const auto& given = context.arguments;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& word = given[i];
    const auto is = [&](const char* option) { return word == option; };
    const auto begins = [&](const char* option) { return word.starts_with(std::string(option) + "="); };
    if ((i == 0 && is("fit")) || is("--json") || begins("--over") || begins("--from") || begins("--most") || begins("--progress"))
      continue;
    if (is("--over") || is("--from") || is("--most") || is("--progress"))
      ++i;
    else
      words.push_back(word);
  }
  const std::string number = std::to_string(value);
  if (m_over.starts_with("--"))
    words.insert(words.end(), {m_over, number});
  else if (!findOnnxFile(m_run.graph()))
    words.insert(words.end(), {"--set", m_over + "=" + number});
  else if (m_over == "batch")
    words.insert(words.end(), {"--batch", number});
  else
    words.insert(words.end(), {"--shape", m_over + "=" + number});
  words.insert(words.end(), {"--no-numbers", "--progress", "none"});
  return words;
}

FitCommand::Trial FitCommand::measured(const std::string& report, int64_t value, const std::stop_token& stop) const {
  const auto session = analyser::Session::open(report);
  const auto s = analyser::summary::summarise(*session, stop);
  Trial trial{value, s.fits(), s.memory.fullest.withGaps, s.machine.memoryPerTile, s.memory.overflowTiles, s.cycles.total,
              {},    {}};
  if (const auto samples = analyser::compare::sampleCounts(*session).run; samples && *samples > 0)
    trial.perSample = double(s.cycles.total.value()) / double(*samples);
  if (trial.fits) return trial;
  const auto byCategory = analyser::memory::tileMemory(*session, analyser::memory::Breakdown::ByCategory, stop);
  const auto tile = analyser::memory::fullestTile(byCategory);
  trial.why = s.verdict.text();
  constexpr std::string_view kPrefix = "Does not fit: "; // the line that prints the reason says so
  if (trial.why.starts_with(kPrefix)) trial.why.erase(0, kPrefix.size());
  if (tile.valid())
    trial.why += " " + analyser::memory::excessSentence(analyser::memory::excessOf(*session, byCategory, tile, stop)).text();
  return trial;
}

// Runs the graph with this value. Throws the errors of a run, except a lack of memory, which is a result.
FitCommand::Trial FitCommand::tried(Context& context, int64_t value) const {
  const simcore::native::ScratchFolder folder(std::filesystem::temp_directory_path());
  const std::string report = folder / "trial.tsr";
  auto words = wordsFor(context, value);
  words.insert(words.end(), {"--report", report});
  OptionParser parser;
  RunCommand run;
  Options options = parser.options();
  run.declare(options);
  if (const std::string wrong = parser.parse(words); !wrong.empty())
    throw Error(ErrorCode::InvalidInput, wrong, "", "`tilescope-cli run --help` lists the options");
  std::ostringstream out, err;
  Context quiet{out, err, nullptr, context.stop, context.program, words};
  try {
    run.run(quiet);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::OutOfMemory) throw;
    return {value, false, {}, {}, 0, {}, {}, error.what()};
  }
  return measured(report, value, context.stop);
}

// Whether the error means that the batch of the file cannot be changed. Such an error says nothing about memory.
bool FitCommand::isOfFile(const Error& error) const {
  return m_over == "batch" && error.code() == ErrorCode::Unsupported && findOnnxFile(m_run.graph());
}

int FitCommand::run(Context& context) {
  requireThreads();
  m_run.requireOneGraph();
  if (m_most < m_from)
    throw Error(ErrorCode::InvalidInput, "the largest value is below the smallest", "--most " + std::to_string(m_most));
  const auto progress = makeProgress(context, m_run.progress());
  std::vector<Trial> trials;
  const auto attempt = [&](int64_t value) -> const Trial& {
    progress->phase(m_over + " " + std::to_string(value));
    try {
      trials.push_back(tried(context, value));
    } catch (const reports::Cancelled&) {
      throw;
    } catch (const Error& error) { // a value that the graph cannot have ends the search
      if (trials.empty() || isOfFile(error)) throw;
      trials.push_back({value, false, {}, {}, 0, {}, {}, error.what()});
    }
    return trials.back();
  };
  int64_t fits = 0, breaks = m_most + 1;
  for (int64_t value = m_from; value <= m_most; value = value < m_most ? std::min(m_most, 2 * value) : m_most + 1) {
    if (!attempt(value).fits) {
      breaks = value;
      break;
    }
    fits = value;
  }
  while (fits > 0 && breaks - fits > 1) {
    const int64_t middle = fits + (breaks - fits) / 2;
    (attempt(middle).fits ? fits : breaks) = middle;
  }
  const auto of = [&](int64_t value) -> const Trial* {
    const auto it = std::find_if(trials.begin(), trials.end(), [&](const Trial& t) { return t.value == value; });
    return it == trials.end() ? nullptr : &*it;
  };
  m_run.asJson() ? printJson(context, trials, of(fits), of(breaks)) : printText(context, trials, of(fits), of(breaks));
  return fits > 0 ? kDone : kAnswerIsNo;
}

void FitCommand::printText(Context& context, const std::vector<Trial>& trials, const Trial* largest, const Trial* beyond) const {
  const std::string over = analyser::printable(m_over);
  const std::size_t width = std::max<std::size_t>(over.size(), 7);
  context.out << fmt::format("{:>{}}  {:<4}  {:>12}  {:>5}  {:>14}  {:>16}\n", over, width, "FITS", "WITH GAPS", "OF IT",
                             "CYCLES", "CYCLES/SAMPLE");
  for (const Trial& t : trials) {
    const bool isKnown = t.ofTile > reports::Bytes();
    context.out << fmt::format("{:>{}}  {:<4}  {:>12}  {:>5}  {:>14}  {:>16}\n", t.value, width, t.fits ? "yes" : "no",
                               isKnown ? analyser::formatBytes(t.fullest) : "-",
                               isKnown ? analyser::formatPercent(double(t.fullest.value()) / double(t.ofTile.value())) : "-",
                               t.fits ? analyser::formatCount(t.cycles.value()) : "-",
                               t.fits && t.perSample ? fmt::format("{:.1f}", *t.perSample) : "-");
  }
  if (largest)
    context.out << "\n"
                << over << " " << largest->value << " fits: " << analyser::formatCount(largest->cycles.value()) << " cycles"
                << (largest->perSample ? fmt::format(", {:.1f} per sample", *largest->perSample) : std::string()) << "\n";
  if (beyond)
    context.out << over << " " << beyond->value << " does not fit: " << analyser::printable(beyond->why) << "\n";
  else if (largest)
    context.out << "nothing larger was tried (--most " << m_most << ")\n";
}

void FitCommand::printJson(Context& context, const std::vector<Trial>& trials, const Trial* largest, const Trial* beyond) const {
  using Json = nlohmann::ordered_json;
  const auto json = [](const Trial& t) {
    Json one{{"value", t.value}, {"fits", t.fits}};
    one["fullest_tile_bytes"] = t.ofTile > reports::Bytes() ? Json(t.fullest.value()) : Json();
    one["tile_bytes"] = t.ofTile > reports::Bytes() ? Json(t.ofTile.value()) : Json();
    one["cycles"] = t.fits ? Json(t.cycles.value()) : Json();
    one["cycles_per_sample"] = t.fits && t.perSample ? Json(*t.perSample) : Json();
    if (!t.fits) one["why"] = t.why;
    return one;
  };
  Json all{{"over", m_over}, {"largest", largest ? json(*largest) : Json()}, {"beyond", beyond ? json(*beyond) : Json()}};
  all["trials"] = Json::array();
  for (const Trial& t : trials) all["trials"].push_back(json(t));
  context.out << reports::jsonText(all, 2) << "\n";
}

} // namespace app::cli
