# From measured values to Markdown tables: medians, ratios, and whether an aim was reached.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

"""A value is a dict as it stands in results.jsonl:

    section, row, metric, tool   what was measured
    round                        from 1
    value, unit                  "s", "MB/s", "space" (bytes, printed rounded) or "bytes" (printed in full)
    bound                        true: it was stopped at its time limit, so VALUE is less than the truth
    error                        instead of value: why there is none
"""

import statistics
from dataclasses import dataclass, field

# Of these more is better.
RATES = ("MB/s",)


@dataclass
class Cell:
    """What a table shows for some values: their median.  VALUE None: nothing was measured, or it failed."""
    value: float = None
    unit: str = ""
    bound: bool = False
    error: str = ""
    count: int = 0


@dataclass
class Value:
    """A column of medians.  AT_MOST is the aim: a number, in UNIT, or a dict with one for some rows."""
    head: str
    metric: str
    tool: str
    at_most: object = None
    unit: str = ""

    def text(self, results, section, row):
        cell = results.cell(section, row, self.metric, self.tool)
        aim = self.at_most.get(row) if isinstance(self.at_most, dict) else self.at_most
        text = value_text(cell)
        if aim is None or cell.value is None:
            return text
        wanted = f"at most {unit_text(aim, cell.unit)}"
        return judged(text, wanted, cell.value <= aim, self, results, f"{section}, {row}: {self.name()}")

    def name(self):
        return f"{self.metric}, {self.tool}"

    def aim(self):
        return self.at_most


@dataclass
class Ratio:
    """A column that says how many times better OURS is than PEER.  AT_LEAST is the aim: a number or
    a dict with one for some rows."""
    head: str
    metric: str
    ours: str
    peer: str
    at_least: object = None

    def text(self, results, section, row):
        ours = results.cell(section, row, self.metric, self.ours)
        peer = results.cell(section, row, self.metric, self.peer)
        ratio, sign = ratio_of(ours, peer)
        aim = self.at_least.get(row) if isinstance(self.at_least, dict) else self.at_least
        text = ratio_text(ratio, sign)
        # Of a peer that was stopped it is not known how much slower it is.
        if aim is None or ratio is None or sign == "> ":
            return text
        wanted = f"at least {aim:g} x"
        return judged(text, wanted, ratio >= aim, self, results, f"{section}, {row}: {self.name()}")

    def name(self):
        return f"{self.metric}, {self.ours} against {self.peer}"

    def aim(self):
        return self.at_least


@dataclass
class Table:
    """One table: ROWS maps the key of a row, as it stands in the results, to its label."""
    head: str
    rows: dict
    columns: list
    readme: bool = True


@dataclass
class Results:
    """All values of a run, and the aims that were missed, which printing the tables finds."""
    values: list
    missed: list = field(default_factory=list)

    def cell(self, section, row, metric, tool):
        found = [v for v in self.values if (v["section"], v["row"], v["metric"], v["tool"])
                 == (section, row, metric, tool)]
        good = [v for v in found if "error" not in v]
        if not good:
            return Cell(error=found[0]["error"] if found else "", count=len(found))
        value = statistics.median(v["value"] for v in good)
        # A run that was stopped counts with its limit; a median that is no smaller is a lower bound.
        bound = any(v.get("bound") and v["value"] <= value for v in good)
        return Cell(value, good[0]["unit"], bound, "", len(good))

    def errors(self):
        return [v for v in self.values if "error" in v]


def ratio_of(ours, peer):
    """How many times better, and the sign in front of the number; None if that cannot be said."""
    if ours.value is None or peer.value is None or (ours.bound and peer.bound):
        return None, ""
    if ours.unit in RATES:
        return (ours.value / peer.value if peer.value else None), ""
    sign = "< " if ours.bound else "> " if peer.bound else ""
    return (peer.value / ours.value if ours.value else None), sign


def number(x):
    """Three digits, as far as there are so many."""
    if x >= 100:
        return f"{x:.0f}"
    if x >= 10:
        return f"{x:.1f}"
    return f"{x:.2f}"


def ratio_text(ratio, sign):
    if ratio is None:
        return "-"
    return f"{sign}{ratio:.0f} x" if ratio >= 10 else f"{sign}{ratio:.2f} x"


def size_text(n):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(n) < 1024:
            return f"{n:.0f} {unit}" if unit == "B" or abs(n) >= 100 else f"{n:.3g} {unit}"
        n /= 1024
    return f"{n:.3g} TiB"


def unit_text(value, unit):
    if unit == "bytes":
        return f"{value:.0f}"
    if unit == "space":
        return size_text(value)
    if unit == "s" and value < 0.001:
        return f"{number(value * 1e6)} us"
    if unit == "s" and value < 0.1:
        return f"{number(value * 1e3)} ms"
    return f"{number(value)} {unit}".rstrip()


def value_text(cell):
    if cell.value is None:
        return "failed" if cell.error else "-"
    return ("> " if cell.bound else "") + unit_text(cell.value, cell.unit)


def judged(text, wanted, reached, column, results, what):
    """TEXT, in bold if the aim was missed; the aim behind it if the head of the column does not say it."""
    if not reached:
        results.missed.append(f"{what}: {text}, aim {wanted}")
        text = f"**{text}**"
    return f"{text} ({wanted})" if isinstance(column.aim(), dict) else text


def head_text(column):
    """The head of a column, with its aim if that is the same for all rows."""
    aim = column.aim()
    if aim is None or isinstance(aim, dict):
        return column.head
    if isinstance(column, Ratio):
        return f"{column.head} (aim {aim:g} x)"
    return f"{column.head} (aim {unit_text(aim, column.unit)})"


def table_lines(table, section, results):
    """The lines of one table; columns and rows without any value are left out."""
    rows = [(label, [c.text(results, section, key) for c in table.columns])
            for key, label in table.rows.items()]
    rows = [r for r in rows if any(cell != "-" for cell in r[1])]
    keep = [i for i in range(len(table.columns)) if any(cells[i] != "-" for _, cells in rows)]
    if not rows:
        return []
    lines = ["| " + " | ".join([table.head] + [head_text(table.columns[i]) for i in keep]) + " |",
             "|---" + "|--:" * len(keep) + "|"]
    return lines + ["| " + " | ".join([label] + [cells[i] for i in keep]) + " |" for label, cells in rows]


def section_lines(section, results, readme=False):
    """Title and tables of one section, as Markdown; nothing if nothing of it was measured."""
    lines = []
    for table in section.TABLES:
        if table.readme or not readme:
            one = table_lines(table, section.NAME, results)
            lines += one + [""] if one else []
    if not lines:
        return []
    return [f"### {section.TITLE}", ""] + ([section.ABOUT, ""] if section.ABOUT else []) + lines


def end_lines(results):
    """What was missed and what failed, after the tables were made."""
    lines = []
    if results.missed:
        lines += ["Aims that were missed:", ""] + [f"- {m}" for m in results.missed] + [""]
    if results.errors():
        lines += ["Runs that failed:", ""]
        lines += [f"- {v['section']}, {v['row']}, {v['tool']}, round {v['round']}: {v['error']}"
                  for v in results.errors()]
        lines += [""]
    return lines
