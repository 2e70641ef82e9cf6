// The recent reports and comparisons, newest first. A file that is gone stays listed, dim, and offers its removal.
#pragma once

#include <QDateTime>
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
  QSize sizeHint() const override;

signals:
  void openRequested(const QStringList& files);
  void removeRequested(const QStringList& files);

protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  struct Entry {
    QStringList files;
    QString name, folder, when, size;
    bool missing = false;
  };
  int rowAt(const QPoint& at) const;
  QRect removeBox(int row) const;
  void choose(int row);
  const theme::Theme& m_theme;
  std::vector<Entry> m_entries;
  int m_hovered = -1, m_cursor = 0;
  bool m_overRemove = false;
};

} // namespace ui::home
