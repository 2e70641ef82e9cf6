#include "ui/views/run/run_settings.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonObject>

#include <algorithm>

namespace ui::run {

namespace {

struct Placement {
  const char *name, *standard, *text;
  bool isFlag = false;
};

// In the words of `tilescope-cli run --help`, cut to what a form has room for.
const Placement kPlacement[] = {
    {"replicas", "1", QT_TRANSLATE_NOOP("run", "data-parallel copies of the model, each on its share of the IPUs")},
    {"pipeline", "0", QT_TRANSLATE_NOOP("run", "stages, one IPU each; 0: none, the IPUs work one after the other")},
    {"accumulation", "1", QT_TRANSLATE_NOOP("run", "micro-batches of a weight update")},
    {"batches-per-step", "1", QT_TRANSLATE_NOOP("run", "batches that one run of the program does")},
    {"shard", "auto", QT_TRANSLATE_NOOP("run", "auto, none, or the first node of every IPU but the first, with commas")},
    {"recompute", "none",
     QT_TRANSLATE_NOOP("run", "none, standard, norm-only, checkpoints or pipeline; computed again for the backward pass")},
    {"offload", "", QT_TRANSLATE_NOOP("run", "kept in streaming memory: weights, optimiser, activations, with commas")},
    {"available-memory", "0.6", QT_TRANSLATE_NOOP("run", "share of a tile that a convolution or product may take")},
    {"io-tiles", "0", QT_TRANSLATE_NOOP("run", "tiles of each IPU that only transfer with the host")},
    {"overlap-io", "inner", QT_TRANSLATE_NOOP("run", "off, inner or loops; with I/O tiles, what transfers run beside")},
    {"shard-state", "no", QT_TRANSLATE_NOOP("run", "no or yes; every replica keeps its share of the optimiser's state"), true},
    {"half-sums", "no", QT_TRANSLATE_NOOP("run", "no or yes; gradients of micro-batches are summed in fp16"), true},
    {"no-outline", "no", QT_TRANSLATE_NOOP("run", "no or yes; repeated layers have code of their own each"), true},
};

const Placement* placementOf(const QString& option) {
  for (const Placement& p : kPlacement)
    if (option == QStringLiteral("--") + p.name) return &p;
  return nullptr;
}

// "--name=value" as two words; flags are left alone.
QStringList separated(const QStringList& words) {
  QStringList list;
  for (const QString& word : words) {
    const qsizetype equals = word.startsWith("--") ? word.indexOf('=') : -1;
    if (equals < 0)
      list.append(word);
    else
      list << word.left(equals) << word.mid(equals + 1);
  }
  return list;
}

// Takes one option with a value into the request; false if the form has no field for it.
bool takeOption(RunRequest& r, const QString& name, const QString& value) {
  if (name == "--machine") return r.machine = value, true;
  if (name == "--ipus") return r.ipus = value.toInt(), true;
  if (name == "--precision") return r.precision = value, true;
  if (name == "--iterations") return r.iterations = std::max(1, value.toInt()), true;
  if (name == "-o" || name == "--report" || name == "--outputs" || name == "--save-model" || name == "--progress") return true;
  if (name != "--set") return false;
  r.parameters.append({value.section('=', 0, 0), value.section('=', 1)});
  return true;
}

bool isFlag(const QString& word) {
  static const QStringList kFlags{"--no-numbers", "--json", "--vertex-by-vertex", "--train"};
  const Placement* p = placementOf(word);
  return kFlags.contains(word) || (p && p->isFlag);
}

} // namespace

std::optional<QStringList> splitShellWords(const QString& line) {
  QStringList words;
  QString word;
  bool open = false;
  QChar quote;
  for (qsizetype i = 0; i < line.size(); ++i) {
    const QChar c = line[i];
    if (!quote.isNull()) {
      if (c == quote)
        quote = {};
      else if (c == '\\' && quote == '"' && i + 1 < line.size())
        word += line[++i];
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, open = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i], open = true;
    } else if (c.isSpace()) {
      if (open || !word.isEmpty()) words.append(word);
      word.clear(), open = false;
    } else {
      word += c;
    }
  }
  if (!quote.isNull()) return std::nullopt;
  if (open || !word.isEmpty()) words.append(word);
  return words;
}

std::optional<RunRequest> requestFromCommandLine(const QString& line, const QString& folder) {
  const auto split = splitShellWords(line);
  if (!split || split->size() < 3 || split->at(1) != QStringLiteral("run")) return std::nullopt;
  const QStringList words = separated(split->mid(2));
  RunRequest r;
  r.machine = QStringLiteral("gc200"), r.ipus = 0; // what `run` takes by itself
  for (qsizetype i = 0; i < words.size(); ++i) {
    const QString& word = words[i];
    if (!word.startsWith('-')) {
      if (r.graph.isEmpty()) r.graph = word;
    } else if (word == QStringLiteral("--no-numbers")) {
      r.numbers = false;
    } else if (isFlag(word)) {
      if (word != QStringLiteral("--json")) r.options.append(word);
    } else if (i + 1 < words.size()) {
      const QString& value = words[++i];
      if (!takeOption(r, word, value)) r.options << word << value;
    }
  }
  if (r.graph.isEmpty()) return std::nullopt;
  if (const QFileInfo file(QDir(folder), r.graph); r.graph.contains('/') || r.graph.endsWith(QStringLiteral(".onnx")))
    r.graph = QDir::cleanPath(file.absoluteFilePath());
  return r;
}

QJsonArray placementParameters() {
  QJsonArray list;
  for (const Placement& p : kPlacement)
    list.append(QJsonObject{{"name", p.name}, {"default", p.standard}, {"text", QCoreApplication::translate("run", p.text)}});
  return list;
}

QMap<QString, QString> takePlacement(QStringList& options) {
  QMap<QString, QString> taken;
  QStringList rest;
  for (qsizetype i = 0; i < options.size(); ++i) {
    const Placement* p = placementOf(options[i]);
    if (!p) {
      rest.append(options[i]);
    } else if (p->isFlag) {
      taken[p->name] = QStringLiteral("yes");
    } else if (i + 1 < options.size()) {
      QString& value = taken[p->name]; // --offload may be repeated
      value += (value.isEmpty() ? QString() : QStringLiteral(",")) + options[++i];
    }
  }
  options = rest;
  return taken;
}

QStringList placementArguments(const QList<std::pair<QString, QString>>& values) {
  QStringList arguments;
  for (const auto& [name, value] : values) {
    const Placement* p = placementOf(QStringLiteral("--") + name);
    if (!p || value == QLatin1String(p->standard)) continue;
    arguments.append(QStringLiteral("--") + name);
    if (!p->isFlag) arguments.append(value);
  }
  return arguments;
}

} // namespace ui::run
