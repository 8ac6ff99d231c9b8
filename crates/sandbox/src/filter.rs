//! System calls that no command needs and that lead out of a sandbox.
//!
//! | refused | because |
//! |---|---|
//! | `socket` but for IPv4, IPv6 and netlink; datagram `socketpair` | sockets in the file system lead to services outside; `AF_VSOCK` leads to the host of a virtual machine |
//! | `io_uring_*` | it makes sockets past this filter |
//! | `mount`, `umount2`, `pivot_root`, `open_tree`, `move_mount`, `fs*`, `mount_setattr`, `chroot` | they rearrange what the mounts fence off |
//! | `unshare`, `setns`, `clone` with namespaces, `clone3` | a namespace of one's own brings capabilities back |
//! | `keyctl`, `add_key`, `request_key` | keys are shared by all processes of a user |
//! | `bpf`, `perf_event_open`, `userfaultfd`, `kexec_*`, `*_module` | tools for breaking kernels |
//! | `ioctl` with `TIOCSTI`, `TIOCLINUX` | they type into the terminal |

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Refuses the calls from here on, to this process and what it starts.
///
/// # Errors
///
/// When the kernel has no filters, or the architecture is not known.
pub(crate) fn apply() -> Result<(), seccompiler::Error> {
    for program in programs()? {
        seccompiler::apply_filter(&program)?;
    }
    Ok(())
}

/// Builds the filters: one that says «not permitted», one that says «there is no such call», which makes libraries use the
/// older one.
fn programs() -> Result<[BpfProgram; 2], seccompiler::Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let mut denied = Rules::new();
    for call in DENIED {
        refuse(&mut denied, *call, vec![]);
    }
    refuse(&mut denied, libc::SYS_socket, sockets()?);
    refuse(&mut denied, libc::SYS_socketpair, datagram_pairs()?);
    refuse(&mut denied, libc::SYS_clone, namespaces()?);
    refuse(&mut denied, libc::SYS_ioctl, terminal_input()?);
    let mut absent = Rules::new();
    refuse(&mut absent, libc::SYS_clone3, vec![]);
    let build = |rules, errno: i32| -> Result<BpfProgram, seccompiler::Error> {
        let action = SeccompAction::Errno(errno.unsigned_abs());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?;
        Ok(BpfProgram::try_from(filter)?)
    };
    Ok([build(denied, libc::EPERM)?, build(absent, libc::ENOSYS)?])
}

/// Calls that are refused whatever their arguments.
const DENIED: &[c_long] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
];

fn refuse(rules: &mut Rules, call: c_long, when: Vec<SeccompRule>) {
    // On x86-64 the kernel knows each call by a second number, that of the x32 ABI.
    #[cfg(target_arch = "x86_64")]
    rules.insert(call | 0x4000_0000, when.clone());
    rules.insert(call, when);
}

fn sockets() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let allowed = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    let is_other = allowed.into_iter().map(|domain| argument(0, SeccompCmpOp::Ne, domain));
    Ok(vec![SeccompRule::new(is_other.collect::<Result<_, _>>()?)?])
}

/// A pair of stream sockets is a pipe; a datagram socket can be sent to any name.
fn datagram_pairs() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    const TYPE: u64 = 0xf;
    let datagram = argument(1, SeccompCmpOp::MaskedEq(TYPE), libc::SOCK_DGRAM)?;
    let raw = argument(1, SeccompCmpOp::MaskedEq(TYPE), libc::SOCK_RAW)?;
    let is_other = argument(0, SeccompCmpOp::Ne, libc::AF_UNIX)?;
    Ok(vec![
        SeccompRule::new(vec![datagram])?,
        SeccompRule::new(vec![raw])?,
        SeccompRule::new(vec![is_other])?,
    ])
}

fn namespaces() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let flags = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    let has = |flag: i32| {
        let mask = u64::from(flag.unsigned_abs());
        SeccompRule::new(vec![argument(0, SeccompCmpOp::MaskedEq(mask), flag)?])
    };
    Ok(flags.into_iter().map(has).collect::<Result<_, _>>()?)
}

fn terminal_input() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    const TIOCSTI: i32 = 0x5412;
    const TIOCLINUX: i32 = 0x541c;
    let is = |request| SeccompRule::new(vec![argument(1, SeccompCmpOp::Eq, request)?]);
    Ok(vec![is(TIOCSTI)?, is(TIOCLINUX)?])
}

fn argument(
    at: u8,
    operator: SeccompCmpOp,
    value: i32,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    // The kernel reads these arguments as 32 bits; what stands above them must not make a difference.
    SeccompCondition::new(at, SeccompCmpArgLen::Dword, operator, u64::from(value.cast_unsigned()))
}
