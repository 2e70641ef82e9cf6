// Messages between views: a click in Summary selects a tile in Memory. The receiver may not exist or not be visible yet, so the newest
// message of each kind is kept until its receiver takes it.
#pragma once

#include <QObject>
#include <QStringList>

#include <optional>
#include <tuple>
#include <utility>
#include <variant>

namespace ui::shell {

// To `view`: show the tab with this id (ViewFields::showTab).
struct ShowTab {
  QString view, tab;
};
// To `view`: clear filters and show all IPUs and tiles (View::widen). Code that restores controls must take this message first.
struct ShowAll {
  QString view;
};
// To Insights: select the finding with this number in its list.
struct ShowFinding {
  int finding = 0;
};
// To Memory: select the fullest tile.
struct ShowFullestTile {};
// To Query: replace the query with this one and run it.
struct RunSql {
  QString sql;
};
// To Trace: run this query and draw its rows, which have a start and an end, as a track below the lanes.
struct ShowSqlTrack {
  QString sql;
};
// To the window: follow the bookmark with this number in ReportNotes::marks(), and set the controls stored in it.
struct ShowBookmark {
  int bookmark = 0;
};

// To Run.
struct RunSample { // run it with its defaults
  QString sample;
};
struct FillModel { // fill the form for this model
  QString file;    // an absolute path
};
struct RunTrial { // repeat the run that made the report `base` with a change, and compare
  QString base;
  QStringList change; // words of the command line
};
struct FillSettings { // fill the form with the settings of the report `base`
  QString base;
  QString field = {}; // and show the fields with this name; empty: all
};
using RunOrder = std::variant<RunSample, FillModel, RunTrial, FillSettings>;

class ViewMessages : public QObject {
  Q_OBJECT

public:
  void send(ShowTab message) { keep(std::move(message)); }
  void send(ShowFinding message) { keep(message); }
  void send(ShowBookmark message) { emit bookmarkAsked(message); }
  void send(ShowAll message) { keep(message), emit allAsked(message); }
  void send(ShowFullestTile message) { keep(message), emit fullestTileAsked(); }
  void send(RunSql message) { keep(std::move(message)), emit queryAsked(); }
  void send(ShowSqlTrack message) { keep(std::move(message)), emit trackAsked(); }
  void send(RunOrder message) { keep(std::move(message)), emit runAsked(); }

  // Returns the kept message and forgets it.
  template<class Message> std::optional<Message> take() { return std::exchange(kept<Message>(), std::nullopt); }
  // Takes the newest message if it is for this view.
  template<class Message> std::optional<Message> take(const QString& view) {
    return !view.isEmpty() && kept<Message>() && kept<Message>()->view == view ? take<Message>() : std::nullopt;
  }
  // Call when other reports are open. A message to Run stays, because it may be the reason why they were opened.
  void forget() {
    take<ShowTab>(), take<ShowAll>(), take<ShowFinding>(), take<ShowFullestTile>(), take<RunSql>(), take<ShowSqlTrack>();
  }

signals:
  void allAsked(const ui::shell::ShowAll& message);
  void fullestTileAsked();
  void bookmarkAsked(const ui::shell::ShowBookmark& message);
  void runAsked();
  void queryAsked();
  void trackAsked();

private:
  template<class Message> std::optional<Message>& kept() { return std::get<std::optional<Message>>(m_kept); }
  template<class Message> void keep(Message message) { kept<Message>() = std::move(message); }

  std::tuple<std::optional<ShowTab>, std::optional<ShowAll>, std::optional<ShowFinding>, std::optional<ShowFullestTile>,
             std::optional<RunOrder>, std::optional<RunSql>, std::optional<ShowSqlTrack>>
      m_kept;
};

} // namespace ui::shell
