//! Scenarios as data: events in, decisions out. Each file of `scenarios/` is one session.
//!
//! `BLESS=1 cargo test -p brakeline --test scenarios` writes what came out into the files; look at the difference before it is
//! kept.

#![cfg(all(
    feature = "block-find",
    feature = "default-timeout",
    feature = "guard-loop",
    feature = "collision-guard"
))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use brakeline::locale::Language;
use brakeline::{
    Answer, BeforeSettle, Branch, Builder, CommandRun, Draft, Effect, Engine, Host, Leases, Outcome,
    Question, RunOutcome, SessionStart, SessionView, Setup, ToolCall, ToolRun, Ui, UserBash, Verdict,
};
use brakeline_settings::Trust;
use serde_json::{Map, Value, json};
use std::fs;
use std::path::Path;

/// Answers that stand in the scenario; every question is noted.
struct Script {
    answers: Vec<Value>,
    asked: Vec<Value>,
}

impl Ui for Script {
    fn ask(&mut self, question: &Question) -> Answer {
        let options = match question {
            Question::Select { options, .. } => json!(options),
            _ => Value::Null,
        };
        self.asked.push(json!({"title": question.title(), "options": options, "timeoutMs": question.timeout().map(|t| t.as_millis() as u64)}));
        let answer = if self.answers.is_empty() { json!("no-ui") } else { self.answers.remove(0) };
        match &answer {
            Value::String(word) if word == "dismissed" => Answer::Dismissed,
            Value::String(word) if word == "timeout" => Answer::TimedOut,
            Value::String(word) if word == "no-ui" => Answer::NoUi,
            Value::String(label) => question.answer_of(label).unwrap_or_else(|| Answer::Text(label.clone())),
            Value::Bool(yes) => Answer::Confirmed(*yes),
            other => panic!("no answer: {other}"),
        }
    }
}

struct Player {
    engine: Engine,
    branch: Vec<Value>,
    script: Script,
}

impl Player {
    fn new(scenario: &Value, leases: &Path) -> Self {
        let text = |key: &str| scenario[key].as_str().map(str::to_owned);
        let setup = Setup {
            cwd: text("cwd"),
            home: text("home"),
            host: match scenario["host"].as_str() {
                Some("claude-code") => Host::CLAUDE_CODE,
                Some("gemini-cli") => Host::GEMINI_CLI,
                Some("codex") => Host::CODEX,
                _ => Host::PI,
            },
            language: if scenario["language"] == "zh-CN" { Language::ZhCn } else { Language::En },
            ..Setup::new("s1")
        };
        let builder = Builder::new(setup).settings(scenario["settings"].clone()).built_ins();
        let engine = builder.leases(Leases::in_folder(leases)).build(Trust::Trusted).unwrap();
        Self { engine, branch: Vec::new(), script: Script { answers: Vec::new(), asked: Vec::new() } }
    }

    fn handle<E: brakeline::Event>(&mut self, event: E, told: &mut Map<String, Value>) -> E::Decision {
        let view = SessionView::of(Branch::whole(&self.branch));
        let Outcome { decision, effects, reports } = self.engine.handle_with(event, view, &mut self.script);
        self.tell(effects, told);
        if !reports.is_empty() {
            let reports = reports.iter().map(|report| format!("{}: {}", report.extension, report.message));
            told.insert("reports".to_owned(), reports.collect());
        }
        decision
    }

    fn tell(&mut self, effects: Vec<Effect>, told: &mut Map<String, Value>) {
        let mut lines: Vec<Value> = Vec::new();
        for effect in effects {
            lines.push(match effect {
                Effect::AppendEntry { custom_type, data } => {
                    let entry = Draft::Custom { custom_type, data }.to_value();
                    self.branch.push(entry.clone());
                    json!({"append": entry})
                }
                Effect::SendMessage { message, starts_turn } => {
                    let entry = Draft::CustomMessage(message).to_value();
                    self.branch.push(entry.clone());
                    json!({"send": entry, "startsTurn": starts_turn})
                }
                Effect::SetActiveTools { add, remove } => json!({"add": add, "remove": remove}),
                Effect::Notify { level, message } => json!({level.name(): message}),
                Effect::SetStatus { key, text } => json!({"status": key, "text": text}),
            });
        }
        if !lines.is_empty() {
            told.insert("effects".to_owned(), lines.into());
        }
    }

    /// Plays one step and returns what came out.
    fn play(&mut self, step: &Value) -> Value {
        let mut told = Map::new();
        self.script.answers = step["answers"].as_array().cloned().unwrap_or_default();
        if let Some(tool) = step["tool_call"].as_str() {
            let input = step["input"].as_object().unwrap().clone();
            let call = ToolCall { tool: tool.to_owned(), id: "c".to_owned(), parent: None, input };
            let decision = self.handle(call, &mut told);
            let changes: Map<_, _> = decision
                .changes
                .iter()
                .map(|(name, value)| (name.to_owned(), value.cloned().into()))
                .collect();
            if !changes.is_empty() {
                told.insert("changes".to_owned(), changes.into());
            }
            match decision.verdict {
                Verdict::Allow => _ = told.insert("verdict".to_owned(), "allow".into()),
                Verdict::Block(block) => {
                    told.insert("verdict".to_owned(), "block".into());
                    told.insert("by".to_owned(), block.by.into());
                    told.insert("reason".to_owned(), block.reason.lines().collect());
                    told.insert("details".to_owned(), block.details.into());
                }
            }
        } else if let Some(command) = step["user_bash"].as_str() {
            let event = UserBash { command: command.to_owned(), ..UserBash::default() };
            let decision = self.handle(event, &mut told);
            told.insert("decision".to_owned(), format!("{decision:?}").into());
        } else if let Some(command) = step["command"].as_str() {
            let (name, arguments) = command.split_once(' ').unwrap_or((command, ""));
            let run = CommandRun { name: name.to_owned(), arguments: arguments.to_owned() };
            let decision = self.handle(run, &mut told);
            told.insert("decision".to_owned(), format!("{decision:?}").into());
        } else if let Some(tool) = step["tool"].as_str() {
            let input = step["input"].as_object().unwrap().clone();
            let output = self.handle(ToolRun { name: tool.to_owned(), id: "c".to_owned(), input }, &mut told);
            told.insert("content".to_owned(), output.content[0]["text"].clone());
            told.insert("details".to_owned(), output.details.clone().into());
            told.insert("terminate".to_owned(), output.terminate.into());
            self.branch.push(json!({"type": "message", "message": {
                "role": "toolResult", "toolName": tool, "details": output.details, "isError": output.is_error,
            }}));
        } else if let Some(outcome) = step["before_settle"].as_str() {
            let outcome = RunOutcome::from_name(outcome).unwrap();
            let proposal = self.handle(BeforeSettle { outcome, runnable: false }, &mut told);
            let entries: Vec<_> = proposal.entries.iter().map(Draft::to_value).collect();
            self.branch.extend(entries.iter().cloned());
            told.insert("entries".to_owned(), entries.into());
            told.insert("continues".to_owned(), proposal.continues.into());
        } else if step["session_start"].is_string() {
            self.handle(
                SessionStart { reason: step["session_start"].as_str().unwrap().to_owned() },
                &mut told,
            );
        } else if step["configure"].is_object() {
            let outcome = self.engine.configure(step["configure"].clone());
            self.tell(outcome.effects, &mut told);
        } else {
            panic!("no such step: {step}");
        }
        if !self.script.asked.is_empty() {
            told.insert("asked".to_owned(), std::mem::take(&mut self.script.asked).into());
        }
        told.into()
    }
}

#[test]
fn scenarios() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 5, "the scenarios are there");
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for file in files {
        let mut scenario: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let leases = tempfile::tempdir().unwrap();
        let mut player = Player::new(&scenario, &leases.path().join("leases"));
        for step in scenario["steps"].as_array_mut().unwrap() {
            let got = player.play(step);
            if bless {
                step["then"] = got;
            } else if step["then"] != got {
                wrong.push(format!("{}: {step}\n  came out: {got}", file.display()));
            }
        }
        if bless {
            fs::write(&file, serde_json::to_string_pretty(&scenario).unwrap() + "\n").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
