// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/window_grab.h"

#include <QImage>
#include <QQuickWindow>
#include <QTimer>

namespace cocoonbox::app::gui {

namespace {

Result<void> grab(QQuickWindow* window, const QString& file)
{
    const QImage image = window->grabWindow();
    if (image.isNull())
        return fail(ErrorCode::FailedPrecondition,
                    QStringLiteral("The window has no contents to save yet; wait longer with --after."),
                    QStringLiteral("GRAB_EMPTY"));
    if (!image.save(file, "PNG"))
        return fail(
            ErrorCode::Unavailable,
            QStringLiteral("The picture of the window could not be written to %1; check the folder and the free space.")
                .arg(file),
            QStringLiteral("GRAB_NOT_WRITTEN"));
    return {};
}

} // namespace

void grabWindowLater(QQuickWindow* window, const QString& file, std::chrono::milliseconds delay,
                     std::function<void(Result<void>)> done)
{
    QTimer::singleShot(delay, window, [window, file, done = std::move(done)] { done(grab(window, file)); });
}

} // namespace cocoonbox::app::gui
