// The scaffold of every view, top to bottom: banner, verdict line with toolbar, plot, splitter, tabs. It also owns
// the four states of content (ready, loading, empty, error), so that no view invents its own.
#pragma once

#include "analyser/session/sentence.h"
#include "reports/core/error.h"

#include <QPointer>
#include <QWidget>

#include <functional>
#include <map>
#include <vector>

class QBoxLayout;
class QFrame;
class QLabel;
class QLineEdit;
class QMenu;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace ui::theme {
class Format;
class Theme;
} // namespace ui::theme

namespace ui::shell {

class Skeleton;
class StatePage;
class VerdictLine;

enum class PagePart { Both, Plot, Tabs };

enum class Tone { Neutral, Good, Warning, Bad };

class Page : public QWidget {
  Q_OBJECT

public:
  explicit Page(const theme::Theme& theme, QWidget* parent = nullptr);

  // The answer in one sentence; its first two clauses are the headline. A tone other than Neutral puts its icon before the text.
  void setVerdict(const analyser::Sentence& sentence, Tone tone = Tone::Neutral);
  void setVerdict(const QString& words, Tone tone = Tone::Neutral);
  void clearVerdict() { setVerdict(QString()); }
  QString verdict() const; // the whole sentence
  // Sets the units of the numbers in the verdict.
  void setFormat(const theme::Format& format);

  // Controls at the right of the verdict, at most seven; `addMenu` collects the rest under "View".
  void addTool(QWidget* tool);
  QToolButton* addToolAction(const QString& icon, const QString& name, const QString& tip, std::function<void()> action);
  QMenu* viewMenu(); // created at first use

  // Adds a row below the toolbar and above the plot: a legend or a filter row.
  void addHeaderRow(QWidget* row);
  // The plot and, in the lower part of the splitter, tabs. `share` is the plot's part of the height.
  void setPlot(QWidget* plot, double share = 0.6);
  // Limits the plot to `height` pixels of its part; the rest goes to the tabs. Ends when the user moves the splitter.
  void limitPlot(int height);
  // The plot's part of the height while `tab` is shown: a tab with a plot of its own needs more space. In a short window the tab
  // gets the page's full height.
  void setPlotShareOf(const QWidget* tab, double share);
  QTabWidget* tabs(); // created at first use
  // Scrolls a low window to the tabs, as soon as they are laid out.
  void showTabs();
  // Gives one part the page's full height, or both parts their share. If the plot has the full height, the row of tabs stays
  // visible below it. Does nothing on a page without plot and tabs.
  void setTall(PagePart part);
  PagePart tall() const;
  // One widget that fills the page instead of plot and tabs.
  void setBody(QWidget* body);

  // A banner, e.g. "out of memory"; the action may be empty. It is the first row of the page. If it appears while the content is
  // visible, it covers the lower edge of the page instead.
  void setBanner(const QString& text, Tone tone, const QString& action = {}, std::function<void()> run = {});
  void clearBanner();

  void showContent();
  // Shows the skeleton with `title` ("Reading liveness"). Progress and cancel appear when `setLoading` is called.
  void showLoading(const QString& title);
  void setLoading(const QString& phase, double fraction);
  void showEmpty(const QString& title, const QString& why, const QString& action = {}, std::function<void()> run = {});
  void showError(const reports::Error& error, const QString& action = {}, std::function<void()> run = {});
  StatePage& statePage() { return *m_state; } // of showEmpty() and showError()
  bool isLoading() const;
  // Gives the keyboard focus to the content (plot, tree or table), so that its keys work at once; false if the content takes none.
  bool focusContent();

signals:
  void cancelRequested();

protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  void showTone(Tone tone);
  void showBody(QWidget* body, bool withTools);
  void arrangeTop();
  void fitTools();
  // In a short window the text above the plot is small, so that plot and table keep their space.
  void setShort(bool isShort);
  void shareHeight();
  int leastPlot() const; // pixels
  void showTab();
  void addTallButtons();
  void bringIntoSight();
  void restyle();
  void placeBanner();

  const theme::Theme& m_theme;
  QFrame* m_banner;
  QLabel *m_bannerIcon, *m_bannerText;
  QPushButton* m_bannerAction;
  QToolButton* m_bannerClose;
  QLabel* m_verdictIcon;
  VerdictLine* m_verdict;
  QBoxLayout *m_top, *m_tools, *m_header;
  QWidget *m_toolBox, *m_headerBox; // hold tools and header rows: hidden while the page has no content
  struct Field {
    QLineEdit* edit;
    int widest; // pixels of the field if there is room
  };
  std::vector<Field> m_fields; // the text fields of the toolbar
  QToolButton* m_viewButton = nullptr;
  QPointer<QWidget> m_hadFocus; // the widget that had the focus before its menu opened
  QStackedWidget* m_stack;
  QScrollArea* m_scroll; // around the splitter: in a low window the page scrolls
  QSplitter* m_splitter;
  QTabWidget* m_tabs = nullptr;
  QToolButton *m_tallPlot = nullptr, *m_tallTabs = nullptr; // buttons at the end of the row of tabs
  QWidget* m_body = nullptr;
  Skeleton* m_skeleton;
  StatePage* m_state;
  Tone m_tone = Tone::Neutral, m_bannerTone = Tone::Neutral;
  double m_plotShare = 0.6;
  std::map<const QWidget*, double> m_shareOf; // by tab, if it differs from m_plotShare
  int m_mostOfPlot = QWIDGETSIZE_MAX;         // pixels
  int m_belowAt = -1;                         // width at which the tools had to go under the verdict
  int m_leastPlot = 0, m_tabsLeast = 0;       // minimum heights in pixels: of the plot; of the visible tab
  bool m_bannerFloats = false;                // the current banner covers the lower edge of the content
  bool m_isShort = false, m_wantsAll = false,
       m_isTallByItself = false; // the page, not the user, gave the tab the full height
};

} // namespace ui::shell
