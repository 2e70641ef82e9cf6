// Charts below the host timeline, on its time axis, each with its own value axis: rows derived from slices (busy threads, IPU activity),
// counters, heatmaps. A pixel of a counter is drawn as its extremes, so that no peak is lost; a value holds until the next one.
#pragma once

#include "analyser/host/activity.h"
#include "analyser/host/counters.h"
#include "analyser/host/heatmaps.h"
#include "ui/jobs/latest_job.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/time_view.h"
#include "ui/views/host/host_source.h"

#include <map>

namespace ui::host {

class CounterLanes : public plot::TimeView, public plot::Tabled {
  Q_OBJECT

public:
  CounterLanes(const theme::Theme& theme, jobs::JobBoard* board, QWidget* parent = nullptr);
  ~CounterLanes() override;

  // Null: nothing to show.
  void setHost(std::shared_ptr<OpenHost> host);
  void setFilled(bool filled);      // areas instead of lines
  void setDerivedShown(bool shown); // busy threads and IPU activity
  void setLow(bool isLow);          // charts are lower, for a low window; those with a height by hand keep it
  // Requests everything again, after processes were moved.
  void refetch();
  bool isEmpty() const { return m_charts.empty(); }
  int preferredHeight() const;                 // height of the first four charts
  int heightOfCharts(std::size_t count) const; // height that shows the first `count` charts completely
  int fittingHeight(int room) const;           // height of the charts that fit completely, at least one
  QRect chartRect(std::size_t chart) const;    // in the widget
  std::size_t charts() const { return m_charts.size(); }
  bool isBusy() const override { return m_job.isBusy(); }
  // Each counter with its extremes over the whole trace.
  plot::PlotTable table() const override;
  // "resident memory: 1.05 M byte" for each series at a time; empty if there is none.
  std::vector<plot::CardRow> valuesAt(std::size_t chart, int64_t tick) const;

signals:
  void heightsChanged(); // the user changed a chart's height by dragging its lower edge, beside its name

protected:
  bool movesRow(const QPoint& from) const override;
  void rowDragged(const QPoint& from, const QPoint& to, bool ended) override;
  void paintBody(QPainter& painter, const QRect& body) override;
  void paintGutter(QPainter& painter, const QRect& area) override;
  int contentHeight() const override;
  void visibleWasChanged() override;
  QString shows() const override;
  void hovered(const QPoint& at) override;
  void doubleClicked(const QPoint&) override { fit(); }

private:
  enum class Kind { BusyThreads, Device, Counter, Heatmap };
  struct Chart {
    Kind kind = Kind::Counter;
    analyser::host::Chart shown; // a derived row has one series without id
    analyser::host::Heatmap heatmap;
    QString title;
    double low = 0, high = 1; // of the axis
  };
  struct Drawn {
    std::vector<std::vector<analyser::host::CounterPoint>> points; // by series
    std::vector<analyser::host::HeatmapColumn> columns;
  };
  struct Answer {
    std::vector<Drawn> charts;
  };
  static Drawn read(analyser::host::HostTimeline& timeline, const Chart& chart, const analyser::host::ActivityColumns& activity,
                    reports::TickRange range, int pixels, const std::stop_token& stop);
  void addChart(Kind kind, analyser::host::Chart shown, const QString& title);
  void rebuild();
  void paintHeatmap(QPainter& painter, const QRect& area, const Chart& chart,
                    const std::vector<analyser::host::HeatmapColumn>& columns) const;
  std::vector<plot::CardRow> binsAt(const Chart& chart, const std::vector<analyser::host::HeatmapColumn>& columns, int64_t tick,
                                    double height) const;
  int topOf(std::size_t chart) const; // in the content
  int heightOf(std::size_t chart) const;
  int chartAt(int y) const;
  int edgeAt(const QPoint& at) const;
  void paintSeries(QPainter& painter, const QRect& area, const Chart& chart, std::size_t series,
                   const std::vector<analyser::host::CounterPoint>& points) const;
  QString valueText(const Chart& chart, double value) const;

  std::shared_ptr<OpenHost> m_host;
  std::vector<Chart> m_charts;
  bool m_filled = true, m_derived = true, m_isLow = false;
  jobs::LatestJob<Answer> m_job;
  reports::TickRange m_asked{0, 0};
  int m_askedPixels = 0;
  std::map<QString, int> m_heights; // by hand, by title
  int m_resized = -1, m_heightBefore = 0;
};

} // namespace ui::host
