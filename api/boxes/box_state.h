// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/box.h"

// The life of a box as one pure function. Everything that happens to a box is an event; the answer is the next state
// and the one thing to do. tests/api/boxes/tst_box_state.cpp has every pair.
namespace cocoonbox::api::boxes {

enum class Event {
    EnsureAsked,
    HibernateAsked,
    DeleteAsked,

    // What an operation came to. An operation that was replaced reports nothing.
    Started,
    StartFailed,
    Stopped,
    StopFailed,
    Removed,
    RemoveFailed,

    // What the backend tells by itself.
    MachineDied,      // ended without being asked to
    MachineDiedAgain, // the same within kRestartIntervalMs of the last restart
    MachineVanished,  // removed behind our back, its disk with it

    // What the backend holds when the api starts.
    FoundRunning,
    FoundStopped,
    FoundDied,
    FoundNothing,
};

enum class Action {
    None,
    Refuse,   // BOX_BUSY
    Start,    // operation: claim, wake, connect; a machine that runs is stopped first
    Restart,  // the same, because it died
    Adopt,    // operation: connect to the machine that still runs
    Stop,     // operation: hibernate
    Remove,   // operation: release
    Conclude, // end the open operation, if there is one, as the state says
};

struct Transition {
    BoxState state;
    Action action;

    friend bool operator==(const Transition&, const Transition&) = default;
};

// A machine that dies while its box runs is started again, once in this time; the next death fails the box, so that a
// box that cannot run does not loop.
inline constexpr qint64 kRestartIntervalMs = 10 * 60 * 1000;

Transition transition(BoxState state, Event event);

} // namespace cocoonbox::api::boxes
