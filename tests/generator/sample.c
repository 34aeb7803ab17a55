/* A small table with every type, every flag and every form of output, in place of the real one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_zero[] = {
  { .name = "all_values", .proc = 11,
    .ret = T_BOOL,
    .args = {
      { "text", T_STRING }, { "number", T_INT }, { "big", T_INT64 }, { "flag", T_BOOL }, { "device", T_DEVICE },
      { "texts", T_STRING_LIST }, { "devices", T_DEVICE_LIST }, { "content", T_BUFFER },
    },
    .optargs = {
      { "otext", T_STRING }, { "onumber", T_INT }, { "obig", T_INT64 }, { "oflag", T_BOOL }, { "otexts", T_STRING_LIST },
    },
    .flags = F_DESTRUCTIVE | F_PROGRESS | F_CANCEL | F_TOOLS,
    .group = "sample",
    .aliases = { "all", "everything" },
    .since = "0.1",
    .shortdesc = "take a value of every type",
    .longdesc =
      "Take one argument of every type that can be C<optional>, see A<all_names> and A<only_in_c>.  This paragraph is long "
      "enough to be B<wrapped> in I<plain> text.\n"
      "\n"
      "=over 4\n"
      "\n"
      "=item C<otext>\n"
      "\n"
      "A \"text\" with a \\ in it.\n"
      "\n"
      "=back\n"
      "\n"
      " an example\n"
      " of two lines",
    .tests = {
      { START_FS, "all-values a 1 2 true /dev/sda \"b c\" /dev/sdb d\n", "true\n" },
      { START_PARTITION, "first\nall-values\n", "out\n", .error = "usage" },
    } },

  { .name = "all_names", .proc = 7,
    .args = {
      { "mountable", T_MOUNTABLE }, { "path", T_PATH }, { "place", T_DEVICE_OR_PATH }, { "key", T_KEY },
    },
    .since = "0.2",
    .shortdesc = "take a name of every kind",
    .longdesc = "Take a name of every kind.",
    .tests = { { START_EMPTY, "all-names /dev/sda /a /b secret", "" } } },

  { .name = NULL }
};

#define SAMPLE(NAME, PROC, ...) \
  { .name = NAME, .proc = PROC, .since = "0.1", .shortdesc = "return a value", .longdesc = "Return a value.", \
    .tests = { { START_ANY, "x\n", "y" } }, __VA_ARGS__ }

const struct action actions_block[] = {
  SAMPLE ("get_int", 20, .ret = T_INT),
  SAMPLE ("get_int_hex", 21, .ret = T_INT, .output = OUTPUT_HEX, .args = { { "device", T_DEVICE } }),
  SAMPLE ("get_int_octal", 22, .ret = T_INT, .output = OUTPUT_OCTAL),
  SAMPLE ("get_int64", 23, .ret = T_INT64, .args = { { "device", T_DEVICE } }, .flags = F_HINTS),
  SAMPLE ("get_int64_hex", 24, .ret = T_INT64, .output = OUTPUT_HEX),
  SAMPLE ("get_int64_octal", 25, .ret = T_INT64, .output = OUTPUT_OCTAL),
  SAMPLE ("get_int64_human", 26, .ret = T_INT64, .output = OUTPUT_HUMAN_SIZE),
  SAMPLE ("get_string", 27, .ret = T_STRING),
  SAMPLE ("get_device", 28, .ret = T_DEVICE),
  SAMPLE ("get_strings", 29, .ret = T_STRING_LIST),
  SAMPLE ("get_devices", 30, .ret = T_DEVICE_LIST, .args = { { "devices", T_DEVICE_LIST } }),
  SAMPLE ("get_buffer", 31, .ret = T_BUFFER, .args = { { "count", T_INT } }),
  SAMPLE ("get_hash", 32, .ret = T_HASH),
  SAMPLE ("get_struct", 33, .ret = T_STRUCT, .ret_struct = "every"),
  SAMPLE ("get_structs", 34, .ret = T_STRUCT_LIST, .ret_struct = "every", .args = { { "path", T_PATH } }),
  { .name = NULL }
};

const struct action actions_file[] = {
  SAMPLE ("send_file", 40, .args = { { "filename", T_FILE_IN }, { "path", T_PATH } }, .flags = F_CANCEL),
  SAMPLE ("get_file", 41, .args = { { "filename", T_FILE_OUT } }, .optargs = { { "limit", T_INT64 } }),
  { .name = NULL }
};

const struct action actions_fs[] = {
  SAMPLE ("only_in_c", 50, .flags = F_NO_SHELL),
#ifdef SAMPLE_BAD
  SAMPLE ("second_of_a_number", 50, .ret = T_INT),
#endif
  { .name = NULL }
};

const struct action actions_copy[] = {
  { .name = NULL }
};

const struct action actions_part[] = {
  { .name = NULL }
};

const struct action actions_tree[] = {
  { .name = NULL }
};

const struct action actions_volume[] = {
  { .name = NULL }
};

const struct action actions_internal[] = {
  { .name = "internal_secret", .proc = 10000,
    .ret = T_STRUCT, .ret_struct = "hidden",
    .args = { { "random", T_BUFFER } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "a private call" },
  { .name = NULL }
};

const struct action actions_library[] = {
  { .name = "local",
    .ret = T_STRUCT, .ret_struct = "small",
    .args = { { "filename", T_FILENAME }, { "texts", T_STRING_LIST } },
    .optargs = { { "speed", T_INT }, { "label", T_STRING } },
    .flags = F_ANY_STATE,
    .since = "0.1",
    .shortdesc = "work done by the library",
    .longdesc = "Work done by the library." },
  { .name = "set_up",
    .args = { { "filename", T_FILENAME } },
    .flags = F_CONFIG,
    .since = "0.1",
    .shortdesc = "work done before the launch",
    .longdesc = "Work done before the launch." },
  { .name = NULL }
};

const struct structure structures[] = {
  { .name = "every", .text = "One field of every type",
    .fields = {
      { "number", FT_INT32, "a number" }, { "big", FT_INT64, "a big number" }, { "letter", FT_CHAR, "a letter" },
      { "text", FT_STRING, "a text" },
    } },
  { .name = "small", .text = "A small struct", .fields = { { "number", FT_INT64, "a number" } } },
  { .name = "hidden", .wire_only = true, .fields = { { "number", FT_INT32, NULL } } },
  { .name = NULL }
};

const int retired[] = { 12, 13, 0 };
