/* The list of outputs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "emit.h"

const struct emitter emitters[] = {
  { "common/zerofish_protocol.x",        emit_protocol_x },
  { "common/protocol.h",                 emit_protocol_h },
  { "common/protocol.c",                 emit_protocol_c },
  { "common/zerofish-structs.h",         emit_structs_h },
  { "daemon/actions.h",                  emit_daemon_h },
  { "daemon/stubs.c",                    emit_daemon_stubs },
  { "lib/zerofish-actions.h",            emit_lib_h },
  { "lib/private-actions.h",             emit_lib_private_h },
  { "lib/libzerofish.syms",              emit_lib_syms },
  { "lib/actions.c",                     emit_lib_actions },
  { "fish/commands.c",                   emit_fish },
  { "docs/actions.pod",                  emit_actions_pod },
  { "docs/structs.pod",                  emit_structs_pod },
  { "docs/commands.pod",                 emit_commands_pod },
  { "python/actions.c",                  emit_python_c },
  { "python/zerofish/_actions.py",       emit_python_class },
  { "python/zerofish/__init__.pyi",      emit_python_stubs },
  { "tests/appliance/actions.zf",        emit_test_script },
  { "tests/appliance/actions.expect",    emit_test_expect },
  { "tests/generator/xdr-compare.c",     emit_xdr_compare },
  { NULL, NULL }
};
