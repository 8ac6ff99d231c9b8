//! Stops searches of forbidden directories.

use crate::block_find::{Block, BlockFind, Place, Verdict, text};
use crate::configuration::Configuration;
use crate::diagnostic::Problem;
use crate::event::{EventKind, ToolCall};
use crate::extension::{Context, Extension, Stop, ToolCallAnswer};
use crate::host_path::prepare;
use crate::shell_command::command;
use crate::tool_input::opt_text;
use crate::tool_names::{ToolKind, kind};
use bash_commands::{Analyzer, Span};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The extension: reads the call, asks the guard, and says what it says.
#[derive(Debug, Default)]
pub(crate) struct BlockFindExtension {
    guard: Option<BlockFind>,
}

impl Extension for BlockFindExtension {
    fn configure(&mut self, configuration: &Configuration) -> Result<Vec<Problem>, Stop> {
        let home = configuration.setup().home.as_deref();
        let (guard, unusable) = BlockFind::new(&configuration.settings().block_find_root, home);
        self.guard = Some(guard);
        Ok(unusable.into_iter().map(Problem::from).collect())
    }

    fn events(&self) -> &[EventKind] {
        &[EventKind::ToolCall]
    }

    fn reads_entry(&self, _: &Value) -> bool {
        false
    }

    fn tool_call(&mut self, call: &ToolCall, context: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        let Some(guard) = self.guard.as_ref().filter(|guard| !guard.is_off()) else {
            return Ok(ToolCallAnswer::Pass);
        };
        let setup = context.configuration().setup();
        let place = Place { cwd: context.cwd(), home: setup.home.as_deref() };
        let (verdict, tool) = match kind(&call.tool) {
            Some(ToolKind::Find) => (judge_find(guard, call, place, context)?, text::Tool::Find),
            Some(ToolKind::Bash) if guard.blocks_bash() => {
                let command = command(call)?;
                let verdict = guard.judge_bash(&command, place, &mut Analyzer::new());
                // Of a list of words, the bytes are those of a text that nobody wrote.
                let is_written = matches!(command, Cow::Borrowed(_));
                (if is_written { verdict } else { without_span(verdict) }, text::Tool::Bash)
            }
            _ => return Ok(ToolCallAnswer::Pass),
        };
        Ok(match verdict {
            Verdict::Allow => ToolCallAnswer::Pass,
            Verdict::Block(block) => ToolCallAnswer::Block {
                reason: text::block(&block, guard, place.cwd, tool, setup.language).join("\n"),
                terminate: false,
                details: Some(details(&block)),
            },
        })
    }
}

/// Judges a call of a search tool by the path that the host will search, and by the folders in its pattern where the tool
/// follows those.
fn judge_find(
    guard: &BlockFind,
    call: &ToolCall,
    place: Place<'_>,
    context: &Context<'_>,
) -> Result<Verdict, Stop> {
    // Gemini CLI's is the second.
    let written = opt_text(call, "path")?.or(opt_text(call, "dir_path")?).filter(|path| !path.is_empty());
    let rules = context.configuration().setup().host.paths;
    let path = written.map(|path| prepare(path, rules, place.home)).transpose()?;
    let verdict = match call.tool.as_str() {
        // Its pattern is matched against what lies below the path.
        "find" => guard.judge_find_tool(path.as_deref(), place),
        _ => guard.judge_glob_tool(path.as_deref(), opt_text(call, "pattern")?, place),
    };
    Ok(match (verdict, written, path.as_deref()) {
        // What is shown is what was written.
        (Verdict::Block(block), Some(written), Some(path)) if block.path == path => {
            Verdict::Block(Block { path: written.to_owned(), ..block })
        }
        (verdict, ..) => verdict,
    })
}

fn without_span(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Allow => Verdict::Allow,
        Verdict::Block(block) => Verdict::Block(Block { span: None, ..block }),
    }
}

/// Returns the reason as data, for hosts that draw it.
fn details(block: &Block) -> Value {
    json!({
        "code": block.code.name(),
        "path": block.path,
        "rule": block.rule,
        "resolved": block.resolved,
        "span": block.span.map(|Span { start, end }| [start, end]),
    })
}
