//! `cargo xtask setup`: installs what the build needs and this machine lacks.

use std::process::Command;

use crate::task::{self, Failure, Task, TaskResult};

pub(crate) const TASK: Task = Task {
    name: "setup",
    usage: "setup",
    about: "install what is missing: OpenBLAS, pkg-config, a C compiler",
    run,
};

/// Installs OpenBLAS where pkg-config does not find it; quick when it does.
pub(crate) fn run(args: &[String]) -> TaskResult {
    task::no_arguments(args)?;
    let missing = missing();
    if missing.is_empty() {
        println!("setup: nothing is missing");
        return Ok(());
    }
    let system = System::of_this_machine();
    println!("setup: missing {}", missing.join(", "));
    match (&system, privilege()) {
        (System::Debian, Some(prefix)) => install_with_apt(prefix)?,
        _ => return Err(by_hand(&missing, &system)),
    }
    if self::missing().is_empty() { Ok(()) } else { Err(by_hand(&missing, &system)) }
}

/// Adds rustfmt and clippy when this toolchain lacks them (the minimal rustup profile does).
pub(crate) fn lint_tools() -> TaskResult {
    let present = |tool: &str| {
        task::output(task::cargo([tool, "--version"]).stderr(std::process::Stdio::null())).is_ok()
    };
    if present("fmt") && present("clippy") {
        return Ok(());
    }
    let added = task::run(Command::new("rustup").args(["component", "add", "rustfmt", "clippy"]));
    added.map_err(|_| {
        Failure::run(
            "this toolchain has no rustfmt or no clippy",
            "rustup component add rustfmt clippy",
        )
    })
}

const APT: &[&str] = &[
    "apt-get",
    "install",
    "-y",
    "--no-install-recommends",
    "libopenblas-dev",
    "pkg-config",
    "gcc",
    "libc6-dev",
];

/// A system, as far as installing packages goes.
#[derive(Debug, PartialEq)]
enum System {
    Debian,
    Fedora,
    Arch,
    MacOs,
    Other,
}

impl System {
    fn of_this_machine() -> Self {
        if cfg!(target_os = "macos") {
            return Self::MacOs;
        }
        Self::from_os_release(&std::fs::read_to_string("/etc/os-release").unwrap_or_default())
    }

    /// Reads `ID` and `ID_LIKE` of an os-release file.
    fn from_os_release(text: &str) -> Self {
        let values = text
            .lines()
            .filter_map(|line| line.strip_prefix("ID=").or(line.strip_prefix("ID_LIKE=")));
        let ids: Vec<&str> =
            values.flat_map(|value| value.trim_matches(['"', '\'']).split_whitespace()).collect();
        let is = |names: &[&str]| ids.iter().any(|id| names.contains(id));
        match () {
            () if is(&["debian", "ubuntu"]) => Self::Debian,
            () if is(&["fedora", "rhel", "centos"]) => Self::Fedora,
            () if is(&["arch", "archlinux"]) => Self::Arch,
            () => Self::Other,
        }
    }

    /// The one command that installs everything here.
    fn command(&self) -> String {
        match self {
            Self::Debian => format!("sudo apt-get update && sudo {}", APT.join(" ")),
            Self::Fedora => "sudo dnf install -y openblas-devel pkgconf-pkg-config gcc".to_owned(),
            Self::Arch => "sudo pacman -S --needed openblas pkgconf gcc".to_owned(),
            // Homebrew does not link OpenBLAS, so pkg-config must be told where it is.
            Self::MacOs => "brew install openblas pkg-config && \
                            export PKG_CONFIG_PATH=\"$(brew --prefix openblas)/lib/pkgconfig\""
                .to_owned(),
            Self::Other => "install OpenBLAS with its headers, pkg-config and a C compiler with your package manager, \
                            so that `pkg-config --exists openblas` succeeds"
                .to_owned(),
        }
    }
}

fn missing() -> Vec<&'static str> {
    let checks = [
        ("OpenBLAS", task::succeeds("pkg-config", &["--exists", "openblas"])),
        ("pkg-config", task::succeeds("pkg-config", &["--version"])),
        ("a C compiler", task::succeeds("cc", &["--version"])),
    ];
    checks.into_iter().filter(|(_, present)| !present).map(|(name, _)| name).collect()
}

/// The words to put before a command that needs root; `None` when we cannot become root without a password.
fn privilege() -> Option<&'static [&'static str]> {
    let user = task::output(Command::new("id").arg("-u")).unwrap_or_default();
    match user.trim() {
        "0" => Some(&[]),
        _ if task::succeeds("sudo", &["-n", "true"]) => Some(&["sudo", "-n"]),
        _ => None,
    }
}

fn install_with_apt(prefix: &[&str]) -> TaskResult {
    as_root(prefix, &["apt-get", "update"])?;
    as_root(prefix, APT)
}

/// `env` keeps the variable through sudo, which drops the caller's environment.
fn as_root(prefix: &[&str], words: &[&str]) -> TaskResult {
    let line: Vec<&str> = [prefix, &["env", "DEBIAN_FRONTEND=noninteractive"], words].concat();
    task::run(Command::new(line[0]).args(&line[1..]))
}

fn by_hand(missing: &[&str], system: &System) -> Failure {
    Failure::run(format!("cannot install {} from here", missing.join(", ")), system.command())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn os_release_names_the_family() {
        let family = System::from_os_release;
        assert_eq!(family("NAME=x\nID=debian\n"), System::Debian);
        assert_eq!(family("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), System::Debian);
        assert_eq!(family("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), System::Fedora);
        assert_eq!(family("ID=endeavouros\nID_LIKE='arch'\n"), System::Arch);
        assert_eq!(family("ID=nixos\n"), System::Other);
        assert_eq!(family(""), System::Other);
    }

    #[test]
    fn the_remedy_is_one_command_that_names_the_packages() {
        let Failure::Run { cause, remedy } = by_hand(&["OpenBLAS"], &System::Debian) else {
            panic!("wrong kind")
        };
        assert_eq!(cause, "cannot install OpenBLAS from here");
        assert!(remedy.contains("libopenblas-dev pkg-config gcc libc6-dev"), "{remedy}");
        assert_eq!(remedy.lines().count(), 1);
    }
}
