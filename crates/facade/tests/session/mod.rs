//! A host in a few lines: keeps the branch, carries effects out, and notes what the user is told.

#![allow(dead_code, reason = "each test file uses its part")]

use brakeline::{
    Answer, BeforeAgentStart, BeforeSettle, Builder, CommandDecision, CommandRun, CustomMessage, Draft,
    Effect, Engine, NoUi, Outcome, Proposal, Question, RunOutcome, SessionStart, SessionView, Setup, Step,
    Suspended, ToolOutput, ToolRun, TurnEnd, Ui,
};
use brakeline_settings::Trust;
use serde_json::{Value, json};

pub(crate) struct Session {
    pub(crate) engine: Engine,
    branch: Vec<Value>,
    told: Vec<String>,
    active: Vec<String>,
}

/// Answers that were written down before.
struct Script<'a>(std::slice::Iter<'a, Answer>);

impl Ui for Script<'_> {
    fn ask(&mut self, question: &Question) -> Answer {
        self.0.next().unwrap_or_else(|| panic!("nobody expected {question:?}")).clone()
    }
}

impl Session {
    pub(crate) fn new(settings: &Value) -> Self {
        let setup = Setup { cwd: Some("/srv/app".to_owned()), ..Setup::new("s1") };
        let engine =
            Builder::new(setup).settings(settings.clone()).built_ins().build(Trust::Trusted).unwrap();
        Self { engine, branch: Vec::new(), told: Vec::new(), active: Vec::new() }
    }

    pub(crate) fn push(&mut self, mut entry: Value) {
        entry["id"] = json!(format!("e{}", self.branch.len()));
        self.branch.push(entry);
    }

    fn carry_out<D>(&mut self, outcome: Outcome<D>) -> D {
        assert_eq!(outcome.reports, [], "no handler fails");
        for effect in outcome.effects {
            match effect {
                Effect::AppendEntry { custom_type, data } => {
                    self.push(Draft::Custom { custom_type, data }.to_value());
                }
                Effect::SendMessage { message, starts_turn } => {
                    assert!(!starts_turn);
                    self.push(Draft::CustomMessage(message).to_value());
                }
                Effect::SetActiveTools { add, remove } => {
                    self.active.retain(|tool| !remove.contains(tool));
                    self.active.extend(add);
                }
                Effect::Notify { message, .. } => self.told.push(message),
                Effect::SetStatus { .. } => {}
            }
        }
        outcome.decision
    }

    fn done<E: brakeline::Event>(step: Step<E>) -> Outcome<E::Decision> {
        match step {
            Step::Done(outcome) => outcome,
            Step::Ask(asked) => panic!("nobody expected {:?}", asked.question()),
        }
    }

    fn handle<E: brakeline::Event>(&mut self, event: E) -> E::Decision {
        let view = SessionView::of(brakeline::Branch::whole(&self.branch));
        let outcome = Self::done(self.engine.handle(event, view));
        self.carry_out(outcome)
    }

    pub(crate) fn start(&mut self) -> Vec<Effect> {
        let view = SessionView::of(brakeline::Branch::whole(&self.branch));
        let outcome = Self::done(self.engine.handle(SessionStart { reason: "startup".to_owned() }, view));
        let effects = outcome.effects.clone();
        self.carry_out(outcome);
        effects
    }

    pub(crate) fn command(&mut self, name: &str, arguments: &str) -> CommandDecision {
        self.handle(CommandRun { name: name.to_owned(), arguments: arguments.to_owned() })
    }

    pub(crate) fn says(&mut self, text: &str) {
        self.push(json!({"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}));
    }

    pub(crate) fn before_start(&mut self) -> Vec<CustomMessage> {
        let decision = self.handle(BeforeAgentStart::default());
        for message in &decision.messages {
            self.push(Draft::CustomMessage(message.clone()).to_value());
        }
        decision.messages
    }

    fn store(&mut self, proposal: Proposal) -> Proposal {
        for entry in &proposal.entries {
            self.push(entry.to_value());
        }
        proposal
    }

    pub(crate) fn turn_end(&mut self) -> Proposal {
        let proposal = self.handle(TurnEnd::default());
        self.store(proposal)
    }

    pub(crate) fn settle(&mut self, outcome: RunOutcome) -> Proposal {
        let proposal = self.handle(BeforeSettle { outcome, runnable: false });
        self.store(proposal)
    }

    /// Runs a tool and stores its result, the questions being answered in order.
    pub(crate) fn tool(&mut self, name: &str, input: &Value, answers: &[Answer]) -> ToolOutput {
        let mut script = Script(answers.iter());
        let run = tool_run(name, input);
        let view = SessionView::of(brakeline::Branch::whole(&self.branch));
        let outcome = self.engine.handle_with(run, view, &mut script);
        assert_eq!(script.0.len(), 0, "every answer is asked for");
        self.store_result(name, outcome)
    }

    pub(crate) fn ask_tool(&mut self, name: &str, input: &Value) -> Suspended<ToolRun> {
        let view = SessionView::of(brakeline::Branch::whole(&self.branch));
        match self.engine.handle(tool_run(name, input), view) {
            Step::Ask(asked) => asked,
            Step::Done(outcome) => panic!("nothing was asked: {outcome:?}"),
        }
    }

    pub(crate) fn answer_tool(
        &mut self,
        asked: Suspended<ToolRun>,
        answer: Answer,
        _: &mut NoUi,
    ) -> ToolOutput {
        let view = SessionView::of(brakeline::Branch::whole(&self.branch));
        let outcome = Self::done(self.engine.resume(asked, answer, view));
        self.store_result("guard_check", outcome)
    }

    fn store_result(&mut self, name: &str, outcome: Outcome<ToolOutput>) -> ToolOutput {
        let output = self.carry_out(outcome);
        self.push(json!({"type": "message", "message": {
            "role": "toolResult", "toolName": name, "content": output.content, "details": output.details, "isError": output.is_error,
        }}));
        output
    }

    /// The tools of extensions that the model is offered: the engine's word and the effects so far must agree.
    pub(crate) fn offered(&self) -> Vec<String> {
        let view = SessionView::of(brakeline::Branch::whole(&self.branch));
        let offered: Vec<_> = self.engine.offered_tools(view).map(|tool| tool.name.clone()).collect();
        assert_eq!(offered, self.active);
        offered
    }

    pub(crate) fn told(&self) -> &[String] {
        &self.told
    }

    pub(crate) fn last_content(&self) -> &str {
        self.branch.last().unwrap()["content"].as_str().unwrap()
    }
}

fn tool_run(name: &str, input: &Value) -> ToolRun {
    ToolRun { name: name.to_owned(), id: "t1".to_owned(), input: input.as_object().unwrap().clone() }
}
