// Findings of Insights inside other views: a button at the top of a view lists the findings whose evidence it shows. A click on
// one selects its evidence.
#pragma once

#include <QToolButton>

namespace analyser::insights {
struct Evidence;
struct Insight;
} // namespace analyser::insights
namespace ui::theme {
class Format;
class Theme;
} // namespace ui::theme

namespace ui::shell {

class ViewState;

// "12.0 KiB", "3.1 KiB per tile", or cycles if the finding saves time.
QString savingText(const analyser::insights::Insight& insight, const theme::Format& format);
// Selects what the evidence names; the caller opens the view that shows it.
void selectEvidence(ViewState& state, const analyser::insights::Evidence& evidence);

class FindingMarks : public QToolButton {
  Q_OBJECT

public:
  FindingMarks(const theme::Theme& theme, ViewState& state, QWidget* parent = nullptr);
  // The id of the view that shows this button. The button is hidden if no finding leads to that view.
  void setView(const QString& id);
  const QString& view() const { return m_view; }

signals:
  void evidenceSelected();
  void allRequested();

private:
  void fill();
  ViewState& m_state;
  QString m_view;
};

} // namespace ui::shell
