// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/desktop/screen_fit.h"

#include "agent/toolhost/desktop/x_session.h"

#include <cstring>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::toolhost::desktop {

namespace {

xcb_extension_t g_randr{"RANDR", 0};

// RANDR 1.3 as it goes over the wire.
constexpr quint8 kQueryVersion = 0;
constexpr quint8 kSelectInput = 4;
constexpr quint8 kCreateMode = 16;
constexpr quint8 kDestroyMode = 17;
constexpr quint8 kAddOutputMode = 18;
constexpr quint8 kDeleteOutputMode = 19;
constexpr quint8 kGetCrtcInfo = 20;
constexpr quint8 kSetCrtcConfig = 21;
constexpr quint8 kGetScreenResourcesCurrent = 25;
constexpr quint16 kScreenChanged = 1;
constexpr quint16 kUpright = 1;

struct Mode {
    quint32 id = 0;
    quint16 width = 0;
    quint16 height = 0;
    quint32 dotClock = 0;
    quint16 horizontal[4] = {}; // sync start, sync end, total, skew
    quint16 vertical[3] = {};   // sync start, sync end, total
    quint16 nameLength = 0;
    quint32 flags = 0;
};
static_assert(sizeof(Mode) == 32);
struct Two {
    quint32 header = 0;
    quint32 first = 0;
    quint32 second = 0;
};
struct NewMode {
    quint32 header = 0;
    quint32 window = 0;
    Mode mode;
    char name[12] = {};
};
struct CrtcConfig {
    quint32 header = 0;
    quint32 crtc = 0;
    quint32 time = XCB_CURRENT_TIME;
    quint32 configTime = 0;
    quint32 place = 0; // x and y
    quint32 mode = 0;
    quint16 rotation = kUpright;
    quint16 pad = 0;
    quint32 output = 0;
};
static_assert(sizeof(CrtcConfig) == 32);

struct Resources {
    quint32 configTime = 0;
    quint32 crtc = 0;
    quint32 output = 0;
    QList<Mode> modes;
};

constexpr auto kForever = std::chrono::hours(24);
constexpr auto kSettle = 30ms; // the module changes the screen in several steps

template <class T>
T valueAt(const QByteArray& bytes, qsizetype at)
{
    T value{};
    if (at + static_cast<qsizetype>(sizeof value) <= bytes.size())
        std::memcpy(&value, bytes.constData() + at, sizeof value);
    return value;
}

Resources resourcesOf(XSession& session)
{
    struct Ask {
        quint32 header = 0;
        quint32 window = 0;
    };
    const QByteArray reply = session.ask(&g_randr, kGetScreenResourcesCurrent, Ask{.window = session.root()});
    const auto crtcs = valueAt<quint16>(reply, 16);
    const auto outputs = valueAt<quint16>(reply, 18);
    const auto modes = valueAt<quint16>(reply, 20);
    Resources resources;
    resources.configTime = valueAt<quint32>(reply, 12);
    qsizetype at = 32;
    if (crtcs > 0) resources.crtc = valueAt<quint32>(reply, at);
    at += 4 * crtcs;
    if (outputs > 0) resources.output = valueAt<quint32>(reply, at);
    at += 4 * outputs;
    for (int i = 0; i < modes; ++i, at += static_cast<qsizetype>(sizeof(Mode)))
        resources.modes.append(valueAt<Mode>(reply, at));
    return resources;
}

quint32 newMode(XSession& session, quint16 width, quint16 height)
{
    // As the modes of the configuration: the least blanking, 60 Hz, which programs take for the screen's rate.
    NewMode request{.window = session.root()};
    const auto totalWidth = static_cast<quint16>(width + 160);
    const auto totalHeight = static_cast<quint16>(height + 20);
    const QByteArray name = QByteArray::number(width) + 'x' + QByteArray::number(height) + "_";
    request.mode = {.id = 0,
                    .width = width,
                    .height = height,
                    .dotClock = 60U * totalWidth * totalHeight,
                    .horizontal = {static_cast<quint16>(width + 48), static_cast<quint16>(width + 80), totalWidth, 0},
                    .vertical = {static_cast<quint16>(height + 3), static_cast<quint16>(height + 9), totalHeight},
                    .nameLength = static_cast<quint16>(std::min<qsizetype>(name.size(), sizeof request.name)),
                    .flags = 0};
    std::memcpy(request.name, name.constData(), request.mode.nameLength);
    return valueAt<quint32>(session.ask(&g_randr, kCreateMode, request), 8);
}

// The mode that was made here, if any, which the next one replaces.
class Fitter {
public:
    explicit Fitter(XSession& session) : m_session(session) {}

    void fit()
    {
        const Reply<xcb_get_geometry_reply_t> size(xcb_get_geometry_reply(
            m_session.connection(), xcb_get_geometry(m_session.connection(), m_session.root()), nullptr));
        const Resources there = resourcesOf(m_session);
        if (!size || there.crtc == 0 || there.output == 0) return;
        const QByteArray shown =
            m_session.ask(&g_randr, kGetCrtcInfo, Two{.first = there.crtc, .second = there.configTime});
        if (valueAt<quint16>(shown, 16) == size->width && valueAt<quint16>(shown, 18) == size->height) return;
        set(there, modeFor(there, size->width, size->height));
    }

private:
    quint32 modeFor(const Resources& there, quint16 width, quint16 height)
    {
        for (const Mode& mode : there.modes)
            if (mode.width == width && mode.height == height) return mode.id;
        const quint32 made = newMode(m_session, width, height);
        if (made == 0) return 0;
        m_session.request(&g_randr, kAddOutputMode, Two{.first = there.output, .second = made});
        m_next = made;
        return made;
    }
    void set(const Resources& there, quint32 mode)
    {
        if (mode == 0) return;
        (void)m_session.ask(
            &g_randr, kSetCrtcConfig,
            CrtcConfig{.crtc = there.crtc, .configTime = there.configTime, .mode = mode, .output = there.output});
        if (m_next == 0) return;
        if (m_made != 0) {
            m_session.request(&g_randr, kDeleteOutputMode, Two{.first = there.output, .second = m_made});
            struct Destroy {
                quint32 header = 0;
                quint32 mode = 0;
            };
            m_session.request(&g_randr, kDestroyMode, Destroy{.mode = m_made});
        }
        m_made = std::exchange(m_next, 0);
        m_session.flush();
    }

    XSession& m_session;
    quint32 m_made = 0;
    quint32 m_next = 0;
};

} // namespace

Result<void> fitOutput()
{
    TRY_ASSIGN(const std::unique_ptr<XSession> session, XSession::open());
    const auto randr = session->extension(&g_randr);
    if (!randr) return screenUnreachable();
    const quint8 changed = (*randr)->first_event;
    (void)session->ask(&g_randr, kQueryVersion, Two{.first = 1, .second = 3});
    session->request(&g_randr, kSelectInput, Two{.first = session->root(), .second = kScreenChanged});
    Fitter fitter(*session);
    bool isNews = true;
    for (;;) {
        TRY_ASSIGN(const Event event, session->next(Clock::now() + (isNews ? kSettle : kForever)));
        if (event && (event->response_type & 0x7f) == changed) isNews = true;
        if (event || !isNews) continue;
        isNews = false;
        fitter.fit();
    }
}

} // namespace cocoonbox::agent::toolhost::desktop
