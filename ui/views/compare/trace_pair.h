// The execution of both reports, one above the other on linked axes: zooming one moves the other. They are aligned at their
// begins or at a step. A click on a slice aligns its first execution in each report and shows both durations; with "Pick a step
// in each" the user picks the step of A and the one of B. N goes through the steps that take longer in B, the largest growth
// first.
#pragma once

#include "analyser/compare/trace_difference.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/track_source.h"
#include "ui/parts/view.h"
#include "ui/theme/format.h"

class QCheckBox;
class QLabel;
class QPushButton;

namespace ui::shell {
class ViewFields;
}

namespace ui::plot {
class Timeline;
}

namespace ui::compare {

class PairedTrace;

class TracePair : public QWidget {
  Q_OBJECT

public:
  TracePair(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  ~TracePair() override;
  void addFields(shell::ViewFields& fields);
  void setSessions(shell::SessionPointer base, shell::SessionPointer other);
  void setFormat(const theme::Format& format);
  bool isBusy() const;
  // Ticks of B minus ticks of A at the alignment point.
  int64_t offset() const { return m_offset; }
  // Ticks from the first to the last slice of A and of B; zeros before the traces are open.
  std::pair<int64_t, int64_t> lengths() const;
  // The text above the traces.
  QString words() const;

signals:
  void tracesOpened();
  void busyChanged();

protected:
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  struct Side {
    QLabel* name = nullptr;
    plot::Timeline* timeline = nullptr;
    std::shared_ptr<PairedTrace> trace;
    std::shared_ptr<shell::TrackSource> source;
  };
  struct Opened {
    std::shared_ptr<PairedTrace> base, other;
  };
  // The slice that was clicked, and the first one of its name in the other report.
  struct Match {
    std::string name;
    std::optional<reports::TickRange> clicked, found;
  };
  void open();
  void show(const Opened& opened);
  void follow(bool fromBase, reports::TickRange range);
  void alignAt(bool inBase, int track, int lane, const plot::Slice& drawn);
  void showMatch(bool inBase, const Match& match);
  void alignStarts();
  void pickEach(bool inBase, const Match& match);
  void goSlower(int by);
  void showSlower(int by);
  void mark(const Side& side, const analyser::compare::StepGrowth::Place& place);

  const theme::Theme& m_theme;
  shell::SessionPointer m_baseSession, m_otherSession;
  Side m_base, m_other;
  QCheckBox *m_linked, *m_each;
  QPushButton *m_before, *m_next;
  QLabel* m_words;
  jobs::LatestJob<Opened> m_open;
  jobs::LatestJob<Match> m_match;
  jobs::LatestJob<std::vector<analyser::compare::StepGrowth>> m_slower;
  int m_slowerAt = -1; // index in the result
  Match m_pickedA, m_pickedB;
  std::unique_ptr<theme::Format> m_format;
  int64_t m_offset = 0;
  bool m_due = false;
};

} // namespace ui::compare
