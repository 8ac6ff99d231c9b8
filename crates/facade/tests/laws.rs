//! The laws of composition, beside naive twins that spell them out.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use brakeline::{
    AgentSettled, AgentStartAnswer, Answer, BashResult, BeforeAgentStart, BeforeSettle, Branch, Builder,
    Change, Changes, Context, CustomMessage, Draft, Effect, Engine, Event, Extension, Input, InputAnswer,
    InputDecision, Level, ModelContext, NoUi, Origin, Outcome, ProjectTrust, Proposal, ProposalChange,
    Question, ResultChanges, RunOutcome, SessionView, Setup, Step, Stop, ToolCall, ToolCallAnswer,
    ToolResult, Ui, UserBash, UserBashDecision, Verdict,
};
use brakeline_settings::Trust;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

/// How a handler ends.
#[derive(Clone, Debug)]
enum Ending {
    Answers,
    Fails,
    Panics,
}

/// What a handler does with any event.
#[derive(Clone, Debug)]
struct Script {
    origin: Origin,
    name: String,
    /// Set in inputs, and added to texts.
    mark: String,
    blocks: bool,
    ending: Ending,
    questions: usize,
    change: Proposed,
}

/// What a handler makes of a proposal.
#[derive(Clone, Debug)]
struct Proposed {
    entries: Option<Vec<Draft>>,
    keeps: bool,
    continues: Option<bool>,
}

/// What the handlers saw, in their order.
type Seen = Arc<Mutex<Vec<(String, String)>>>;

struct Scripted {
    script: Script,
    seen: Seen,
}

impl Scripted {
    fn run(&self, saw: &impl ToString, context: &mut Context<'_>) -> Result<Vec<Answer>, Stop> {
        let Script { name, ending, questions, .. } = &self.script;
        let answers = (0..*questions)
            .map(|number| {
                let title = format!("{name} {number}");
                context.ask(Question::Input { title, placeholder: None, timeout: None })
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.seen.lock().unwrap().push((name.clone(), saw.to_string()));
        context.notify(Level::Info, name.clone());
        match ending {
            Ending::Answers => Ok(answers),
            Ending::Fails => Err(Stop::failure("broken")),
            Ending::Panics => panic!("broken"),
        }
    }
}

fn text_of(input: &Map<String, Value>) -> String {
    serde_json::to_string(input).unwrap()
}

impl Extension for Scripted {
    fn agent_settled(&mut self, _: &AgentSettled, context: &mut Context<'_>) -> Result<(), Stop> {
        self.run(&"", context).map(|_| ())
    }

    fn project_trust(&mut self, _: &ProjectTrust, context: &mut Context<'_>) -> Result<Option<bool>, Stop> {
        self.run(&"", context)?;
        Ok(self.script.blocks.then_some(true))
    }

    fn input(&mut self, event: &Input, context: &mut Context<'_>) -> Result<InputAnswer, Stop> {
        self.run(&event.text, context)?;
        Ok(if self.script.blocks {
            InputAnswer::Handled
        } else {
            InputAnswer::Rewrite { text: format!("{}{}", event.text, self.script.mark), images: None }
        })
    }

    fn tool_call(&mut self, call: &ToolCall, context: &mut Context<'_>) -> Result<ToolCallAnswer, Stop> {
        let answers = self.run(&text_of(&call.input), context)?;
        let Script { mark, blocks, .. } = &self.script;
        Ok(match (blocks, mark.as_str()) {
            (true, _) => ToolCallAnswer::block(mark),
            (false, "") => ToolCallAnswer::Pass,
            (false, "x") => ToolCallAnswer::Rewrite(Changes::new().remove("x")),
            (false, mark) => ToolCallAnswer::Rewrite(Changes::new().set(mark, format!("{answers:?}"))),
        })
    }

    fn user_bash(&mut self, event: &UserBash, context: &mut Context<'_>) -> Result<Option<BashResult>, Stop> {
        self.run(&event.command, context)?;
        Ok(self.script.blocks.then(BashResult::default))
    }

    fn tool_result(&mut self, result: &ToolResult, context: &mut Context<'_>) -> Result<ResultChanges, Stop> {
        self.run(&format!("{:?}{:?}", result.content, result.structured_content), context)?;
        let new = Some(vec![json!(self.script.mark)]);
        let structured_content = if self.script.blocks { Change::Set(json!(1)) } else { Change::Keep };
        Ok(ResultChanges { content: new, structured_content, ..ResultChanges::default() })
    }

    fn before_agent_start(
        &mut self,
        event: &BeforeAgentStart,
        context: &mut Context<'_>,
    ) -> Result<AgentStartAnswer, Stop> {
        self.run(&event.system_prompt, context)?;
        let system_prompt = Some(format!("{}{}", event.system_prompt, self.script.mark));
        let message = CustomMessage { custom_type: self.script.name.clone(), ..CustomMessage::default() };
        Ok(AgentStartAnswer { message: Some(message), system_prompt })
    }

    fn model_context(
        &mut self,
        event: &ModelContext,
        context: &mut Context<'_>,
    ) -> Result<Option<Vec<Value>>, Stop> {
        self.run(&event.messages.len(), context)?;
        let more = event.messages.iter().cloned().chain([json!(self.script.mark)]).collect();
        Ok(self.script.blocks.then_some(more))
    }

    fn before_settle(
        &mut self,
        _: &BeforeSettle,
        proposal: &Proposal,
        context: &mut Context<'_>,
    ) -> Result<ProposalChange, Stop> {
        self.run(&format!("{proposal:?}"), context)?;
        let Proposed { entries, keeps, continues } = &self.script.change;
        let entries = entries.as_ref().map(|mine| match keeps {
            true => proposal.entries.iter().chain(mine).cloned().collect(),
            false => mine.clone(),
        });
        Ok(ProposalChange { entries, continues: *continues })
    }
}

fn engine(scripts: &[Script]) -> (Engine, Seen) {
    let seen = Seen::default();
    let mut builder = Builder::new(Setup::new("s"));
    for script in scripts {
        let (script, seen) = (script.clone(), Arc::clone(&seen));
        builder = builder.extension(script.origin, script.name.clone(), move |_| {
            Ok(Box::new(Scripted { script: script.clone(), seen: Arc::clone(&seen) }))
        });
    }
    (builder.build(Trust::Trusted).unwrap(), seen)
}

/// Answers every question with its own title.
struct Echo;

impl Ui for Echo {
    fn ask(&mut self, question: &Question) -> Answer {
        Answer::Text(question.title().to_owned())
    }
}

fn run<E: Event>(engine: &mut Engine, event: E) -> Outcome<E::Decision> {
    engine.handle_with(event, SessionView::default(), &mut Echo)
}

/// The scripts in the order in which they are asked: by origin, and as they were added within one.
fn in_order(scripts: &[Script]) -> Vec<&Script> {
    let origins = [Origin::CommandLine, Origin::Project, Origin::User, Origin::Package];
    let of = |origin| scripts.iter().filter(move |script| script.origin == origin);
    origins.into_iter().flat_map(of).collect()
}

fn notified<'s>(scripts: impl IntoIterator<Item = &'s Script>) -> Vec<Effect> {
    let effect = |script: &Script| Effect::Notify { level: Level::Info, message: script.name.clone() };
    scripts.into_iter().map(effect).collect()
}

fn fails(script: &Script) -> bool {
    !matches!(script.ending, Ending::Answers)
}

fn reported<'s>(scripts: impl IntoIterator<Item = &'s Script>) -> Vec<String> {
    scripts.into_iter().filter(|script| fails(script)).map(|script| script.name.clone()).collect()
}

fn names<D>(outcome: &Outcome<D>) -> Vec<String> {
    outcome.reports.iter().map(|report| report.extension.clone()).collect()
}

fn draft() -> impl Strategy<Value = Draft> {
    let target = prop::sample::select(vec!["e0", "e1", "e2", "e3", "ffff"]);
    prop_oneof![
        3 => "[ab]".prop_map(|custom_type| Draft::Custom { custom_type, data: None }),
        2 => "[ab]".prop_map(|custom_type| Draft::CustomMessage(CustomMessage { custom_type, ..CustomMessage::default() })),
        2 => (target.clone(), prop::option::of(Just(json!({"role": "user"})))).prop_map(|(target, replacement)| {
            Draft::ContextEdit { target_id: target.to_owned(), replacement }
        }),
        1 => prop::option::of(target).prop_map(|kept| Draft::Compaction {
            summary: "so far".to_owned(),
            first_kept_entry_id: kept.map(str::to_owned),
            details: None,
            usage: None,
        }),
        1 => Just(Draft::Unknown(json!({"type": "label"}))),
    ]
}

fn script() -> impl Strategy<Value = Script> {
    let origin =
        prop::sample::select(vec![Origin::CommandLine, Origin::Project, Origin::User, Origin::Package]);
    let ending = prop_oneof![6 => Just(Ending::Answers), 1 => Just(Ending::Fails), 1 => Just(Ending::Panics)];
    let change = (prop::option::of(vec(draft(), 0..3)), any::<bool>(), prop::option::of(any::<bool>()))
        .prop_map(|(entries, keeps, continues)| Proposed { entries, keeps, continues });
    (origin, "|x|[a-c]", prop::bool::weighted(0.2), ending, 0..3_usize, change).prop_map(
        |(origin, mark, blocks, ending, questions, change)| Script {
            origin,
            name: String::new(),
            mark,
            blocks,
            ending,
            questions,
            change,
        },
    )
}

fn scripts() -> impl Strategy<Value = Vec<Script>> {
    vec(script(), 0..7).prop_map(|mut scripts| {
        for (number, script) in scripts.iter_mut().enumerate() {
            script.name = format!("n{number}");
        }
        scripts
    })
}

fn entry() -> impl Strategy<Value = Value> {
    let target = prop::sample::select(vec!["e0", "e1", "e2", "e3"]);
    prop_oneof![
        4 => prop::sample::select(vec!["user", "assistant", "assistant", "toolResult", "system"])
            .prop_map(|role| json!({"type": "message", "message": {"role": role}})),
        1 => any::<bool>().prop_map(|hidden| {
            json!({"type": "message", "message": {"role": "bashExecution", "excludeFromContext": hidden}})
        }),
        1 => Just(json!({"type": "custom", "customType": "k"})),
        1 => Just(json!({"type": "custom_message", "customType": "k", "content": "c"})),
        1 => target.clone().prop_map(|target| json!({"type": "context_edit", "targetId": target, "replacement": null})),
        1 => target.prop_map(|kept| json!({"type": "compaction", "summary": "s", "firstKeptEntryId": kept})),
        1 => Just(json!(null)),
    ]
}

fn branch() -> impl Strategy<Value = Vec<Value>> {
    vec(entry(), 0..6).prop_map(|mut entries| {
        for (number, entry) in entries.iter_mut().enumerate() {
            // An edit names an entry that is there already.
            let is_early = entry["type"] == "context_edit"
                && (0..number).all(|before| entry["targetId"] != format!("e{before}"));
            if is_early {
                *entry = json!({"type": "custom", "customType": "k"});
            }
            if entry.is_object() {
                entry["id"] = json!(format!("e{number}"));
            }
        }
        entries
    })
}

/// The roles of the messages that a branch gives the model, built from its start.
fn context_roles(branch: &[Value]) -> Vec<String> {
    let mut edits: Vec<(String, Value)> = Vec::new();
    for entry in branch {
        if entry["type"] == "context_edit" {
            edits.retain(|(target, _)| *target != entry["targetId"]);
            edits.push((entry["targetId"].as_str().unwrap().to_owned(), entry["replacement"].clone()));
        }
    }
    let message = |entry: &Value| -> Option<Value> {
        if entry["type"] == "context_edit" {
            return None;
        }
        if let Some((_, replacement)) = edits.iter().find(|(target, _)| entry["id"] == **target) {
            return Some(replacement.clone()).filter(|replacement| !replacement.is_null());
        }
        match entry["type"].as_str()? {
            "message" => Some(entry["message"].clone()),
            "custom_message" => Some(json!({"role": "custom"})),
            _ => None,
        }
    };
    let is_seen =
        |message: &Value| message["role"] != "system" && message["excludeFromContext"] != json!(true);
    let is_summary =
        |entry: &&Value| entry["type"] == "compaction" && !edits.iter().any(|(t, _)| entry["id"] == **t);
    let last = branch.iter().rposition(|entry| is_summary(&entry));
    let mut roles = Vec::new();
    let kept_from = match last {
        None => 0,
        Some(at) => {
            roles.push("summary".to_owned());
            let kept = &branch[at]["firstKeptEntryId"];
            branch[..at].iter().position(|entry| !kept.is_null() && entry["id"] == *kept).unwrap_or(at)
        }
    };
    let messages = branch[kept_from..].iter().filter_map(message).filter(is_seen);
    roles.extend(messages.map(|message| message["role"].as_str().unwrap().to_owned()));
    roles
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Order, rewrites, the first block, and that a failure is one.
    #[test]
    fn tool_calls(scripts in scripts()) {
        let (mut engine, seen) = engine(&scripts);
        let input = json!({"x": 1, "command": "make"}).as_object().unwrap().clone();
        let outcome = run(&mut engine, ToolCall { input: input.clone(), ..ToolCall::default() });

        let (mut expected, mut saw, mut blocked_by) = (input.clone(), Vec::new(), None);
        for script in in_order(&scripts) {
            saw.push((script.name.clone(), text_of(&expected)));
            if fails(script) || script.blocks {
                blocked_by = Some(script);
                break;
            }
            match script.mark.as_str() {
                "" => {}
                "x" => _ = expected.shift_remove("x"),
                mark => {
                    let answers: Vec<_> =
                        (0..script.questions).map(|number| Answer::Text(format!("{} {number}", script.name))).collect();
                    expected.insert(mark.to_owned(), format!("{answers:?}").into());
                }
            }
        }
        prop_assert_eq!(&*seen.lock().unwrap(), &saw);
        prop_assert_eq!(text_of(&outcome.decision.input), text_of(&expected));
        let mut changed = input;
        outcome.decision.changes.apply(&mut changed);
        prop_assert_eq!(changed, expected);
        let by = match &outcome.decision.verdict {
            Verdict::Allow => None,
            Verdict::Block(block) => Some((block.by.clone(), block.reason.contains("broken"))),
        };
        prop_assert_eq!(by, blocked_by.map(|script| (script.name.clone(), fails(script))));
        let asked = in_order(&scripts).into_iter().take(saw.len());
        prop_assert_eq!(&outcome.effects, &notified(asked.clone()));
        prop_assert_eq!(names(&outcome), reported(asked));
    }

    /// Whoever fails, everybody hears of it.
    #[test]
    fn notifications(scripts in scripts()) {
        let (mut engine, seen) = engine(&scripts);
        let outcome = run(&mut engine, AgentSettled::default());
        let heard: Vec<_> = seen.lock().unwrap().iter().map(|(name, _)| name.clone()).collect();
        let all: Vec<_> = in_order(&scripts).iter().map(|script| script.name.clone()).collect();
        prop_assert_eq!(heard, all);
        prop_assert_eq!(names(&outcome), reported(in_order(&scripts)));
        prop_assert_eq!(outcome.effects, notified(in_order(&scripts)));
    }

    /// The first yes or no counts, and neither projects nor packages have a say.
    #[test]
    fn trust(scripts in scripts()) {
        let asked: Vec<_> = in_order(&scripts)
            .into_iter()
            .filter(|script| matches!(script.origin, Origin::CommandLine | Origin::User))
            .collect();
        let (mut engine, _) = engine(&scripts);
        let outcome = run(&mut engine, ProjectTrust::default());
        let owner = asked.iter().find(|script| script.blocks && !fails(script));
        prop_assert_eq!(
            outcome.decision.map(|decision| decision.by),
            owner.map(|script| script.name.clone())
        );
    }

    /// Rewrites chain, failures change nothing, and who handles it ends the chain.
    #[test]
    fn inputs(scripts in scripts()) {
        let (mut engine, _) = engine(&scripts);
        let outcome = run(&mut engine, Input { text: "go".to_owned(), ..Input::default() });
        let (mut text, mut handled_by) = ("go".to_owned(), None);
        for script in in_order(&scripts).into_iter().filter(|script| !fails(script)) {
            if script.blocks {
                handled_by = Some(script.name.clone());
                break;
            }
            text.push_str(&script.mark);
        }
        match outcome.decision {
            InputDecision::Continue(input) => prop_assert_eq!((input.text, None), (text, handled_by)),
            InputDecision::Handled { by } => prop_assert_eq!(Some(by), handled_by),
        }
    }

    /// A command runs unless somebody intercepts it or fails first.
    #[test]
    fn user_commands(scripts in scripts()) {
        let (mut engine, _) = engine(&scripts);
        let outcome = run(&mut engine, UserBash::default());
        let first = in_order(&scripts).into_iter().find(|script| fails(script) || script.blocks);
        let expected = first.map(|script| (script.name.clone(), fails(script)));
        let got = match outcome.decision {
            UserBashDecision::Run => None,
            UserBashDecision::Intercepted { by, .. } => Some((by, false)),
            UserBashDecision::Stopped { by, .. } => Some((by, true)),
        };
        prop_assert_eq!(got, expected);
    }

    /// Patches chain; a text without its data drops the data; the merged patch does what the chain did.
    #[test]
    fn tool_results(scripts in scripts()) {
        let (mut engine, seen) = engine(&scripts);
        let before = ToolResult {
            content: vec![json!("text")],
            structured_content: Some(json!(0)),
            details: Some(json!("kept")),
            ..ToolResult::default()
        };
        let outcome = run(&mut engine, before.clone());
        let (mut expected, mut saw) = (before.clone(), Vec::new());
        for script in in_order(&scripts) {
            saw.push((script.name.clone(), format!("{:?}{:?}", expected.content, expected.structured_content)));
            if !fails(script) {
                expected.content = vec![json!(script.mark)];
                expected.structured_content = script.blocks.then(|| json!(1));
            }
        }
        let mut after = before;
        outcome.decision.apply(&mut after);
        prop_assert_eq!(after, expected);
        prop_assert_eq!(&*seen.lock().unwrap(), &saw);
    }

    /// Messages add up, prompts chain, replaced contexts chain.
    #[test]
    fn prompts_and_contexts(scripts in scripts()) {
        let sound: Vec<_> = in_order(&scripts).into_iter().filter(|script| !fails(script)).collect();
        let (mut engine, _) = engine(&scripts);
        let outcome = run(&mut engine, BeforeAgentStart { system_prompt: "p".to_owned(), ..BeforeAgentStart::default() });
        let prompt = sound.iter().fold("p".to_owned(), |prompt, script| prompt + &script.mark);
        prop_assert_eq!(outcome.decision.system_prompt, (!sound.is_empty()).then_some(prompt));
        let added: Vec<_> = outcome.decision.messages.iter().map(|message| message.custom_type.clone()).collect();
        prop_assert_eq!(added, sound.iter().map(|script| script.name.clone()).collect::<Vec<_>>());

        let outcome = run(&mut engine, ModelContext { messages: vec![json!("m")] });
        let marks: Vec<_> = sound.iter().filter(|script| script.blocks).map(|script| json!(script.mark)).collect();
        let expected = (!marks.is_empty()).then(|| [vec![json!("m")], marks].concat());
        prop_assert_eq!(outcome.decision, expected);
    }

    /// The proposal chains; what stands after the last one counts, and only if it is good; unknown drafts are skipped; going
    /// on needs a context that does not end in an assistant message.
    #[test]
    fn boundaries(scripts in scripts(), branch in branch()) {
        let (mut engine, seen) = engine(&scripts);
        let view = SessionView::of(Branch::whole(&branch));
        let outcome = engine.handle_with(BeforeSettle::default(), view, &mut Echo);

        let ids: Vec<_> = branch.iter().filter_map(|entry| entry["id"].as_str()).collect();
        let is_bad = |draft: &Draft| match draft {
            Draft::ContextEdit { target_id, .. } => !ids.contains(&target_id.as_str()),
            Draft::Compaction { first_kept_entry_id: Some(kept), .. } => !ids.contains(&kept.as_str()),
            _ => false,
        };
        let (mut proposal, mut saw, mut reports) = (Proposal::default(), Vec::new(), Vec::new());
        for script in in_order(&scripts) {
            saw.push((script.name.clone(), format!("{proposal:?}")));
            if fails(script) {
                reports.push(script.name.clone());
            } else {
                let Proposed { entries, keeps, continues } = &script.change;
                if let Some(mine) = entries {
                    if !keeps {
                        proposal.entries.clear();
                    }
                    proposal.entries.extend(mine.iter().cloned());
                }
                proposal.continues = continues.unwrap_or(proposal.continues);
            }
            if proposal.entries.iter().any(is_bad) {
                reports.push(script.name.clone());
            }
        }
        prop_assert_eq!(&*seen.lock().unwrap(), &saw);

        if proposal.entries.iter().any(is_bad) {
            prop_assert_eq!(&outcome.decision, &Proposal::default());
        } else {
            proposal.entries.retain(|draft| !matches!(draft, Draft::Unknown(_)));
            let mut stored = branch.clone();
            for (number, draft) in proposal.entries.iter().enumerate() {
                let mut entry = draft.to_value();
                entry["id"] = json!(format!("d{number}"));
                stored.push(entry);
            }
            let roles = context_roles(&stored);
            let runnable = roles.last().is_some_and(|role| role != "assistant");
            if proposal.continues && !runnable {
                let last = in_order(&scripts).into_iter().rfind(|script| !fails(script) && script.change.continues.is_some());
                reports.extend(last.map(|script| script.name.clone()));
                proposal.continues = false;
            }
            prop_assert_eq!(&outcome.decision, &proposal, "{:?}", roles);
        }
        prop_assert_eq!(names(&outcome), reports);
    }

    /// Answering step by step is the same as waiting, whatever else happens in between.
    #[test]
    fn questions(scripts in scripts(), between in any::<bool>()) {
        let call = || ToolCall { input: json!({"x": 1}).as_object().unwrap().clone(), ..ToolCall::default() };
        let (mut waiting, _) = engine(&scripts);
        let expected = run(&mut waiting, call());

        let (mut engine, _) = engine(&scripts);
        let view = SessionView::default();
        let mut step = engine.handle(call(), view);
        let outcome = loop {
            match step {
                Step::Done(outcome) => break outcome,
                Step::Ask(suspended) => {
                    if between {
                        let _ = engine.handle_with(AgentSettled::default(), view, &mut NoUi);
                    }
                    let answer = Echo.ask(suspended.question());
                    step = engine.resume(suspended, answer, view);
                }
            }
        };
        prop_assert_eq!(outcome, expected);
    }

    /// One list of changes after another is the same as both in one.
    #[test]
    fn changes(first in vec(("[a-d]", prop::option::of(0..3_u8)), 0..5), second in vec(("[a-d]", prop::option::of(0..3_u8)), 0..5)) {
        let changes = |list: &[(String, Option<u8>)]| {
            list.iter().fold(Changes::new(), |changes, (name, value)| match value {
                Some(value) => changes.set(name.as_str(), *value),
                None => changes.remove(name.as_str()),
            })
        };
        let (first, second) = (changes(&first), changes(&second));
        let mut stepwise = json!({"a": 9, "z": 9}).as_object().unwrap().clone();
        let mut at_once = stepwise.clone();
        first.apply(&mut stepwise);
        second.apply(&mut stepwise);
        let mut both = first;
        both.extend(second);
        both.apply(&mut at_once);
        prop_assert_eq!(stepwise, at_once);
    }

    /// A partial branch leaves to the host what it cannot tell, and nothing else.
    #[test]
    fn partial_branches(drafts in vec(draft(), 0..4), runnable in any::<bool>()) {
        let change = Proposed { entries: Some(drafts.clone()), keeps: true, continues: Some(true) };
        let script = Script {
            origin: Origin::User,
            name: "n".to_owned(),
            mark: String::new(),
            blocks: false,
            ending: Ending::Answers,
            questions: 0,
            change,
        };
        let (mut engine, _) = engine(&[script]);
        let event = BeforeSettle { outcome: RunOutcome::Completed, runnable };
        let proposal = run(&mut engine, event).decision;
        let speaks = drafts.iter().any(|draft| !matches!(draft, Draft::Custom { .. } | Draft::Unknown(_)));
        prop_assert_eq!(proposal.continues, runnable || speaks);
    }
}

#[test]
fn an_answer_that_does_not_fit_fails_the_handler() {
    let script = Script {
        origin: Origin::User,
        name: "n".to_owned(),
        mark: String::new(),
        blocks: false,
        ending: Ending::Answers,
        questions: 1,
        change: Proposed { entries: None, keeps: true, continues: None },
    };
    let (mut engine, _) = engine(&[script]);
    let Step::Ask(asked) = engine.handle(ToolCall::default(), SessionView::default()) else {
        panic!("it asks")
    };
    let Step::Done(outcome) = engine.resume(asked, Answer::Confirmed(true), SessionView::default()) else {
        panic!("it is done")
    };
    let Verdict::Block(block) = outcome.decision.verdict else { panic!("fail closed") };
    assert!(block.reason.contains("does not fit the question"), "{}", block.reason);
}

#[test]
fn a_project_that_is_not_trusted_brings_nothing_along() {
    let builder = [Origin::Package, Origin::User, Origin::Project, Origin::CommandLine]
        .into_iter()
        .fold(Builder::new(Setup::new("s")), |builder, origin| {
            builder.extension(origin, format!("{origin:?}"), |_| {
                struct Nothing;
                impl Extension for Nothing {}
                Ok(Box::new(Nothing))
            })
        })
        .built_ins();
    let loaded = |engine: &Engine| {
        let known = brakeline_settings::EXTENSIONS;
        engine.extensions().filter(|name| !known.contains(name)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(loaded(&builder.build_before_trust().unwrap()), ["CommandLine", "User"]);
    assert_eq!(builder.build_before_trust().unwrap().extensions().count(), 2, "no built-in ones either");
    assert_eq!(loaded(&builder.build(Trust::Untrusted).unwrap()), ["CommandLine", "User", "Package"]);
    assert_eq!(
        loaded(&builder.build(Trust::Trusted).unwrap()),
        ["CommandLine", "Project", "User", "Package"]
    );
}
