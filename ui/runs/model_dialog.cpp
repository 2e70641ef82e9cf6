#include "ui/runs/model_dialog.h"

#include <QCoreApplication>
#include <QFileDialog>

namespace ui::shell {

QString chooseModel(QWidget* parent, const QString& from) {
  return QFileDialog::getOpenFileName(parent, QCoreApplication::translate("run", "Choose a model"), from,
                                      QCoreApplication::translate("run", "ONNX models (*.onnx);;All files (*)"));
}

} // namespace ui::shell
