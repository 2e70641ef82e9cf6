// `fetch ssh://host/path`: a local copy of a report or trace on another computer, or the list of a folder there.
#pragma once

#include "app/cli/command.h"
#include "app/cli/console_progress.h"
#include "app/cli/remote_file.h"

namespace app::cli {

class FetchCommand final : public Command {
public:
  void declare(Options& command) override;
  int run(Context& context) override;
  const char* name() const override { return "fetch"; }
  const char* summary() const override { return "Copy a file from another computer over ssh, or list a folder there"; }

private:
  std::string m_place, m_configuration;
  void printList(Context& context, const RemotePlace& place, const std::vector<RemoteEntry>& entries) const;
  bool m_list = false, m_reload = false, m_json = false;
  ProgressStyle m_progress = ProgressStyle::Automatic;
};

// Replaces arguments that name remote files by local copies. After -o, remote names are rejected. Arguments of `fetch` are not
// changed.
std::vector<std::string> withLocalCopies(std::vector<std::string> arguments, const Context& context);

} // namespace app::cli
