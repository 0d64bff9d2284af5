// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <mutex>
#include <optional>
#include <QByteArray>
#include <QString>

namespace cocoonbox::app::rfb {

// Text between the two clipboards. With a server that speaks the extended clipboard our text stays here until somebody
// pastes in the box, so that what is copied for another program (a password) is not sent; other servers get Latin-1
// at once. Any thread.
class Clipboard {
public:
    // The messages to send for a new local text.
    QByteArray offer(const QString& text);

    struct Reaction {
        QByteArray send;                 // to the server; may be empty
        std::optional<QString> received; // a text for the local clipboard
    };
    // The body of an extended ServerCutText message (flags first). Nonsense is DataLoss.
    Result<Reaction> onExtended(QByteArrayView body);
    static QString fromLatin1(QByteArrayView text);

private:
    std::mutex m_mutex;
    QByteArray m_text; // ours, UTF-8 with CRLF, as it goes out
    bool m_extended = false;
};

// zlib of a 32 bit length and the text with its terminating zero; the form of the extended clipboard.
QByteArray packClipboardText(QByteArrayView text);
Result<QByteArray> unpackClipboardText(QByteArrayView packed);

} // namespace cocoonbox::app::rfb
