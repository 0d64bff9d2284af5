// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/agent_types.h"
#include "app/client/control_types.h"

#include <string>

namespace cocoonbox::control::v1 {
class User;
class Box;
class BoxList;
class Operation;
class OperationEvent;
} // namespace cocoonbox::control::v1
namespace cocoonbox::agent::v1 {
class Agent;
class Entry;
class Baton;
class HelloResponse;
class SendAccepted;
class ExecStart;
class ClipboardChanged;
class FileEntry;
class FileList;
} // namespace cocoonbox::agent::v1

// Between protoc's messages and this part's values. A value of an enum that this build does not know becomes Unknown.
namespace cocoonbox::app::client {

inline QString fromWire(const std::string& text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

User fromWire(const control::v1::User& user);
Box fromWire(const control::v1::Box& box);
QList<Box> fromWire(const control::v1::BoxList& list);
Operation fromWire(const control::v1::Operation& operation);
OperationEvent fromWire(const control::v1::OperationEvent& event);

Agent fromWire(const agent::v1::Agent& agent);
Entry fromWire(const agent::v1::Entry& entry);
Baton fromWire(const agent::v1::Baton& baton);
Hello fromWire(const agent::v1::HelloResponse& hello);
SendAccepted fromWire(const agent::v1::SendAccepted& accepted);
agent::v1::ExecStart toWire(const ExecStart& start);
QList<ClipboardKind> fromWire(const agent::v1::ClipboardChanged& changed);
FileEntry fromWire(const agent::v1::FileEntry& entry);
FileList fromWire(const agent::v1::FileList& list);

} // namespace cocoonbox::app::client
