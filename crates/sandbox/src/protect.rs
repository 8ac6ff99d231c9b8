//! What no command may write, whatever the lists say.
//!
//! Each of these is read by a program outside the sandbox that acts on it: to write it is to leave the sandbox later.

use crate::location::Location;
use crate::policy::Place;
use crate::text::in_language;
use crate::tree::{Kind, Tree};
use brakeline_settings::Language;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Why a path is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protection {
    /// The agent's and the sandbox's own configuration and state.
    Configuration,
    /// A file that a shell runs when it starts.
    ShellStartUp,
    /// Programs that git runs.
    GitHooks,
    /// Settings of git, which can name programs.
    GitConfig,
    /// Where git finds the two; as a whole, because it does not exist, or points elsewhere.
    GitFolder,
}

impl Protection {
    /// Returns what it is, as a noun.
    #[must_use]
    pub fn text(self, language: Language) -> &'static str {
        match self {
            Self::Configuration => in_language(
                language,
                "沙箱与代理自身的配置和状态",
                "configuration and state of the agent and its sandbox",
            ),
            Self::ShellStartUp => in_language(language, "shell 启动文件", "a start-up file of shells"),
            Self::GitHooks => in_language(language, "git 钩子", "hooks of git"),
            Self::GitConfig => in_language(language, "git 配置", "configuration of git"),
            Self::GitFolder => in_language(language, "git 目录", "the folder of git"),
        }
    }
}

/// A path that is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Protected {
    pub(crate) path: PathBuf,
    pub(crate) why: Protection,
    /// Whether it is protected even where it does not exist yet.
    pub(crate) even_if_missing: bool,
}

/// What shells read when they start.
const START_UP: [&str; 14] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".config/fish",
];

/// How far below the working directory repositories are looked for.
const NESTED: usize = 3;
/// How many names that search looks at: it is a courtesy, and must not cost more than the command.
const MAX_NAMES: usize = 2_000;
/// Folders in which a search for repositories costs much and finds none that count.
const NOT_SEARCHED: [&str; 5] = ["node_modules", "target", ".git", ".venv", "vendor"];

/// Lists what is protected for a place.
pub(crate) fn protected(tree: &dyn Tree, place: &Place) -> Vec<Protected> {
    let mut list = Vec::new();
    let mut add = |path: PathBuf, why, even_if_missing| list.push(Protected { path, why, even_if_missing });
    for folder in [place.cwd.join(".pi"), place.home.join(".pi"), place.state.clone()] {
        add(folder, Protection::Configuration, true);
    }
    for path in &place.protected {
        add(path.clone(), Protection::Configuration, true);
    }
    for name in START_UP {
        add(place.home.join(name), Protection::ShellStartUp, true);
        // Shells do not read those of a project; they are somebody's dot files, soon to be installed.
        add(place.cwd.join(name), Protection::ShellStartUp, false);
    }
    for (path, why) in [(".gitconfig", Protection::GitConfig), (".config/git", Protection::GitConfig)] {
        add(place.home.join(path), why, true);
    }
    list.extend(repository(tree, &place.cwd, true));
    for folder in place.cwd.ancestors().skip(1) {
        list.extend(repository(tree, folder, false));
    }
    for folder in nested(tree, &place.cwd) {
        list.extend(repository(tree, &folder, false));
    }
    list
}

/// Lists what is protected of a repository in a folder, or of the one that could be made there.
fn repository(tree: &dyn Tree, folder: &Path, even_if_missing: bool) -> Vec<Protected> {
    let dot_git = folder.join(".git");
    let Some(location) = Location::of(tree, &dot_git) else { return Vec::new() };
    match location.kind {
        Some(Kind::Directory) => git_folder(tree, &location.path),
        Some(_) => {
            let mut list =
                vec![Protected { path: dot_git, why: Protection::GitFolder, even_if_missing: false }];
            list.extend(worktree(tree, folder, &location.path));
            list
        }
        None if even_if_missing => {
            vec![Protected { path: dot_git, why: Protection::GitFolder, even_if_missing }]
        }
        None => Vec::new(),
    }
}

/// Lists what is protected inside a folder of git.
fn git_folder(tree: &dyn Tree, git: &Path) -> Vec<Protected> {
    let of = |git: &Path, even_if_missing| {
        [
            ("hooks", Protection::GitHooks),
            ("config", Protection::GitConfig),
            ("config.worktree", Protection::GitConfig),
        ]
        .map(|(name, why)| Protected {
            path: git.join(name),
            why,
            even_if_missing: even_if_missing && name != "config.worktree",
        })
    };
    let mut list = Vec::from(of(git, true));
    // Submodules and worktrees keep theirs inside.
    for inner in ["modules", "worktrees"] {
        for (name, kind) in tree.names(&git.join(inner)) {
            if kind == Kind::Directory {
                list.extend(of(&git.join(inner).join(name), false));
            }
        }
    }
    list
}

/// Follows the pointer of a worktree or submodule: `gitdir: PATH`, and in there `commondir`.
fn worktree(tree: &dyn Tree, folder: &Path, pointer: &Path) -> Vec<Protected> {
    let Some(git) = pointed(tree, pointer, b"gitdir:", folder) else { return Vec::new() };
    let common = pointed(tree, &git.join("commondir"), b"", &git).unwrap_or_else(|| git.clone());
    [git, common]
        .iter()
        .filter(|git| tree.kind(git).is_some())
        .flat_map(|git| git_folder(tree, git))
        .collect()
}

/// Reads a path from a file, relative to a folder.
fn pointed(tree: &dyn Tree, file: &Path, prefix: &[u8], folder: &Path) -> Option<PathBuf> {
    let bytes = tree.start_of(file)?;
    let path = bytes.strip_prefix(prefix)?.trim_ascii();
    let path = folder.join(PathBuf::from(std::ffi::OsString::from_vec(path.to_vec())));
    Location::of(tree, &path).map(|location| location.path)
}

/// Finds folders below a folder that hold a repository.
fn nested(tree: &dyn Tree, folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut seen = 0_usize;
    let mut level = vec![folder.to_owned()];
    for depth in 0..=NESTED {
        let mut below = Vec::new();
        for directory in level {
            if depth == NESTED || seen > MAX_NAMES {
                if depth > 0 && tree.kind(&directory.join(".git")).is_some() {
                    found.push(directory);
                }
                continue;
            }
            let names = tree.names(&directory);
            seen += names.len();
            if depth > 0 && names.iter().any(|(name, _)| name == ".git") {
                found.push(directory.clone());
            }
            let folders = names.into_iter().filter(|(name, kind)| {
                *kind == Kind::Directory && !NOT_SEARCHED.iter().any(|skipped| name == skipped)
            });
            below.extend(folders.map(|(name, _)| directory.join(name)));
        }
        level = below;
    }
    found
}
