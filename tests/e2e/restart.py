# SPDX-License-Identifier: AGPL-3.0-only
"""kill -9 of each process in turn: it comes back, and the transcript loses and doubles nothing."""

import json
import signal
import subprocess
import time

from product import BIN, ProductCase, main, tool_turn, wait_until


class Restart(ProductCase):
    script = (tool_turn("slow work", "shell", {"command": "sleep 30"}, "Never said.")
              + tool_turn("count", "shell", {"command": "echo counted"}, "Counted."))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box_id = cls.product.ensure()["box_id"]

    def pids(self, pattern):
        found = self.product.as_root(self.box_id, "pgrep", "-f", pattern, check=False)
        return [int(pid) for pid in found.split()]

    def kill_in_box(self, pattern):
        before = self.pids(pattern)
        self.assertTrue(before, f"nothing runs as {pattern}")
        for pid in before:
            self.product.as_root(self.box_id, "kill", "-9", str(pid), check=False)
        wait_until(lambda: set(self.pids(pattern)) - set(before), 15, f"{pattern} coming back")

    def transcript(self, agent):
        return self.product.cli("transcript", "--agent", agent, "--json").lines()

    def send(self, text, agent=None):
        where = ["--agent", agent] if agent else ["--new"]
        reply = self.product.cli("send", *where, "--follow", text)
        self.assertEqual(reply.code, 0, reply)
        return self.product.cli("agents", "--json").json()["agents"][0]["agent_id"]

    def assert_whole(self, entries):
        self.assertEqual([entry["seq"] for entry in entries], list(range(1, len(entries) + 1)))

    def test_1_api(self):
        agent = self.send("Please count.")
        before = self.transcript(agent)
        self.product.kill_api()
        self.product.start_api()
        wait_until(lambda: self.product.box()["state"] == "running", 30, "the box being adopted")
        self.assertEqual(self.transcript(agent), before)
        self.send("Please count.", agent)
        self.assertEqual(len(self.transcript(agent)), 2 * len(before))

    def test_2_serve_ends_an_open_turn_and_says_so(self):
        follower = subprocess.Popen([BIN / "cocoonbox", "send", "--new", "--follow", "--json", "Do the slow work."],
                                    stdout=subprocess.PIPE, text=True, env=self.product.environment())
        wait_until(lambda: self.pids("sleep 30"), 20, "the tool running")
        agent = self.product.cli("agents", "--json").json()["agents"][0]["agent_id"]
        self.kill_in_box("cocoonbox-agent serve")
        wait_until(lambda: self.transcript(agent)[-1]["kind"] == "error", 20, "the turn ending as failed")
        follower.communicate(timeout=20)
        entries = self.transcript(agent)
        self.assert_whole(entries)
        self.assertEqual([e["tool_call"]["state"] for e in entries if e["kind"] == "tool-call"], ["cancelled"])
        self.send("Please count.", agent)       # the history is usable
        self.assertEqual(self.transcript(agent)[-1]["text"], "Counted.")

    def test_3_toolhost(self):
        self.kill_in_box("cocoonbox-agent toolhost")
        wait_until(lambda: self.product.cli("exec", "--", "true").code == 0, 15, "tools answering again")
        agent = self.send("Please count.")
        entries = self.transcript(agent)
        self.assert_whole(entries)
        self.assertIn("counted", entries[1]["tool_call"]["output"])

    def test_4_x_server_and_screen(self):
        self.kill_in_box("Xorg.* :0")
        picture = str(self.product.dir / "after.png")
        wait_until(lambda: self.product.cli("screenshot", picture, "--wait-drawn", "20").code == 0, 60,
                   "the desktop being drawn again")

    def test_5_a_follower_sees_each_event_once_over_an_api_restart(self):
        agent = self.send("Please count.")
        offset = self.transcript(agent)[-1]["seq"]
        follower = subprocess.Popen(
            [BIN / "cocoonbox", "transcript", "--agent", agent, "--follow", "--json"],
            stdout=subprocess.PIPE, text=True, env=self.product.environment())
        time.sleep(1)
        self.product.kill_api()
        self.product.start_api()
        wait_until(lambda: self.product.box()["state"] == "running", 30, "the box being adopted")
        self.send("Please count.", agent)
        time.sleep(3)
        follower.send_signal(signal.SIGINT)
        out, _ = follower.communicate(timeout=10)
        entries = [json.loads(line) for line in out.splitlines()]
        added = [e["seq"] for e in entries if e.get("type", "entry") == "entry"]
        final = self.transcript(agent)
        self.assertEqual(sorted(set(added)), [e["seq"] for e in final])
        self.assertGreater(len(final), offset)


if __name__ == "__main__":
    main()
