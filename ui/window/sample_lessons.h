// The lessons of the built-in samples: what to look at in the report of a sample, step by step. The command line lists them; a
// report gives only the name of its sample, so that the report of a stranger brings no text and no location.
#pragma once

#include "ui/state/view_link.h"

#include <QMap>
#include <QObject>

#include <vector>

namespace analyser {
class Session;
}

namespace ui::shell {

struct LessonStep {
  QString text;   // one sentence
  ViewLink place; // in the open report
};

struct Lesson {
  QString sample, title;
  std::vector<LessonStep> steps;
};

class SampleLessons : public QObject {
  Q_OBJECT

public:
  explicit SampleLessons(QObject* parent = nullptr) : QObject(parent) {}
  // Reads the list, once.
  void prepare();
  const Lesson* find(const QString& sample) const; // null: none, or the list is not read yet

signals:
  void changed();

private:
  QMap<QString, Lesson> m_lessons; // by sample
  bool m_isAsked = false;
};

// The sample that the run simulated; empty if the report is of a model, a program or an import.
QString sampleOf(const analyser::Session& report);
// Whether the run had its own settings; a lesson is about the default run.
bool hasOwnSettings(const analyser::Session& report);

} // namespace ui::shell
