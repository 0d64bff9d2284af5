// SPDX-License-Identifier: AGPL-3.0-only
#include "api/boxes/box.h"

#include <array>
#include <utility>

namespace cocoonbox::api::boxes {

namespace {

constexpr std::array kStates = {
    std::pair{BoxState::Starting, "starting"},
    std::pair{BoxState::Running, "running"},
    std::pair{BoxState::Hibernating, "hibernating"},
    std::pair{BoxState::Hibernated, "hibernated"},
    std::pair{BoxState::Failed, "failed"},
    std::pair{BoxState::Deleting, "deleting"},
    std::pair{BoxState::Gone, "gone"},
};

constexpr std::array kPhases = {
    std::pair{Phase::Creating, "creating"},      std::pair{Phase::Waking, "waking"},
    std::pair{Phase::Connecting, "connecting"},  std::pair{Phase::Stopping, "stopping"},
    std::pair{Phase::CleaningUp, "cleaning-up"}, std::pair{Phase::Done, "done"},
    std::pair{Phase::Failed, "failed"},
};

template <class Table, class Value>
QString nameIn(const Table& table, Value value)
{
    for (const auto& [known, name] : table)
        if (known == value) return QString::fromLatin1(name);
    Q_UNREACHABLE_RETURN({});
}

} // namespace

QString boxStateName(BoxState state)
{
    return nameIn(kStates, state);
}
QString phaseName(Phase phase)
{
    return nameIn(kPhases, phase);
}

BoxState boxStateOf(const QString& name)
{
    for (const auto& [state, known] : kStates)
        if (name == QLatin1StringView(known)) return state;
    return BoxState::Failed; // the table's CHECK lets nothing else in
}

Phase phaseOf(const QString& name)
{
    for (const auto& [phase, known] : kPhases)
        if (name == QLatin1StringView(known)) return phase;
    return Phase::Failed;
}

} // namespace cocoonbox::api::boxes
