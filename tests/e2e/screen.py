# SPDX-License-Identifier: AGPL-3.0-only
"""The app in a real window: it shows the box's desktop, sends nothing while it watches, types after take-over, and the
agent's screen actions wait meanwhile. Screenshots are kept in build/artefacts."""

import os
import subprocess
import time

from product import ARTEFACTS, BIN, ProductCase, free_port, main, tool_turn, wait_until

TEXT = "Hello cocoonbox, 1+1=2 (and {more})!"


class Screen(ProductCase):
    script = tool_turn("type for me", "computer", {"action": "type", "text": " agent"}, "Typed.")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.product.ensure()
        cls.display = f":{90 + free_port() % 900}"
        cls.x = subprocess.Popen(["Xvfb", cls.display, "-screen", "0", "1600x1000x24", "-nolisten", "tcp"],
                                 stderr=subprocess.DEVNULL)
        wait_until(lambda: os.path.exists(f"/tmp/.X11-unix/X{cls.display[1:]}"), 10, "Xvfb starting")
        cls.environ = {**cls.product.environment(), "DISPLAY": cls.display, "QT_QPA_PLATFORM": "xcb",
                       "COCOONBOX_RENDERER": "auto"}
        cls.app = subprocess.Popen([BIN / "cocoonbox-app"], env=cls.environ, stderr=cls.product._log("app"))

    @classmethod
    def tearDownClass(cls):
        for process in (cls.app, cls.x):
            process.terminate()
            process.wait(10)
        super().tearDownClass()

    def x_do(self, *words):
        done = subprocess.run(["xdotool", *words], env=self.environ, capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def picture(self, name):
        path = ARTEFACTS / f"{name}.png"
        subprocess.run(["scrot", "-o", str(path)], env=self.environ, check=True, timeout=20)
        return path

    def window(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "cocoonbox"], env=self.environ,
                               capture_output=True, text=True).stdout.split()
        return found[-1] if found else None

    def open_editor(self):
        self.product.in_box("rm -f /workspace/note.txt; touch /workspace/note.txt;"
                            "setsid mousepad /workspace/note.txt >/dev/null 2>&1 & sleep 0.1")
        wait_until(lambda: "note.txt" in self.product.in_box("DISPLAY=:0 xdotool search --onlyvisible --class mousepad"
                                                            " getwindowname 2>/dev/null || true"),
                   30, "Mousepad opening")
        self.product.in_box("DISPLAY=:0 xdotool search --onlyvisible --class mousepad windowactivate --sync")

    def saved(self):
        return self.product.in_box("cat /workspace/note.txt").rstrip("\n")

    def test_1_the_desktop_is_shown(self):
        wait_until(self.window, 20, "the app's window")
        box_picture = self.product.dir / "box.png"
        self.assertEqual(self.product.cli("screenshot", str(box_picture), "--wait-drawn", "30").code, 0)
        time.sleep(3)
        self.assertGreater(self.picture("app-watching").stat().st_size, 20_000)

    def test_2_watching_sends_nothing(self):
        self.open_editor()
        window = wait_until(self.window, 20, "the app's window")
        self.x_do("windowsize", "--sync", window, "1600", "1000")
        self.x_do("mousemove", "700", "450", "click", "1")
        self.x_do("type", "--delay", "5", "not for the box")
        self.x_do("key", "ctrl+s")
        time.sleep(1)
        self.assertEqual(self.saved(), "")

    def test_3_take_over_types_and_saves(self):
        window = wait_until(self.window, 20, "the app's window")
        self.x_do("windowfocus", "--sync", window)
        self.x_do("key", "ctrl+Return")
        time.sleep(1)
        self.picture("app-in-control")
        self.x_do("type", "--delay", "20", TEXT)
        self.x_do("key", "ctrl+s")
        wait_until(lambda: self.saved() == TEXT, 15, f"the file holding exactly the typed text (has {self.saved()!r})")
        self.picture("app-after-typing")

    def test_4_the_agent_waits_for_the_screen(self):
        sent = self.product.cli("send", "--new", "Please type for me.")
        self.assertEqual(sent.code, 0, sent)
        wait_until(lambda: any(e["kind"] == "notice" and "screen" in e["text"] for e in self.entries()), 20,
                   "the transcript saying that the agent waits")
        self.assertEqual(self.entries()[1]["tool_call"]["state"], "waiting")
        time.sleep(1)
        self.picture("app-agent-waits")
        self.assertEqual(self.saved(), TEXT)
        self.x_do("keydown", "ctrl", "keydown", "alt", "keydown", "shift",       # the chord that hands back
                  "keyup", "shift", "keyup", "alt", "keyup", "ctrl")
        wait_until(lambda: self.entries()[-1]["kind"] == "reply", 20, "the agent going on")

    def entries(self):
        return self.product.cli("transcript", "--json").lines()

    def test_5_it_reconnects_by_itself(self):
        self.product.kill_api()
        time.sleep(2)
        self.picture("app-reconnecting")
        self.product.start_api()
        wait_until(lambda: self.product.box()["state"] == "running", 30, "the box being adopted")
        time.sleep(4)
        self.picture("app-reconnected")
        self.assertIsNone(self.app.poll())


if __name__ == "__main__":
    main()
