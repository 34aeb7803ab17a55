/* The emulator and its command line: nothing in it comes from drives, which are attached later over QMP.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launch.h"

#if defined __x86_64__
#define QEMU_NAME "qemu-system-x86_64"
#define MACHINE "q35"
/* "rep stosb" and "rep movsb" are emulated byte by byte; without ERMS the guest clears by words. */
#define TCG_CPU "max,-erms"
#elif defined __aarch64__
#define QEMU_NAME "qemu-system-aarch64"
#define MACHINE "virt,gic-version=max"
#define TCG_CPU "max"
#else
#define QEMU_NAME "qemu-kvm"
#define MACHINE "none"
#define TCG_CPU "max"
#endif

/* --- finding the emulator --- */

static bool
is_program (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && S_ISREG (st.st_mode) && access (path, X_OK) == 0;
}

/* NAME in $PATH.  Malloced, or NULL. */
static char *
search_path (const char *name)
{
  const char *path = getenv ("PATH"), *end;
  char *file;

  for (; path != NULL && *path != '\0'; path = *end == ':' ? end + 1 : end) {
    end = path + strcspn (path, ":");
    if (asprintf (&file, "%.*s/%s", (int) (end - path), path, name) == -1)
      return NULL;
    if (file[0] == '/' && is_program (file))
      return file;
    free (file);
  }
  return NULL;
}

/* One that the user named: a path, or a name to look for in PATH. */
static char *
named_hv (zf_handle *h, const char *name, const char *where)
{
  char *hv = strchr (name, '/') != NULL ? realpath (name, NULL) : search_path (name);

  if (hv == NULL) {
    zfi_error (h, ENOENT, "the emulator '%s' (from %s) does not exist", name, where);
    return NULL;
  }
  if (!is_program (hv)) {
    zfi_error (h, EACCES, "the emulator '%s' (from %s) is not a program that this user may run", hv, where);
    free (hv);
    return NULL;
  }
  return hv;
}

char *
zfi_find_hv (zf_handle *h)
{
  static const char *const names[] = { QEMU_NAME, "qemu-kvm" };
  static const char *const places[] = {
    "/usr/bin/" QEMU_NAME, "/usr/libexec/qemu-kvm", "/usr/local/bin/" QEMU_NAME, "/usr/bin/qemu-kvm",
    "/usr/lib/qemu/" QEMU_NAME,
  };
  const char *env = secure_getenv ("ZEROFISH_HV");
  char *hv;
  size_t i;

  if (h->hv != NULL && h->hv[0] != '\0')
    return named_hv (h, h->hv, "the hv setting");
  if (env != NULL && env[0] != '\0')
    return named_hv (h, env, "$ZEROFISH_HV");
  for (i = 0; i < sizeof names / sizeof names[0]; ++i)
    if ((hv = search_path (names[i])) != NULL)
      return hv;
  for (i = 0; i < sizeof places / sizeof places[0]; ++i)
    if (is_program (places[i]))
      return strdup (places[i]);
  zfi_error (h, ENOENT, "no emulator was found: install %s (Debian: qemu-system-x86), or name one with "
             "set-hv or $ZEROFISH_HV", QEMU_NAME);
  return NULL;
}

/* --- the command line --- */

/* A growing list of malloced strings; after a failure it stays failed. */
struct args {
  char **v;
  size_t n, cap;
  bool failed;
};

static void
add_owned (struct args *a, char *s)
{
  if (s == NULL || a->failed)
    goto error;
  if (a->n + 2 > a->cap) {
    size_t cap = a->cap == 0 ? 64 : a->cap * 2;
    char **v = realloc (a->v, cap * sizeof *v);

    if (v == NULL)
      goto error;
    a->v = v;
    a->cap = cap;
  }
  a->v[a->n++] = s;
  a->v[a->n] = NULL;
  return;

 error:
  free (s);
  a->failed = true;
}

static void
add (struct args *a, const char *s)
{
  add_owned (a, strdup (s));
}

static void __attribute__ ((format (printf, 2, 3)))
addf (struct args *a, const char *fs, ...)
{
  va_list ap;
  char *s;

  va_start (ap, fs);
  if (vasprintf (&s, fs, ap) == -1)
    s = NULL;
  va_end (ap);
  add_owned (a, s);
}

/* Initialisations that the guest can do without and that take long where the processor is emulated: its
 * debugging aids (probes, events of the tracer), the first reader of the kernel's type information, which is
 * parsed only then (all who would are named), and self tests of what nothing uses. */
#define NO_INITCALLS "init_kprobe_trace,trace_eval_init,tracer_init_tracefs,init_blk_tracer," \
  "cubictcp_register,bpf_rstat_kfunc_init,bpf_key_sig_kfuncs_init,kfunc_init,bpf_prog_test_run_init," \
  "bpf_tcp_ca_kfunc_init,crypto_kdf108_init"

/* panic=1 with -no-reboot ends qemu at a panic; the rest leaves out work that this guest does not need.
 * noreplace-smp: with one processor the kernel would take each of its 9000 lock prefixes away, with a change
 * of the address space for each. */
char *
zfi_kernel_cmdline (zf_handle *h, enum zfi_accel accel)
{
  char *s;

  if (asprintf (&s, "console=" ZFI_CONSOLE " panic=1 %s%s"
                " edd=off selinux=0 apparmor=0 audit=0 mitigations=off nokaslr noreplace-smp ipv6.disable=1"
                " cryptomgr.notests random.trust_cpu=on 8250.nr_uarts=1 usbcore.nousb"
                " nmi_watchdog=0 nowatchdog rcupdate.rcu_expedited=1 initcall_blacklist=" NO_INITCALLS
                " zerofish_hotplug=1%s",
                h->verbose ? "" : "quiet ",
                accel == ACCEL_TCG ? "tsc=reliable" : "no_timer_check",
                h->verbose ? " zerofish_verbose=1" : "") == -1)
    return NULL;
  return s;
}

/* The confinement, and the machine without anything that was not asked for. */
static void
add_machine (struct args *a, zf_handle *h, enum zfi_accel accel)
{
  add (a, "-sandbox");
  add (a, "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
  add (a, "-no-user-config");
  add (a, "-nodefaults");
  add (a, "-display");
  add (a, "none");
  add (a, "-no-reboot");
  add (a, "-machine");
  addf (a, MACHINE ",accel=%s", accel == ACCEL_KVM ? "kvm" : "tcg");
  add (a, "-cpu");
  add (a, accel == ACCEL_KVM ? "host" : TCG_CPU);
  add (a, "-m");
  addf (a, "%d", h->memsize > 0 ? h->memsize : 1280);
  if (h->smp > 1) {
    add (a, "-smp");
    addf (a, "%d", h->smp);
  }
}

/* Devices; their other ends are sockets that qemu inherits.  There is no source of random numbers among them:
 * the hello brings a seed. */
static void
add_devices (struct args *a)
{
  static const struct { const char *id; int fd; } chardevs[] = {
    { "channel", QEMU_FD_CHANNEL }, { "qmp", QEMU_FD_QMP }, { "console", QEMU_FD_CONSOLE },
  };
  size_t i;

  for (i = 0; i < sizeof chardevs / sizeof chardevs[0]; ++i) {
    add (a, "-chardev");
    addf (a, "socket,id=%s,fd=%d", chardevs[i].id, chardevs[i].fd);
  }
  add (a, "-mon");
  add (a, "chardev=qmp,mode=control");
  add (a, "-serial");
  add (a, "chardev:console");
  add (a, "-device");
  add (a, "virtio-scsi-pci,id=scsi0");
  add (a, "-device");
  add (a, "virtio-serial-pci");
  add (a, "-device");
  add (a, "virtserialport,chardev=channel,name=org.libguestfs.channel.0");
}

/* After "-append": what an appliance of libguestfs wants.  It does not run (-S) until its disks are attached. */
static void
add_stock (struct args *a, zf_handle *h, const struct zfi_appliance *appliance, enum zfi_accel accel)
{
  add_owned (a, zfi_stock_cmdline (h, appliance, accel));
  add (a, "-object");
  add (a, "rng-random,filename=/dev/urandom,id=rng0");
  add (a, "-device");
  add (a, "virtio-rng-pci,rng=rng0");
  add (a, "-S");
}

char **
zfi_qemu_argv_restore (char **argv)
{
  struct args a = { .v = argv };

  while (argv[a.n] != NULL)
    a.n++;
  a.cap = a.n + 1;
  add (&a, "-incoming");
  addf (&a, "fd:%d", QEMU_FD_STATE);
  if (!a.failed)
    return a.v;
  zf_free_string_list (a.v);
  errno = ENOMEM;
  return NULL;
}

char **
zfi_qemu_argv (zf_handle *h, const char *hv, const struct zfi_appliance *appliance, enum zfi_accel accel)
{
  struct args a = { 0 };

  add (&a, hv);
  add_machine (&a, h, accel);
  add_devices (&a);
  add (&a, "-kernel");
  add (&a, appliance->kernel);
  add (&a, "-initrd");
  add (&a, appliance->initrd);
  add (&a, "-append");
  if (appliance->stock)
    add_stock (&a, h, appliance, accel);
  else
    add_owned (&a, zfi_kernel_cmdline (h, accel));
  if (a.failed) {
    zf_free_string_list (a.v);
    errno = ENOMEM;
    return NULL;
  }
  return a.v;
}
