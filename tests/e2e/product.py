# SPDX-License-Identifier: AGPL-3.0-only
"""The running product for the end-to-end tests: a real api on a free port with a data directory of its own, the real
box image under podman, the scripted model server, and the real CLI. Everything a test starts it stops, by pid."""

import atexit
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("COCOONBOX_BUILD_DIR", SOURCE / "build"))
BIN = BUILD / "bin"
ARTEFACTS = pathlib.Path(os.environ.get("COCOONBOX_ARTEFACTS", BUILD / "artefacts"))
STATE = pathlib.Path(os.environ.get("XDG_STATE_HOME", pathlib.Path.home() / ".local/state")) / "cocoonbox"
IMAGE = os.environ.get("COCOONBOX_IMAGE", "localhost/cocoonbox-box:current")

MODEL_KEY = "sk-e2e-not-for-the-box"
MODEL = "scripted-1"   # the model server knows no other


def tool_turn(prompt, tool, arguments, reply):
    """A script's answer to a prompt, as often as it is asked: one tool call, then a reply."""
    return [{"when": prompt, "after_results": 0, "times": 0, "tool_calls": [{"name": tool, "arguments": arguments}]},
            {"when": prompt, "after_results": 1, "times": 0, "text": reply}]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(condition, seconds, what):
    """The first true answer of `condition`; fails the test when there is none in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"{what} did not happen within {seconds} s")


def wait_equal(ask, expected, seconds, what):
    """As wait_until, for a value that becomes what is expected; the failure shows what it was instead."""
    deadline = time.monotonic() + seconds
    while (answer := ask()) != expected:
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not happen within {seconds} s: {answer[:400]!r} instead of {expected[:400]!r}")
        time.sleep(0.05)


class Reply:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    def json(self):
        return json.loads(self.out)

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out[-2000:]}\nstderr: {self.err[-2000:]}"


class Product:
    def __init__(self, name, script=None):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix=f"cocoonbox-{name}-"))
        self.name = name
        self.data = self.dir / "data"
        self.port = free_port()
        self.api = None
        self.model = None
        self.logs = []
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        atexit.register(self.stop)
        self._start_model(script or [])
        self._write_config()
        self.token = self.new_user("tester")

    # -- processes ----------------------------------------------------------------------------------------------

    def _log(self, what):
        log = open(ARTEFACTS / f"{self.name}-{what}.log", "ab")
        self.logs.append(log)
        return log

    def _start_model(self, script):
        path = self.dir / "script.json"
        path.write_text(json.dumps(script))
        self.requests = self.dir / "requests.jsonl"
        self.model = subprocess.Popen(
            [sys.executable, SOURCE / "tests/support/scripted_model.py", "--port", "0", "--script", path,
             "--record", self.requests, "--key", MODEL_KEY, "--model", MODEL],
            stdout=subprocess.PIPE, stderr=self._log("model"), text=True)
        self.model_port = int(self.model.stdout.readline().split()[-1])

    def _write_config(self):
        key = self.dir / "model-key"
        key.write_text(MODEL_KEY)
        key.chmod(0o600)
        self.config = self.dir / "api.toml"
        self.config.write_text(f"""data-dir = "{self.data}"

[edge]
listen = "127.0.0.1:{self.port}"

[machines]
backend = "podman"
image = "{IMAGE}"
podman-root = "{STATE}/podman"
podman-runroot = "{STATE}/podman-run"

[models]
base-url = "http://127.0.0.1:{self.model_port}"
api-key-file = "{key}"
default-model = "{MODEL}"
""")

    def new_user(self, name):
        made = subprocess.run([BIN / "cocoonbox-api", "user", "create", name, "--config", self.config],
                              capture_output=True, text=True, timeout=30)
        assert made.returncode == 0, made.stderr
        return made.stdout.strip()

    def start_api(self):
        self.api = subprocess.Popen([BIN / "cocoonbox-api", "serve", "--config", self.config],
                                    stdin=subprocess.DEVNULL, stderr=self._log("api"))
        wait_until(self._listens, 20, "the api listening")

    def _listens(self):
        assert self.api.poll() is None, f"the api ended with {self.api.returncode}; see {ARTEFACTS}"
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill_api(self):
        self.api.kill()
        self.api.wait(10)

    def stop_api(self):
        if self.api and self.api.poll() is None:
            self.api.terminate()
            self.api.wait(60)

    def stop(self):
        """Removes every box of this data directory, then ends what was started."""
        if self.api and self.api.poll() is None:
            for box in self.cli("status", "--json").json().get("boxes", []):
                self.cli("delete", box["name"], "--yes", timeout=60)
        self.stop_api()
        if self.model and self.model.poll() is None:
            self.model.terminate()
            self.model.wait(10)
        for log in self.logs:
            log.close()
        shutil.rmtree(self.dir, ignore_errors=True)
        atexit.unregister(self.stop)

    # -- the user's hands ---------------------------------------------------------------------------------------

    def environment(self, token=None):
        # A terminal's own settings must not leak into what the test means to say.
        kept = {key: value for key, value in os.environ.items() if not key.startswith("COCOONBOX_")}
        return {**kept, "COCOONBOX_API_URL": f"http://127.0.0.1:{self.port}",
                "COCOONBOX_TOKEN": self.token if token is None else token,
                "XDG_CONFIG_HOME": str(self.dir / "config"), "HOME": str(self.dir)}

    def cli(self, *words, token=None, timeout=120, stdin=None):
        return Reply(subprocess.run([BIN / "cocoonbox", *words], capture_output=True, text=True, timeout=timeout,
                                    input=stdin if stdin is not None else "", env=self.environment(token)))

    def box(self, name="main"):
        boxes = {box["name"]: box for box in self.cli("status", "--json").json()["boxes"]}
        return boxes.get(name)

    def ensure(self, name="main"):
        reply = self.cli("ensure", name, "--json")
        assert reply.code == 0, reply
        return self.box(name)

    def in_box(self, command, timeout=60):
        """Runs a shell command in the box as `user`; its output."""
        reply = self.cli("exec", "--", "bash", "-lc", command, timeout=timeout)
        assert reply.code == 0, reply
        return reply.out

    # -- what only the host sees --------------------------------------------------------------------------------

    def podman(self, *words, check=True):
        done = subprocess.run(["podman", "--root", STATE / "podman", "--runroot", STATE / "podman-run", "--runtime",
                               "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "file", *words],
                              capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PODMAN_IGNORE_CGROUPSV1_WARNING": "1"})
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def as_root(self, box_id, *words, check=True):
        """Runs a program in the box as its root, which no user of the product can."""
        return self.podman("exec", f"cocoonbox-{box_id}", *words, check=check)

    def channel(self, box_id, name):
        return self.data / "boxes" / box_id / "run" / name

    def identity(self, box_id):
        return json.loads((self.channel(box_id, "identity") / "identity").read_text())

    def probe(self, method, metadata=(), target=None, **flags):
        words = [BUILD / "tests/cocoonbox-grpc-probe", "--target", target or f"127.0.0.1:{self.port}", "--method", method]
        for key, value in metadata:
            words += ["--metadata", f"{key}={value}"]
        for key, value in flags.items():
            words += [f"--{key.replace('_', '-')}", str(value)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def bearer(self, box_id=None, token=None):
        pairs = [("authorization", f"Bearer {token or self.token}")]
        return pairs + ([("x-cocoonbox-box", box_id)] if box_id else [])


class ProductCase(unittest.TestCase):
    """One product for all tests of a class."""

    script = []

    @classmethod
    def setUpClass(cls):
        cls.product = Product(cls.__name__, cls.script)
        cls.product.start_api()

    @classmethod
    def tearDownClass(cls):
        cls.product.stop()


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    unittest.main(verbosity=2)
