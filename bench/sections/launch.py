# From nothing to an appliance that is ready: as it is by default, cold, and the peer's.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import re

from report import Ratio, Table, Value

NAME, LETTER = "launch", "b"
TITLE = "Launch"
ABOUT = ("The command is `TOOL -a /dev/null time run`; ready: the time that it prints, whole: start to exit; "
         "cold: with the backend setting `template=off`.")

ROWS = {"default": "as usual: restored from the template", "cold": "cold"}
TABLES = [
    Table("launch", ROWS, [
        Value("ready: zerofish", "ready", "zerofish", {"default": 0.6}),
        Value("ready: guestfish", "ready", "guestfish"),
        Ratio("faster", "ready", "zerofish", "guestfish", {"default": 30, "cold": 6}),
        Value("whole: zerofish", "whole", "zerofish"),
        Value("whole: guestfish", "whole", "guestfish"),
        Ratio("faster", "whole", "zerofish", "guestfish"),
    ]),
]
PLOT = {"kind": "bars", "title": "launch, seconds", "metric": "ready",
        "rows": {"default": "default", "cold": "cold"}, "tools": ["zerofish", "guestfish"]}


def space(_):
    return 1 << 20


def measure(bench):
    for number, tool in bench.turns(["zerofish", "zerofish-cold", "guestfish"]):
        outcome = bench.shell(tool, ["-a", "/dev/null", "time", "run"])
        elapsed = re.search(r"elapsed time: ([\d.]+) seconds", outcome.stdout)
        # The peer has one way to launch, which both rows are compared with.
        for row in {"zerofish": ["default"], "zerofish-cold": ["cold"]}.get(tool, ROWS):
            name = "zerofish" if tool.startswith("zerofish") else tool
            if elapsed and not outcome.trouble():
                bench.record(row, "ready", name, number, max(float(elapsed.group(1)), 0.01), "s")
                bench.record(row, "whole", name, number, outcome.seconds, "s")
            else:
                bench.failed(row, "ready", name, number, outcome.trouble() or "no time was printed")
    bench.say("default, cold and the peer")
