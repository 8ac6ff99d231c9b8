//! A whole small agent host, with a model that reads from a script.
//!
//! ```text
//! cargo run -p brakeline --example agent_loop
//! ```
//!
//! What a host has to do is in `impl Host`: build an engine, feed it events, obey its decisions, carry its effects out. The
//! scene is at the end: every built-in extension stops or changes something, and so does one of the host's own.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example shows and may stop")]

use brakeline::batch::{Batch, Mode, Next};
use brakeline::sandbox::wrap::Wrapper;
use brakeline::shell_permissions::{Action, AllFiles, Options, Policy};
use brakeline::{
    AgentEnd, AgentSettled, AgentStart, Answer, BeforeAgentStart, BeforeSettle, Branch, Builder, CommandRun,
    Context, Draft, Effect, Engine, Event, Extension, Input, InputDecision, Leases, Origin, Outcome,
    Question, RunOutcome, SessionShutdown, SessionStart, SessionView, Setup, ShellPermissions, Stop,
    ToolCall, ToolCallAnswer, ToolOutput, ToolResult, ToolRun, TurnEnd, Ui, Verdict,
};
use brakeline_settings::Trust;
use serde_json::{Map, Value, json};
use std::collections::VecDeque;
use std::error::Error;
use std::path::Path;

/// What the model says next: a text, and tools to call.
struct Reply {
    text: &'static str,
    calls: Vec<(&'static str, Value)>,
    /// Its output limit cut it off.
    is_cut_off: bool,
}

fn says(text: &'static str) -> Reply {
    Reply { text, calls: Vec::new(), is_cut_off: false }
}

fn calls(text: &'static str, calls: impl Into<Vec<(&'static str, Value)>>) -> Reply {
    Reply { text, calls: calls.into(), is_cut_off: false }
}

/// The user at the keyboard, whose answers are written down before.
struct Person(VecDeque<Answer>);

impl Ui for Person {
    fn ask(&mut self, question: &Question) -> Answer {
        let answer = self.0.pop_front().unwrap_or(Answer::Dismissed);
        println!("    [asked]   {} -> {answer:?}", question.title());
        answer
    }
}

/// An extension of the host's own.
struct NoForcePush;

impl Extension for NoForcePush {
    fn tool_call(&mut self, call: &ToolCall, _: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        let command = call.input.get("command").and_then(Value::as_str).unwrap_or_default();
        Ok(if command.contains("push --force") {
            ToolCallAnswer::block("no force pushes here")
        } else {
            ToolCallAnswer::Pass
        })
    }
}

struct Host {
    engine: Engine,
    /// The entries of the session's branch: the only state of a conversation.
    branch: Vec<Value>,
    tools: Vec<String>,
    model: VecDeque<Reply>,
    person: Person,
}

impl Host {
    /// Builds an engine, and starts a session.
    fn new(
        name: &str,
        folder: &Path,
        model: impl Into<VecDeque<Reply>>,
        answers: impl Into<VecDeque<Answer>>,
    ) -> Result<Self, Box<dyn Error>> {
        let setup = Setup { cwd: folder.to_str().map(str::to_owned), ..Setup::new(name) };
        let settings = json!({"blockFindRoot": {"forbiddenPaths": ["/", "/etc"], "blockBash": true}});
        let options = Options { allow_multiple: true, ..Options::default() };
        let policy = Policy::new(options, [("*", Action::Allow), ("rm *", Action::Deny)])?;
        let engine = Builder::new(setup)
            .settings(settings)
            .built_ins()
            .leases(Leases::in_folder(folder.join("leases")))
            .shell_permissions(ShellPermissions::new(policy, AllFiles))
            .sandbox(Wrapper::new("brakeline"))
            .extension(Origin::User, "no-force-push", |_| Ok(Box::new(NoForcePush)))
            .build(Trust::Trusted)?;
        let tools = ["find", "bash", "write"].map(str::to_owned).to_vec();
        let mut host =
            Self { engine, branch: Vec::new(), tools, model: model.into(), person: Person(answers.into()) };
        host.tell(SessionStart { reason: "startup".to_owned() });
        Ok(host)
    }

    /// Hands an event to the engine, asks what there is to ask, and carries the effects out.
    fn tell<E: Event>(&mut self, event: E) -> E::Decision {
        let view = SessionView::of(Branch::whole(&self.branch));
        let Outcome { decision, effects, reports } = self.engine.handle_with(event, view, &mut self.person);
        for effect in effects {
            match effect {
                Effect::AppendEntry { custom_type, data } => self.store(&Draft::Custom { custom_type, data }),
                // A host that can, starts a turn where the effect says so; none of the built-in ones does.
                Effect::SendMessage { message, .. } => self.store(&Draft::CustomMessage(message)),
                Effect::SetActiveTools { add, remove } => {
                    self.tools.retain(|tool| !remove.contains(tool));
                    self.tools.extend(add);
                    println!("    [tools]   {}", self.tools.join(", "));
                }
                Effect::Notify { level, message } => println!("    [{}] {message}", level.name()),
                Effect::SetStatus { key, text } => {
                    println!("    [status]  {key}: {}", text.unwrap_or_default());
                }
            }
        }
        for report in reports {
            println!("    [report]  {} failed in {}: {}", report.extension, report.event, report.message);
        }
        decision
    }

    fn store(&mut self, draft: &Draft) {
        self.push(draft.to_value());
    }

    /// Stores an entry, with an id as every entry has one.
    fn push(&mut self, mut entry: Value) {
        let id = format!("{:04}", self.branch.len());
        entry.as_object_mut().unwrap().insert("id".to_owned(), id.into());
        self.branch.push(entry);
    }

    fn push_message(&mut self, message: &Value) {
        self.push(json!({"type": "message", "message": message}));
    }

    /// A text of the user: a command, or a prompt that starts a run.
    fn enter(&mut self, text: &str) {
        println!("\n> {text}");
        if let Some(command) = text.strip_prefix('/') {
            let (name, arguments) = command.split_once(' ').unwrap_or((command, ""));
            self.tell(CommandRun { name: name.to_owned(), arguments: arguments.to_owned() });
            return;
        }
        if self.begin(text) {
            self.work();
            self.settle();
        }
    }

    /// Begins a run with a prompt, unless an extension takes it.
    fn begin(&mut self, text: &str) -> bool {
        let input = Input { text: text.to_owned(), source: "interactive".to_owned(), ..Input::default() };
        let InputDecision::Continue(input) = self.tell(input) else { return false };
        let start = BeforeAgentStart { prompt: input.text.clone(), ..BeforeAgentStart::default() };
        for message in self.tell(start).messages {
            self.store(&Draft::CustomMessage(message));
        }
        self.push_message(&json!({"role": "user", "content": input.text}));
        self.tell(AgentStart);
        true
    }

    /// Takes turns until the model stops and no extension sends it on.
    fn work(&mut self) {
        loop {
            while self.turn() {}
            self.tell(AgentEnd::default());
            let proposal = self.tell(BeforeSettle { outcome: RunOutcome::Completed, runnable: false });
            for entry in &proposal.entries {
                self.store(entry);
                if let Draft::CustomMessage(message) = entry {
                    println!("  guard: {}", message.content.as_str().unwrap_or_default());
                }
            }
            if !proposal.continues {
                return;
            }
        }
    }

    fn settle(&mut self) {
        self.tell(AgentSettled { aborted: false });
    }

    /// One answer of the model and what its tools come to. Returns whether the model is to go on.
    fn turn(&mut self) -> bool {
        let Some(reply) = self.model.pop_front() else { return false };
        println!("  model: {}", reply.text);
        self.push_message(&json!({"role": "assistant", "content": reply.text}));
        let terminate = self.batch(&reply);
        let proposal = self.tell(TurnEnd { runnable: !reply.calls.is_empty(), ..TurnEnd::default() });
        proposal.entries.iter().for_each(|entry| self.store(entry));
        (!reply.calls.is_empty() && !terminate) || proposal.continues
    }

    /// Judges, runs and tells of the calls of one answer, in the order that `Batch` gives.
    fn batch(&mut self, reply: &Reply) -> bool {
        let sequential = |name: &str| self.engine.tools().any(|tool| tool.name == name && tool.sequential);
        let mode = Mode::of(reply.is_cut_off, reply.calls.iter().map(|(name, _)| sequential(name)));
        let mut batch = Batch::new(reply.calls.len(), mode);
        let cut_off = || ToolOutput::error("the message was cut off, so none of its calls runs");
        let mut results: Vec<ToolOutput> = reply.calls.iter().map(|_| cut_off()).collect();
        let mut inputs: Vec<Map<String, Value>> =
            reply.calls.iter().map(|(_, input)| input.as_object().cloned().unwrap_or_default()).collect();
        loop {
            let next = batch.next();
            let (Next::Judge(call) | Next::Run(call) | Next::ResultEvent(call) | Next::Message(call)) = next
            else {
                // Here a tool has finished when `run` returns, so there is nothing to wait for.
                return matches!(next, Next::Done { terminate: true });
            };
            let (Some((name, _)), Some(input), Some(result)) =
                (reply.calls.get(call), inputs.get_mut(call), results.get_mut(call))
            else {
                return false;
            };
            let (tool, id) = ((*name).to_owned(), format!("call-{call}"));
            match next {
                Next::Judge(_) => {
                    let event = ToolCall { tool, id, parent: None, input: input.clone() };
                    let decision = self.tell(event);
                    *input = decision.input;
                    match decision.verdict {
                        Verdict::Allow => batch.allowed(call),
                        Verdict::Block(block) => {
                            batch.blocked(call, block.terminate);
                            *result = ToolOutput::error(format!("blocked by {}: {}", block.by, block.reason));
                        }
                    }
                }
                Next::Run(_) => {
                    *result = self.run(&tool, &id, input);
                    batch.finished(call, result.terminate);
                }
                Next::ResultEvent(_) => {
                    let event = ToolResult {
                        tool,
                        id,
                        input: input.clone(),
                        content: result.content.clone(),
                        details: result.details.clone(),
                        is_error: result.is_error,
                        ..ToolResult::default()
                    };
                    let mut after = event.clone();
                    self.tell(event).apply(&mut after);
                    (result.content, result.is_error) = (after.content, after.is_error);
                }
                _ => {
                    let text = result
                        .content
                        .first()
                        .and_then(|block| block.get("text")?.as_str())
                        .unwrap_or_default();
                    println!("    {tool}: {}", text.replace('\n', "\n      "));
                    self.push_message(&json!({
                        "role": "toolResult", "toolName": tool, "toolCallId": id, "content": result.content,
                        "details": result.details, "isError": result.is_error,
                    }));
                }
            }
        }
    }

    /// Runs a tool: the host's own, or one of an extension.
    fn run(&mut self, tool: &str, id: &str, input: &Map<String, Value>) -> ToolOutput {
        let member = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
        match tool {
            "find" => ToolOutput::text(format!("(searches {})", member("path"))),
            "bash" => {
                let timeout = input.get("timeout").cloned().unwrap_or_default();
                ToolOutput::text(format!("(runs `{}` for at most {timeout} s)", member("command")))
            }
            "write" => ToolOutput::text(format!("(writes {})", member("path"))),
            _ => self.tell(ToolRun { name: tool.to_owned(), id: id.to_owned(), input: input.clone() }),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let ada = [
        calls("Where is it?", [("find", json!({"path": "/etc", "pattern": "*.conf"}))]),
        calls(
            "Then two things at once.",
            [
                ("bash", json!({"command": "cd / && find . -name x"})),
                ("bash", json!({"command": "cargo test"})),
            ],
        ),
        calls("Milliseconds, I guess.", [("bash", json!({"command": "make", "timeout": 60000}))]),
        calls("Away with the old.", [("bash", json!({"command": "sudo rm -rf old"}))]),
        calls("Out with it.", [("bash", json!({"command": "git push --force"}))]),
        calls("A fix.", [("write", json!({"path": "main.rs", "content": "fn main() {}"}))]),
        Reply { is_cut_off: true, ..calls("And a long o", [("bash", json!({"command": "rm -rf target"}))]) },
        says("Done."),
        calls("Am I?", [("guard_check", json!({"note": "the tests pass"}))]),
        calls("Docs, too.", [("write", json!({"path": "README.md", "content": "# App"}))]),
        calls("Now?", [("guard_check", json!({"note": "the tests pass, and there are docs"}))]),
        calls("Once more.", [("write", json!({"path": "main.rs", "content": "fn main() {}\n"}))]),
        says("Written."),
    ];
    let answers = [Answer::Selected(1), Answer::Text("and the docs?".to_owned()), Answer::Selected(0)];
    let mut ada = Host::new("ada-4711", folder.path(), ada, answers)?;
    let bob = [calls("Mine.", [("write", json!({"path": "./main.rs", "content": ""}))])];
    let mut bob = Host::new("bob-0815", folder.path(), bob, [])?;

    println!("\nBob has begun, and holds main.rs.");
    bob.begin("Tidy up");
    bob.turn();

    println!("\nAda.");
    ada.enter("/guard the tests pass and everything is documented");
    ada.enter("Fix the bug");
    ada.enter("/collision");

    println!("\nBob settles, and Ada tries again.");
    bob.settle();
    ada.enter("Try again");
    for mut host in [ada, bob] {
        host.tell(SessionShutdown { reason: "quit".to_owned() });
    }
    Ok(())
}
