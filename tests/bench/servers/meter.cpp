// SPDX-License-Identifier: AGPL-3.0-only
// A viewer without a window, on libvncclient: `cocoonbox-bench-meter SOCKET keys|full|idle SECONDS`. One JSON line.
// keys: milliseconds from a key to the pixel in our picture. full: pictures a second that differ. idle: updates.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <rfb/rfbclient.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
int g_updates = 0;

rfbClient* connectTo(char* socket)
{
    rfbClient* client = rfbGetClient(8, 3, 4);
    client->format.redShift = 16;
    client->format.greenShift = 8;
    client->format.blueShift = 0;
    client->appData.encodingsString = "tight copyrect zrle hextile raw";
    client->appData.compressLevel = 1;
    client->appData.qualityLevel = 8;
    client->appData.useRemoteCursor = TRUE; // as a cursor of ours: it is no part of the picture
    client->FinishedFrameBufferUpdate = [](rfbClient*) { ++g_updates; };
    client->canHandleNewFBSize = TRUE;
    free(client->serverHost);
    client->serverHost = strdup(socket);
    if (!rfbInitClient(client, nullptr, nullptr)) return nullptr;
    return client;
}

// One message at most; false when the server is gone.
bool step(rfbClient* client, unsigned microseconds)
{
    const int ready = WaitForMessage(client, microseconds);
    if (ready < 0) return false;
    return ready == 0 || HandleRFBServerMessage(client);
}

uint32_t pixelAt(const rfbClient* client, int x, int y)
{
    uint32_t pixel = 0;
    std::memcpy(&pixel, client->frameBuffer + (static_cast<size_t>(y) * client->width + x) * 4, 4);
    return pixel & 0xffffff;
}

double share(std::vector<double>& values, double part)
{
    if (values.empty()) return -1;
    std::ranges::sort(values);
    return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

bool measureKeys(rfbClient* client, double seconds)
{
    std::vector<double> times;
    const auto started = Clock::now();
    while (Clock::now() - started < std::chrono::duration<double>(seconds)) {
        // Not in step with the server's own clock.
        const auto until = Clock::now() + std::chrono::milliseconds(60 + std::rand() % 40);
        while (Clock::now() < until)
            if (!step(client, 2000)) return false;
        const uint32_t before = pixelAt(client, 32, 32);
        const auto pressed = Clock::now();
        SendKeyEvent(client, 'a', TRUE);
        SendKeyEvent(client, 'a', FALSE);
        while (pixelAt(client, 32, 32) == before && Clock::now() - pressed < std::chrono::seconds(1))
            if (!step(client, 500)) return false;
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - pressed).count());
    }
    std::printf("{\"keys\": %zu, \"p50_ms\": %.2f, \"p95_ms\": %.2f}\n", times.size(), share(times, .5),
                share(times, .95));
    return true;
}

bool measureFrames(rfbClient* client, double seconds)
{
    int frames = 0;
    uint32_t last = 0;
    const auto started = Clock::now();
    while (Clock::now() - started < std::chrono::duration<double>(seconds)) {
        const int before = g_updates;
        if (!step(client, 2000)) return false;
        if (g_updates == before) continue;
        uint32_t sum = 0;
        for (int x = 100; x < client->width; x += 50)
            sum = sum * 31 + pixelAt(client, x, client->height / 2);
        frames += sum != last;
        last = sum;
    }
    const double took = std::chrono::duration<double>(Clock::now() - started).count();
    std::printf("{\"fps\": %.1f, \"updates_s\": %.1f}\n", frames / took, g_updates / took);
    return true;
}

} // namespace

int main(int argc, char* argv[])
{
    if (argc != 4) return 2;
    rfbEnableClientLogging = FALSE;
    rfbClient* client = connectTo(argv[1]);
    if (!client) return 1;
    const double seconds = std::atof(argv[3]);
    const bool isKeys = std::strcmp(argv[2], "keys") == 0;
    return (isKeys ? measureKeys(client, seconds) : measureFrames(client, seconds)) ? 0 : 1;
}
