# The methods that carry out an action.
# Generated from the action table in generator/; do not edit.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The zerofish authors

from typing import List, Optional, Tuple, Union


class Actions:
    """The actions, for the class GuestFS, whose _o is the extension's handle."""

    def all_names(self, mountable: str, path: str, place: str, key: str) -> None:
        r"""Take a name of every kind.

        Take a name of every kind.
        """
        return self._o.all_names(mountable, path, place, key)

    def all_values(self, text: str, number: int, big: int, flag: bool, device: str, texts: List[str],
                   devices: List[str], content: bytes, otext: Optional[str] = None,
                   onumber: Optional[int] = None, obig: Optional[int] = None, oflag: Optional[bool] = None,
                   otexts: Optional[List[str]] = None) -> bool:
        r"""Take a value of every type.

        Take one argument of every type that can be "optional", see all_names and only_in_c. This
        paragraph is long enough to be wrapped in plain text.

        "otext"

            A "text" with a \ in it.

         an example
         of two lines

        This destroys data. On a drive that was added read-only it fails.
        It reports progress and can be cancelled.
        It needs the feature "sample".
        """
        return self._o.all_values(text, number, big, flag, device, texts, devices, content, otext, onumber,
                                  obig, oflag, otexts)

    def get_buffer(self, count: int) -> bytearray:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_buffer(count)

    def get_buffer_into(self, buffer: bytearray) -> int:
        """Like get_buffer, but the bytes go to buffer: anything writable and contiguous.

        As many are asked for as it holds.  Returns how many bytes came.
        """
        return self._o.get_buffer_into(buffer)

    def get_device(self) -> str:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_device()

    def get_devices(self, devices: List[str]) -> List[str]:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_devices(devices)

    def get_file(self, filename: str, limit: Optional[int] = None) -> None:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_file(filename, limit)

    def get_hash(self) -> Union[List[Tuple[str, str]], dict]:
        r"""Return a value.

        Return a value.
        """
        return self._hash(self._o.get_hash())

    def get_int(self) -> int:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_int()

    def get_int64(self, device: str) -> int:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_int64(device)

    def get_int64_hex(self) -> int:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_int64_hex()

    def get_int64_human(self) -> int:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_int64_human()

    def get_int64_octal(self) -> int:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_int64_octal()

    def get_int_hex(self, device: str) -> int:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_int_hex(device)

    def get_int_octal(self) -> int:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_int_octal()

    def get_string(self) -> str:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_string()

    def get_strings(self) -> List[str]:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_strings()

    def get_struct(self) -> dict:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_struct()

    def get_structs(self, path: str) -> List[dict]:
        r"""Return a value.

        Return a value.
        """
        return self._o.get_structs(path)

    def local(self, filename: str, texts: List[str], speed: Optional[int] = None,
              label: Optional[str] = None) -> dict:
        r"""Work done by the library.

        Work done by the library.
        """
        return self._o.local(filename, texts, speed, label)

    def only_in_c(self) -> None:
        r"""Return a value.

        Return a value.
        """
        return self._o.only_in_c()

    def send_file(self, filename: str, path: str) -> None:
        r"""Return a value.

        Return a value.

        It can be cancelled.
        """
        return self._o.send_file(filename, path)

    def set_up(self, filename: str) -> None:
        r"""Work done before the launch.

        Work done before the launch.
        """
        return self._o.set_up(filename)


# Their names.
ACTIONS = {
    "all_names",
    "all_values",
    "get_buffer", "get_buffer_into",
    "get_device",
    "get_devices",
    "get_file",
    "get_hash",
    "get_int",
    "get_int64",
    "get_int64_hex",
    "get_int64_human",
    "get_int64_octal",
    "get_int_hex",
    "get_int_octal",
    "get_string",
    "get_strings",
    "get_struct",
    "get_structs",
    "local",
    "only_in_c",
    "send_file",
    "set_up",
}
