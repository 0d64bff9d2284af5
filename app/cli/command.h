// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/cli/arguments.h"
#include "app/cli/console.h"
#include "app/client/api_client.h"
#include "app/client/box_session.h"
#include "common/async/task.h"

#include <memory>

namespace cocoonbox::app::cli {

struct Invocation;
using Call = std::shared_ptr<Invocation>;

enum class Group { Account, Box, Agents, Inside, Other };

// One verb. All of them are in the list of command_list.cpp; each is defined in a file of its own in commands/.
struct Command {
    QString name;
    QStringList aliases;
    Group group;
    QString summary; // one line for the list of verbs
    QString words;   // "[NAME]": what follows the verb, for the usage line
    QString details; // paragraphs of the verb's own help
    QStringList examples;
    QList<OptionSpec> options;
    qsizetype wordsMin = 0;
    qsizetype wordsMax = 0;
    Words reading = Words::Mixed;
    Task<int> (*run)(Call call) = nullptr; // answers the exit code
};

const QList<Command>& allCommands();
const Command* findCommand(const QString& name);
const QList<OptionSpec>& globalOptions();

// One run of a verb, alive until the process ends.
struct Invocation {
    const Command* command = nullptr;
    Arguments arguments;
    Console* console = nullptr;
    QProcessEnvironment environment;
    std::unique_ptr<client::ApiClient> api; // after signIn

    // The account that this command line, the environment and the store name.
    Task<client::Account> account() const;
    Task<void> signIn();
    // `named`, else --box, else COCOONBOX_BOX, else the only box, else the one called "main". NotFound: BOX_UNKNOWN,
    // BOX_NONE. InvalidArgument: BOX_AMBIGUOUS.
    Task<client::Box> findBox(QString named = {});
    // The box by the same rule, for calls into it.
    Task<std::unique_ptr<client::BoxSession>> openBox();
    // --agent, else the agent that changed last. NotFound: AGENT_NONE, AGENT_UNKNOWN.
    static Task<client::Agent> findAgent(client::BoxSession* box, QString agentId);
};

client::ClientName clientName();

} // namespace cocoonbox::app::cli
