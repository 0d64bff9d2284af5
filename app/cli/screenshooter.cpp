// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/screenshooter.h"

#include <QSet>

namespace cocoonbox::app::cli {

using namespace std::chrono_literals;

namespace {

constexpr auto kReconnectPause = 100ms;
constexpr auto kStillFor = 300ms;
constexpr int kDrawnColours = 64;

} // namespace

bool looksDrawn(const QImage& image)
{
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3) {
        const auto* row = reinterpret_cast<const QRgb*>(image.constScanLine(y));
        for (int x = 0; x < image.width(); x += 3) {
            colours.insert(row[x] & RGB_MASK);
            if (colours.size() > kDrawnColours) return true;
        }
    }
    return false;
}

Screenshooter::Screenshooter(client::BoxSession& box, Until until) : m_box(box), m_until(until)
{
    m_again.setSingleShot(true);
    m_again.callOnTimeout(this, &Screenshooter::connectScreen);
    m_still.setSingleShot(true);
    m_still.callOnTimeout(this, [this] {
        if (m_complete && looksDrawn(m_image)) m_taken.set(m_image.copy());
    });
}

Task<QImage> Screenshooter::take(std::chrono::milliseconds limit)
{
    QTimer deadline;
    deadline.setSingleShot(true);
    deadline.callOnTimeout(this, [this] {
        Error error{ErrorCode::DeadlineExceeded,
                    QStringLiteral("The box's screen did not show a drawn desktop in time."),
                    QStringLiteral("SCREEN_NOT_DRAWN"),
                    {},
                    {}};
        if (m_image.isNull() && m_lastFailure) error = *m_lastFailure;
        m_taken.set(std::unexpected(error));
    });
    deadline.start(limit);
    connectScreen();
    Result<QImage> taken = co_await m_taken.get();
    m_again.stop();
    m_still.stop();
    m_session.reset();
    co_return taken;
}

void Screenshooter::connectScreen()
{
    m_complete = false;
    m_session = std::make_unique<rfb::RfbSession>(m_box.openScreen(), rfb::RfbOptions{.jpegQuality = -1});
    connect(m_session.get(), &rfb::RfbSession::frameReady, this, &Screenshooter::onFrame);
    connect(m_session.get(), &rfb::RfbSession::ended, this, &Screenshooter::onEnded);
    m_session->start();
}

void Screenshooter::onFrame()
{
    const rfb::Frame frame = m_session->takeFrame();
    m_image = frame.image;
    m_complete = frame.complete;
    if (!m_complete) return;
    if (m_until == Until::Whole) return m_taken.set(m_image.copy());
    qint64 changed = 0;
    for (const QRect& rect : frame.damage)
        changed += qint64(rect.width()) * rect.height();
    const bool small = changed * 50 < qint64(m_image.width()) * m_image.height(); // a clock or a caret
    if (!m_still.isActive() || !small) m_still.start(kStillFor);
}

void Screenshooter::onEnded(const Error& error)
{
    m_lastFailure = error;
    const bool passing = error.code == ErrorCode::Unavailable || error.code == ErrorCode::DeadlineExceeded;
    if (!passing) return m_taken.set(std::unexpected(error));
    m_again.start(kReconnectPause);
}

} // namespace cocoonbox::app::cli
