// SPDX-License-Identifier: GPL-2.0
/*
 * The device, the parameters, and the file system that the contexts' inodes
 * belong to.
 */
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>
#include <linux/rcupdate.h>

#include "account.h"
#include "gpuvm_drv.h"
#include "test.h"

#define GVM_MAGIC 0x6770766d

unsigned int gvm_spin_us = 50;
module_param_named(spin_us, gvm_spin_us, uint, 0644);
MODULE_PARM_DESC(spin_us, "Microseconds that a touch of a DEVICE page waits on the processor before it sleeps; 0 with one processor (default 50)");

unsigned long gvm_max_mb;
module_param_named(max_mb, gvm_max_mb, ulong, 0644);
MODULE_PARM_DESC(max_mb, "MiB that all contexts of all processes may have (default three quarters of memory)");

bool gvm_memlock = true;
module_param_named(memlock, gvm_memlock, bool, 0644);
MODULE_PARM_DESC(memlock, "Whether the memory of contexts that say HELLO from now on counts against RLIMIT_MEMLOCK (default Y)");

unsigned long gvm_features = GPUVM_FEATURE_SHARED | GPUVM_FEATURE_ACCESSED |
			     (IS_ENABLED(CONFIG_TRANSPARENT_HUGEPAGE) ? GPUVM_FEATURE_HUGE : 0) |
			     (IS_ENABLED(CONFIG_NUMA) ? GPUVM_FEATURE_NODE : 0) |
			     GVM_TEST_FEATURES;
static unsigned long features_mask = ~0UL;
module_param_named(features, features_mask, ulong, 0444);
MODULE_PARM_DESC(features, "Mask of the feature bits of uapi/linux/gpuvm.h that are offered (default all)");

static struct vfsmount *mount;

static int init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, GVM_MAGIC) ? 0 : -ENOMEM;
}

/* There is no owner: the module's own mount would keep it from being unloaded. */
static struct file_system_type fs_type = {
	.name = "gpuvm",
	.init_fs_context = init_fs_context,
	.kill_sb = kill_anon_super,
};

/*
 * Makes an inode for one context, of any size: the core maps no huge page
 * beyond a file's end.
 */
struct inode *gvm_new_inode(void)
{
	struct inode *inode = alloc_anon_inode(mount->mnt_sb);

	if (!IS_ERR(inode))
		i_size_write(inode, MAX_LFS_FILESIZE);
	return inode;
}

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "gpuvm",
	.fops = &gvm_fops,
	.mode = 0660,
};

static int __init gvm_init(void)
{
	int err;

	if (!gvm_huge_is_of_use(PMD_SHIFT))
		gvm_features &= ~GPUVM_FEATURE_HUGE;
	gvm_features &= features_mask;
	if (!gvm_max_mb)
		gvm_max_mb = (totalram_pages() >> (20 - PAGE_SHIFT)) / 4 * 3;
	err = gvm_tables_init();
	if (err)
		return err;
	mount = kern_mount(&fs_type);
	if (IS_ERR(mount)) {
		err = PTR_ERR(mount);
		goto no_mount;
	}
	err = misc_register(&device);
	if (!err)
		return 0;
	kern_unmount(mount);
no_mount:
	gvm_tables_exit();
	return err;
}

static void __exit gvm_exit(void)
{
	misc_deregister(&device);
	kern_unmount(mount);
	/* Regions are freed under RCU. */
	rcu_barrier();
	/* A toucher that has given back the last file returns from the module's text: see fault.c. */
	synchronize_rcu_tasks();
	gvm_account_exit();
	gvm_tables_exit();
}

module_init(gvm_init);
module_exit(gvm_exit);

MODULE_DESCRIPTION("Host arrays whose pages come and go with the copies on GPUs");
MODULE_LICENSE("GPL");
