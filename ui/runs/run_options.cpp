#include "ui/runs/run_options.h"

#include "analyser/session/repeat.h"
#include "ui/runs/command_words.h"

#include <QCoreApplication>
#include <QJsonObject>

#include <algorithm>
#include <iterator>

namespace ui::shell {

namespace {

bool isNumber(const QString& text) { return analyser::isNumber(text.toStdString()); }

enum class Form { Value, Flag, Commas, Words }; // Flag: a switch. Commas, Words: may be repeated

struct Option {
  OptionGroup group;
  const char *name, *standard, *text;
  Form form = Form::Value;
  const char* choices = ""; // all allowed values, separated by commas
};

// The texts of `tilescope-cli run --help`, shortened to fit the form.
const Option kOptions[] = {
    {OptionGroup::Ipus, "replicas", "1",
     QT_TRANSLATE_NOOP("run", "data-parallel copies of the model, each on its share of the IPUs")},
    {OptionGroup::Ipus, "pipeline", "0",
     QT_TRANSLATE_NOOP("run", "stages, one IPU each; 0: none, the IPUs work one after the other")},
    {OptionGroup::Ipus, "accumulation", "",
     QT_TRANSLATE_NOOP("run", "micro-batches of a weight update; empty: 4 for each stage of a pipeline, else 1")},
    {OptionGroup::Ipus, "batches-per-step", "1", QT_TRANSLATE_NOOP("run", "batches per run of the program")},
    {OptionGroup::Ipus, "shard", "auto",
     QT_TRANSLATE_NOOP(
         "run",
         "auto; none; layers:1,4,2,1, the layers of each IPU; or the first node of each further IPU, separated by commas")},
    {OptionGroup::Ipus, "io-tiles", "0", QT_TRANSLATE_NOOP("run", "tiles of each IPU that only transfer with the host")},
    {OptionGroup::Ipus, "overlap-io", "inner", QT_TRANSLATE_NOOP("run", "loops that run during transfers, with I/O tiles"),
     Form::Value, "off,inner,loops"},
    {OptionGroup::Ipus, "shard-state", "no", QT_TRANSLATE_NOOP("run", "every replica keeps its share of the optimiser's state"),
     Form::Flag},

    {OptionGroup::Model, "shape", "",
     QT_TRANSLATE_NOOP("run", "NAME=1x3x224x224: shape of an input with open sizes; separate several with spaces"), Form::Words},
    {OptionGroup::Model, "batch", "",
     QT_TRANSLATE_NOOP("run", "samples per batch; empty: the file's batch size, or 1 if the file leaves it open")},
    {OptionGroup::Model, "input", "",
     QT_TRANSLATE_NOOP("run", "NAME=FILE: value of an input, .pb or .npy; separate several with spaces, quote names with spaces"),
     Form::Words},
    {OptionGroup::Model, "disable-pass", "",
     QT_TRANSLATE_NOOP("run", "fusion passes to leave out, or all; separate several with spaces"), Form::Words},
    {OptionGroup::Model, "train", "no", QT_TRANSLATE_NOOP("run", "the model is trained: forward, backward, weight update"),
     Form::Flag},
    {OptionGroup::Model, "loss", "cross-entropy",
     QT_TRANSLATE_NOOP("run", "loss that training minimises; output: the output itself"), Form::Value,
     "cross-entropy,ctc,bce,mse,mae,huber,output"},
    {OptionGroup::Model, "labels", "labels", QT_TRANSLATE_NOOP("run", "name of the input that the loss compares with")},
    {OptionGroup::Model, "class-axis", "",
     QT_TRANSLATE_NOOP("run", "dimension of the scores that holds the classes; empty: derived from the shapes")},
    {OptionGroup::Model, "ignore-index", "",
     QT_TRANSLATE_NOOP("run", "class number of labels to ignore; empty: none is ignored")},
    {OptionGroup::Model, "label-smoothing", "0",
     QT_TRANSLATE_NOOP("run", "0 to 1; share of the cross-entropy that is spread evenly over all classes")},
    {OptionGroup::Model, "loss-output", "", QT_TRANSLATE_NOOP("run", "output that the loss reads; empty: the first")},
    {OptionGroup::Model, "parameters", "",
     QT_TRANSLATE_NOOP(
         "run", "names of the constants that are trained, e.g. enc.*; separate several with spaces; empty: as the file says"),
     Form::Words},
    {OptionGroup::Model, "freeze", "",
     QT_TRANSLATE_NOOP("run", "names of parameters that stay unchanged, e.g. embed.*; separate several with spaces"),
     Form::Words},
    {OptionGroup::Model, "buffers", "",
     QT_TRANSLATE_NOOP("run", "names of constants that are state, not parameters, e.g. pe; separate several with spaces"),
     Form::Words},
    {OptionGroup::Model, "optimiser", "", QT_TRANSLATE_NOOP("run", "optimiser; empty: the sample's, else sgd"), Form::Value,
     "sgd,adam,adamw,lamb,lars,rmsprop,adagrad,adamax"},
    {OptionGroup::Model, "learning-rate", "",
     QT_TRANSLATE_NOOP("run", "learning rate of the optimiser; empty: the sample's value, else 0.01")},
    {OptionGroup::Model, "momentum", "",
     QT_TRANSLATE_NOOP("run", "momentum of sgd, lars and rmsprop; empty: the sample's value, else 0")},
    {OptionGroup::Model, "weight-decay", "",
     QT_TRANSLATE_NOOP("run", "weight decay of the optimiser; empty: the sample's value, else 0")},
    {OptionGroup::Model, "trust-coefficient", "",
     QT_TRANSLATE_NOOP("run", "trust coefficient of lars; empty: the sample's value, else 0.001")},
    {OptionGroup::Model, "epsilon", "",
     QT_TRANSLATE_NOOP("run", "added to a divisor of the optimiser; empty: the sample's value, else 1e-8")},

    {OptionGroup::Memory, "recompute", "none", QT_TRANSLATE_NOOP("run", "values that are computed again for the backward pass"),
     Form::Value, "none,standard,norm-only,checkpoints,pipeline"},
    {OptionGroup::Memory, "checkpoint", "",
     QT_TRANSLATE_NOOP("run", "nodes or values that recompute = checkpoints keeps; separate several with spaces"), Form::Words},
    {OptionGroup::Memory, "offload", "",
     QT_TRANSLATE_NOOP("run", "kept in streaming memory: weights, optimiser, activations; separate several with commas"),
     Form::Commas},
    {OptionGroup::Memory, "available-memory", "0.6",
     QT_TRANSLATE_NOOP("run", "share of a tile that a convolution or product may take")},
    {OptionGroup::Memory, "memory-retries", "3",
     QT_TRANSLATE_NOOP("run",
                       "how often a program that does not fit is planned again, with less memory for operations at the peak")},
    {OptionGroup::Memory, "linear-bytes", "128",
     QT_TRANSLATE_NOOP(
         "run", "tile mapping of a tensor without a planner: least bytes per tile; a larger value uses fewer, fuller tiles")},
    {OptionGroup::Memory, "partials", "float", QT_TRANSLATE_NOOP("run", "type of the partial sums of products in fp16"),
     Form::Value, "half,float"},
    {OptionGroup::Memory, "half-sums", "no", QT_TRANSLATE_NOOP("run", "gradients of micro-batches are summed in fp16"),
     Form::Flag},
    {OptionGroup::Memory, "half-state", "no",
     QT_TRANSLATE_NOOP("run", "with fp16, velocities and first moments are kept in fp16"), Form::Flag},
    {OptionGroup::Memory, "no-outline", "no", QT_TRANSLATE_NOOP("run", "with yes, each repeated layer has its own code"),
     Form::Flag},

    {OptionGroup::Engine, "seed", "0", QT_TRANSLATE_NOOP("run", "seed of weights and made-up inputs")},
    {OptionGroup::Engine, "fp8-scale", "-3",
     QT_TRANSLATE_NOOP("run", "with fp8, activations are stored in units of 2 to this power")},
    {OptionGroup::Engine, "fp8-skip", "",
     QT_TRANSLATE_NOOP("run", "with fp8, nodes that stay in fp16; separate several with spaces"), Form::Words},
    {OptionGroup::Engine, "fp8-history", "0",
     QT_TRANSLATE_NOOP("run", "with fp8 in training, each scale follows the largest value of this number of updates; 0: fixed")},
    {OptionGroup::Engine, "unit-scaling", "no",
     QT_TRANSLATE_NOOP("run", "a dense network or transformer trains with values and gradients near unit variance"), Form::Flag},
    {OptionGroup::Engine, "engine-option", "",
     QT_TRANSLATE_NOOP("run", "KEY=VALUE: engine option under its Poplar name; separate several with spaces"), Form::Words},
    {OptionGroup::Engine, "tag", "",
     QT_TRANSLATE_NOOP("run",
                       "KEY=VALUE, e.g. commit=1f3a: kept in the report, shown and compared; separate several with spaces"),
     Form::Words},
    {OptionGroup::Engine, "tags", "", QT_TRANSLATE_NOOP("run", "JSON file with an object of tags")},
    {OptionGroup::Engine, "memory-limit", "",
     QT_TRANSLATE_NOOP("run", "memory of this computer that values may take, e.g. 8GiB; empty: four fifths of it")},
    {OptionGroup::Engine, "vertex-by-vertex", "no",
     QT_TRANSLATE_NOOP("run", "compute operations tile by tile, which checks their plans; slow"), Form::Flag},
};

// Options that have a field of their own in the form, outside the groups.
const Option kOwnFields[] = {
    {OptionGroup::Ipus, "machine", "gc200", ""},
    {OptionGroup::Ipus, "ipus", "1", ""},
    {OptionGroup::Engine, "precision", "fp32", "", Form::Value, "fp32,fp16,fp8"},
    {OptionGroup::Engine, "iterations", "1", ""},
    {OptionGroup::Engine, "no-numbers", "no", "", Form::Flag},
};

QJsonArray choicesOf(const Option& o) {
  if (o.form == Form::Flag) return {"no", "yes"};
  return QJsonArray::fromStringList(QString::fromLatin1(o.choices).split(',', Qt::SkipEmptyParts));
}

const Option* optionOf(const QString& word) {
  for (const Option& o : kOptions)
    if (word == QStringLiteral("--") + o.name) return &o;
  return nullptr;
}

} // namespace

QString optionGroupTitle(OptionGroup group) {
  switch (group) {
  case OptionGroup::Ipus: return QCoreApplication::translate("run", "Several IPUs");
  case OptionGroup::Model: return QCoreApplication::translate("run", "ONNX model and training");
  case OptionGroup::Memory: return QCoreApplication::translate("run", "Memory");
  case OptionGroup::Engine: break;
  }
  return QCoreApplication::translate("run", "Numbers and engine");
}

QJsonArray optionParameters(OptionGroup group) {
  QJsonArray list;
  for (const Option& o : kOptions)
    if (o.group == group)
      list.append(QJsonObject{{"name", o.name},
                              {"default", o.standard},
                              {"text", QCoreApplication::translate("run", o.text)},
                              {"choices", choicesOf(o)}});
  return list;
}

QMap<QString, QString> takeOptions(QStringList& options) {
  QMap<QString, QString> taken;
  QStringList rest;
  for (qsizetype i = 0; i < options.size(); ++i) {
    const Option* o = optionOf(options[i]);
    if (!o) {
      rest.append(options[i]);
    } else if (o->form == Form::Flag) {
      taken[o->name] = QStringLiteral("yes");
    } else if (i + 1 < options.size()) {
      const QString word = options[++i];
      QString& value = taken[o->name];
      if (o->form == Form::Value || value.isEmpty())
        value = o->form == Form::Words ? shellLine({word}) : word;
      else
        value += o->form == Form::Commas ? ',' + word : ' ' + shellLine({word});
    }
  }
  options = rest;
  return taken;
}

QMap<QString, QString> ofGroup(const QMap<QString, QString>& values, OptionGroup group) {
  QMap<QString, QString> list;
  for (auto it = values.begin(); it != values.end(); ++it)
    if (const Option* o = optionOf(QStringLiteral("--") + it.key()); o && o->group == group) list[it.key()] = it.value();
  return list;
}

QStringList optionArguments(const QList<std::pair<QString, QString>>& values, const QMap<QString, QString>& defaults) {
  QStringList arguments;
  for (const auto& [name, value] : values) {
    const QString word = QStringLiteral("--") + name;
    const Option* o = optionOf(word);
    if (!o || value == defaults.value(name, QLatin1String(o->standard))) continue;
    if (o->form == Form::Flag)
      arguments.append(word);
    else
      for (const QString& one : o->form == Form::Words ? splitShellWords(value).value_or(QStringList()) : QStringList{value})
        arguments << word << one;
  }
  return arguments;
}

QString optionProblem(const QString& name, const QString& value) {
  const Option* o = optionOf(QStringLiteral("--") + name);
  if (o && o->form == Form::Words && !splitShellWords(value))
    return QCoreApplication::translate("run", "A quotation mark in %1 is not closed").arg(name);
  const auto* taken = analyser::repeatableOption("--" + name.toStdString());
  if (taken && taken->kind == analyser::ValueKind::Number && !isNumber(value))
    return QCoreApplication::translate("run", "%1 is not a number: %2").arg(name, value);
  return {};
}

QStringList sweptOptions() {
  QStringList names;
  for (const Option& o : kOwnFields) names << QStringLiteral("--") + o.name;
  for (const Option& o : kOptions) names << QStringLiteral("--") + o.name;
  return names;
}

QStringList valuesOfOption(const QString& name, const QStringList& machines) {
  if (name == QStringLiteral("--machine")) return machines;
  const auto* own = std::find_if(std::begin(kOwnFields), std::end(kOwnFields),
                                 [&](const Option& o) { return name == QStringLiteral("--") + o.name; });
  const Option* o = own != std::end(kOwnFields) ? own : optionOf(name);
  if (!o) return {};
  if (o->form == Form::Flag) return {QStringLiteral("true"), QStringLiteral("false")};
  return QString::fromLatin1(o->choices).split(',', Qt::SkipEmptyParts);
}

QString sweptOptionProblem(const QString& name, const QString& value, const QStringList& machines) {
  const auto say = [](const char* words) { return QCoreApplication::translate("run", words); };
  if (name == QStringLiteral("--memory-limit")) return {}; // limits the memory of this computer; any value may be valid
  const auto* taken = analyser::repeatableOption(name.toStdString());
  if (!taken) return say(QT_TRANSLATE_NOOP("run", "A sweep cannot set an option %1")).arg(name);
  const QStringList values = valuesOfOption(name, machines);
  const bool isOtherName = name == QStringLiteral("--loss") && value == QStringLiteral("l1"); // another name of mae
  if (!values.isEmpty() && !values.contains(value) && !isOtherName)
    return say(QT_TRANSLATE_NOOP("run", "%1 is one of %2, not %3")).arg(name, values.join(QStringLiteral(", ")), value);
  if (taken->kind == analyser::ValueKind::Number && !isNumber(value))
    return say(QT_TRANSLATE_NOOP("run", "%1 is a number, not %2")).arg(name, value);
  return {};
}

QString parameterProblem(const QString& name, const QString& standard, const QString& text, const QString& value) {
  if (!isNumber(standard) || isNumber(value) || text.contains(value)) return {};
  return QCoreApplication::translate("run", "%1 is not a number: %2").arg(name, value);
}

} // namespace ui::shell
