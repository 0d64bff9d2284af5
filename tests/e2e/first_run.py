# SPDX-License-Identifier: AGPL-3.0-only
"""From nothing to a file that survives: the life of a box as its first user sees it."""

from product import MODEL_KEY, ProductCase, main, tool_turn, wait_until

HELLO = "/cocoonbox.agent.v1.Session/Hello"


class FirstRun(ProductCase):
    script = (
        tool_turn("hello file", "shell", {"command": "printf 'hello from the box' > /workspace/hello"},
                  "I wrote /workspace/hello.")
        + tool_turn("peek", "shell", {"command": "cat /var/lib/cocoonbox/agent.db; ls /run/cocoonbox/agent; id -un"},
                    "Done."))

    def test_1_prompt_to_file(self):
        box = self.product.ensure()
        self.assertEqual(box["state"], "running")
        sent = self.product.cli("send", "--new", "--follow", "Make the hello file, please.")
        self.assertEqual(sent.code, 0, sent)
        self.assertIn("I wrote /workspace/hello.", sent.out)
        self.assertEqual(self.product.in_box("cat /workspace/hello"), "hello from the box")
        transcript = self.product.cli("transcript", "--json").lines()
        kinds = [entry["kind"] for entry in transcript]
        self.assertEqual(kinds, ["prompt", "tool-call", "reply"])
        self.assertIn("/workspace/hello", transcript[1]["tool_call"]["arguments_json"])

    def test_2_tools_cannot_read_the_loop(self):
        self.product.ensure()
        sent = self.product.cli("send", "--new", "--follow", "Please peek.")
        self.assertEqual(sent.code, 0, sent)
        output = [entry for entry in self.product.cli("transcript", "--json").lines() if entry["kind"] == "tool-call"]
        said = output[-1]["tool_call"]["output"]
        self.assertEqual(said.count("Permission denied"), 2, said)
        self.assertIn("user", said.splitlines())

    def test_3_the_key_stays_on_the_host(self):
        # The model server refuses every other key, so the turns before prove that the key reached it.
        box = self.product.ensure()
        pattern = MODEL_KEY.replace("not", "n[o]t")   # does not match the search's own command line
        found = self.product.as_root(box["box_id"], "sh", "-c",
                                     f"grep -rls '{pattern}' /etc /run /var/lib /home /workspace /proc/[0-9]*/environ"
                                     " /proc/[0-9]*/cmdline || true")
        self.assertEqual(found, "")

    def test_4_hibernate_keeps_the_disk_and_kills_the_credential(self):
        before = self.product.ensure()
        old = self.product.identity(before["box_id"])
        key = self.product.data / "edge-key.pem"
        target = f"unix:{self.product.channel(before['box_id'], 'agent')}/agent.sock"
        signed = dict(target=target, sign_key=key, sign_box=before["box_id"])
        self.assertEqual(self.product.probe(HELLO, sign_wake=old["wake_id"], **signed)["code"], 0)

        self.assertEqual(self.product.cli("hibernate").code, 0)
        self.assertEqual(self.product.box()["state"], "hibernated")
        after = self.product.ensure()

        self.assertEqual(after["box_id"], before["box_id"])
        self.assertEqual(self.product.in_box("cat /workspace/hello"), "hello from the box")
        new = self.product.identity(after["box_id"])
        self.assertNotEqual(new["wake_id"], old["wake_id"])
        refusals = {
            "CREDENTIAL_OLD_WAKE": dict(sign_wake=old["wake_id"]),
            "CREDENTIAL_EXPIRED": dict(sign_wake=new["wake_id"], sign_expires_in=-3600),
            "CREDENTIAL_WRONG_BOX": dict(sign_wake=new["wake_id"], sign_box="box_00000000000000000000000000"),
        }
        for reason, flags in refusals.items():
            answer = self.product.probe(HELLO, **{**signed, **flags})
            self.assertEqual((answer["code"], answer["reason"]), (16, reason))
        self.assertEqual(self.product.probe(HELLO, target=target)["code"], 16)
        self.assertEqual(self.product.probe(HELLO, sign_wake=new["wake_id"], **signed)["code"], 0)

    def test_5_a_second_start_finds_the_box_as_it_was(self):
        self.product.ensure()
        self.product.stop_api()
        self.product.start_api()
        self.assertEqual(self.product.box()["state"], "hibernated")
        self.product.ensure()
        self.assertEqual(self.product.in_box("cat /workspace/hello"), "hello from the box")

    def test_6_delete_leaves_nothing(self):
        box = self.product.ensure()
        self.assertEqual(self.product.cli("delete", "main", "--yes").code, 0)
        self.assertIsNone(self.product.box())
        wait_until(lambda: box["box_id"] not in self.product.podman("ps", "-a", "--format", "{{.Names}}"), 10,
                   "the container going away")
        self.assertFalse(self.product.channel(box["box_id"], "agent").exists())


if __name__ == "__main__":
    main()
