//! An operation of the engine on its way: done, or waiting for an answer.

use super::fault::Fault;
use super::wire::{Code, Reply, ToolReply};
use brakeline::{
    Answer, CommandDecision, CommandRun, Engine, Event, Outcome, Question, SessionView, Step, ToolOutput,
    ToolRun,
};

/// How far an operation came.
pub(super) enum Progress {
    /// It is done, or came to nothing.
    Done(Result<Box<Reply>, Fault>),
    /// It waits for an answer.
    Ask(Question, Resume),
}

/// Goes on with an operation, with the answer to its question.
pub(super) type Resume = Box<dyn FnOnce(&mut Engine, Answer, SessionView<'_>) -> Progress>;

/// Begins to handle an event, whose decision turns into a reply.
pub(super) fn begin<E>(
    engine: &mut Engine,
    event: E,
    view: SessionView<'_>,
    reply: impl FnOnce(E::Decision) -> Reply + 'static,
) -> Progress
where
    E: Event + 'static,
{
    let step = engine.handle(event, view);
    advance(step, Box::new(move |decision| Ok(reply(decision))))
}

/// Begins a command of an extension.
pub(super) fn command(engine: &mut Engine, run: CommandRun, view: SessionView<'_>) -> Progress {
    let name = run.name.clone();
    let step = engine.handle(run, view);
    advance(
        step,
        Box::new(move |decision| match decision {
            CommandDecision::Done => Ok(Reply::default()),
            CommandDecision::Unknown => {
                Err(Fault::new(Code::UnknownCommand, format!("there is no command `{name}`")))
            }
            CommandDecision::Failed { reason } => Err(Fault::failed(format!("/{name}: {reason}"))),
        }),
    )
}

/// Begins a tool of an extension.
pub(super) fn tool(engine: &mut Engine, run: ToolRun, view: SessionView<'_>) -> Progress {
    if !engine.tools().any(|tool| tool.name == run.name) {
        let message = format!("there is no tool `{}`", run.name);
        return Progress::Done(Err(Fault::new(Code::UnknownTool, message)));
    }
    let step = engine.handle(run, view);
    advance(
        step,
        Box::new(|output| {
            let ToolOutput { content, details, is_error, terminate } = output;
            let tool = ToolReply { content, details, is_error, terminate };
            Ok(Reply { tool: Some(tool), ..Reply::default() })
        }),
    )
}

type Finish<D> = Box<dyn FnOnce(D) -> Result<Reply, Fault>>;

fn advance<E>(step: Step<E>, finish: Finish<E::Decision>) -> Progress
where
    E: Event + 'static,
{
    match step {
        Step::Done(Outcome { decision, effects, reports }) => Progress::Done(finish(decision).map(|reply| {
            let Reply { effects, reports, .. } = Reply::of(effects, reports);
            Box::new(Reply { effects, reports, ..reply })
        })),
        Step::Ask(suspended) => {
            let question = suspended.question().clone();
            let resume = move |engine: &mut Engine, answer, view: SessionView<'_>| {
                advance(engine.resume(suspended, answer, view), finish)
            };
            Progress::Ask(question, Box::new(resume))
        }
    }
}
