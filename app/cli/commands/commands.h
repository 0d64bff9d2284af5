// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/cli/command.h"

// One verb a file; command_list.cpp puts them in order.
namespace cocoonbox::app::cli {

Command loginCommand();
Command logoutCommand();
Command whoamiCommand();
Command statusCommand();
Command ensureCommand();
Command hibernateCommand();
Command deleteCommand();
Command agentsCommand();
Command sendCommand();
Command cancelCommand();
Command respondCommand();
Command transcriptCommand();
Command execCommand();
Command screenshotCommand();
Command typeCommand();
Command clipboardCommand();
Command uploadCommand();
Command downloadCommand();
Command filesCommand();
Command completionCommand();
Command versionCommand();
Command helpCommand();

} // namespace cocoonbox::app::cli
