# SPDX-License-Identifier: AGPL-3.0-only
"""The box's screen takes the size that a viewer asks for, by RFB's SetDesktopSize, and the desktop follows; and when the
X server's own RFB server is missing, another one shows the screen by itself."""

import re
import socket
import struct
import time

from product import ProductCase, main, wait_until

DESKTOP_SIZE = -308   # ExtendedDesktopSize


class Viewer:
    """Enough of RFB 3.8 to ask for a size and to hear what became of it."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(path))
        self.stream = self.socket.makefile("rb")
        self.stream.read(12)
        self.socket.sendall(b"RFB 003.008\n")
        self.stream.read(self.stream.read(1)[0])
        self.socket.sendall(b"\x01")
        assert self.stream.read(4) == b"\0\0\0\0"
        self.socket.sendall(b"\x01")
        self.size = struct.unpack(">HH", self.stream.read(4))
        self.stream.read(16)
        self.stream.read(struct.unpack(">I", self.stream.read(4))[0])
        self.socket.sendall(struct.pack(">BxHii", 2, 2, 0, DESKTOP_SIZE))
        self.ask(False)

    def ask(self, incremental):
        self.socket.sendall(struct.pack(">BBHHHH", 3, incremental, 0, 0, 1, 1))

    def resize(self, width, height):
        """The server's status: 0 is done. The screen's number is the one it told."""
        screen = self.answer()[1]
        self.socket.sendall(struct.pack(">BxHHBxIHHHHI", 251, width, height, 1, screen, 0, 0, width, height, 0))
        self.ask(True)
        while True:
            reason, status = self.answer()[0]
            if reason == 1:
                return status
            self.ask(True)

    def answer(self):
        """(reason, status) and the first screen's number of the next ExtendedDesktopSize."""
        while True:
            kind = self.stream.read(1)[0]
            if kind == 2:                      # bell
                continue
            if kind == 3:                      # cut text
                size = struct.unpack(">3xi", self.stream.read(7))[0]
                self.stream.read(abs(size))
                continue
            assert kind == 0, kind
            found = None
            for _ in range(struct.unpack(">xH", self.stream.read(3))[0]):
                x, y, width, height, encoding = struct.unpack(">HHHHi", self.stream.read(12))
                if encoding != DESKTOP_SIZE:
                    self.stream.read(width * height * 4)
                    continue
                screens = [struct.unpack(">IHHHHI", self.stream.read(16))
                           for _ in range(struct.unpack(">B3x", self.stream.read(4))[0])]
                self.size = (width, height)
                found = (x, y), screens[0][0]
            if found:
                return found
            self.ask(True)

    def close(self):
        self.socket.close()


class Resize(ProductCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box_id = cls.product.ensure()["box_id"]
        assert cls.product.cli("screenshot", str(cls.product.dir / "drawn.png"), "--wait-drawn", "30s").code == 0

    def viewer(self):
        return Viewer(self.product.channel(self.box_id, "screen") / "rfb.sock")

    def shown(self):
        return tuple(map(int, self.product.in_box("xdotool getdisplaygeometry").split()))

    def widths(self, name):
        """Widths of the windows of a class."""
        return {int(width) for width in re.findall(r"Geometry: (\d+)x", self.product.in_box(
            f"for w in $(xdotool search --class {name}); do xdotool getwindowgeometry $w; done"))}

    def test_1_the_default_is_1280x800(self):
        self.assertEqual(self.shown(), (1280, 800))

    def test_2_the_desktop_follows_the_viewer(self):
        for size in ((1920, 1080), (3840, 2160), (1001, 701), (1280, 800)):
            viewer = self.viewer()
            status = viewer.resize(*size)
            # For a size that no mode of xorg.conf has, the module takes it and says all the same that it did not.
            self.assertEqual(status, 3 if size == (1001, 701) else 0, size)
            self.assertEqual(viewer.size, size)
            viewer.close()
            wait_until(lambda: self.shown() == size, 5, f"the display being {size}")
            wait_until(lambda: size[0] in self.widths("xfdesktop"), 10, f"the wallpaper being {size[0]} wide")
            wait_until(lambda: size[0] in self.widths("xfce4-panel"), 10, f"the panel being {size[0]} wide")
            picture = self.product.dir / "picture.png"
            shot = self.product.cli("screenshot", str(picture), "--json").json()
            self.assertEqual((shot["width"], shot["height"]), size)

    def test_3_no_size_beyond_the_screens_memory(self):
        viewer = self.viewer()
        self.assertNotEqual(viewer.resize(9000, 9000), 0)
        viewer.close()
        self.assertEqual(self.shown(), (1280, 800))

    def test_4_a_size_lasts_until_the_screen_starts_again(self):
        viewer = self.viewer()
        self.assertEqual(viewer.resize(1600, 900), 0)
        viewer.close()
        time.sleep(1)
        self.assertEqual(self.shown(), (1600, 900))
        self.assertEqual(self.product.cli("hibernate").code, 0)
        self.product.ensure()
        wait_until(lambda: self.product.cli("exec", "--", "xdotool", "getdisplaygeometry").out.split() == ["1280", "800"],
                   20, "the default size after a wake")

    def test_5_without_its_module_the_screen_is_shown_all_the_same(self):
        module = "/usr/lib/xorg/modules/extensions/libvnc.so"
        self.product.as_root(self.box_id, "mv", module, module + ".away")
        self.product.as_root(self.box_id, "pkill", "-x", "Xorg")
        wait_until(lambda: self.product.in_box("pgrep -x x11vnc || true").strip(), 20, "the fallback starting")
        shot = self.product.cli("screenshot", str(self.product.dir / "fallback.png"), "--wait-drawn", "30s", "--json")
        self.assertEqual(shot.json().get("width"), 1280, shot)
        self.product.as_root(self.box_id, "mv", module + ".away", module)
        self.product.as_root(self.box_id, "pkill", "-x", "Xorg")
        wait_until(lambda: not self.product.in_box("pgrep -x x11vnc || true").strip(), 20, "the fallback ending")
        shot = self.product.cli("screenshot", str(self.product.dir / "again.png"), "--wait-drawn", "30s", "--json")
        self.assertEqual(shot.json().get("width"), 1280, shot)


if __name__ == "__main__":
    main()
