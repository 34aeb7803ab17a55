"""The same calls with two appliances, OURS and THEIRS; prints what differs, and fails if that is not intended.

Results are compared, and of errors the errno: our messages say more, or something else, on purpose.  Where theirs
have no errno ours may have any.

SPDX-License-Identifier: LGPL-2.1-or-later
Copyright (C) 2026 The zerofish authors
"""

import ctypes
import os
import sys
import tempfile
import threading

import guestfs

MIB = 1024 * 1024
DISKS = (64 * MIB, 400 * MIB, 100 * MIB)

# Calls, one a line.
CALLS = r"""
list_devices()
list_partitions()
nr_devices()
list_disk_labels()
list_filesystems()
blockdev_getsize64('/dev/sda')
blockdev_getsz('/dev/sdb')
blockdev_getss('/dev/sda')
blockdev_getbsz('/dev/sda')
blockdev_getro('/dev/sda')
blockdev_setro('/dev/sdc')
blockdev_getro('/dev/sdc')
blockdev_setrw('/dev/sdc')
blockdev_flushbufs('/dev/sda')
blockdev_getsize64('/dev/sdz')
blockdev_getsize64('/dev/null')
blockdev_getsize64('/dev/sda1')
is_zero_device('/dev/sda')
pwrite_device('/dev/sda', b'abc', 4096)
pread_device('/dev/sda', 5, 4095)
pread_device('/dev/sda', 10, 64 * 1024 * 1024 - 4)
pwrite_device('/dev/sda', b'abc', 64 * 1024 * 1024)
pread_device('/dev/sda', 1, -1)
is_zero_device('/dev/sda')
checksum_device('md5', '/dev/sda')
checksum_device('crc', '/dev/sda')
checksum_device('none', '/dev/sda')
zero('/dev/sda')
is_zero_device('/dev/sda')
zero_device('/dev/sda')
zero_device('/dev/sdz')
part_init('/dev/sda', 'mbr')
part_init('/dev/sda', 'nonsense')
part_get_parttype('/dev/sda')
part_get_parttype('/dev/sdc')
part_list('/dev/sda')
part_add('/dev/sda', 'p', 2048, 40959)
part_add('/dev/sda', 'p', 40960, -2048)
part_add('/dev/sda', 'p', 0, 100)
part_list('/dev/sda')
list_partitions()
blockdev_getsize64('/dev/sda1')
part_del('/dev/sda', 2)
part_del('/dev/sda', 7)
list_partitions()
zero_device('/dev/sda1')
is_zero_device('/dev/sda1')
part_disk('/dev/sdb', 'gpt')
part_get_parttype('/dev/sdb')
part_list('/dev/sdb')
vfs_type('/dev/sda1')
mkfs('ext2', '/dev/sda1', blocksize=1024, label='small')
vfs_type('/dev/sda1')
vfs_label('/dev/sda1')
e2fsck('/dev/sda1', correct=True)
e2fsck('/dev/sda1', forceall=True)
wipefs('/dev/sda1')
vfs_type('/dev/sda1')
mkswap('/dev/sda1', label='swap', uuid='11111111-2222-3333-4444-555555555555')
vfs_type('/dev/sda1')
vfs_label('/dev/sda1')
vfs_uuid('/dev/sda1')
mkfs('vfat', '/dev/sda1', label='FAT')
vfs_label('/dev/sda1')
mkfs('btrfs', '/dev/sdb1')
vfs_type('/dev/sdb1')
mkfs('ntfs', '/dev/sdb1', label='NTFS')
vfs_type('/dev/sdb1')
vfs_label('/dev/sdb1')
mkfs('nonsense', '/dev/sdb1')
mkfs('ext4', '/dev/sdb1')
list_filesystems()
touch('/early')
ls('/')
mount('/dev/sdz1', '/')
mount('/dev/sdc', '/')
mount('/dev/sdb1', '/')
mounts()
mountpoints()
mkdir('/dir')
mkdir('/dir')
mkdir('/none/dir')
mkdir_p('/deep/er/dir')
touch('/dir/file')
write('/text', 'some text\n')
write_append('/text', 'and more\n')
cat('/text')
read_lines('/text')
read_file('/none')
cat('/dir')
filesize('/text')
exists('/text')
exists('/none')
is_file('/text')
is_file('/dir')
is_dir('/dir')
is_dir('/none')
is_blockdev('/text')
is_blockdev('/none')
ls('/')
ls('/none')
find('/')
find('/text')
stat('/text')['size']
stat('/text')['mode']
lstatns('/dir')['st_nlink']
stat('/none')
lstatnslist('/', ['text', 'none', 'dir'])[0]['st_size']
sorted((e['name'], e['ftyp']) for e in g.readdir('/dir'))
readdir('/none')
statvfs('/')['bsize']
statvfs('/')['namemax']
fill(97, 100, '/filled')
checksum('sha256', '/filled')
checksum('sha1', '/none')
fill_pattern('abc', 10, '/pattern')
cat('/pattern')
truncate_size('/pattern', 5)
cat('/pattern')
truncate_size('/none', 5)
fallocate64('/allocated', 100000)
filesize('/allocated')
is_zero('/allocated')
is_zero('/text')
is_zero('/dir')
is_zero('/none')
pread('/text', 4, 5)
pread('/text', 4, 5000)
pwrite('/text', b'SOME', 0)
cat('/text')
equal('/text', '/text')
equal('/text', '/filled')
equal('/text', '/none')
file('/text')
upload('/etc/passwd', '/up')
checksum('md5', '/up')
upload('/etc/passwd', '/none/up')
upload('/etc/passwd', '/')
download('/none', '/dev/null')
copy_file_to_file('/text', '/copy')
cat('/copy')
copy_file_to_file('/text', '/copy', srcoffset=5, destoffset=3, size=4)
cat('/copy')
copy_file_to_file('/text', '/copy', append=True)
filesize('/copy')
copy_file_to_file('/none', '/copy2')
copy_file_to_device('/text', '/dev/sdc', destoffset=512)
pread_device('/dev/sdc', 10, 512)
copy_device_to_file('/dev/sdc', '/fromdev', srcoffset=512, size=9)
cat('/fromdev')
copy_device_to_device('/dev/sdc', '/dev/sda1', size=1048576)
copy_device_to_device('/dev/sdc', '/dev/sda1', size=-5)
tar_out('/dir', '/dev/null')
rm('/copy')
rm('/copy')
rm('/dir')
umount('/none')
umount('/')
umount('/')
mounts()
resize2fs('/dev/sdb1')
mount_ro('/dev/sdb1', '/')
touch('/new')
umount_all()
mount_options('noatime', '/dev/sdb1', '/')
cat('/text')
umount_all()
mount_vfs('ro', 'ext4', '/dev/sdb1', '/')
mount_vfs('ro', 'xfs', '/dev/sdb1', '/')
umount_all()
pvcreate('/dev/sdc')
pvs()
vgcreate('VG', ['/dev/sdc'])
vgs()
lvcreate('LV', 'VG', 32)
lvcreate('LV', 'VG', 32)
lvcreate('LV2', 'none', 32)
lvs()
blockdev_getsize64('/dev/VG/LV')
is_zero_device('/dev/VG/LV')
mkfs('ext4', '/dev/VG/LV', label='volume')
vfs_label('/dev/VG/LV')
list_filesystems()
zero_device('/dev/VG/LV')
is_zero_device('/dev/VG/LV')
vg_activate_all(False)
vg_activate_all(True)
lvm_remove_all()
pvs()
lvs()
blkdiscardzeroes('/dev/sdc')
drop_caches(3)
ping_daemon()
sync()
mkfs('xfs', '/dev/sda')
mount('/dev/sdb1', '/')
zero_device('/dev/sdb1')
"""

# What differs on purpose, by call: why.
INTENDED = {
    "mkfs('xfs', '/dev/sda')": "their appliance has no xfsprogs on Debian",
    "zero_device('/dev/sdb1')": "what is mounted is not zeroed under a filesystem's feet",
}


def last_errno(g, library=ctypes.CDLL("libguestfs.so.0"), pointer=ctypes.pythonapi.PyCapsule_GetPointer):
    library.guestfs_last_errno.argtypes = [ctypes.c_void_p]
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return library.guestfs_last_errno(pointer(g._o, b"guestfs_h"))


def start(appliance, folder):
    g = guestfs.GuestFS(python_return_dict=True)
    g.set_path(appliance)
    for i, size in enumerate(DISKS):
        name = "%s/disk%d" % (folder, i)
        with open(name, "wb") as f:
            f.truncate(size)
        g.add_drive_opts(name, format="raw", label="disk%s" % "abc"[i])
    g.launch()
    return g


def run(appliance, folder, answers):
    """Fill ANSWERS with one (kind, value, message) a call."""
    g = start(appliance, folder)
    for call in CALLS.split("\n")[1:-1]:
        try:
            value = eval(call if call.startswith("sorted") else "g." + call, {"g": g})
            answers.append(("result", value, ""))
        except RuntimeError as error:
            answers.append(("error", last_errno(g), str(error)))
    g.shutdown()
    g.close()


def compare(ours, theirs):
    calls = CALLS.split("\n")[1:-1]
    bad = 0
    if len(ours) != len(calls) or len(theirs) != len(calls):
        print("an appliance has not answered all calls: %d and %d of %d" % (len(ours), len(theirs), len(calls)))
        return 1
    for call, us, them in zip(calls, ours, theirs):
        if us[:2] == them[:2] or (us[0], them[:2]) == ("error", ("error", 0)):
            continue
        if "unknown procedure" in us[2]:
            print("not here yet: " + call)
            continue
        reason = INTENDED.get(call)
        kind = "intended (%s)" % reason if reason else "DIFFERS"
        print("%s: %s\n  ours:   %s\n  theirs: %s" % (kind, call, us, them))
        bad += reason is None
    print("%d calls, %d differences that are not intended" % (len(calls), bad))
    return bad


def main():
    answers, threads = ([], []), []
    with tempfile.TemporaryDirectory() as folder:
        for i in (0, 1):
            place = "%s/%d" % (folder, i)
            os.mkdir(place)
            threads.append(threading.Thread(target=run, args=(sys.argv[1 + i], place, answers[i])))
            threads[i].start()
        for thread in threads:
            thread.join()
    sys.exit(1 if compare(*answers) else 0)


main()
