//! `brakeline tools`: the tools of an agent from the shell, behind the same gate as over MCP.

use crate::Exit;
use crate::args::SettingsFiles;
use crate::audit::{self, Blocked};
use crate::configuration::Configuration as Settings;
use crate::input::read_text;
use crate::message::printable;
use crate::output::{complain, print_json, print_line};
use crate::sandbox_config::Configuration;
use crate::tool_gate::ToolGate;
use brakeline_agent_tools::{Content, Context, Error, Language, Refusal, Reply, Tool};
use brakeline_settings::Language as SettingsLanguage;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::io;

#[derive(Args, Debug)]
pub(crate) struct Tools {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the tools: what each is for, and what it takes
    List(List),
    /// Run a tool: permissions, sandbox, find guard and leases are in force
    Run(Box<Run>),
}

#[derive(Args, Debug)]
struct List {
    /// Answer in JSON, with the schemas of parameters and results
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct Run {
    /// The tool
    name: String,
    /// Its parameters, a JSON object [default: standard input]
    #[arg(long, value_name = "PARAMETERS")]
    json: Option<String>,
    /// Answer in JSON, as the schema of the result says
    #[arg(long)]
    result: bool,
    #[command(flatten)]
    configuration: Configuration,
    #[command(flatten)]
    settings: SettingsFiles,
}

pub(crate) fn run(args: &Tools) -> Exit {
    match &args.command {
        Command::List(args) => list(args),
        Command::Run(args) => run_tool(args),
    }
}

fn list(args: &List) -> Exit {
    let language = tool_language(crate::configuration::environment_language());
    let written = if args.json {
        let tools: Vec<Value> = Tool::ALL
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name(),
                    "description": tool.description(language),
                    "parameters": tool.parameters(language),
                    "result": tool.result(),
                })
            })
            .collect();
        print_json(&tools)
    } else {
        let lines: Vec<String> = Tool::ALL
            .iter()
            .map(|tool| format!("{:9} {}", tool.name(), tool.description(language)))
            .collect();
        print_line(&lines.join("\n"))
    };
    written.map_or(Exit::Output, |()| Exit::Ok)
}

pub(crate) fn tool_language(language: SettingsLanguage) -> Language {
    match language {
        SettingsLanguage::ZhCn => Language::ZhCn,
        SettingsLanguage::En => Language::En,
    }
}

fn run_tool(args: &Run) -> Exit {
    let tool = match Tool::named(&args.name) {
        Ok(tool) => tool,
        Err(error) => return complain(&error, Exit::Usage),
    };
    let text = match &args.json {
        Some(text) => text.clone(),
        None => match read_text(io::stdin().lock()) {
            Ok(text) => text,
            Err(error) => return complain(&error, error.exit()),
        },
    };
    let parameters: Value = match serde_json::from_str(&text) {
        Ok(parameters) => parameters,
        Err(error) => return complain(&format!("the parameters are no JSON: {error}"), Exit::Data),
    };
    let settings = match Settings::load(&args.settings) {
        Ok(settings) => settings,
        Err(unusable) => return complain(&unusable.message, unusable.exit),
    };
    let gate = match ToolGate::load(&args.configuration, &settings, "tools") {
        Ok(gate) => gate,
        Err(failure) => return complain(&printable(&failure.message), failure.exit),
    };
    let scratch = std::env::temp_dir();
    let context = Context::new(&gate.cwd, &gate)
        .with_home(&gate.home)
        .with_scratch(&scratch)
        .with_language(gate.tool_language());
    let answer = tool.run(&parameters, &context);
    gate.release();
    match answer {
        Ok(reply) => print_reply(&reply, args.result),
        Err(error) => fail(&error, tool, &gate, &settings),
    }
}

fn print_reply(reply: &Reply, as_json: bool) -> Exit {
    let written = if as_json {
        print_json(&reply.result)
    } else {
        let texts = reply.content.iter().filter_map(|content| match content {
            Content::Text(text) => Some(text.trim_end_matches('\n')),
            _ => None,
        });
        print_line(&texts.collect::<Vec<_>>().join("\n"))
    };
    written.map_or(Exit::Output, |()| Exit::Ok)
}

fn fail(error: &Error, tool: Tool, gate: &ToolGate, settings: &Settings) -> Exit {
    if let Error::Refused(refusal) = error {
        report_block(refusal, "tools", tool, gate, settings);
    }
    let exit = match error {
        Error::Refused(_) => Exit::Block,
        Error::Io { .. } => Exit::NoInput,
        _ => Exit::Data,
    };
    complain(&printable(&error.text(gate.tool_language())), exit)
}

/// Puts a refusal into the audit log, if there is one.
pub(crate) fn report_block(refusal: &Refusal, host: &str, tool: Tool, gate: &ToolGate, settings: &Settings) {
    let blocked = Blocked {
        host,
        session: None,
        cwd: gate.cwd.to_str(),
        tool: tool.name(),
        by: refusal.source_name(),
        reason: refusal.reason(),
    };
    if let Err(error) = audit::append(&settings.settings.brakeline.audit_log, gate.home.to_str(), blocked) {
        complain(&error, Exit::Output);
    }
}
