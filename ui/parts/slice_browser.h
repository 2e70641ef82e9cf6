// A timeline over slices of a report with its interactions: click and step through slices, search by name, follow a selection
// made elsewhere. Execution and host traces describe a slice differently; that part stays in their views.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/track_source.h"
#include "ui/plot/timeline.h"
#include "ui/theme/format.h"

#include <QObject>

class QCheckBox;
class QLabel;

namespace ui::tables {
class TableView;
struct Table;
} // namespace ui::tables

namespace ui::shell {

class Page;
class SearchTools;
class View;
class ViewFields;

class SliceBrowser : public QObject {
  Q_OBJECT

public:
  struct Words {
    QString timeline;    // name of the plot for screen readers
    QString search;      // of the search field
    QString notFound;    // "No step is named like “%1”."
    bool isHost = false; // times are nanoseconds
  };
  // The slice that a click or a search selected: exact, even if it is drawn as part of a grouped slice.
  struct Picked {
    reports::TrackId track;
    analyser::trace::Slice slice;
    bool folded = false; // the slice is the longest of several drawn as one
  };

  // Adds the search field and the button that fits the view to the toolbar of `page`. The view places the timeline.
  SliceBrowser(View& view, Page& page, const theme::Theme& theme, jobs::JobBoard& jobs, const Words& words);
  ~SliceBrowser() override;

  plot::Timeline& timeline() const { return *m_timeline; }
  bool isBusy() const;
  void addFields(shell::ViewFields& fields);
  // Shows nothing, selects nothing, stops all jobs.
  void clear();
  void show(std::shared_ptr<SliceAccess> access, std::shared_ptr<TrackSource> source);
  const TrackSource* source() const { return m_source.get(); }

  // Selects a slice and, if it is out of sight or too small to see, moves and zooms to it.
  void go(const Found& found) { go(found, false); }
  // Goes to the next slice whose name contains `text`.
  void find(const QString& text, bool forward);
  // Goes to the first execution of a program step in the visible range, else in the whole trace; does nothing if there is none. `stay`:
  // selects it without moving the visible range.
  void findStep(reports::ProgramStepId step, bool stay = false);
  // Selects a slice that is drawn, as a click on it does.
  void pick(int track, int lane, const plot::Slice& slice);
  // Selects the innermost slice at a tick; `drawn` is the slice drawn in the lanes there, which may stand for several.
  void pickAt(int64_t tick, const plot::Timeline::Hit& drawn);
  // The selected slice for a link: "track/lane/tick", the track by its id in the report; empty: none.
  QString selectedSlice() const;
  // Selects the slice that selectedSlice() named; does nothing if no slice of the report begins there.
  void selectAgain(const QString& slice);
  bool focusSearch();
  void searchFor(const QString& text); // as if typed
  // Every match of the search with count and total, for a tab of the view.
  QWidget* matches() const { return m_panel; }
  void setFormat(const theme::Format& format);
  static std::vector<std::pair<QString, QString>> keys();

signals:
  void picked(const ui::shell::SliceBrowser::Picked& picked);
  void pickFailed(const QString& why);
  void cleared();                                                // the selection
  void marked(int track, int lane, const ui::plot::Slice& mark); // a click on a mark that is not a slice
  void busyChanged();

private:
  void go(const Found& found, bool stay);
  struct Matches {
    FoundAll all;
    Meant meant;
    std::shared_ptr<const tables::Table> table;
    bool isWhole = true; // false: only the earliest matches, while the rest is counted
  };
  void buildPanel(const theme::Theme& theme);
  // A regular expression if the text is between slashes or the check box is set.
  Wanted wanted(const QString& typed) const;
  void findMatches();
  using Find = std::function<FoundAll(analyser::trace::Slices&, const std::vector<reports::TrackId>&, const SliceMatch&,
                                      const std::stop_token&)>;
  void findBy(const Wanted& wanted, std::optional<Meant> known, Find find, std::function<void(const Matches&)> done);
  void showEarliest(const Matches& matches);
  void showMatches(const Matches& matches);
  void showPosition();
  void showNoMatches(const QString& note, const QString& why);
  void highlight(Meant meant);
  using MakeMatch = std::function<SliceMatch(analyser::Session&, const std::stop_token&)>;
  void search(MakeMatch match, int64_t from, bool forward, std::function<void()> none, bool stay = false);

  View& m_view;
  Page& m_page;
  Words m_words;
  plot::Timeline* m_timeline;
  SearchTools* m_search;
  std::shared_ptr<SliceAccess> m_access;
  std::shared_ptr<TrackSource> m_source;
  jobs::LatestJob<Picked> m_pickJob;
  jobs::LatestJob<std::optional<Found>> m_findJob;
  jobs::LatestJob<Matches> m_matchJob;
  std::optional<Found> m_found;     // the match that is shown
  std::optional<Picked> m_selected; // the slice that is selected
  theme::Format m_format;
  QWidget* m_panel;
  QCheckBox* m_expression;
  QLabel* m_matchNote;
  tables::TableView* m_matchTable;
  int64_t m_from = -1; // where the search continues; -1: at the left edge
};

} // namespace ui::shell
