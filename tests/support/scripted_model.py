#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-only
"""A model that says what a script says: POST /v1/chat/completions with stream:true, for tests and demos.

    scripted_model.py [--port N] [--script FILE.json] [--record FILE.jsonl] [--delay-ms N] [--key KEY] [--model NAME]

Prints its port as the first line of stdout (port 0 takes any) and serves on 127.0.0.1 until it is killed. It takes the
path as it is and as a proxy takes it (http://host/v1/chat/completions).

The script is a list of turns. Each request is answered by the first turn that fits and is not used up; without one, the
last prompt is echoed. A turn:

    {"when": "make a file",            # part of the last user message; absent: any
     "text": "I'll do that.",          # optional
     "tool_calls": [{"name": "shell", "arguments": {"command": "date"}}],   # optional; arguments may be a string
     "times": 1,                       # how often it may be used; absent: once; 0: for ever
     "after_results": 1,               # fits only when so many tool results follow the last prompt
     "status": 500, "error": "why",    # fails instead
     "retry_after": 1,                 # with status
     "delay_ms": 20,                   # between two pieces
     "hang": true}                     # after the pieces: silence until the client goes

--record appends every request's body as one line of JSON.
"""

import argparse
import http.server
import json
import sys
import threading
import time


def text_of(message):
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content)


def last_prompt(messages):
    for message in reversed(messages):
        if message.get("role") == "user":
            return text_of(message)
    return ""


def results_after_prompt(messages):
    count = 0
    for message in reversed(messages):
        if message.get("role") == "user":
            break
        count += message.get("role") == "tool"
    return count


class Script:
    def __init__(self, turns):
        self.turns = [dict(turn) for turn in turns]
        self.used = [0] * len(self.turns)
        self.lock = threading.Lock()

    def answer(self, messages):
        prompt, results = last_prompt(messages), results_after_prompt(messages)
        with self.lock:
            for index, turn in enumerate(self.turns):
                times = turn.get("times", 1)
                if times and self.used[index] >= times:
                    continue
                if turn.get("when", "") not in prompt:
                    continue
                if "after_results" in turn and turn["after_results"] != results:
                    continue
                self.used[index] += 1
                return turn
        return {"text": "You said: " + prompt if not results else "Done."}


def pieces_of(text):
    """Words with their spaces, as models send them."""
    words = text.split(" ")
    return [word if index == 0 else " " + word for index, word in enumerate(words)] if text else []


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not self.path.endswith("/v1/chat/completions"):
            return self.fail(404, "this server knows /v1/chat/completions only")
        try:
            request = json.loads(body)
            messages = request["messages"]
        except (ValueError, KeyError, TypeError):
            return self.fail(400, "the body is no chat request")
        if self.server.key and self.headers.get("Authorization") != "Bearer " + self.server.key:
            return self.fail(401, "the key is wrong")
        if self.server.model and request.get("model") != self.server.model:
            return self.fail(404, "there is no model %s" % request.get("model"))
        self.server.keep(request)
        turn = self.server.script.answer(messages)
        if "status" in turn:
            return self.fail(turn["status"], turn.get("error", "scripted failure"), turn.get("retry_after"))
        try:
            self.stream(request, turn)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def fail(self, status, why, retry_after=None):
        payload = json.dumps({"error": {"message": why}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        self.end_headers()
        self.wfile.write(payload)

    def piece(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def chunk(self, model, delta, finish=None):
        event = {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": model,
                 "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        self.piece(b"data: " + json.dumps(event).encode() + b"\n\n")

    def stream(self, request, turn):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        model = request.get("model", "scripted")
        delay = turn.get("delay_ms", self.server.delay_ms) / 1000
        self.chunk(model, {"role": "assistant", "content": ""})
        for piece in pieces_of(turn.get("text", "")):
            self.chunk(model, {"content": piece})
            time.sleep(delay)
        calls = turn.get("tool_calls", [])
        for index, call in enumerate(calls):
            arguments = call.get("arguments", {})
            if not isinstance(arguments, str):
                arguments = json.dumps(arguments)
            head = {"index": index, "id": "call_%d" % index, "type": "function", "function": {"name": call["name"], "arguments": ""}}
            self.chunk(model, {"tool_calls": [head]})
            half = len(arguments) // 2
            for part in (arguments[:half], arguments[half:]):
                self.chunk(model, {"tool_calls": [{"index": index, "function": {"arguments": part}}]})
                time.sleep(delay)
        if turn.get("hang"):
            self.rfile.read(1)
            return
        self.chunk(model, {}, "tool_calls" if calls else "stop")
        if request.get("stream_options", {}).get("include_usage"):
            usage = {"choices": [], "usage": {"prompt_tokens": len(json.dumps(request["messages"])) // 4, "completion_tokens": 8}}
            self.piece(b"data: " + json.dumps(usage).encode() + b"\n\n")
        self.piece(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port, script, record, delay_ms, key, model):
        super().__init__(("127.0.0.1", port), Handler)
        self.script, self.record, self.delay_ms, self.key, self.model = script, record, delay_ms, key, model
        self.lock = threading.Lock()

    def keep(self, request):
        if not self.record:
            return
        with self.lock, open(self.record, "a", encoding="utf-8") as file:
            file.write(json.dumps(request, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description="A model that says what a script says.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", help="JSON file with a list of turns")
    parser.add_argument("--record", help="file that gets every request as a line of JSON")
    parser.add_argument("--delay-ms", type=int, default=0, help="between two pieces, unless the turn says")
    parser.add_argument("--key", help="refuse every other bearer key with 401")
    parser.add_argument("--model", help="refuse every other model's name with 404")
    options = parser.parse_args()
    turns = []
    if options.script:
        with open(options.script, encoding="utf-8") as file:
            turns = json.load(file)
    server = Server(options.port, Script(turns), options.record, options.delay_ms, options.key,
                    options.model)
    print(server.server_address[1], flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
