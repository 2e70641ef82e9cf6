// A run as plain values, and the command line that starts it.
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <utility>

namespace ui::run {

struct RunRequest {
  QString graph;        // a sample's name, an ONNX file, a folder with model.onnx, or "program:FILE"
  QString machine;      // a name of `machines --json`
  QString machineTitle; // the displayed name; empty: `machine`
  int ipus = 1;         // 0: the default of the graph or the machine
  QString precision;    // "fp32", "fp16", "fp8"
  int iterations = 1;
  bool numbers = true; // compute values, not only cycles and memory
  QList<std::pair<QString, QString>> parameters;
  QStringList options;                    // further ones, as on the command line; they override the fields above
  QString report;                         // the file to write; empty: none
  QString arguments, environment, folder; // of a program: split as a shell does; folder: empty for the current one

  bool startsProgram() const;

  QStringList words() const;            // after "tilescope-cli"
  void dropOption(const QString& name); // with its value, if it has one
  // The request with the options `change` (as in analyser::trials::Trial), which replace options of the same name.
  RunRequest with(const QStringList& change) const;
  // The same run without output files.
  RunRequest withoutOutputs() const;
  // The command line that repeats the run in a shell, without the window.
  QString commandLine() const;
  // "mnist-train on Bow × 4, fp16, 5 iterations, with values, batch-size=32", for lists and messages: different runs have
  // different titles.
  QString title() const;

private:
  QString option(const QString& name) const; // its value in `options`; null: not set
};

// One progress line of `--progress json`; an empty phase if the line is something else (it then belongs to the log).
struct ProgressLine {
  QString phase;
  double fraction = 0;
};
ProgressLine parseProgress(const QByteArray& line);

} // namespace ui::run
