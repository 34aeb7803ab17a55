# Against python3-guestfs: every call that both have takes the same arguments and returns the same type.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

import json
import subprocess
import sys
import unittest

# Run with each module, in the interpreter that has it.
DUMP = """
import inspect, json, sys
module = __import__(sys.argv[1])
methods = {}
for name, f in inspect.getmembers(module.GuestFS, callable):
    if name.startswith("_") and name != "__init__":
        continue
    s = inspect.signature(f)
    parameters = [(p.name, p.kind.name, "" if p.default is p.empty else repr(p.default), str(p.annotation))
                  for p in s.parameters.values()]
    methods[name] = (parameters, str(s.return_annotation))
constants = {name: value for name, value in vars(module).items() if name.startswith("EVENT_")}
print(json.dumps({"methods": methods, "constants": constants,
                  "closed": [c.__name__ for c in module.ClosedHandle.__mro__]}))
"""
# Theirs is "bytes": ours is read into without a copy, and compares equal to bytes.
BUFFERS = {"pread", "pread_device", "read_file"}
# Written by hand there and not annotated, or here.
# Theirs takes None too, which means the default; ours wants a string.
STRICTER = {("set_path", "searchpath")}
NOT_ANNOTATED = {"__init__", "close", "set_event_callback", "delete_event_callback", "user_cancel"}


def dump(module, interpreters):
    for python in interpreters:
        r = subprocess.run([python, "-c", DUMP, module], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if r.returncode == 0:
            return json.loads(r.stdout.decode())
    return None


class Compat(unittest.TestCase):
    def test_constants(self):
        self.assertEqual(ours["constants"], theirs["constants"])
        self.assertEqual(ours["closed"], theirs["closed"])

    def test_enough_is_compared(self):
        self.assertGreater(len(set(ours["methods"]) & set(theirs["methods"])), 80)

    def test_methods(self):
        for name in sorted(set(ours["methods"]) & set(theirs["methods"])):
            with self.subTest(name):
                self.compare(name, *ours["methods"][name], *theirs["methods"][name])

    def compare(self, name, parameters, result, their_parameters, their_result):
        by_name = {p[0]: p for p in their_parameters}
        position = 0
        for p in parameters:
            if p[0] not in by_name:
                # Of our own, or of later versions: at the end, and optional.
                self.assertEqual(p[2], "None", p)
                self.assertNotIn(p[0], [q[0] for q in their_parameters])
                self.assertEqual([q[0] for q in parameters[position:] if q[0] in by_name], [], p)
                continue
            q = by_name[p[0]]
            self.assertEqual(p[2], q[2], "default of " + p[0])
            if name not in NOT_ANNOTATED and (name, p[0]) not in STRICTER:
                self.assertEqual(p[3], q[3], "type of " + p[0])
            if p[1] == "POSITIONAL_OR_KEYWORD":
                self.assertEqual(p[0], their_parameters[position][0], "position")
            position += 1
        required = [q[0] for q in their_parameters if q[2] == ""]
        self.assertEqual([p[0] for p in parameters if p[2] == ""], required)
        if name in BUFFERS:
            self.assertEqual((result, their_result), ("<class 'bytearray'>", "<class 'bytes'>"))
        elif name not in NOT_ANNOTATED:
            self.assertEqual(result, their_result)

    def test_other_names(self):
        """Calls under the names that they have in python3-guestfs too."""
        import zerofish
        for name in theirs["methods"]:
            plain = name[:-len("_opts")]
            if name.endswith("_opts") and plain in ours["methods"]:
                self.assertIs(getattr(zerofish.GuestFS, name, None), getattr(zerofish.GuestFS, plain), name)


if __name__ == "__main__":
    theirs = dump("guestfs", (sys.executable, "/usr/bin/python3"))
    if theirs is None:
        print("SKIP: python3-guestfs is not installed")
        sys.exit(77)
    ours = dump("zerofish", (sys.executable,))
    unittest.main()
