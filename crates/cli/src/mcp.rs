//! `brakeline mcp`: the tools over the Model Context Protocol, on standard input and output.
//!
//! Every tool runs behind the gate of `tool_gate.rs`. The protocol runs on one thread, each tool on one of its own; a
//! cancellation from the client reaches the tool, and its progress the client, if that asked for it. When the client closes
//! its end, what runs is cancelled and leases are given back.

use crate::Exit;
use crate::args::SettingsFiles;
use crate::configuration::Configuration as Settings;
use crate::message::printable;
use crate::output::complain;
use crate::sandbox_config::Configuration;
use crate::tool_gate::ToolGate;
use crate::tools::report_block;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use brakeline_agent_tools::{Cancel, Content, Context, Error, Reply, Step, Tool};
use clap::Args;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    Tool as ToolEntry, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

/// The shortest time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// How long tools may take to notice that they are cancelled, once the client has gone.
const LAST_WORDS: Duration = Duration::from_secs(3);

#[derive(Args, Debug)]
pub(crate) struct Mcp {
    /// Give results as structured content too, as the tools' output schemas say
    #[arg(long)]
    structured: bool,
    #[command(flatten)]
    configuration: Configuration,
    #[command(flatten)]
    settings: SettingsFiles,
}

pub(crate) fn run(args: &Mcp) -> Exit {
    let settings = match Settings::load(&args.settings) {
        Ok(settings) => settings,
        Err(unusable) => return complain(&unusable.message, unusable.exit),
    };
    let session = format!("mcp-{}", std::process::id());
    let gate = match ToolGate::load(&args.configuration, &settings, &session) {
        Ok(gate) => gate,
        Err(failure) => return complain(&printable(&failure.message), failure.exit),
    };
    let server = Server::new(gate, settings, args.structured);
    match converse(server, None) {
        Ok(_) => Exit::Ok,
        Err(message) => complain(&message, Exit::Internal),
    }
}

/// Answers a whole conversation that is there already, for tests: lines of the protocol in, lines of the protocol out.
///
/// Tools see `folder`, with nothing allowed that its `sandbox.json` does not allow.
///
/// # Errors
/// The folder cannot be used, or the runtime cannot be started.
#[doc(hidden)]
pub fn answer_all(input: Vec<u8>, folder: &std::path::Path) -> Result<Vec<u8>, String> {
    let arguments = Configuration {
        cwd: Some(folder.to_owned()),
        home: Some(folder.to_owned()),
        ..Configuration::default()
    };
    let files = SettingsFiles { files: Vec::new() };
    let settings = Settings::load(&files).map_err(|unusable| unusable.message)?;
    let gate = ToolGate::load(&arguments, &settings, "mcp").map_err(|failure| failure.message)?;
    converse(Server::new(gate, settings, true), Some(input))
}

/// Speaks until the client has nothing more to say: over standard input and output, or with what is given.
fn converse(server: Server, input: Option<Vec<u8>>) -> Result<Vec<u8>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the runtime cannot be started: {error}"))?;
    let calls = Arc::clone(&server.calls);
    let gate = Arc::clone(&server.gate);
    let said = runtime.block_on(async {
        match input {
            None => {
                let (reader, writer) = rmcp::transport::io::stdio_pipes();
                serve(server, reader, writer).await;
                Vec::new()
            }
            Some(input) => {
                let (mut client, writer) = tokio::io::duplex(64 * 1024);
                let reading = tokio::spawn(async move {
                    let mut said = Vec::new();
                    // What was said so far counts, however it ends.
                    let _ = tokio::io::AsyncReadExt::read_to_end(&mut client, &mut said).await;
                    said
                });
                serve(server, std::io::Cursor::new(input), writer).await;
                reading.await.unwrap_or_default()
            }
        }
    });
    for cancel in calls.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        cancel.cancel();
    }
    runtime.shutdown_timeout(LAST_WORDS);
    gate.release();
    Ok(said)
}

async fn serve<R, W>(server: Server, reader: R, writer: W)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // A client that goes before it has introduced itself has nothing to be told.
    if let Ok(running) = server.serve((reader, writer)).await {
        let _ = running.waiting().await;
    }
}

/// The server: what every call shares.
#[derive(Clone)]
struct Server {
    gate: Arc<ToolGate>,
    settings: Arc<Settings>,
    structured: bool,
    scratch: Arc<PathBuf>,
    /// The calls that run.
    calls: Arc<Mutex<Vec<Cancel>>>,
}

impl Server {
    fn new(gate: ToolGate, settings: Settings, structured: bool) -> Self {
        Self {
            gate: Arc::new(gate),
            settings: Arc::new(settings),
            structured,
            scratch: Arc::new(std::env::temp_dir()),
            calls: Arc::default(),
        }
    }

    fn entry(&self, tool: Tool) -> ToolEntry {
        let language = self.gate.tool_language();
        let mut entry =
            ToolEntry::new(tool.name(), tool.description(language), object(tool.parameters(language)));
        if self.structured {
            entry.output_schema = Some(Arc::new(object(tool.result())));
        }
        entry.annotations = Some(annotations(tool));
        entry
    }

    /// Runs a tool on the thread it is called on.
    fn run(
        &self,
        tool: Tool,
        parameters: &Value,
        cancel: &Cancel,
        reports: &mpsc::UnboundedSender<Step>,
    ) -> CallToolResult {
        let last = Mutex::new(None::<Instant>);
        let progress = |step: Step| {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_none_or(|last| last.elapsed() >= REPORT_EVERY) {
                *last = Some(Instant::now());
                // Nobody listens any more.
                let _ = reports.send(step);
            }
        };
        let context = Context::new(&self.gate.cwd, &*self.gate)
            .with_home(&self.gate.home)
            .with_scratch(&self.scratch)
            .with_language(self.gate.tool_language())
            .with_cancel(cancel)
            .with_progress(&progress);
        match tool.run(parameters, &context) {
            Ok(reply) => self.reply(reply),
            Err(error) => self.failure(&error, tool),
        }
    }

    fn reply(&self, reply: Reply) -> CallToolResult {
        let content = reply.content.into_iter().filter_map(|content| match content {
            Content::Text(text) => Some(ContentBlock::text(text)),
            Content::Image { mime_type, data } => Some(ContentBlock::image(STANDARD.encode(data), mime_type)),
            _ => None,
        });
        let mut result = CallToolResult::success(content.collect());
        result.is_error = Some(reply.is_error);
        if self.structured {
            result.structured_content = Some(reply.result);
        }
        result
    }

    /// The model reads what went wrong: it may do better.
    fn failure(&self, error: &Error, tool: Tool) -> CallToolResult {
        if let Error::Refused(refusal) = error {
            report_block(refusal, "mcp", tool, &self.gate, &self.settings);
        }
        CallToolResult::error(vec![ContentBlock::text(error.text(self.gate.tool_language()))])
    }
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn annotations(tool: Tool) -> ToolAnnotations {
    let mut annotations = ToolAnnotations::default();
    annotations.read_only_hint = Some(tool.is_read_only());
    annotations.open_world_hint = Some(matches!(tool.name(), "webfetch" | "bash"));
    annotations
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        config.server_info = Implementation::new("brakeline", env!("CARGO_PKG_VERSION"));
        config
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(Tool::ALL.iter().map(|tool| self.entry(*tool)).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool =
            Tool::named(&request.name).map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let parameters = Value::Object(request.arguments.unwrap_or_default());
        let cancel = Cancel::new();
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(cancel.clone());
        let (reports, mut steps) = mpsc::unbounded_channel();
        let (server, of_tool) = (self.clone(), cancel.clone());
        let mut running =
            tokio::task::spawn_blocking(move || server.run(tool, &parameters, &of_tool, &reports));
        let token = context.meta.get_progress_token();
        let result = loop {
            tokio::select! {
                result = &mut running => break result,
                () = context.ct.cancelled(), if !cancel.is_cancelled() => cancel.cancel(),
                Some(step) = steps.recv() => {
                    if let Some(token) = &token {
                        // A client that does not take it will not take the answer either.
                        let _ = context.peer.notify_progress(progress(token.clone(), step)).await;
                    }
                }
            }
        };
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).retain(|call| !call.is_same(&cancel));
        let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(result.into())
    }
}

fn progress(token: rmcp::model::ProgressToken, step: Step) -> ProgressNotificationParam {
    #[expect(clippy::cast_precision_loss, reason = "the protocol counts in floating point")]
    let number = |count: u64| count as f64;
    match step {
        Step::Files(count) => ProgressNotificationParam::new(token, number(count)),
        Step::Bytes { done, total } => {
            let parameters = ProgressNotificationParam::new(token, number(done));
            total.map_or(parameters.clone(), |total| parameters.with_total(number(total)))
        }
        _ => ProgressNotificationParam::new(token, 0.0),
    }
}
