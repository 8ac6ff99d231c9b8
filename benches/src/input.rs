//! Ordinary bash texts of several sizes.

use std::fmt::Write;

/// 6 bytes.
pub const TINY: &str = "find /";

/// 31 bytes: wrappers and one `find`.
pub const SHORT: &str = "sudo timeout 1 find / -name aaa";

/// 203 bytes: a list, a pipeline, a substitution, redirections, quotes.
pub const LONG: &str = "cd /srv/app && git status --short | head -20; find . -name '*.rs' -newer Cargo.toml \
    -exec grep -l \"fn main\" {} + 2>/dev/null || echo \"nothing under $(pwd)\" >> /tmp/log.txt; sudo -u www ls -la ~/web-sites";

/// Lines as agents write them; the megabyte is made of them.
const LINES: &[&str] = &[
    "ls -la src tests benches",
    "git status --short && git diff --stat HEAD~1",
    "rg -n 'fn parse' crates --glob '*.rs' | head -40",
    "cargo test --workspace --quiet 2>&1 | tail -n 30",
    "find . -type f -name '*.rs' -not -path './target/*' | xargs wc -l | sort -n | tail",
    "sed -n '120,180p' src/main.rs",
    "cat package.json | jq '.scripts, .dependencies | keys'",
    "npm run build -- --mode production && npm test",
    "python3 -c \"import json, sys; print(json.load(sys.stdin)['version'])\" < package.json",
    "for f in src/*.c; do gcc -Wall -c \"$f\" -o \"build/$(basename \"$f\" .c).o\" || exit 1; done",
    "if [ -d node_modules ]; then echo present; else npm ci --ignore-scripts; fi",
    "docker compose ps --format json | jq -r '.[] | select(.State != \"running\") | .Name'",
    "sudo timeout 30 find /var/log -name '*.gz' -mtime +30 -delete",
    "export PATH=\"$HOME/.local/bin:$PATH\" RUST_BACKTRACE=1",
    "grep -rn --include='*.py' 'TODO\\|FIXME' . | awk -F: '{print $1}' | sort | uniq -c | sort -rn",
    "mkdir -p out/{bin,lib,share} && cp -r dist/* out/share/",
    "curl -fsSL \"https://example.org/v1/items?page=2&limit=50\" -o /tmp/items.json",
    "kill -9 $(pgrep -f 'vite --port 5173') 2>/dev/null || true",
    "printf '%s\\n' \"${files[@]}\" | while read -r line; do echo \"- $line\"; done > list.md",
    "cat > notes.txt <<'EOF'\nrelease notes\n- run find / only by hand\nEOF",
    "test -f .env || cp .env.example .env",
    "tar czf backup-$(date +%F).tgz --exclude=target --exclude='*.log' .",
    "ssh -o BatchMode=yes deploy@host 'systemctl restart app'",
    "(cd docs && mdbook build) && echo done",
];

/// A script of 4 KiB: functions, loops, `case`, here-documents.
#[must_use]
pub fn script() -> String {
    let mut script =
        String::from("#!/usr/bin/env bash\nset -euo pipefail\n\nroot=$(cd \"$(dirname \"$0\")\" && pwd)\n");
    let mut number = 0;
    while script.len() < 4096 {
        number += 1;
        let _ = write!(
            script,
            "\n# Step {number}.\nstep_{number}() {{\n    local target=${{1:-all}} count=0\n    case $target in\n        all | test)\n            \
             while read -r file; do\n                count=$((count + 1))\n                grep -q 'main' \"$file\" && echo \"$file\"\n            \
             done < <(find \"$root/src\" -name '*.rs' -print)\n            ;;\n        clean) rm -rf \"$root/target\" ;;\n        \
             *) echo \"unknown: $target\" >&2; return 1 ;;\n    esac\n    cat <<EOF\nstep {number}: $count files\nEOF\n}}\nstep_{number} \"$@\" | tee -a build.log\n"
        );
    }
    script.truncate(script.rfind("\n# Step").unwrap_or(script.len()));
    script
}

/// 1 MiB of command lines.
#[must_use]
pub fn megabyte() -> String {
    let mut text = String::with_capacity((1 << 20) + 512);
    for line in LINES.iter().cycle() {
        if text.len() >= 1 << 20 {
            return text;
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// The ordinary inputs by name.
#[must_use]
pub fn ordinary() -> Vec<(&'static str, String)> {
    vec![
        ("6 B", TINY.to_owned()),
        ("31 B", SHORT.to_owned()),
        ("203 B", LONG.to_owned()),
        ("4 KiB script", script()),
        ("1 MiB lines", megabyte()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_named() {
        assert_eq!((TINY.len(), SHORT.len(), LONG.len()), (6, 31, 203));
        assert!((3000..=4096).contains(&script().len()), "{}", script().len());
        assert!((1 << 20..(1 << 20) + 512).contains(&megabyte().len()));
    }
}
