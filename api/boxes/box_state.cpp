// SPDX-License-Identifier: AGPL-3.0-only
#include "api/boxes/box_state.h"

namespace cocoonbox::api::boxes {

namespace {

using S = BoxState;
using E = Event;
using A = Action;

Transition starting(Event event)
{
    switch (event) {
    case E::EnsureAsked: return {S::Starting, A::None};
    case E::HibernateAsked: return {S::Hibernating, A::Stop};
    case E::DeleteAsked: return {S::Deleting, A::Remove};
    case E::Started: return {S::Running, A::Conclude};
    case E::StartFailed: return {S::Failed, A::Conclude};
    case E::FoundRunning: // its wake id may not be the stored one
    case E::FoundStopped:
    case E::FoundDied:
    case E::FoundNothing: return {S::Starting, A::Start};
    case E::MachineDied: // the operation at work sees these by itself
    case E::MachineDiedAgain:
    case E::MachineVanished:
    case E::Stopped:
    case E::StopFailed:
    case E::Removed:
    case E::RemoveFailed: return {S::Starting, A::None};
    }
    Q_UNREACHABLE_RETURN({});
}

Transition running(Event event)
{
    switch (event) {
    case E::EnsureAsked: return {S::Running, A::None};
    case E::HibernateAsked: return {S::Hibernating, A::Stop};
    case E::DeleteAsked: return {S::Deleting, A::Remove};
    case E::MachineDied: return {S::Starting, A::Restart};
    case E::MachineDiedAgain:
    case E::MachineVanished: return {S::Failed, A::None};
    case E::FoundRunning: return {S::Starting, A::Adopt};
    case E::FoundStopped: return {S::Hibernated, A::None};
    case E::FoundDied:
    case E::FoundNothing: return {S::Failed, A::None};
    case E::Started:
    case E::StartFailed:
    case E::Stopped:
    case E::StopFailed:
    case E::Removed:
    case E::RemoveFailed: return {S::Running, A::None};
    }
    Q_UNREACHABLE_RETURN({});
}

Transition hibernating(Event event)
{
    switch (event) {
    case E::EnsureAsked: return {S::Hibernating, A::Refuse};
    case E::DeleteAsked: return {S::Deleting, A::Remove};
    case E::Stopped: return {S::Hibernated, A::Conclude};
    case E::StopFailed: return {S::Failed, A::Conclude};
    case E::FoundRunning: return {S::Hibernating, A::Stop};
    case E::FoundStopped:
    case E::FoundDied: return {S::Hibernated, A::Conclude};
    case E::FoundNothing: return {S::Failed, A::Conclude};
    case E::HibernateAsked:
    case E::MachineDied:
    case E::MachineDiedAgain:
    case E::MachineVanished:
    case E::Started:
    case E::StartFailed:
    case E::Removed:
    case E::RemoveFailed: return {S::Hibernating, A::None};
    }
    Q_UNREACHABLE_RETURN({});
}

Transition hibernated(Event event)
{
    switch (event) {
    case E::EnsureAsked: return {S::Starting, A::Start};
    case E::DeleteAsked: return {S::Deleting, A::Remove};
    case E::FoundRunning: return {S::Hibernating, A::Stop}; // somebody started it: nobody could reach it
    case E::MachineVanished:
    case E::FoundNothing: return {S::Failed, A::None};
    case E::HibernateAsked:
    case E::MachineDied:
    case E::MachineDiedAgain:
    case E::FoundStopped:
    case E::FoundDied:
    case E::Started:
    case E::StartFailed:
    case E::Stopped:
    case E::StopFailed:
    case E::Removed:
    case E::RemoveFailed: return {S::Hibernated, A::None};
    }
    Q_UNREACHABLE_RETURN({});
}

Transition failed(Event event)
{
    switch (event) {
    case E::EnsureAsked: return {S::Starting, A::Start};
    case E::HibernateAsked: return {S::Hibernating, A::Stop};
    case E::DeleteAsked: return {S::Deleting, A::Remove};
    default: return {S::Failed, A::None};
    }
}

Transition deleting(Event event)
{
    switch (event) {
    case E::EnsureAsked:
    case E::HibernateAsked: return {S::Deleting, A::Refuse};
    case E::Removed: return {S::Gone, A::Conclude};
    case E::RemoveFailed: return {S::Failed, A::Conclude};
    case E::FoundRunning:
    case E::FoundStopped:
    case E::FoundDied:
    case E::FoundNothing: return {S::Deleting, A::Remove};
    case E::DeleteAsked:
    case E::MachineDied:
    case E::MachineDiedAgain:
    case E::MachineVanished:
    case E::Started:
    case E::StartFailed:
    case E::Stopped:
    case E::StopFailed: return {S::Deleting, A::None};
    }
    Q_UNREACHABLE_RETURN({});
}

} // namespace

Transition transition(BoxState state, Event event)
{
    switch (state) {
    case S::Starting: return starting(event);
    case S::Running: return running(event);
    case S::Hibernating: return hibernating(event);
    case S::Hibernated: return hibernated(event);
    case S::Failed: return failed(event);
    case S::Deleting: return deleting(event);
    case S::Gone: return {S::Gone, A::None};
    }
    Q_UNREACHABLE_RETURN({});
}

} // namespace cocoonbox::api::boxes
