// SPDX-License-Identifier: AGPL-3.0-only
// What the meter looks at, on the box's own screen: `cocoonbox-bench-motion keys|full SECONDS`.
// keys: the square at the top left turns from black to white and back with each key. full: the whole screen shows
// another part of a noisy picture, 60 times a second. It prints how many pictures it drew.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>
#include <xcb/xcb.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSquare = 64;
constexpr int kStripe = 16; // rows of the picture sent at once: below the server's largest request

struct Stage {
    xcb_connection_t* connection = xcb_connect(nullptr, nullptr);
    xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    xcb_window_t window = xcb_generate_id(connection);
    xcb_gcontext_t brush = xcb_generate_id(connection);

    Stage()
    {
        const uint32_t values[] = {0, 1, XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_EXPOSURE};
        xcb_create_window(connection, XCB_COPY_FROM_PARENT, window, screen->root, 0, 0, screen->width_in_pixels,
                          screen->height_in_pixels, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
                          XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values);
        xcb_create_gc(connection, brush, window, 0, nullptr);
        xcb_map_window(connection, window);
        xcb_set_input_focus(connection, XCB_INPUT_FOCUS_POINTER_ROOT, window, XCB_CURRENT_TIME);
        sync();
    }
    void sync() const { std::free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nullptr)); }
};

// A picture of gradients and noise, twice as wide and high as the screen: no server can call it flat.
xcb_pixmap_t makePicture(const Stage& stage)
{
    const int width = stage.screen->width_in_pixels * 2;
    const int height = stage.screen->height_in_pixels * 2;
    const xcb_pixmap_t picture = xcb_generate_id(stage.connection);
    xcb_create_pixmap(stage.connection, stage.screen->root_depth, picture, stage.window, static_cast<uint16_t>(width),
                      static_cast<uint16_t>(height));
    std::vector<uint32_t> stripe(static_cast<size_t>(width) * kStripe);
    uint32_t random = 12345;
    for (int y = 0; y + kStripe <= height; y += kStripe) {
        for (size_t i = 0; i < stripe.size(); ++i) {
            random = random * 1664525U + 1013904223U;
            const auto x = static_cast<uint32_t>(i % static_cast<size_t>(width));
            stripe[i] = ((x / 8 % 200) << 16 | (static_cast<uint32_t>(y) / 8 % 200) << 8 | 96) + (random >> 28);
        }
        xcb_put_image(stage.connection, XCB_IMAGE_FORMAT_Z_PIXMAP, picture, stage.brush, static_cast<uint16_t>(width),
                      kStripe, 0, static_cast<int16_t>(y), 0, stage.screen->root_depth,
                      static_cast<uint32_t>(stripe.size() * 4), reinterpret_cast<const uint8_t*>(stripe.data()));
    }
    stage.sync();
    return picture;
}

int moveFor(const Stage& stage, double seconds)
{
    const xcb_pixmap_t picture = makePicture(stage);
    const auto started = Clock::now();
    int drawn = 0;
    for (auto next = started; Clock::now() - started < std::chrono::duration<double>(seconds);) {
        const auto x = static_cast<int16_t>(drawn * 7 % stage.screen->width_in_pixels);
        const auto y = static_cast<int16_t>(drawn * 3 % stage.screen->height_in_pixels);
        xcb_copy_area(stage.connection, picture, stage.window, stage.brush, x, y, 0, 0, stage.screen->width_in_pixels,
                      stage.screen->height_in_pixels);
        stage.sync();
        ++drawn;
        next += std::chrono::nanoseconds(1'000'000'000 / 60);
        std::this_thread::sleep_until(next);
    }
    return drawn;
}

int answerKeys(const Stage& stage, double seconds)
{
    bool isWhite = false;
    int keys = 0;
    const auto started = Clock::now();
    while (Clock::now() - started < std::chrono::duration<double>(seconds)) {
        xcb_generic_event_t* event = xcb_poll_for_event(stage.connection);
        if (!event) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            continue;
        }
        if ((event->response_type & 0x7f) == XCB_KEY_PRESS) {
            isWhite = !isWhite;
            ++keys;
            const uint32_t colour = isWhite ? 0xffffff : 0;
            xcb_change_gc(stage.connection, stage.brush, XCB_GC_FOREGROUND, &colour);
            const xcb_rectangle_t square{0, 0, kSquare, kSquare};
            xcb_poly_fill_rectangle(stage.connection, stage.window, stage.brush, 1, &square);
            xcb_flush(stage.connection);
        }
        std::free(event);
    }
    return keys;
}

} // namespace

int main(int argc, char* argv[])
{
    if (argc != 3) return 2;
    const Stage stage;
    const double seconds = std::atof(argv[2]);
    const int count = std::strcmp(argv[1], "keys") == 0 ? answerKeys(stage, seconds) : moveFor(stage, seconds);
    std::printf("%d\n", count);
    return 0;
}
