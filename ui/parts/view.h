// A view answers one question about a report. The window knows views only through this interface and through the list in
// app/gui/view_list.cpp (there, because the list must include every view and views depend on this module). A view never includes
// another view: they share data through ViewState.
#pragma once

#include "ui/jobs/job_set.h"
#include "ui/parts/view_fields.h"
#include "ui/state/report_file.h"

#include <QKeySequence>
#include <QString>
#include <QWidget>

#include <functional>
#include <memory>
#include <vector>

class QAbstractItemView;
class QMenu;

namespace ui::jobs {
class JobBoard;
}
namespace ui::theme {
class Format;
class Theme;
} // namespace ui::theme

namespace ui::shell {

class FindingMarks;
class Page;
enum class PagePart;
struct Picture;
class Settings;
class ViewState;

// The parts that every view uses; all of them outlive the view.
struct ViewParts {
  theme::Theme& theme;
  ViewState& state;
  jobs::JobBoard& jobs;
  Settings& settings;
};

class View : public QWidget {
  Q_OBJECT

public:
  explicit View(const ViewParts& parts, QWidget* parent = nullptr);
  ~View() override;

  // The report to show, and the one it is compared with (null unless two are open). A view of one report gets the one that the
  // window shows; a view of the difference gets the base first. Both null: nothing is open. Called when the view is first shown
  // and whenever the reports change during its life. Start background work here.
  virtual void setSessions(SessionPointer base, SessionPointer other) = 0;
  // The third to eighth report, for a view of a comparison; called before setSessions.
  virtual void setFurther(const std::vector<SessionPointer>&) {}
  // Another report was opened: drops typed text, filters, hidden series
  // and zoom of the previous one. Called while the view has no report.
  virtual void forgetReport();
  // Returns to the initial fields: no filter, nothing hidden. Called before a lesson opens a location in the view.
  void showFirst();
  // The values of the view that links, bookmarks, sessions and the remembered view state store.
  ViewFields& fields() { return m_fields; }
  // Stores the current values as the initial values of every other report. Call before the user changes any.
  void keepFirstFields();
  // The enabled, visible actions of the view's menus, in order, without headings.
  QList<QAction*> menuActions() const;
  // Clears filters and shows all IPUs and tiles, because a selection made in another view may be hidden.
  virtual void widen() {}
  // True until everything that the user waits for has arrived; the gallery waits for false.
  virtual bool isBusy() const { return m_work.isBusy(); }
  // Work that would end with the window, e.g. "1 run"; empty: none. The window asks before it closes.
  virtual QString unfinished() const { return {}; }
  // The sentence that answers the view's question; the headline at its top has the first two clauses.
  virtual QString verdict() const;
  // The selection in words for the status line; empty: nothing is selected.
  virtual QString selectionText() const { return {}; }
  // Ctrl+F: puts the cursor into the view's own filter. Returns false if the view has none.
  virtual bool focusFilter() { return false; }
  // Asks for a file and writes an image of the whole view there.
  void savePicture();
  void savePicture(const Picture& picture);
  // Shows the figures of a plot as a table: of the plot with the keyboard focus, or else of the first visible plot.
  void showAsTable(QWidget* plot = nullptr);
  // saveTable() asks for a file and writes the rows of tableToSave(): the table with the keyboard focus, else the first visible
  // one; null if there is none.
  void saveTable();
  QAbstractItemView* tableToSave() const;
  // As focusFilter(), but also shows the tabs if they are hidden.
  bool openFilter();
  // Gives one part the page's full height, or restores plot and tabs if it already has it.
  void toggleTall(PagePart part);
  // Gives the keyboard focus to the main content. Called when the view is shown; a view whose content comes later keeps the focus
  // until then.
  void focusContent();
  // Keys of this view beyond the general ones, as ("W A S D", "zoom and pan") pairs for the key sheet.
  virtual std::vector<std::pair<QString, QString>> keys() const { return {}; }

signals:
  void busyChanged();
  void selectionTextChanged();
  void openRequested(const QStringList& files);
  void compareRequested(const QString& base, const QString& other);
  void viewRequested(const QString& id);
  // The menu of a plot opens: the view may add entries for a selection that no other view knows.
  void menuOpened(QMenu* menu, QWidget* plot);
  void tracesRequested();                  // the user wants to lay traces on the report's time axis
  void helpRequested(const QString& link); // link: a page of help, "host-waits.md"
  // Reports are ready while the user does something else: offers them instead of showing them at once.
  void offerRequested(const QString& text, const QStringList& files);

protected:
  // Opens the menu of a plot: of the selection, then of its image.
  void contextMenuEvent(QContextMenuEvent* event) override;
  const theme::Theme& theme() const { return m_parts.theme; }
  ViewState& state() const { return m_parts.state; }
  const theme::Format& format() const;
  jobs::JobBoard& jobs() const { return m_parts.jobs; }
  // The jobs whose results the view and its panels show.
  jobs::JobSet& work() { return m_work; }
  // The job whose result the page needs before it can show anything: the page shows its progress. After a cancel the page says so
  // and offers to read again, so that no skeleton stays for ever.
  void setMainJob(jobs::JobBase& job, std::function<void()> again);
  Settings& settings() const { return m_parts.settings; }
  // The scaffold (verdict, toolbar, plot, tabs, states) that fills the view.
  Page& page() const { return *m_page; }

  // Shows "/src/heat.cpp:60" in an editor, or says why not. Other text does nothing.
  void openSource(const QString& place);
  // Says that nothing is open and why this view needs a report, and links to the start page.
  void showNoReport(const QString& why);
  // For a report with only a host trace: device figures would all be zeros. `what` is the view's content, e.g. "tile memory".
  void showNoDevice(const QString& what);

  // The user chose a finding that leads here: takes ShowTab or ShowFinding and shows its target.
  virtual void takeTab() {}

  // Colours changed: restyles what the style sheet does not reach. Plots that paint themselves get the signal directly.
  virtual void themeChanged() {}
  // The unit changed (cycles or time, KiB or bytes): prints every number again.
  virtual void formatChanged() {}

  bool event(QEvent* event) override;

private:
  void openMenuOfFocus();
  QString pictureTitle(const QWidget& plot) const;
  ViewParts m_parts;
  Page* m_page;
  FindingMarks* m_marks;
  jobs::JobSet m_work;
  ViewFields m_fields{*this};
  FieldValues m_first;
};

enum class Needs { Nothing, Report, Comparison };
enum class Section { Top, Report, Bottom };

struct ViewEntry {
  QString id;       // also the name of its icon in resources/icons
  QString title;    // in the rail
  QString question; // tooltip and palette text
  Section section = Section::Report;
  Needs needs = Needs::Report;
  std::function<View*(const ViewParts&)> factory;
  // The view of the changes between two reports, shown instead of this one while the window shows the difference; empty: none, or the view
  // itself shows both.
  std::function<View*(const ViewParts&)> difference = {};
  bool showsBoth = false; // setSessions() gets both reports while the window shows the difference, else the shown one and null

  bool hasDifference() const { return showsBoth || difference; }
};

using ViewList = std::vector<ViewEntry>; // in the order of the rail; keys 1 to 9 select views of the Report section

} // namespace ui::shell
