# SPDX-License-Identifier: AGPL-3.0-only
"""What every benchmark prints: a table for people, or with --json one line a measure."""

import json
import statistics
import sys


class Report:
    def __init__(self, bench):
        self.bench = bench
        self.as_json = "--json" in sys.argv
        self.rows = []

    def add(self, measure, unit, ours, goal, peer="", peer_value=None, at_most=True, judge_ours=False):
        """`goal` bounds `ours`, or with a peer the ratio ours / peer; from above when `at_most`, else from below.
        With `judge_ours` it bounds `ours` all the same, and the peer is there to compare."""
        ratio = ours / peer_value if peer_value else None
        judged = ours if ratio is None or judge_ours else ratio
        ok = judged <= goal if at_most else judged >= goal
        row = {"bench": self.bench, "measure": measure, "unit": unit, "ours": round(ours, 3), "peer": peer,
               "peer_value": None if peer_value is None else round(peer_value, 3),
               "ratio": None if ratio is None else round(ratio, 3),
               "goal": f"{'<=' if at_most else '>='} {goal}", "ok": ok}
        self.rows.append(row)
        if self.as_json:
            print(json.dumps(row), flush=True)

    def finish(self):
        if not self.as_json:
            head = ("measure", "ours", "unit", "peer", "peer value", "ratio", "goal", "")
            table = [head] + [
                (r["measure"], f"{r['ours']:g}", r["unit"], r["peer"] or "-",
                 "-" if r["peer_value"] is None else f"{r['peer_value']:g}",
                 "-" if r["ratio"] is None else f"{r['ratio']:g}", r["goal"], "ok" if r["ok"] else "MISSED")
                for r in self.rows]
            widths = [max(len(row[i]) for row in table) for i in range(len(head))]
            for row in table:
                print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        sys.exit(0 if all(row["ok"] for row in self.rows) else 1)


def median(values):
    return statistics.median(values)


def talk(text):
    print(text, file=sys.stderr, flush=True)
