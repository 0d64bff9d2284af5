// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/unique_fd.h"

#include <QByteArray>
#include <QString>

namespace cocoonbox::agent::toolhost::shell {

// Keeps the beginning and the end of a command's output; once the middle is lost, the whole of it goes to a file that
// the model can read on. The file is bounded too, and only the newest kFilesKept stay.
class OutputKeeper {
public:
    static constexpr qsizetype kHeadBytes = 20 * 1024;
    static constexpr qsizetype kTailBytes = 40 * 1024;
    static constexpr qint64 kFileBytesMax = 256LL * 1024 * 1024;
    static constexpr int kFilesKept = 50;

    explicit OutputKeeper(QString folder) : m_folder(std::move(folder)) {}

    void add(QByteArrayView bytes);
    qint64 total() const { return m_total; }
    // At most kHeadBytes + kTailBytes and a notice between them.
    QString text() const;

private:
    void openFile();
    void writeFile(QByteArrayView bytes);

    QString m_folder;
    QString m_path;
    net::UniqueFd m_file;
    QByteArray m_head;
    QByteArray m_tail;
    qint64 m_total = 0;
    qint64 m_fileBytes = 0;
    bool m_isSpilling = false;
};

} // namespace cocoonbox::agent::toolhost::shell
