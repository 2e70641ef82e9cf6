// Rows of Run's form: a name and a field.
#pragma once

#include <QString>

#include <functional>

class QFormLayout;
class QLineEdit;
class QWidget;

namespace ui::run {

// Adds a row. A field without an accessible name gets the title; a list or a number leaves the wheel to the page.
void addField(QFormLayout& form, const QString& title, QWidget* field);
// A field for the name of a file or folder, beside a button that calls `choose` to ask for the name (empty: nothing was chosen).
QWidget* pathRow(QLineEdit*& field, const QString& name, const QString& hint, std::function<QString()> choose);

} // namespace ui::run
