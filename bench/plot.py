# Draws the plots of the sections that have one, with gnuplot.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import os
import shutil
import subprocess

COLOURS = {"zerofish": "#2a7ab9", "zerocp": "#2a7ab9"}
OTHER = ("#c9803a", "#8a8a8a", "#6aa84f")


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def colour(tools, i):
    return COLOURS.get(tools[i], OTHER[i % len(OTHER)])


def value_of(results, section, row, plot, tool):
    value = results.cell(section.NAME, row, plot["metric"], tool).value
    return "?" if value is None else f"{value:.6g}"


def data_block(section, results):
    """The values as gnuplot's inline data: a line a row, its label or number first."""
    plot = section.PLOT
    lines = []
    for i, (row, label) in enumerate(plot["rows"].items()):
        first = row if plot["kind"] == "lines" else '"' + label.replace(", ", "\\n") + '"'
        cells = [value_of(results, section, row, plot, tool) for tool in plot["tools"]]
        lines.append(" ".join([str(i), first] + cells))
    return "$data << END\n" + "\n".join(lines) + "\nEND\n"


def script(section, results, path):
    """Commands of gnuplot that make the PNG."""
    plot, tools = section.PLOT, section.PLOT["tools"]
    text = data_block(section, results)
    text += "set datafile missing '?'\nset terminal pngcairo size 760,380 font 'sans,10'\n"
    text += f"set output {quoted(path)}\nset title {quoted(plot['title'])}\n"
    text += "set logscale y\nset grid ytics lc rgb '#dddddd'\nset border 3\nset tics nomirror\n"
    text += "set key outside right top\n"
    if plot["kind"] == "lines":
        text += f"set logscale x 2\nset xlabel {quoted(plot['xlabel'])}\n"
        text += f"set ylabel {quoted(plot['ylabel'])}\n"
        style = "with linespoints lw 2 pt 7"
        parts = [f"$data using 2:{i + 3} {style} lc rgb '{colour(tools, i)}' title {quoted(tool)}"
                 for i, tool in enumerate(tools)]
    else:
        text += "set style data histogram\nset style histogram clustered gap 1\n"
        text += "set style fill solid border -1\nset boxwidth 0.9\nset bmargin 5\n"
        parts = [f"$data using {i + 3}:xtic(2) lc rgb '{colour(tools, i)}' title {quoted(tool)}"
                 for i, tool in enumerate(tools)]
    return text + "plot " + ", \\\n  ".join(parts) + "\n"


def draw(sections, results, folder):
    """Makes NAME.png in FOLDER for each section with a plot and values; returns pairs of title and file."""
    if not shutil.which("gnuplot"):
        print("bench: no plots: gnuplot is not installed (Debian: gnuplot-nox)")
        return []
    made = []
    for section in sections:
        plot = section.PLOT
        measured = plot and [t for t in plot["tools"] if any(
            results.cell(section.NAME, row, plot["metric"], t).value is not None for row in plot["rows"])]
        # One side alone compares nothing.
        if not plot or len(measured) < 2:
            continue
        name = section.NAME + ".png"
        r = subprocess.run(["gnuplot"], input=script(section, results, os.path.join(folder, name)).encode(),
                           stderr=subprocess.PIPE, timeout=60, check=False)
        if r.returncode == 0:
            made.append((plot["title"], name))
        else:
            print(f"bench: gnuplot failed for {name}: {r.stderr.decode('utf-8', 'replace').strip()}")
    return made
