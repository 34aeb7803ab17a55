# What the figures were taken on and with: the programs compared, the machine, its load, the accelerators.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import os
import platform
import re
import shutil
import subprocess
import time
from dataclasses import dataclass, field


@dataclass
class Tool:
    """A program, or one way of calling it.  OURS: it is measured in every round."""
    command: list
    ours: bool = False
    env: dict = field(default_factory=dict)


PEERS = ("guestfish", "nbdcopy", "qemu-img")


def output(argv, env=None, limit=120):
    """What a command prints, both streams; empty if it cannot be run."""
    try:
        r = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env={**os.environ, **(env or {})}, timeout=limit, check=False)
        return r.stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired):
        return ""


def our_program(name):
    """The program itself where PATH has the script of libtool in front of it, which takes time of its own."""
    path = shutil.which(name)
    inner = path and os.path.join(os.path.dirname(path), ".libs", name)
    return inner if inner and os.access(inner, os.X_OK) else path


def our_accelerator(command):
    found = re.search(r"accelerator: (\w+)", output(command + ["-v", "-a", "/dev/null", "run"], limit=300))
    return found.group(1) if found else None


def settings(variable, more):
    """An environment variable with settings of a backend, and one more of them."""
    return {variable: ":".join(s for s in (os.environ.get(variable), more) if s)}


def find_tools(accelerator, folder):
    """The programs that there are, by name.  Peers get the accelerator that we have."""
    tools = {}
    zerofish = our_program("zerofish")
    if zerofish:
        env = {"ZEROFISH_TMPDIR": folder}
        tools["zerofish"] = Tool([zerofish], True, env)
        tools["zerofish-discard"] = Tool([zerofish, "--discard=enable"], True, env)
        cold = settings("ZEROFISH_BACKEND_SETTINGS", "template=off")
        tools["zerofish-cold"] = Tool([zerofish], True, {**env, **cold})
    if shutil.which("guestfish"):
        env = {"LIBGUESTFS_BACKEND": "direct", "LIBGUESTFS_TMPDIR": folder}
        if accelerator == "tcg":
            env["LIBGUESTFS_BACKEND_SETTINGS"] = "force_tcg"
        tools["guestfish"] = Tool(["guestfish"], env=env)
    for name in ("nbdcopy", "qemu-img"):
        if shutil.which(name):
            tools[name] = Tool([name])
    if our_program("zerocp"):
        tools["zerocp"] = Tool([our_program("zerocp")], True)
    return tools


def version(argv):
    found = re.search(r"\d+\.\d+[\w.+~-]*", output(argv))
    return found.group(0).rstrip(".") if found else "?"


def cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
            found = re.search(r"model name\s*:\s*(.*)", f.read())
        return found.group(1) if found else platform.machine()
    except OSError:
        return platform.machine()


def system_name():
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "?")
    except OSError:
        return platform.system()


def describe(tools, accelerator, folder, rounds, quick, load):
    """All that a reader must know of the machine, for machine.json.  LOAD: before the run."""
    here = os.path.dirname(os.path.abspath(__file__))
    versions = {"zerofish": version(tools["zerofish"].command + ["--version"])}
    commit = output(["git", "-C", here, "describe", "--always", "--dirty"]).strip()
    if commit and " " not in commit:
        versions["zerofish"] += f" (commit {commit})"
    for name in PEERS:
        versions[name] = version([name, "--version"]) if name in tools else None
    versions["qemu"] = version(["qemu-system-" + platform.machine(), "--version"])
    versions["supermin"] = version(["supermin", "--version"])
    with open("/proc/meminfo", encoding="ascii") as f:
        memory = int(f.readline().split()[1]) // 1024
    return {
        "date": time.strftime("%Y-%m-%d"), "cpu": cpu_model(), "cores": os.cpu_count(), "memory_mib": memory,
        "kernel": platform.release(), "system": system_name(),
        "filesystem": output(["findmnt", "-n", "-o", "FSTYPE", "-T", folder]).strip(), "load_before": load,
        "accelerator": accelerator,
        "peer_accelerator": "tcg" if accelerator == "tcg" else "as the peer chooses",
        "versions": versions, "rounds": rounds, "quick": quick,
    }


def missing(about):
    return [name for name in PEERS if not about["versions"].get(name)]


def accelerator_text(about):
    ours, peers = about["accelerator"], about["peer_accelerator"]
    if ours == peers:
        name = "software emulation (TCG)" if ours == "tcg" else ours.upper()
        return f"**Both sides ran under {name}.**"
    return f"Accelerator: zerofish {ours}, guestfish {peers}."


def machine_lines(about):
    """The description as Markdown, a line for each sentence or two."""
    v = about["versions"]
    peers = ", ".join(f"{n} {v[n]}" for n in PEERS if v.get(n)) or "none"
    rounds = about["rounds"]
    lines = [
        f"Measured on {about['date']}: {about['cpu']}, {about['cores']} cores, "
        f"{about['memory_mib'] / 1024:.0f} GiB, {about['system']}, kernel {about['kernel']}, "
        f"images on {about['filesystem']}; load average before: {about['load_before'][0]}.",
        f"zerofish {v['zerofish']}, qemu {v['qemu']}; peers: {peers}.",
        accelerator_text(about) + (" Each figure is that of one run." if rounds == 1 else
                                   f" Figures are medians of {rounds} runs, the programs taking turns."),
    ]
    if about["quick"]:
        lines.append("This was a quick run with small images: it shows that all works, not how fast it is.")
    if about["load_before"][0] > 0.5:
        lines.append("The machine was busy before the run: take the figures with care.")
    if missing(about):
        lines.append("Not installed, so not measured: " + ", ".join(missing(about)) + ".")
    return lines
