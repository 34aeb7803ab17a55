/* The action table: what the library carries out itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_library[] = {
  { .name = "add_drive",
    .args = { { "filename", T_FILENAME } },
    .optargs = {
      { "readonly", T_BOOL }, { "format", T_STRING }, { "label", T_STRING }, { "discard", T_STRING },
      { "blocksize", T_INT }, { "cachemode", T_STRING },
    },
    .flags = F_CONFIG,
    .aliases = { "add" },
    .since = "0.1",
    .shortdesc = "add a disk image",
    .longdesc =
      "Add the disk image C<filename>, a local file, host block device or C<nbd:> URI.  The first "
      "becomes C</dev/sda> in the appliance, the second C</dev/sdb>, and so on; up to 255 can be added.  "
      "C</dev/null> becomes a small scratch disk.\n"
      "\n"
      "=over 4\n"
      "\n"
      "=item C<readonly>\n"
      "\n"
      "Never write to the image.  Destructive calls on the disk and its partitions are refused with "
      "C<EROFS>; writes to a mounted filesystem go to a throw-away layer and are lost at the end.\n"
      "\n"
      "=item C<format>\n"
      "\n"
      "The image's format: C<raw>, C<qcow2>, ...  Without it the format is detected now.  An image that "
      "is then found to name another file (a backing file, an external data file) is refused until the "
      "format is given, since a guest may have written that name.\n"
      "\n"
      "=item C<label>\n"
      "\n"
      "A name for the disk, 1 to 20 letters.\n"
      "\n"
      "=item C<discard>\n"
      "\n"
      "C<disable> (the default): space that is zeroed stays allocated.  C<enable>: it goes back to the "
      "host; an error if the image cannot do that.  C<besteffort>: it goes back if that is possible.\n"
      "\n"
      "=item C<blocksize>\n"
      "\n"
      "Sector size that the disk has in the appliance: 512 or 4096 bytes.\n"
      "\n"
      "=item C<cachemode>\n"
      "\n"
      "C<writeback> (the default), or C<unsafe>, which ignores requests to write data to the host's "
      "disk.\n"
      "\n"
      "=back",
    .tests = { { START_ANY, "add-drive /dev/null\n", "", .error = "only before launch" } } },

  { .name = "add_drive_ro",
    .args = { { "filename", T_FILENAME } },
    .flags = F_CONFIG,
    .aliases = { "add-ro" },
    .since = "0.1",
    .shortdesc = "add a disk image read-only",
    .longdesc = "As A<add_drive> with C<readonly> set." },

  { .name = "add_domain",
    .ret = T_INT,
    .args = { { "name", T_STRING } },
    .optargs = {
      { "libvirturi", T_STRING }, { "readonly", T_BOOL }, { "readonlydisk", T_STRING }, { "allowuuid", T_BOOL },
      { "live", T_BOOL }, { "cachemode", T_STRING }, { "discard", T_STRING }, { "copyonread", T_BOOL },
    },
    .flags = F_CONFIG,
    .aliases = { "domain" },
    .since = "0.1",
    .shortdesc = "add the disks of a libvirt guest",
    .longdesc =
      "Add all disks of the libvirt guest C<name>, or none if one cannot be added; the number of them is returned.  "
      "Files, block devices, storage volumes and NBD disks are supported; CD-ROMs and floppies are left out.  "
      "Format, serial, logical block size, C<discard>, C<detect_zeroes> and read-only marks are the guest's own.\n"
      "\n"
      "A guest that is running is refused, unless its disks are added read-only: then what is read may be "
      "inconsistent, and a warning says so.\n"
      "\n"
      "=over 4\n"
      "\n"
      "=item C<libvirturi>\n"
      "\n"
      "Where the guest is; without it libvirt's own default.\n"
      "\n"
      "=item C<readonly>\n"
      "\n"
      "Add all disks read-only.\n"
      "\n"
      "=item C<readonlydisk>\n"
      "\n"
      "What is done with a disk that is marked read-only in the guest: C<read> (the default) adds it read-only, "
      "C<write> adds it as the others, C<ignore> leaves it out, C<error> is an error.\n"
      "\n"
      "=item C<allowuuid>\n"
      "\n"
      "C<name> may also be the guest's UUID.\n"
      "\n"
      "=item C<live>\n"
      "\n"
      "Not supported: true is an error.\n"
      "\n"
      "=item C<cachemode>, C<discard>\n"
      "\n"
      "As in A<add_drive>, for all disks; without C<discard> it is as the guest has it.\n"
      "\n"
      "=item C<copyonread>\n"
      "\n"
      "Accepted, without effect.\n"
      "\n"
      "=back",
    .tests = { { START_ANY, "add-domain none\n", "", .error = "only before launch" } } },

  { .name = "launch",
    .flags = F_CONFIG,
    .aliases = { "run" },
    .since = "0.1",
    .shortdesc = "start the appliance",
    .longdesc =
      "Start the appliance with the drives that were added.  All calls that look into the disks need "
      "this first.  The very first launch on a machine builds the appliance, which can take a minute; it "
      "is then kept.\n"
      "\n"
      "If it fails the handle can be used as before the call, and the message ends with the last lines "
      "of the appliance's console.  It can be cancelled." },

  { .name = "shutdown",
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "end the appliance",
    .longdesc =
      "Unmount everything, write it to the disks and end the appliance.  The result says whether all of "
      "it was written, which closing a handle cannot report.  Afterwards the handle has no drives, and "
      "can be used again.  It is no error if there is no appliance.",
    .tests = { { START_ANY, "is-config\n", "false\n" } } },

  { .name = "is_config",
    .ret = T_BOOL,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "test whether the handle is being configured",
    .longdesc = "True before A<launch> and after A<shutdown>, while drives can be added.",
    .tests = { { START_ANY, "is-config\n", "false\n" } } },

  { .name = "is_ready",
    .ret = T_BOOL,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "test whether the appliance is ready",
    .longdesc = "True once A<launch> has returned successfully, until the appliance ends.",
    .tests = { { START_ANY, "is-ready\n", "true\n" } } },

  { .name = "set_autosync",
    .args = { { "autosync", T_BOOL } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "turn the flush at the end on or off",
    .longdesc =
      "By default A<shutdown> and closing the handle first have the appliance unmount its filesystems and flush the disks.  "
      "With this off they do not: what A<sync> or an unmount has not written by then is lost.",
    .tests = { { START_ANY, "set-autosync false\nget-autosync\nset-autosync true\n", "false\n" } } },

  { .name = "get_autosync",
    .ret = T_BOOL,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "is the flush at the end on",
    .longdesc = "The setting of A<set_autosync>.",
    .tests = { { START_ANY, "get-autosync\n", "true\n" } } },

  { .name = "set_verbose",
    .args = { { "verbose", T_BOOL } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "turn verbose messages on or off",
    .longdesc =
      "Turn messages of the library, and the console of an appliance that is launched afterwards, on or "
      "off.  The default is off, or what C<$ZEROFISH_DEBUG> says (1 for on).",
    .tests = { { START_ANY, "set-verbose false\nget-verbose\n", "false\n" } } },

  { .name = "get_verbose",
    .ret = T_BOOL,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "are verbose messages on",
    .longdesc = "The setting of A<set_verbose>.",
    .tests = { { START_ANY, "get-verbose\n", "false\n" } } },

  { .name = "set_trace",
    .args = { { "trace", T_BOOL } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "turn the trace of calls on or off",
    .longdesc =
      "Turn a line for each call, with its arguments and its result, on or off.  Keys are not shown.  "
      "The default is off, or what C<$ZEROFISH_TRACE> says (1 for on).",
    .tests = { { START_ANY, "set-trace false\nget-trace\n", "false\n" } } },

  { .name = "get_trace",
    .ret = T_BOOL,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "is the trace of calls on",
    .longdesc = "The setting of A<set_trace>.",
    .tests = { { START_ANY, "get-trace\n", "false\n" } } },

  { .name = "set_memsize",
    .args = { { "memsize", T_INT } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "set the memory of the appliance",
    .longdesc =
      "Set the memory of appliances that are launched from now on, in MiB, at least 128.  The default is "
      "1280, or C<$ZEROFISH_MEMSIZE>.",
    .tests = {
      { START_ANY, "set-memsize 600\nget-memsize\n", "600\n" },
      { START_ANY, "set-memsize 1\n", "", .error = "from 128" },
    } },

  { .name = "get_memsize",
    .ret = T_INT,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "memory of the appliance",
    .longdesc = "The setting of A<set_memsize>, in MiB.",
    .tests = { { START_ANY, "set-memsize 1280\nget-memsize\n", "1280\n" } } },

  { .name = "set_smp",
    .args = { { "smp", T_INT } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "set the number of virtual CPUs",
    .longdesc =
      "Set the number of virtual CPUs of appliances that are launched from now on, 1 to 255.  The "
      "default is 1.",
    .tests = {
      { START_ANY, "set-smp 2\nget-smp\nset-smp 1\n", "2\n" },
      { START_ANY, "set-smp 0\n", "", .error = "from 1 to 255" },
    } },

  { .name = "get_smp",
    .ret = T_INT,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "number of virtual CPUs",
    .longdesc = "The setting of A<set_smp>.",
    .tests = { { START_ANY, "get-smp\n", "1\n" } } },

  { .name = "set_backend",
    .args = { { "backend", T_STRING } },
    .flags = F_CONFIG,
    .since = "0.1",
    .shortdesc = "choose how the appliance is run",
    .longdesc =
      "Choose the backend: C<direct> runs qemu itself, and is the default unless C<$ZEROFISH_BACKEND> "
      "says otherwise.  A backend that does not exist is refused with C<EINVAL>.",
    .tests = { { START_ANY, "set-backend direct\n", "", .error = "only before launch" } } },

  { .name = "get_backend",
    .ret = T_STRING,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "the backend in use",
    .longdesc = "The setting of A<set_backend>.",
    .tests = { { START_ANY, "get-backend | sed d\n", "" } } },

  { .name = "set_backend_settings",
    .args = { { "settings", T_STRING_LIST } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "set details of the backend",
    .longdesc =
      "Set a list of settings for launches from now on; it replaces the former list.  C<force_tcg> "
      "always uses software emulation, C<force_kvm> never does; C<template=off> boots each time, see "
      "L<zerofish(3)/Templates>; C<hints=off> reads holes of images too, see L<zerofish(3)/Holes>.  Unknown settings are ignored.  The default is C<$ZEROFISH_BACKEND_SETTINGS>, "
      "separated by colons.",
    .tests = {
      { START_ANY,
        "set-backend-settings \"force_tcg other\"\nget-backend-settings\n",
        "force_tcg\nother\n" },
    } },

  { .name = "get_backend_settings",
    .ret = T_STRING_LIST,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "details of the backend",
    .longdesc = "The setting of A<set_backend_settings>.",
    .tests = { { START_ANY, "set-backend-settings force_tcg\nget-backend-settings\n", "force_tcg\n" } } },

  { .name = "set_hv",
    .args = { { "hv", T_STRING } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "choose the emulator",
    .longdesc =
      "Set the program that runs the appliance, for launches from now on.  The default is "
      "C<$ZEROFISH_HV>, else the first qemu found in C<$PATH> and in the usual places of distributions.  "
      "It must be a qemu.",
    .tests = { { START_ANY, "get-hv | sed d\n", "" } } },

  { .name = "get_hv",
    .ret = T_STRING,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "the emulator in use",
    .longdesc =
      "The setting of A<set_hv>, or the program that would be taken.  It is an error if none is found.",
    .tests = { { START_ANY, "get-hv | sed d\n", "" } } },

  { .name = "set_cachedir",
    .args = { { "cachedir", T_STRING } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "set the folder of kept appliances",
    .longdesc =
      "Set the folder in which built appliances are kept.  The default is C<$ZEROFISH_CACHEDIR>, else "
      "C<zerofish> in C<$XDG_CACHE_HOME> or F<~/.cache>.",
    .tests = { { START_ANY, "get-cachedir | sed d\n", "" } } },

  { .name = "get_cachedir",
    .ret = T_STRING,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "folder of kept appliances",
    .longdesc = "The setting of A<set_cachedir>.",
    .tests = { { START_ANY, "get-cachedir | sed d\n", "" } } },

  { .name = "set_path",
    .args = { { "searchpath", T_STRING } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "set the folder of the appliance",
    .longdesc =
      "Launch appliances from the folder C<searchpath> from now on, or from the first complete one of several with C<:> "
      "between them.  It is what C<zerofish-make-fixed-appliance> or C<libguestfs-make-fixed-appliance> has made.  With an appliance of "
      "libguestfs, whose disks are attached when it starts, calls that it does not know fail, and none is "
      "faster than there.  An empty C<path> means zerofish's own appliance, which is built when it is needed.  The default "
      "is C<$ZEROFISH_APPLIANCE>.",
    .tests = { { START_ANY, "set-path /none\nget-path\nset-path \"\"\n", "/none\n" } } },

  { .name = "get_path",
    .ret = T_STRING,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "folder of the appliance",
    .longdesc = "The setting of A<set_path>.",
    .tests = { { START_ANY, "get-path | sed d\n", "" } } },

  { .name = "set_tmpdir",
    .args = { { "tmpdir", T_STRING } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "set the folder of temporary files",
    .longdesc =
      "Set the folder for temporary files, such as the throw-away layers of read-only drives.  The "
      "default is C<$ZEROFISH_TMPDIR>, else C<$TMPDIR>, else F</tmp>.",
    .tests = { { START_ANY, "set-tmpdir /tmp\nget-tmpdir\n", "/tmp\n" } } },

  { .name = "get_tmpdir",
    .ret = T_STRING,
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "folder of temporary files",
    .longdesc = "The setting of A<set_tmpdir>.",
    .tests = { { START_ANY, "get-tmpdir | sed d\n", "" } } },

  { .name = "disk_create",
    .args = { { "filename", T_FILENAME }, { "format", T_STRING }, { "size", T_INT64 } },
    .optargs = {
      { "backingfile", T_STRING }, { "backingformat", T_STRING }, { "preallocation", T_STRING },
      { "compat", T_STRING }, { "clustersize", T_INT },
    },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "make a disk image",
    .longdesc =
      "Make the disk image C<filename> of C<format> C<raw> or C<qcow2>, for a disk of C<size> bytes.  An "
      "existing file is overwritten.  C<size> may be -1 if there is a backing file, and is then that "
      "file's size.\n"
      "\n"
      "=over 4\n"
      "\n"
      "=item C<backingfile>, C<backingformat>\n"
      "\n"
      "The image below (qcow2 only), and its format.  A format that is not given is detected, and refused if "
      "the image names yet another file.\n"
      "\n"
      "=item C<preallocation>\n"
      "\n"
      "C<off> (or C<sparse>, the default); C<falloc>; C<full>; for qcow2 also C<metadata>.\n"
      "\n"
      "=item C<compat>\n"
      "\n"
      "C<0.10> or C<1.1> (qcow2 only).\n"
      "\n"
      "=item C<clustersize>\n"
      "\n"
      "Cluster size in bytes, a power of two from 512 to 2097152 (qcow2 only).\n"
      "\n"
      "=back",
    .tests = {
      { START_ANY,
        "disk-create t.qcow2 qcow2 1048576 preallocation:metadata\n"
        "disk-format t.qcow2\n"
        "disk-virtual-size t.qcow2\n",
        "qcow2\n1048576\n" },
      { START_ANY, "disk-create t.img nonsense 1048576\n", "", .error = "nonsense" },
    } },

  { .name = "disk_format",
    .ret = T_STRING,
    .args = { { "filename", T_FILENAME } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "format of a disk image",
    .longdesc =
      "Detect the format of the disk image C<filename>: C<raw>, C<qcow2>, ...  Do not trust the answer "
      "for an image whose guest you do not trust: a guest can make a raw disk look like any other format.",
    .tests = { { START_ANY, "disk-create t.img raw 1048576\ndisk-format t.img\n", "raw\n" } } },

  { .name = "disk_virtual_size",
    .ret = T_INT64,
    .args = { { "filename", T_FILENAME } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "size of the disk in an image",
    .longdesc =
      "The size in bytes of the disk that a guest sees in the image C<filename>.  The format is detected "
      "as by A<disk_format>.",
    .tests = { { START_ANY, "disk-create t.img raw 1048576\ndisk-virtual-size t.img\n", "1048576\n" } } },

  { .name = "copy_disk",
    .ret = T_STRUCT, .ret_struct = "copy_stats",
    .args = { { "source", T_STRING }, { "target", T_STRING } },
    .optargs = {
      { "sourceformat", T_STRING }, { "targetformat", T_STRING }, { "allocated", T_BOOL },
      { "targetmustbe", T_STRING }, { "flush", T_BOOL }, { "verify", T_BOOL }, { "synchronous", T_BOOL },
      { "threads", T_INT }, { "connections", T_INT }, { "requests", T_INT }, { "requestsize", T_INT },
      { "timeout", T_INT },
    },
    .flags = F_ANY_STATE | F_PROGRESS | F_CANCEL,
    .aliases = { "disk-copy" },
    .since = "0.1",
    .shortdesc = "copy a disk image without reading holes or writing zeroes twice",
    .longdesc =
      "Copy the disk in C<source> to C<target>, as L<zerocp(1)> does.  Each is an image file, a host block device, "
      "an C<nbd:> URI, or C<-> for standard input or output.  What is known to be zero on both sides is not "
      "touched, what is zero in the source only is zeroed in as few requests as possible, and the rest is read once "
      "and tested for blocks of zeroes, which are not written.  No appliance is needed.\n"
      "\n"
      "A target file that does not exist is made, and removed again if the copy fails.  A raw target file gets "
      "the source's size; any other target must be at least as large as the source, and what is behind its end is left "
      "alone.  "
      "Source and target must not be the same.\n"
      "\n"
      "=over 4\n"
      "\n"
      "=item C<sourceformat>, C<targetformat>\n"
      "\n"
      "Formats of local images: C<raw>, C<qcow2>, ...  Without them they are detected, and images that name "
      "other files are refused; a new file is C<qcow2> (C<vmdk>, C<vdi>, C<vhdx>) if its name ends so, else "
      "C<raw>.\n"
      "\n"
      "=item C<allocated>\n"
      "\n"
      "Give the target space for all of the disk.\n"
      "\n"
      "=item C<targetmustbe>\n"
      "\n"
      "C<zero>: look at the whole target first, and refuse it if anything in it is not zero.  C<any>: the "
      "default.\n"
      "\n"
      "=item C<flush>\n"
      "\n"
      "Return only when the copy is on disk.\n"
      "\n"
      "=item C<verify>\n"
      "\n"
      "Read both sides again and compare them.\n"
      "\n"
      "=item C<synchronous>, C<threads>, C<connections>, C<requests>, C<requestsize>\n"
      "\n"
      "How much goes on at the same time.  The defaults find out what is fastest.\n"
      "\n"
      "=item C<timeout>\n"
      "\n"
      "Give up if a server has not answered anything for so many seconds (120).\n"
      "\n"
      "=back",
    .tests = {
      { START_ANY,
        "disk-create cs.img raw 1048576\n"
        "copy-disk cs.img ct.qcow2 | grep -E '^(size|written|zeroed|skipped)'\n"
        "disk-format ct.qcow2\n",
        "size: 1048576\nwritten: 0\nzeroed: 0\nskipped: 1048576\nqcow2\n" },
      { START_ANY, "disk-create s.img raw 1048576\ndisk-copy s.img s.img\n", "", .error = "the same" },
    } },

  { .name = "version",
    .ret = T_STRUCT, .ret_struct = "version",
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "version of the library",
    .longdesc = "The version of the library that the program runs with.",
    .tests = { { START_ANY, "version | grep ^major\n", "major: 0\n" } } },

  { .name = NULL }
};
