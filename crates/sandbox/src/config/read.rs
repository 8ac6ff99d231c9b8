//! The files of all layers to one configuration.

use super::layers::{FileConfig, Placed};
use super::{Config, Entry, Permission, Setting, ShellRule};
use std::collections::BTreeMap;

/// Lays files, weakest first, over the defaults: lists and switches replace, permissions merge by their pattern.
pub(super) fn config<'f>(files: impl IntoIterator<Item = &'f FileConfig>) -> Config {
    let mut config = Config::default();
    let mut rules: BTreeMap<String, ShellRule> =
        config.shell.permissions.drain(..).map(|rule| (rule.pattern.clone(), rule)).collect();
    for file in files {
        lay(&mut config, file);
        rules.extend(
            file.permissions.iter().map(|(pattern, placed)| (pattern.clone(), rule(pattern, placed))),
        );
    }
    config.shell.permissions = rules.into_values().collect();
    config
}

fn lay(config: &mut Config, file: &FileConfig) {
    set(&mut config.enabled, file.enabled.as_ref());
    let Config { network, filesystem, shell, .. } = config;
    let lists = [
        &mut network.allowed_domains,
        &mut network.denied_domains,
        &mut filesystem.deny_read,
        &mut filesystem.allow_read,
        &mut filesystem.deny_write,
        &mut filesystem.allow_write,
    ];
    for (list, given) in lists.into_iter().zip(&file.lists) {
        if let Some(given) = given {
            *list = given.value.iter().map(entry).collect();
        }
    }
    let switches = [&mut shell.allow_multiple, &mut shell.allow_pipe, &mut shell.strict_allow];
    for (switch, given) in switches.into_iter().zip(&file.switches) {
        set(switch, given.as_ref());
    }
}

fn set(setting: &mut Setting, given: Option<&Placed<bool>>) {
    if let Some(given) = given {
        *setting = Setting { value: given.value, origin: given.origin.clone() };
    }
}

fn entry(placed: &Placed<String>) -> Entry {
    Entry { text: placed.value.clone(), origin: placed.origin.clone() }
}

fn rule(pattern: &str, placed: &Placed<Permission>) -> ShellRule {
    ShellRule { pattern: pattern.to_owned(), permission: placed.value, origin: placed.origin.clone() }
}
