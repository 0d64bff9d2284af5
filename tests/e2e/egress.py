# SPDX-License-Identifier: AGPL-3.0-only
"""What a box reaches and what it does not, by the clients that people use in it: curl, Python, git."""

import http.server
import json
import os
import signal
import ssl
import subprocess
import threading

from product import ARTEFACTS, ProductCase, main, wait_until

# Clients do not ask their proxy for 127.0.0.1.
ORIGIN = "127.0.0.2"


class Pages(http.server.SimpleHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.upper())

    def log_message(self, *_):
        pass


def serve(directory, context=None):
    """A server on a free port of the origin's address."""
    server = http.server.ThreadingHTTPServer((ORIGIN, 0), lambda *a: Pages(*a, directory=directory))
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Egress(ProductCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        product = cls.product
        pages = product.dir / "pages"
        pages.mkdir()
        (pages / "page.txt").write_text("a page\n")
        cls.make_repository(pages)
        cls.http = serve(pages)
        key = product.dir / "origin.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", "/CN=origin", "-keyout", key, "-out", key.with_suffix(".crt")],
                       check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(key.with_suffix(".crt"), key)
        cls.https = serve(pages, context)
        cls.configured = product.config.read_text()
        cls.allow(f'internal-allow = ["{ORIGIN}/32"]\n[egress.rules.origin]\nhost = "{ORIGIN}"\n')
        product.ensure()

    @classmethod
    def tearDownClass(cls):
        for server in (cls.http, cls.https):
            server.shutdown()
            server.server_close()
        super().tearDownClass()

    @staticmethod
    def make_repository(pages):
        """A repository that any web server can serve."""
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
        work = pages / "work"
        for words in (["init", "-q", work], ["-C", work, "commit", "-q", "--allow-empty", "-m", "first"],
                      ["clone", "-q", "--bare", work, pages / "it.git"], ["-C", pages / "it.git", "update-server-info"]):
            subprocess.run([*git, *words], check=True, capture_output=True,
                           env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})

    @classmethod
    def allow(cls, egress):
        """Other rules for the running api."""
        whole = cls.product.dir / "api.toml.new"   # the api may read it at any moment
        whole.write_text(f"{cls.configured}\n[egress]\n{egress}")
        whole.rename(cls.product.config)
        cls.product.api.send_signal(signal.SIGHUP)

    def url(self, server, path="page.txt"):
        return f"http{'s' if server is self.https else ''}://{ORIGIN}:{server.server_port}/{path}"

    def audited(self):
        return [json.loads(line) for line in (self.product.data / "egress.jsonl").read_text().splitlines()]

    def test_1_programs_of_all_kinds_get_through(self):
        page, safe = self.url(self.http), self.url(self.https)
        wait_until(lambda: self.product.in_box(f"curl -s {page} || true") == "a page\n", 10, "the rules being known")
        cases = {
            "a tunnel": f"curl -sSk {safe}",
            "SOCKS5": f"curl -sSk -x socks5h://127.0.0.1:1080 {safe}",
            "Python": f"python3 -c 'import urllib.request as u; print(u.urlopen(\"{page}\").read().decode(), end=\"\")'",
        }
        for name, command in cases.items():
            with self.subTest(name):
                self.assertEqual(self.product.in_box(command), "a page\n")
        with self.subTest("a body"):
            self.assertEqual(self.product.in_box(f"curl -sS -d words {self.url(self.http, 'x')}"), "WORDS")
        with self.subTest("git"):
            repository = self.url(self.http, "it.git")
            self.assertIn("refs/heads/main", self.product.in_box(f"git ls-remote {repository}"))

    def test_2_what_no_rule_allows_is_refused_and_said(self):
        said = self.product.in_box("curl -s -w ' %{http_code}' http://example.org/")
        self.assertEqual(said, "egress denied: example.org\n 403")
        said = self.product.in_box("curl -sS https://example.org/ 2>&1 || true")
        self.assertIn("403", said)
        for server in ("127.0.0.1", "localhost", "169.254.169.254", "[::1]"):
            said = self.product.in_box(f"curl -s --noproxy '' -w ' %{{http_code}}' http://{server}:{self.http.server_port}/")
            self.assertTrue(said.endswith(" 403"), said)

    def test_3_a_blocked_address_stays_blocked_whatever_the_rules(self):
        self.allow('[egress.rules.any]\nhost = "*"\n')
        wait_until(lambda: "blocked internal address" in
                   self.product.in_box(f"curl -s --noproxy '' {self.url(self.http)}"), 10, "the address being blocked")
        refused = [line for line in self.audited() if line.get("reason") == "EGRESS_ADDRESS_BLOCKED"]
        self.assertEqual((refused[-1]["decision"], refused[-1]["host"]), ("deny", ORIGIN))

    def test_4_wrong_rules_change_nothing(self):
        log = ARTEFACTS / f"{self.product.name}-api.log"
        refusals = lambda: log.read_text().count("What boxes may reach stays as it was")
        before = refusals()
        for number, wrong in enumerate(('host = "*"\nports = [0]\n', 'host = "a.*.b"\n'), 1):
            self.allow("[egress.rules.any]\n" + wrong)
            wait_until(lambda: refusals() - before == number, 10, "the wrong rules being refused")
            said = self.product.in_box(f"curl -s --noproxy '' {self.url(self.http)}")
            self.assertIn("blocked internal address", said)

    def test_5_everything_is_on_record(self):
        box = self.product.box()["box_id"]
        lines = self.audited()
        allowed = {line["number"] for line in lines if line["decision"] == "allow" and "address" in line}
        self.assertTrue(allowed)
        wait_until(lambda: {line["number"] for line in self.audited() if line["decision"] == "end"} == allowed, 10,
                   "the end of every connection on record")
        self.assertEqual({line["box"] for line in lines}, {box})
        methods = {line["method"] for line in lines if line["decision"] == "allow"}
        self.assertLessEqual({"GET", "POST", "CONNECT", "SOCKS5"}, methods)
        self.assertNotIn("page.txt", (self.product.data / "egress.jsonl").read_text())


if __name__ == "__main__":
    main()
