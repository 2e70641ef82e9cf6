// The recent reports and comparisons, newest first, in as many columns as fit: two rows, all on demand. A deleted file stays
// listed, dim, and offers its removal.
#pragma once

#include <QDateTime>
#include <QRect>
#include <QStringList>
#include <QWidget>

#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::home {

// "just now", "12 minutes ago", "yesterday", "3 Nov 2026".
QString ago(const QDateTime& then, const QDateTime& now);

class RecentList : public QWidget {
  Q_OBJECT

public:
  explicit RecentList(const theme::Theme& theme, QWidget* parent = nullptr);
  void setEntries(const QList<QStringList>& entries);
  void setAllShown(bool all);
  bool isAllShown() const { return m_all; }
  // The number of visible reports.
  int shown() const;
  int count() const { return int(m_entries.size()); }
  QRect cellOf(int entry) const;
  QString factsBeside(int entry) const; // size and time, as far as the name leaves room for them

signals:
  void shownChanged();
  void openRequested(const QStringList& files);
  void removeRequested(const QStringList& files);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

private:
  struct Entry {
    QStringList files;
    QString name, folder, when, size;
    bool missing = false;
  };
  int columns() const;
  bool isRemovable(int entry) const { return entry == m_hovered || m_entries[std::size_t(entry)].missing; }
  void fit();
  int entryAt(const QPoint& at) const;
  QRect removeBox(int entry) const;
  void paintEntry(QPainter& painter, int index) const;
  void choose(int entry);
  const theme::Theme& m_theme;
  std::vector<Entry> m_entries;
  int m_hovered = -1, m_cursor = 0;
  bool m_overRemove = false, m_all = false;
};

} // namespace ui::home
