//! Any text as the argument of `/guard`: no panic, a condition is part of the text, and what is refused is accepted in quotes.

#![no_main]

use guard_eval::{Command, Condition, GuardState, Locale, NewEntry, Text, parse_command};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|argument: &str| {
    let free = GuardState { guard: None, limit: 5 };
    match parse_command(argument) {
        Ok(command) => {
            if let Command::Set(condition) = command {
                assert!(argument.contains(condition.as_str()));
            }
            let effect = command.effect(&free);
            for locale in [Locale::ZhCn, Locale::En] {
                let _ = effect.reply.in_locale(locale).to_string();
                for entry in &effect.entries {
                    let value = entry.to_value(locale);
                    assert_eq!(guard_eval::Entry::fact(&value), guard_eval::Entry::fact(entry));
                    assert!(!matches!(entry, NewEntry::Continue), "a command starts no run");
                }
            }
        }
        Err(error) => {
            for locale in [Locale::ZhCn, Locale::En] {
                let text = Text::Refused { error }.in_locale(locale).to_string();
                assert!(!text.contains('\n') && text.len() < 1024);
            }
            let bare = argument.trim();
            if !bare.contains('"') {
                let quoted = format!("\"{bare}\"");
                let condition = Condition::new(bare).expect("what was refused is not blank");
                assert_eq!(parse_command(&quoted), Ok(Command::Set(condition)));
            }
        }
    }
});
