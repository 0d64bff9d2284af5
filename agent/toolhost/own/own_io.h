// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QByteArray>
#include <QJsonObject>

// Standard input and output of toolhost's own programs (port/own_program.h). Blocking: one program, one thing.
namespace cocoonbox::agent::toolhost::own {

// The frames of a content from a file descriptor.
class FramedInput {
public:
    explicit FramedInput(int fd) : m_fd(fd) {}

    // The next piece; empty when the content is whole. Aborted: INPUT_BROKEN when it ends before.
    Result<QByteArray> next();
    // All of it. ResourceExhausted: `reason`.
    Result<QByteArray> whole(qsizetype bytesMax, const QString& reason);

private:
    Result<void> fill(char* into, size_t size) const;

    int m_fd;
};

// False when the reader is gone.
bool writeAll(int fd, QByteArrayView bytes);
bool writeLine(int fd, const QJsonObject& object);

} // namespace cocoonbox::agent::toolhost::own
