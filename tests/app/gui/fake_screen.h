// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/byte_stream.h"

#include <condition_variable>
#include <mutex>
#include <QByteArray>
#include <QImage>
#include <QList>
#include <QPoint>
#include <QRegion>

namespace cocoonbox::test {

// An RFB 3.8 server in memory, seen from the client's end of the stream: raw updates of one picture, and a record of
// the input it got. Thread-safe, as a ByteStream is.
class FakeScreen final : public app::rfb::ByteStream {
public:
    explicit FakeScreen(QImage desktop);

    Result<qsizetype> read(char* to, qsizetype capacity, std::chrono::milliseconds limit) override;
    bool write(QByteArrayView message) override;
    void close() override;

    // Changes the picture; the client hears of it when it asks, as RFB has it.
    void paint(const QRect& rect, QColor color);
    // Another desktop; the client is told the size and asks for the picture.
    void resize(const QImage& desktop);
    // The shape of the pointer, all of it opaque.
    void setCursor(const QImage& shape, QPoint hotSpot);
    // Back and forward, which plain RFB has no bits for.
    void offerMoreButtons();
    // Answers to requests for the picture stop and go on: an update that is on its way for long.
    void holdPictures(bool hold);
    QImage desktop() const;
    void end() { close(); }

    struct Key {
        quint32 keysym;
        bool down;
        bool operator==(const Key&) const = default;
    };
    struct Pointer {
        QPoint position;
        int buttons;
        bool operator==(const Pointer&) const = default;
    };
    QList<Key> keys() const;
    QList<Pointer> pointers() const;
    int requests() const; // for updates
    QByteArray cutText() const;
    void copy(const QByteArray& latin1); // in the box

private:
    enum class Stage { Version, Security, ClientInit, Running };
    bool takeMessage();
    bool takeRunning();
    void answer(const QByteArray& bytes);
    void sendDamage();

    mutable std::mutex m_mutex;
    std::condition_variable m_ready;
    QImage m_desktop;
    QByteArray m_toClient;
    QByteArray m_fromClient;
    Stage m_stage = Stage::Version;
    QRegion m_damage;
    bool m_asked = false;
    bool m_held = false;
    int m_requests = 0;
    QByteArray m_cutText;
    bool m_closed = false;
    QList<Key> m_keys;
    QList<Pointer> m_pointers;
};

} // namespace cocoonbox::test
