// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/box_session.h"
#include "app/rfb/rfb_session.h"

#include <optional>
#include <QElapsedTimer>
#include <QTimer>

namespace cocoonbox::app::cli {

// Waits for a picture of the box's screen: a whole one, or one that looks like a drawn desktop. Connects again while
// the screen is not there yet.
class Screenshooter final : public QObject {
    Q_OBJECT
public:
    enum class Until { Whole, Drawn };

    Screenshooter(client::BoxSession& box, Until until);
    // DeadlineExceeded: SCREEN_NOT_DRAWN, or the last failure of the screen.
    Task<QImage> take(std::chrono::milliseconds limit);

private:
    void connectScreen();
    void onFrame();
    void onEnded(const Error& error);

    client::BoxSession& m_box;
    Until m_until;
    std::unique_ptr<rfb::RfbSession> m_session;
    QTimer m_again;
    QTimer m_still; // the picture has not changed since it was started
    QImage m_image;
    bool m_complete = false;
    std::optional<Error> m_lastFailure;
    Promise<Result<QImage>> m_taken;
};

// Many colours: a root window, a bare pattern or a text console has few.
bool looksDrawn(const QImage& image);

} // namespace cocoonbox::app::cli
