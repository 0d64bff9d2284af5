# SPDX-License-Identifier: AGPL-3.0-only
"""What the edge refuses, and what a call sees when a box or the api goes away under it. Codes are gRPC's numbers."""

import subprocess
import time

from product import BIN, BUILD, ProductCase, main, wait_until

HELLO = "/cocoonbox.agent.v1.Session/Hello"
EVENTS = "/cocoonbox.agent.v1.Session/Events"
LIST = "/cocoonbox.control.v1.Boxes/List"


class Edge(ProductCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.box_id = cls.product.ensure()["box_id"]

    def refusal(self, method, metadata, **flags):
        started = time.monotonic()
        answer = self.product.probe(method, metadata, **flags)
        self.assertLess(time.monotonic() - started, 5)
        self.assertTrue(answer["message"], answer)
        return answer["code"], answer["reason"]

    def stream(self):
        """An open Events call; its outcome is the probe's output."""
        words = [BUILD / "tests/cocoonbox-grpc-probe", "--target", f"127.0.0.1:{self.product.port}", "--method", EVENTS,
                 "--deadline-ms", "60000"]
        for key, value in self.product.bearer(self.box_id):
            words += ["--metadata", f"{key}={value}"]
        return subprocess.Popen(words, stdout=subprocess.PIPE, text=True)

    def test_1_every_refusal_has_its_own_code(self):
        product = self.product
        stranger = product.new_user("stranger")
        product.stop_api()
        product.start_api()
        self.box_id = product.ensure()["box_id"]
        unknown = "box_00000000000000000000000000"
        big = 5 * 1024 * 1024
        cases = [
            ("no token", HELLO, [("x-cocoonbox-box", self.box_id)], {}, (16, "TOKEN_MISSING")),
            ("wrong token", HELLO, product.bearer(self.box_id, "cbx_wrong"), {}, (16, "TOKEN_UNKNOWN")),
            ("control, wrong token", LIST, product.bearer(token="cbx_wrong"), {}, (16, "TOKEN_UNKNOWN")),
            ("no box", HELLO, product.bearer(), {}, (3, "BOX_MISSING")),
            ("unknown box", HELLO, product.bearer(unknown), {}, (5, "BOX_UNKNOWN")),
            ("another user's box", HELLO, product.bearer(self.box_id, stranger), {}, (5, "BOX_UNKNOWN")),
            ("private service", "/cocoonbox.agent.v1.State/Save", product.bearer(self.box_id), {},
             (7, "SERVICE_PRIVATE")),
            ("foreign package", "/other.v1.Thing/Do", product.bearer(self.box_id), {}, (12, "METHOD_UNKNOWN")),
        ]
        for name, method, metadata, flags, expected in cases:
            with self.subTest(name):
                self.assertEqual(self.refusal(method, metadata, **flags), expected)
        with self.subTest("oversized message"):
            code, _ = self.refusal(HELLO, product.bearer(self.box_id), zeros=big)
            self.assertEqual(code, 8)
        with self.subTest("asleep"):
            self.assertEqual(product.cli("hibernate").code, 0)
            self.assertEqual(self.refusal(HELLO, product.bearer(self.box_id)), (9, "BOX_ASLEEP"))
            product.ensure()

    def test_2_a_client_cannot_bring_its_own_credential(self):
        metadata = self.product.bearer(self.box_id) + [("x-cocoonbox-credential", "v1.forged.forged")]
        self.assertEqual(self.product.probe(HELLO, metadata)["code"], 0)

    def test_3_a_box_killed_mid_stream_ends_the_call(self):
        call = self.stream()
        time.sleep(1)
        self.assertIsNone(call.poll())
        self.product.podman("kill", f"cocoonbox-{self.box_id}")
        out, _ = call.communicate(timeout=10)
        self.assertIn('"code":14', out)
        wait_until(lambda: self.product.box()["state"] in ("running", "failed", "hibernated"), 30, "a settled state")
        self.product.ensure()

    def test_4_an_api_restarted_mid_stream_ends_the_call_and_keeps_the_box(self):
        call = self.stream()
        time.sleep(1)
        self.product.kill_api()
        out, _ = call.communicate(timeout=10)
        self.assertIn('"code":14', out)
        self.product.start_api()
        wait_until(lambda: self.product.box()["state"] == "running", 30, "the box being adopted")
        self.assertEqual(self.product.probe(HELLO, self.product.bearer(self.box_id))["code"], 0)

    def test_5_nothing_leaks(self):
        def descriptors():
            return len(list((self.proc / "fd").iterdir()))

        import pathlib
        self.proc = pathlib.Path(f"/proc/{self.product.api.pid}")
        for _ in range(5):
            self.product.probe(HELLO, self.product.bearer(self.box_id))
        before = descriptors()
        for _ in range(60):
            self.product.probe(HELLO, self.product.bearer(self.box_id))
            self.product.probe(HELLO, self.product.bearer("box_00000000000000000000000000"))
        calls = [self.stream() for _ in range(10)]
        time.sleep(1)
        for call in calls:
            call.kill()
            call.communicate()
        wait_until(lambda: descriptors() <= before + 3, 15, "descriptors going back")

    def test_6_the_cli_says_what_to_do(self):
        reply = self.product.cli("status", token="cbx_wrong")
        self.assertEqual(reply.code, 4, reply)
        self.assertIn("cocoonbox login", reply.err)
        self.assertEqual(reply.out, "")
        self.assertEqual(subprocess.run([BIN / "cocoonbox", "nonsense"], capture_output=True).returncode, 2)


if __name__ == "__main__":
    main()
