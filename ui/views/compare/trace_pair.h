// The execution of both reports, one above the other on linked axes: zooming one moves the other. They are aligned where both begin,
// or at a step: a click on a slice lines up its first execution in each report and says how long it takes there.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/shell/track_source.h"
#include "ui/shell/view.h"
#include "ui/theme/format.h"

class QCheckBox;
class QLabel;

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
  void setSessions(shell::SessionPointer base, shell::SessionPointer other);
  void setFormat(const theme::Format& format);
  bool isBusy() const;
  // Ticks of B less those of A at the point where they are aligned.
  int64_t offset() const { return m_offset; }
  jobs::JobBase& openJob() { return m_open; }
  // Ticks from the first to the last slice of A and of B; zeros before the traces are open.
  std::pair<int64_t, int64_t> lengths() const;

signals:
  void tracesOpened();

protected:
  void showEvent(QShowEvent* event) override;

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
  // The slice that was clicked, and the first of its name in the other report.
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

  const theme::Theme& m_theme;
  shell::SessionPointer m_baseSession, m_otherSession;
  Side m_base, m_other;
  QCheckBox* m_linked;
  QLabel* m_words;
  jobs::LatestJob<Opened> m_open;
  jobs::LatestJob<Match> m_match;
  std::unique_ptr<theme::Format> m_format;
  int64_t m_offset = 0;
  bool m_due = false;
};

} // namespace ui::compare
