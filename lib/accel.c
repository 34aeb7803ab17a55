/* Finds out whether KVM really works here, by running a virtual CPU for a few milliseconds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_LINUX_KVM_H
#include <linux/kvm.h>
#endif

#include "launch.h"

enum { PROBE_CPU_US = 50000, PROBE_WALL_MS = 2000 };

/* What the probing child found, as it travels through the pipe. */
enum step { STEP_OK, STEP_OPEN, STEP_API, STEP_VM, STEP_VCPU, STEP_SETUP, STEP_RUN, STEP_EXIT };
struct probe_result {
  enum step step;
  int value;                /* errno, API version or exit reason */
};

#if defined HAVE_LINUX_KVM_H && defined __x86_64__

/* Guest memory: one page each. */
enum {
  GUEST_PML4 = 0x1000, GUEST_PDPT = 0x2000, GUEST_PD = 0x3000, GUEST_CODE = 0x4000, GUEST_SIZE = 0x5000
};

/* One SSE2 instruction, which a module that only emulates cannot do, and a loop, which it does far too
 * slowly. */
static const unsigned char guest_code[] = {
  0x66, 0x0f, 0xef, 0xc0,           /* pxor %xmm0, %xmm0 */
  0xb9, 0x40, 0x42, 0x0f, 0x00,     /* mov $1000000, %ecx */
  0xff, 0xc9,                       /* dec %ecx */
  0x75, 0xfc,                       /* jnz to the dec */
  0xf4,                             /* hlt */
};

/* Identity mapping of the first 2 MiB by one large page, and the code. */
static void
fill_guest (unsigned char *mem)
{
  *(uint64_t *) (mem + GUEST_PML4) = GUEST_PDPT | 3;
  *(uint64_t *) (mem + GUEST_PDPT) = GUEST_PD | 3;
  *(uint64_t *) (mem + GUEST_PD) = 0x83;
  memcpy (mem + GUEST_CODE, guest_code, sizeof guest_code);
}

/* Put the vCPU into long mode at the code.  Real mode would prove nothing: old processors emulate it. */
static int
set_registers (int vcpu)
{
  struct kvm_sregs s;
  struct kvm_regs r;
  const struct kvm_segment code = {
    .limit = 0xffffffff, .selector = 8, .type = 11, .present = 1, .s = 1, .l = 1, .g = 1
  };
  const struct kvm_segment data = {
    .limit = 0xffffffff, .selector = 16, .type = 3, .present = 1, .s = 1, .db = 1, .g = 1
  };

  if (ioctl (vcpu, KVM_GET_SREGS, &s) == -1)
    return -1;
  s.cs = code;
  s.ds = s.es = s.fs = s.gs = s.ss = data;
  s.cr3 = GUEST_PML4;
  s.cr4 = 0x620;                    /* PAE, OSFXSR, OSXMMEXCPT */
  s.cr0 = 0x80000033;               /* PG, NE, ET, MP, PE */
  s.efer = 0x500;                   /* LMA, LME */
  if (ioctl (vcpu, KVM_SET_SREGS, &s) == -1)
    return -1;
  memset (&r, 0, sizeof r);
  r.rip = GUEST_CODE;
  r.rflags = 2;
  return ioctl (vcpu, KVM_SET_REGS, &r);
}

/* Tell the vCPU what it is: newer kernels check the registers against that.  Optional. */
static void
set_cpuid (int kvm, int vcpu)
{
  static struct { struct kvm_cpuid2 head; struct kvm_cpuid_entry2 entries[256]; } cpuid;

  cpuid.head.nent = 256;
  if (ioctl (kvm, KVM_GET_SUPPORTED_CPUID, &cpuid) == 0)
    ioctl (vcpu, KVM_SET_CPUID2, &cpuid);
}

static struct probe_result
run_vcpu (int kvm, int vm)
{
  struct kvm_userspace_memory_region region = { .memory_size = GUEST_SIZE };
  const struct itimerval limit = { .it_value = { .tv_usec = PROBE_CPU_US } };
  struct kvm_run *run;
  unsigned char *mem;
  int vcpu, size;

  if ((vcpu = ioctl (vm, KVM_CREATE_VCPU, 0)) == -1)
    return (struct probe_result) { STEP_VCPU, errno };
  size = ioctl (kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
  if (size < (int) sizeof *run)
    return (struct probe_result) { STEP_SETUP, errno };
  run = mmap (NULL, size, PROT_READ|PROT_WRITE, MAP_SHARED, vcpu, 0);
  mem = mmap (NULL, GUEST_SIZE, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS, -1, 0);
  if (run == MAP_FAILED || mem == MAP_FAILED)
    return (struct probe_result) { STEP_SETUP, errno };
  fill_guest (mem);
  region.userspace_addr = (uintptr_t) mem;
  ioctl (vm, KVM_SET_TSS_ADDR, 0xfffbd000UL);
  set_cpuid (kvm, vcpu);
  if (ioctl (vm, KVM_SET_USER_MEMORY_REGION, &region) == -1 || set_registers (vcpu) == -1)
    return (struct probe_result) { STEP_SETUP, errno };

  /* CPU time, so that a busy machine gives no false "no"; the parent guards the wall clock. */
  setitimer (ITIMER_PROF, &limit, NULL);
  while (ioctl (vcpu, KVM_RUN, 0) == -1)
    if (errno != EINTR && errno != EAGAIN)
      return (struct probe_result) { STEP_RUN, errno };
  if (run->exit_reason != KVM_EXIT_HLT)
    return (struct probe_result) { STEP_EXIT, run->exit_reason };
  return (struct probe_result) { STEP_OK, 0 };
}

#elif defined HAVE_LINUX_KVM_H

/* Elsewhere the set-up calls are believed. */
static struct probe_result
run_vcpu (int kvm, int vm)
{
  (void) kvm;
  if (ioctl (vm, KVM_CREATE_VCPU, 0) == -1)
    return (struct probe_result) { STEP_VCPU, errno };
  return (struct probe_result) { STEP_OK, 0 };
}

#endif

/* Runs in the child. */
static struct probe_result
probe (const char *path)
{
#ifdef HAVE_LINUX_KVM_H
  int kvm, vm, version;

  if ((kvm = open (path, O_RDWR|O_CLOEXEC)) == -1)
    return (struct probe_result) { STEP_OPEN, errno };
  if ((version = ioctl (kvm, KVM_GET_API_VERSION, 0)) != KVM_API_VERSION)
    return (struct probe_result) { STEP_API, version == -1 ? errno : 0 };
  while ((vm = ioctl (kvm, KVM_CREATE_VM, 0)) == -1)
    if (errno != EINTR)
      return (struct probe_result) { STEP_VM, errno };
  return run_vcpu (kvm, vm);
#else
  (void) path;
  return (struct probe_result) { STEP_OPEN, ENOSYS };
#endif
}

/* The child of the probe: reports through FD; if it hangs or is too slow its end of the pipe closes without
 * a report. */
static _Noreturn void
probe_child (const char *path, int fd)
{
  struct probe_result r;
  sigset_t none;

  signal (SIGPROF, SIG_DFL);
  signal (SIGPIPE, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  r = probe (path);
  if (write (fd, &r, sizeof r) != sizeof r)
    _exit (1);
  _exit (0);
}

/* End the child: one stuck in the kernel is not waited for longer than a second. */
static void
reap (pid_t pid)
{
  int i;

  kill (pid, SIGKILL);
  for (i = 0; i < 200; ++i) {
    pid_t r = waitpid (pid, NULL, WNOHANG);

    if (r == pid || (r == -1 && errno != EINTR))
      return;
    poll (NULL, 0, 5);
  }
}

static char *
describe_open (const char *path, int err)
{
  char *s = NULL;
  int r;

  switch (err) {
  case ENOENT:
    r = asprintf (&s, "%s does not exist (no KVM module is loaded, or a container without the device)", path);
    break;
  case EACCES:
  case EPERM:
    r = asprintf (&s, "this user may not open %s (join the group that owns it, usually kvm)", path);
    break;
  case ENODEV:
  case ENXIO:
    r = asprintf (&s, "%s has no driver behind it (no KVM module is loaded)", path);
    break;
  default:
    r = asprintf (&s, "%s cannot be opened: %s", path, strerror (err));
  }
  return r == -1 ? NULL : s;
}

static char *
describe (const char *path, const struct probe_result *p)
{
  char *s = NULL;
  int r;

  switch (p->step) {
  case STEP_OPEN:
    return describe_open (path, p->value);
  case STEP_API:
    r = asprintf (&s, "%s is not a KVM device", path);
    break;
  case STEP_VM:
    r = asprintf (&s, "%s cannot make a virtual machine: %s%s", path, strerror (p->value),
                  p->value == EBUSY ? " (another hypervisor uses the processor)" : "");
    break;
  case STEP_VCPU:
    r = asprintf (&s, "%s cannot make a virtual CPU: %s", path, strerror (p->value));
    break;
  case STEP_RUN:
    r = asprintf (&s, "%s cannot run a virtual CPU: %s", path, strerror (p->value));
    break;
  default:
    r = asprintf (&s, "%s opens but cannot run a simple program in a virtual CPU (exit reason %d)", path,
                  p->value);
  }
  return r == -1 ? NULL : s;
}

/* Start the child; its pid, and the reading end of the report's pipe in *FD.  -1: it could not be started. */
static pid_t
start_probe (const char *path, int *fd)
{
  int pipefd[2];
  pid_t pid;

  if (pipe2 (pipefd, O_CLOEXEC) == -1)
    return -1;
  pid = fork ();
  if (pid == 0)
    probe_child (path, pipefd[1]);
  close (pipefd[1]);
  if (pid == -1)
    close (pipefd[0]);
  else
    *fd = pipefd[0];
  return pid;
}

/* A probe that could not be made is no reason against KVM: the launch is watched anyway. */
enum zfi_accel
zfi_probe_kvm (const char *path, char **reason)
{
  struct probe_result p;
  struct pollfd pfd;
  int64_t deadline = zfi_now_ms () + PROBE_WALL_MS;
  ssize_t n = -1;
  pid_t pid;
  int r;

  *reason = NULL;
  if ((pid = start_probe (path, &pfd.fd)) == -1)
    return ACCEL_KVM;
  pfd.events = POLLIN;
  do {
    int64_t left = deadline - zfi_now_ms ();

    r = poll (&pfd, 1, left > 0 ? (int) left : 0);
  } while (r == -1 && errno == EINTR);
  if (r == 1)
    n = read (pfd.fd, &p, sizeof p);
  close (pfd.fd);
  reap (pid);

  if (n == sizeof p && (p.step == STEP_OK || p.step == STEP_SETUP))
    return ACCEL_KVM;
  if (n == sizeof p)
    *reason = describe (path, &p);
  else if (asprintf (reason, "%s opens but %s", path,
                     r == 1 ? "runs a virtual CPU far too slowly (it only emulates)"
                     : "a virtual CPU did not finish a short program within 2 seconds") == -1)
    *reason = NULL;
  return ACCEL_TCG;
}

enum zfi_accel
zfi_probe_accel (zf_handle *h, char **reason)
{
  enum zfi_accel accel;

  *reason = NULL;
  if (zfi_backend_setting (h, "force_tcg"))
    return ACCEL_TCG;
  accel = zfi_probe_kvm ("/dev/kvm", reason);
  if (accel == ACCEL_TCG && *reason == NULL)
    *reason = strdup ("KVM cannot be used");
  return accel;
}
