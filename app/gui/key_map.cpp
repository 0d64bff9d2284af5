// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/key_map.h"

#include <algorithm>
#include <array>
#include <QGuiApplication>
#include <QKeyEvent>

namespace cocoonbox::app::gui {

namespace {

constexpr quint32 kXkbOffset = 8;              // X keycodes are evdev codes shifted by eight
constexpr quint32 kUnicodeKeysym = 0x01000000; // keysyms of characters outside Latin-1

struct QtKeysym {
    int key;
    quint32 keysym;
};

// The keysyms of keys that produce no text (X11/keysymdef.h).
// clang-format off
constexpr auto kQtKeysyms = std::to_array<QtKeysym>({
    {Qt::Key_Backspace, 0xff08}, {Qt::Key_Tab, 0xff09},       {Qt::Key_Backtab, 0xff09},    {Qt::Key_Return, 0xff0d},
    {Qt::Key_Pause, 0xff13},     {Qt::Key_ScrollLock, 0xff14}, {Qt::Key_SysReq, 0xff15},    {Qt::Key_Escape, 0xff1b},
    {Qt::Key_Multi_key, 0xff20}, {Qt::Key_Kanji, 0xff21},     {Qt::Key_Muhenkan, 0xff22},   {Qt::Key_Henkan, 0xff23},
    {Qt::Key_Home, 0xff50},      {Qt::Key_Left, 0xff51},      {Qt::Key_Up, 0xff52},         {Qt::Key_Right, 0xff53},
    {Qt::Key_Down, 0xff54},      {Qt::Key_PageUp, 0xff55},    {Qt::Key_PageDown, 0xff56},   {Qt::Key_End, 0xff57},
    {Qt::Key_Select, 0xff60},    {Qt::Key_Print, 0xff61},     {Qt::Key_Execute, 0xff62},    {Qt::Key_Insert, 0xff63},
    {Qt::Key_Undo, 0xff65},      {Qt::Key_Redo, 0xff66},      {Qt::Key_Menu, 0xff67},       {Qt::Key_Find, 0xff68},
    {Qt::Key_Cancel, 0xff69},    {Qt::Key_Help, 0xff6a},      {Qt::Key_Mode_switch, 0xff7e}, {Qt::Key_NumLock, 0xff7f},
    {Qt::Key_Enter, 0xff8d},     {Qt::Key_F1, 0xffbe},        {Qt::Key_F2, 0xffbf},         {Qt::Key_F3, 0xffc0},
    {Qt::Key_F4, 0xffc1},        {Qt::Key_F5, 0xffc2},        {Qt::Key_F6, 0xffc3},         {Qt::Key_F7, 0xffc4},
    {Qt::Key_F8, 0xffc5},        {Qt::Key_F9, 0xffc6},        {Qt::Key_F10, 0xffc7},        {Qt::Key_F11, 0xffc8},
    {Qt::Key_F12, 0xffc9},       {Qt::Key_Shift, 0xffe1},     {Qt::Key_Control, 0xffe3},    {Qt::Key_CapsLock, 0xffe5},
    {Qt::Key_Meta, 0xffeb},      {Qt::Key_Alt, 0xffe9},       {Qt::Key_AltGr, 0xfe03},      {Qt::Key_Super_L, 0xffeb},
    {Qt::Key_Super_R, 0xffec},   {Qt::Key_Delete, 0xffff},    {Qt::Key_VolumeDown, 0x1008ff11},
    {Qt::Key_VolumeMute, 0x1008ff12}, {Qt::Key_VolumeUp, 0x1008ff13}, {Qt::Key_MediaPlay, 0x1008ff14},
    {Qt::Key_MediaStop, 0x1008ff15}, {Qt::Key_MediaPrevious, 0x1008ff16}, {Qt::Key_MediaNext, 0x1008ff17},
    {Qt::Key_Back, 0x1008ff26},  {Qt::Key_Forward, 0x1008ff27},
});
// clang-format on

// Keypad keys have keysyms of their own, so that the far side can tell them from the main block.
// clang-format off
constexpr auto kKeypadKeysyms = std::to_array<QtKeysym>({
    {Qt::Key_Home, 0xff95},   {Qt::Key_Left, 0xff96},    {Qt::Key_Up, 0xff97},      {Qt::Key_Right, 0xff98},
    {Qt::Key_Down, 0xff99},   {Qt::Key_PageUp, 0xff9a},  {Qt::Key_PageDown, 0xff9b}, {Qt::Key_End, 0xff9c},
    {Qt::Key_Clear, 0xff9d},  {Qt::Key_Insert, 0xff9e},  {Qt::Key_Delete, 0xff9f},  {Qt::Key_Enter, 0xff8d},
    {Qt::Key_Equal, 0xffbd},  {Qt::Key_Asterisk, 0xffaa}, {Qt::Key_Plus, 0xffab},   {Qt::Key_Comma, 0xffac},
    {Qt::Key_Minus, 0xffad},  {Qt::Key_Period, 0xffae},  {Qt::Key_Slash, 0xffaf},   {Qt::Key_0, 0xffb0},
    {Qt::Key_1, 0xffb1},      {Qt::Key_2, 0xffb2},       {Qt::Key_3, 0xffb3},       {Qt::Key_4, 0xffb4},
    {Qt::Key_5, 0xffb5},      {Qt::Key_6, 0xffb6},       {Qt::Key_7, 0xffb7},       {Qt::Key_8, 0xffb8},
    {Qt::Key_9, 0xffb9},
});
// clang-format on

struct EvdevXt {
    quint8 evdev;
    quint8 xt;
};

// evdev codes above the first block (linux/input-event-codes.h) and their XT codes; 0x80 stands for the 0xe0 prefix.
// clang-format off
constexpr auto kEvdevXt = std::to_array<EvdevXt>({
    {85, 0x76},  {86, 0x56},  {87, 0x57},  {88, 0x58},  {89, 0x73},  {90, 0x78},  {91, 0x77},  {92, 0x79},
    {93, 0x70},  {94, 0x7b},  {95, 0x5c},  {96, 0x9c},  {97, 0x9d},  {98, 0xb5},  {99, 0x54},  {100, 0xb8},
    {102, 0xc7}, {103, 0xc8}, {104, 0xc9}, {105, 0xcb}, {106, 0xcd}, {107, 0xcf}, {108, 0xd0}, {109, 0xd1},
    {110, 0xd2}, {111, 0xd3}, {113, 0xa0}, {114, 0xae}, {115, 0xb0}, {117, 0x59}, {119, 0xc6}, {121, 0x7e},
    {122, 0x72}, {123, 0x71}, {124, 0x7d}, {125, 0xdb}, {126, 0xdc}, {127, 0xdd}, {158, 0xea}, {159, 0xe9},
    {163, 0x99}, {164, 0xa2}, {165, 0x90}, {166, 0xa4},
});
// clang-format on

template <std::size_t N>
quint32 lookUp(const std::array<QtKeysym, N>& table, int key)
{
    const auto found = std::ranges::find(table, key, &QtKeysym::key);
    return found == table.end() ? 0 : found->keysym;
}

} // namespace

KeySource currentKeySource()
{
    const QString platform = QGuiApplication::platformName();
    if (platform == QLatin1String("cocoa")) return KeySource::MacNative;
    return platform == QLatin1String("xcb") || platform.startsWith(QLatin1String("wayland")) ? KeySource::XkbNative
                                                                                             : KeySource::QtOnly;
}

quint32 keyId(const QKeyEvent& event, KeySource source)
{
    constexpr quint32 kByQtKey = 0x80000000;
    constexpr quint32 kByMacKey = 0x40000000;
    const bool modifier = event.key() >= Qt::Key_Shift && event.key() <= Qt::Key_ScrollLock;
    if (source == KeySource::MacNative && !modifier) return kByMacKey | event.nativeVirtualKey();
    if (source == KeySource::XkbNative && event.nativeScanCode()) return event.nativeScanCode();
    return kByQtKey | static_cast<quint32>(event.key());
}

quint32 keysymOfCharacter(char32_t character)
{
    const bool latin1 = (character >= 0x20 && character <= 0x7e) || (character >= 0xa0 && character <= 0xff);
    if (latin1) return character;
    return character > 0xff && character <= 0x10ffff ? kUnicodeKeysym | character : 0;
}

quint32 keysymOfQtKey(int key, const QString& text, Qt::KeyboardModifiers modifiers)
{
    if (modifiers & Qt::KeypadModifier)
        if (const quint32 keysym = lookUp(kKeypadKeysyms, key)) return keysym;
    if (const quint32 keysym = lookUp(kQtKeysyms, key)) return keysym;
    const QList<uint> characters = text.toUcs4();
    if (characters.size() == 1)
        if (const quint32 keysym = keysymOfCharacter(characters.first())) return keysym;
    // With Ctrl held the text is a control character; Qt names the letter by its capital.
    if (key >= Qt::Key_A && key <= Qt::Key_Z && !(modifiers & Qt::ShiftModifier))
        return static_cast<quint32>(key - Qt::Key_A) + 'a';
    return key >= Qt::Key_Space && key <= Qt::Key_ydiaeresis ? keysymOfCharacter(static_cast<char32_t>(key)) : 0;
}

quint32 xtCodeOfEvdev(quint32 evdevCode)
{
    if (evdevCode >= 1 && evdevCode <= 83) return evdevCode;
    const auto found = std::ranges::find(kEvdevXt, evdevCode, &EvdevXt::evdev);
    return found == kEvdevXt.end() ? 0 : found->xt;
}

std::optional<KeyStroke> keyStroke(const QKeyEvent& event, KeySource source)
{
    KeyStroke stroke;
    if (source == KeySource::XkbNative) {
        stroke.keysym = event.nativeVirtualKey();
        if (event.nativeScanCode() > kXkbOffset) stroke.xtCode = xtCodeOfEvdev(event.nativeScanCode() - kXkbOffset);
    }
    if (stroke.keysym == 0) stroke.keysym = keysymOfQtKey(event.key(), event.text(), event.modifiers());
    if (stroke.keysym == 0) return std::nullopt;
    return stroke;
}

} // namespace cocoonbox::app::gui
