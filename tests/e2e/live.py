# SPDX-License-Identifier: AGPL-3.0-only
"""What the live view moves besides pixels, in a real box: committed text into real programs, the clipboard, files, who
holds the screen, and what the agent learns of a hand-back."""

import base64
import json
import os
import random
import subprocess
import threading
import time

from product import BIN, ProductCase, main, tool_turn, wait_equal, wait_until

PIECES = ["grüße 世界 🙂 é", "ascii: {1+1=2} \\ \"quoted\" ~`", "zwei\nZeilen\tund ein Tab", "ﷺ עברית ไทย 👩‍👩‍👧 e\u0301"]
PAGE = """<!doctype html><title>page</title><textarea id=t autofocus rows=20 cols=80></textarea>"""

# Asks the box's Chromium for the value of an expression, over its own DevTools port.
ASK_CHROMIUM = r'''
import base64, json, os, socket, struct, sys, urllib.request
page = [t for t in json.load(urllib.request.urlopen("http://127.0.0.1:9222/json")) if t["type"] == "page"][0]
path = page["webSocketDebuggerUrl"].split("9222", 1)[1]
link = socket.create_connection(("127.0.0.1", 9222))
link.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:9222\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
stream = link.makefile("rb")
while stream.readline().strip():
    pass
body = json.dumps({"id": 1, "method": "Runtime.evaluate", "params": {"expression": sys.argv[1]}}).encode()
mask = os.urandom(4)
size = bytes([0x80 | len(body)]) if len(body) < 126 else bytes([0xfe]) + struct.pack(">H", len(body))
link.sendall(b"\x81" + size + mask + bytes(c ^ mask[i % 4] for i, c in enumerate(body)))
while True:
    length = stream.read(2)[1] & 127
    if length > 125:
        length = struct.unpack(*((">H", stream.read(2)) if length == 126 else (">Q", stream.read(8))))[0]
    answer = json.loads(stream.read(length))
    if answer.get("id") == 1:
        sys.stdout.write(str(answer["result"]["result"].get("value")))
        break
'''


def mixed_text(count):
    """Characters of many scripts, with newlines and tabs; the same each time."""
    chance = random.Random(5)
    pool = [chr(c) for low, high in ((0x4e00, 0x9fa5), (0x1f600, 0x1f64f), (0x41, 0x5b), (0x410, 0x450), (0xe0, 0xff))
            for c in range(low, high)]
    return "".join("\n" if i % 97 == 96 else "\t" if i % 31 == 30 else chance.choice(pool) for i in range(count))


class Live(ProductCase):
    script = (tool_turn("type for me", "computer", {"action": "type", "text": "agent "}, "Typed.")
              + tool_turn("type long", "computer", {"action": "type", "text": "x" * 4096}, "Typed long.")
              + tool_turn("what changed", "shell", {"command": "true"}, "Noted."))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.product.ensure()
        picture = cls.product.dir / "drawn.png"
        assert cls.product.cli("screenshot", str(picture), "--wait-drawn", "30s").code == 0

    def type(self, text, expected=0):
        reply = self.product.cli("type", "-", stdin=text)
        self.assertEqual(reply.code, expected, reply)
        return reply

    def open_editor(self, name):
        self.product.in_box(f"rm -f /workspace/{name}; touch /workspace/{name};"
                            f"setsid mousepad /workspace/{name} >/dev/null 2>&1 & sleep 0.1")
        wait_until(lambda: name in self.product.in_box("xdotool search --onlyvisible --class mousepad"
                                                       " getwindowname 2>/dev/null || true"), 30, "Mousepad opening")
        self.product.in_box("xdotool search --onlyvisible --class mousepad windowactivate --sync")

    def close_editor(self):
        # An editor that is ended with a text unsaved asks about it at its next start.
        self.product.in_box("xdotool key ctrl+s; sleep 0.3; pkill -x mousepad; while pgrep -x mousepad >/dev/null; do sleep 0.05; done")

    def saved(self, name):
        self.product.in_box("xdotool key ctrl+s; sleep 0.3")
        return self.product.in_box(f"cat /workspace/{name}")

    def test_1_text_arrives_exactly_in_an_editor(self):
        self.open_editor("text.txt")
        for piece in PIECES:
            self.type(piece)
        wait_equal(lambda: self.saved("text.txt"), "".join(PIECES), 10, "exactly the text in the editor")
        self.product.in_box("xdotool key ctrl+a")
        text = mixed_text(10_000)
        self.type(text)
        wait_equal(lambda: self.saved("text.txt"), text, 15, "10,000 characters replacing the marked text")
        self.close_editor()

    def test_2_text_arrives_exactly_in_the_browser(self):
        (self.product.dir / "page.html").write_text(PAGE)
        (self.product.dir / "ask.py").write_text(ASK_CHROMIUM)
        self.product.cli("upload", str(self.product.dir / "page.html"), str(self.product.dir / "ask.py"))
        self.product.in_box("setsid chromium file:///workspace/Uploads/page.html >/dev/null 2>&1 & sleep 0.1")
        wait_until(lambda: "page" in self.product.in_box("xdotool search --onlyvisible --class chromium getwindowname"
                                                         " 2>/dev/null || true"), 60, "Chromium opening")
        self.product.in_box("xdotool search --onlyvisible --class chromium windowactivate --sync; sleep 1")
        ask = lambda what: self.product.in_box(f"python3 /workspace/Uploads/ask.py {what}")
        wait_until(lambda: ask("document.activeElement.id") == "t", 20, "the text area having the focus")
        for piece in PIECES:
            self.type(piece)
        wait_equal(lambda: ask("t.value"), "".join(PIECES), 10, "exactly the text in the page")
        text = mixed_text(10_000)
        ask("'t.value=\"\"'")
        self.type(text)
        wait_equal(lambda: ask("t.value"), text, 15, "10,000 characters in the page")
        self.product.in_box("pkill chromium; while pgrep chromium >/dev/null; do sleep 0.1; done")

    def test_3_text_arrives_in_a_terminal_and_nowhere_without_one(self):
        self.product.in_box("rm -f /workspace/term; setsid xfce4-terminal -x sh -c 'cat > /workspace/term'"
                            " >/dev/null 2>&1 & sleep 0.1")
        wait_until(lambda: self.product.in_box("xdotool search --onlyvisible --class xfce4-terminal || true").strip(),
                   30, "the terminal opening")
        self.product.in_box("xdotool search --onlyvisible --class xfce4-terminal windowactivate --sync; sleep 0.5")
        self.type("grüße 世界 🙂 é ")
        self.type("and ascii")
        self.product.in_box("xdotool key Return ctrl+d; sleep 0.3")
        wait_equal(lambda: self.product.in_box("cat /workspace/term"), "grüße 世界 🙂 é and ascii\n", 10,
                   "the line in the terminal's program")
        wait_until(lambda: not self.product.in_box("pgrep -x xfce4-terminal || true").strip(), 10, "the terminal ending")
        refused = self.type("grüße", expected=6)
        self.assertIn("TEXT_NOT_TAKEN", self.product.cli("type", "世界", "--json").err, refused)

    def box_clipboard(self):
        return base64.b64decode(self.product.in_box("xclip -selection clipboard -o | base64")).decode()

    def test_4_the_clipboard_crosses_both_ways(self):
        text = "kept: grüße 世界 🙂\r\nzwei\n"
        self.assertEqual(self.product.cli("clipboard", "--set", "-", stdin=text).code, 0)
        self.assertEqual(self.box_clipboard(), text)
        self.open_editor("clip.txt")
        self.type("世界")   # by way of the clipboard, which then holds what it held
        wait_equal(self.box_clipboard, text, 5, "the clipboard as it was")
        self.product.in_box("printf 'from the box: é' | setsid xclip -selection clipboard -i")
        self.assertEqual(self.product.cli("clipboard").out, "from the box: é")
        self.close_editor()

    def test_5_pictures_cross_both_ways(self):
        picture = self.product.dir / "picture.png"
        self.assertEqual(self.product.cli("screenshot", str(picture)).code, 0)
        self.assertEqual(self.product.cli("clipboard", "--set", str(picture)).code, 0)
        self.assertEqual(self.product.in_box("xclip -selection clipboard -t image/png -o | sha256sum").split()[0],
                         subprocess.run(["sha256sum", picture], capture_output=True, text=True).stdout.split()[0])
        back = self.product.dir / "back.png"
        with open(back, "wb") as out:
            subprocess.run([BIN / "cocoonbox", "clipboard", "--type", "image/png"], stdout=out, timeout=60,
                           env=self.product.environment(), check=True)
        self.assertEqual(back.read_bytes(), picture.read_bytes())
        missing = self.product.cli("clipboard", "--type", "text/html", "--json")
        self.assertEqual(missing.code, 5, missing)
        self.assertIn("CLIPBOARD_TYPE_MISSING", missing.err)

    def test_6_files_cross_both_ways_as_the_boxes_user(self):
        big = self.product.dir / "Größe 世界.bin"
        big.write_bytes(os.urandom(20_000_000))
        first = self.product.cli("upload", str(big), "--json").json()
        second = self.product.cli("upload", str(big), "--json").json()
        self.assertEqual(first["path"], "/workspace/Uploads/Größe 世界.bin")
        self.assertEqual(second["path"], "/workspace/Uploads/Größe 世界 (2).bin")
        self.assertEqual(self.product.in_box("stat -c '%U %a' '/workspace/Uploads/Größe 世界.bin'").strip(), "user 644")
        back = self.product.dir / "back.bin"
        self.assertEqual(self.product.cli("download", "Uploads/Größe 世界 (2).bin", str(back)).code, 0)
        self.assertEqual(back.read_bytes(), big.read_bytes())
        self.assertEqual(self.product.cli("download", "Uploads/Größe 世界.bin", str(back)).code, 6)   # it is there
        names = [entry["name"] for entry in self.product.cli("files", "Uploads", "--json").lines()]
        self.assertIn("Größe 世界 (2).bin", names)
        # The agent's own account is not the user's: its files are out of reach both ways.
        self.assertEqual(self.product.cli("download", "/var/lib/cocoonbox/agent.db", "-").code, 9)
        self.assertEqual(self.product.cli("upload", "--to", "/var/lib/cocoonbox", str(big)).code, 9)
        self.product.in_box("ln -sf /etc/passwd /workspace/link")
        self.assertEqual(self.product.cli("download", "link", "-").code, 6)

    def test_7_a_broken_upload_leaves_nothing(self):
        big = self.product.dir / "half.bin"
        with open(big, "wb") as out:
            out.truncate(3 << 30)
        before = self.product.in_box("ls -A /workspace/Uploads")
        upload = subprocess.Popen([BIN / "cocoonbox", "upload", str(big)], env=self.product.environment(),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: self.product.in_box("pgrep -f '[f]iles put half' || true").strip(), 10, "the upload running")
        time.sleep(0.5)
        upload.kill()
        upload.wait(10)
        wait_until(lambda: not self.product.in_box("pgrep -f '[f]iles put half' || true").strip(), 10,
                   "the upload's program ending")
        self.assertEqual(self.product.in_box("ls -A /workspace/Uploads"), before)
        self.assertEqual(int(self.product.in_box("ls -Al /proc/*/fd 2>/dev/null | grep -c half || true").strip()), 0)

    def hold_screen(self, seconds):
        """A person, Ann, who takes the screen and types nothing; the thread ends when she hands it back."""
        thread = threading.Thread(target=self.product.probe, args=(
            "/cocoonbox.agent.v1.Session/TakeOver", self.product.bearer(self.product.box()["box_id"])), kwargs={
                "hex": "0a03416e6e", "deadline_ms": seconds * 1000})
        thread.start()
        return thread

    def test_8_a_hand_back_tells_the_agent_what_changed(self):
        thread = self.hold_screen(6)
        time.sleep(1.5)
        sent = self.product.cli("send", "--new", "Please type for me.")
        self.assertEqual(sent.code, 0, sent)
        wait_until(lambda: any(e["kind"] == "notice" for e in self.entries()), 20, "the agent waiting")
        self.open_editor("changed.txt")
        self.product.in_box("printf words | setsid xclip -selection clipboard -i; echo new > /workspace/added.txt")
        thread.join()
        wait_until(lambda: self.entries()[-1]["kind"] == "reply", 20, "the agent going on")
        told = [e["text"] for e in self.entries() if e["kind"] == "hand-back"]
        self.assertEqual(len(told), 1, self.entries())
        for part in ("changed.txt", "Windows opened", "clipboard", "added.txt"):
            self.assertIn(part, told[0])
        asked = [json.loads(line) for line in self.product.requests.read_text().splitlines()]
        self.assertIn("added.txt", json.dumps(asked[-1], ensure_ascii=False))
        self.close_editor()

    def test_9_nothing_of_the_agents_comes_after_a_take_over(self):
        self.open_editor("race.txt")
        self.product.cli("send", "--new", "Please type long.")
        wait_until(lambda: len(self.entries()) > 1, 20, "the agent typing")
        thread = self.hold_screen(5)
        call = wait_until(lambda: [e["tool_call"] for e in self.entries() if "tool_call" in e
                                   and e["tool_call"]["state"] != "running"], 5, "the agent's action having ended")[0]
        self.assertEqual(call["state"], "failed", call)
        self.assertIn("Ann took over", call["output"])
        # The editor may still be busy with keys that came before the take-over.
        first = wait_until(lambda: (text := self.saved("race.txt")) and text == self.saved("race.txt") and text, 15,
                           "the editor having written what came before")
        self.assertLess(len(first), 4096)
        time.sleep(1)
        self.assertEqual(self.saved("race.txt"), first)
        thread.join()
        self.close_editor()

    def entries(self):
        return self.product.cli("transcript", "--json").lines()


if __name__ == "__main__":
    main()
