# Puts the tables and plots of a run into README.md, between two marks, and keeps what they were made of.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import os
import shutil

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
LARGEST = 60 * 1024


def put_between(text, block):
    """TEXT with what stands between the marks replaced by BLOCK; None if they are not there, once each."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        return None
    return text[:text.index(BEGIN) + len(BEGIN)] + "\n" + block + text[text.index(END):]


def keep(folder, kept, plots):
    """Copies the results of FOLDER to KEPT, in the source."""
    os.makedirs(kept, exist_ok=True)
    for name in ["results.jsonl", "machine.json", "table.md"] + [name for _, name in plots]:
        path = os.path.join(folder, name)
        if name.endswith(".png") and os.path.getsize(path) > LARGEST:
            raise SystemExit(f"bench: {path} is larger than {LARGEST // 1024} KiB")
        shutil.copyfile(path, os.path.join(kept, name))


def update(top, folder, lines, plots):
    """Writes LINES and PLOTS into README.md of the source folder TOP."""
    readme = os.path.join(top, "README.md")
    lines = lines + [f"![{title}](bench/results/{name})" for title, name in plots] + [
        "", "All figures of this run, and what missed its aim: [table.md](bench/results/table.md).", ""]
    with open(readme, encoding="utf-8") as f:
        text = put_between(f.read(), "\n".join(lines))
    if text is None:
        raise SystemExit(f"bench: {readme} lacks the lines {BEGIN} and {END}")
    keep(folder, os.path.join(top, "bench", "results"), plots)
    with open(readme + ".tmp", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(readme + ".tmp", readme)
