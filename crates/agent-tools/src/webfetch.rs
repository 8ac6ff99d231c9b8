//! The tool `webfetch`: a page, its HTML as Markdown.
//!
//! Before each connection, those after a redirect included, the gate is asked for the host, and the addresses it resolves to are
//! checked; the connection goes to one of the addresses that were checked. No proxy is used, since it would resolve names itself.

mod address;
mod charset;
mod markdown;

use crate::error::UrlProblem;
use crate::limit::{ANSWER_BYTES, head};
use crate::tool::{Answer, Content};
use crate::{Context, Error, Language, Step};
use charset::decode;
use markdown::markdown;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use ureq::config::Config;
use ureq::http::Response;
use ureq::http::header::{CONTENT_TYPE, LOCATION};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body};
use url::{Host, Url};

/// The limit in time without one, in milliseconds.
const TIMEOUT: u64 = 30_000;

/// The largest limit in time, in milliseconds.
const MAX_TIMEOUT: u64 = 600_000;

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// The most bytes of a page without a limit.
const BYTES: u64 = 5 * 1024 * 1024;

/// The largest limit in bytes.
const MAX_BYTES: u64 = 50 * 1024 * 1024;

/// The most redirects.
const REDIRECTS: u32 = 10;

/// How often cancellation is looked at.
const TICK: Duration = Duration::from_millis(20);

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// HTML becomes Markdown, everything else stays as it is.
    #[default]
    Auto,
    /// The page as it is.
    Html,
    /// JSON, laid out; anything else is an error.
    Json,
    /// HTML becomes Markdown whatever its type says.
    Markdown,
}

/// The parameters of `webfetch`.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebFetchParameters {
    /// The address.
    pub url: String,
    /// The form of the answer.
    #[serde(default)]
    pub format: Option<Format>,
    /// The limit in milliseconds.
    #[serde(default)]
    pub timeout: Option<u64>,
    /// The most bytes of the page.
    #[serde(default)]
    pub max_bytes: Option<u64>,
}

/// What was fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct WebFetchResult {
    /// The address of the page, redirects followed.
    pub url: String,
    /// The status of the answer, e.g. 200.
    pub status: u16,
    /// The type of the page as the server named it.
    pub content_type: String,
    /// The page in the form that was asked for, cut to what fits an answer.
    pub text: String,
    /// How many bytes of the page came, decompressed.
    pub bytes: u64,
    /// Whether the page has more bytes than the limit.
    pub truncated: bool,
    /// How many bytes the text has in all.
    pub text_bytes: u64,
    /// The file that holds the whole text, if that did not fit.
    pub full_text: Option<PathBuf>,
    /// The encoding of the page; nothing for an image and other binary content.
    pub encoding: Option<String>,
    /// Whether something did not fit the encoding.
    pub damaged: bool,
    /// Whether HTML became Markdown.
    pub converted: bool,
    /// An image's bytes.
    #[serde(skip)]
    pub image: Option<Vec<u8>>,
}

/// Runs `webfetch`. An answer with a status of 400 or more is a result.
///
/// # Errors
/// The address cannot be used, a host may not be reached, or nothing comes in time.
pub fn webfetch(parameters: &WebFetchParameters, context: &Context<'_>) -> Result<WebFetchResult, Error> {
    let limit_ms = in_range("timeout", parameters.timeout, TIMEOUT, MAX_TIMEOUT)?;
    let limit = in_range("maxBytes", parameters.max_bytes, BYTES, MAX_BYTES)?;
    let deadline = Instant::now() + Duration::from_millis(limit_ms);
    let fetched = fetch(&parameters.url, limit, deadline, context).map_err(|error| match error {
        Error::TimedOut { .. } => Error::TimedOut { limit_ms },
        other => other,
    })?;
    fetched.into_result(parameters.format.unwrap_or_default(), context)
}

fn in_range(parameter: &'static str, given: Option<u64>, usual: u64, most: u64) -> Result<u64, Error> {
    let value = given.unwrap_or(usual);
    if value == 0 || value > most { Err(Error::OutOfRange { parameter, least: 1, most }) } else { Ok(value) }
}

/// The error for a deadline that has passed; the limit is filled in where it is known.
fn timed_out(_: Instant) -> Error {
    Error::TimedOut { limit_ms: 0 }
}

/// A page as it came.
struct Fetched {
    url: Url,
    status: u16,
    content_type: String,
    bytes: Vec<u8>,
    truncated: bool,
}

fn fetch(url: &str, limit: u64, deadline: Instant, context: &Context<'_>) -> Result<Fetched, Error> {
    let mut url = read_url(url, None)?;
    for _ in 0..=REDIRECTS {
        context.check()?;
        let (host, port) = host_of(&url)?;
        context.gate.may_connect(&host, port)?;
        let addresses = address::vetted(url.as_str(), &host, port, deadline, context)?;
        match ask(&url, addresses, limit, deadline, context)? {
            Asked::Page(fetched) => return Ok(fetched),
            Asked::Elsewhere(location) => url = read_url(&location, Some(&url))?,
        }
    }
    Err(Error::Url { url: url.into(), problem: UrlProblem::Redirects { most: REDIRECTS } })
}

/// Reads an address, relative to the page that named it.
fn read_url(text: &str, base: Option<&Url>) -> Result<Url, Error> {
    let wrong = |problem| Error::Url { url: text.to_owned(), problem };
    let url = Url::options().base_url(base).parse(text).map_err(|_| wrong(UrlProblem::Malformed))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong(UrlProblem::Scheme));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(UrlProblem::Credentials));
    }
    Ok(url)
}

/// Returns the host without brackets and final dot, and the port.
fn host_of(url: &Url) -> Result<(String, u16), Error> {
    let malformed = || Error::Url { url: url.to_string(), problem: UrlProblem::Malformed };
    let host = match url.host().ok_or_else(malformed)? {
        Host::Domain(name) => name.strip_suffix('.').unwrap_or(name).to_owned(),
        Host::Ipv4(ip) => ip.to_string(),
        Host::Ipv6(ip) => ip.to_string(),
    };
    let port = url.port_or_known_default().ok_or_else(malformed)?;
    if host.is_empty() { Err(malformed()) } else { Ok((host, port)) }
}

/// What a server answered.
enum Asked {
    Page(Fetched),
    /// The page is at another address.
    Elsewhere(String),
}

fn ask(
    url: &Url,
    addresses: Vec<SocketAddr>,
    limit: u64,
    deadline: Instant,
    context: &Context<'_>,
) -> Result<Asked, Error> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(timed_out(deadline));
    }
    let roots = if url.scheme() == "https" { roots(url)? } else { RootCerts::Specific(Arc::default()) };
    let agent = Agent::with_parts(config(left, roots), DefaultConnector::default(), Vetted(addresses));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Cancelling closes the connection under the request.
        let watched = agent.clone();
        scope.spawn(|| {
            let watched = watched;
            while !done.load(Ordering::Relaxed) {
                if context.check().is_err() {
                    watched.shutdown();
                    return;
                }
                std::thread::sleep(TICK);
            }
        });
        let asked = ask_with(&agent, url, limit, context);
        done.store(true, Ordering::Relaxed);
        // What a closed connection looks like is of no interest then.
        context.check()?;
        asked
    })
}

/// Returns the certificates that this system trusts.
fn roots(url: &Url) -> Result<RootCerts, Error> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        let message = "this system has no root certificates (install ca-certificates)".to_owned();
        return Err(Error::Fetch { url: url.to_string(), message });
    }
    let roots: Vec<Certificate<'static>> =
        found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect();
    Ok(RootCerts::Specific(Arc::new(roots)))
}

fn config(left: Duration, roots: RootCerts) -> Config {
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(roots)
        .build();
    Config::builder()
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .timeout_global(Some(left))
        .timeout_connect(Some(CONNECT.min(left)))
        .max_idle_connections(0)
        .user_agent(concat!("brakeline-webfetch/", env!("CARGO_PKG_VERSION")))
        .accept(
            "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.9, */*;q=0.5",
        )
        .tls_config(tls)
        .build()
}

fn ask_with(agent: &Agent, url: &Url, limit: u64, context: &Context<'_>) -> Result<Asked, Error> {
    let failed = |error: ureq::Error| match error {
        ureq::Error::Timeout(_) => timed_out(Instant::now()),
        other => Error::Fetch { url: url.to_string(), message: other.to_string() },
    };
    let mut response = agent.get(url.as_str()).call().map_err(failed)?;
    let status = response.status();
    let header = |response: &Response<Body>, name| {
        let value = response.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    if status.is_redirection()
        && let Some(location) = header(&response, LOCATION)
    {
        return Ok(Asked::Elsewhere(location));
    }
    let content_type = header(&response, CONTENT_TYPE).unwrap_or_default();
    let total = response.body().content_length();
    let reader = response.body_mut().as_reader();
    let (bytes, truncated) =
        read_body(reader, limit, total, context).map_err(|error| failed(error.into()))?;
    Ok(Asked::Page(Fetched { url: url.clone(), status: status.as_u16(), content_type, bytes, truncated }))
}

/// Reads at most so many bytes; never asks for the rest.
fn read_body(
    mut reader: impl Read,
    limit: u64,
    total: Option<u64>,
    context: &Context<'_>,
) -> std::io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let mut block = [0; 16 * 1024];
    loop {
        let length = reader.read(&mut block)?;
        if length == 0 {
            return Ok((bytes, false));
        }
        let room = usize::try_from(limit).unwrap_or(usize::MAX) - bytes.len();
        bytes.extend(block.iter().take(length.min(room)));
        context.progress.report(Step::Bytes { done: bytes.len() as u64, total });
        if length > room {
            return Ok((bytes, true));
        }
    }
}

/// A resolver that knows the addresses already.
#[derive(Debug)]
struct Vetted(Vec<SocketAddr>);

impl Resolver for Vetted {
    fn resolve(
        &self,
        _: &ureq::http::Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        // As many as there is room for.
        for address in self.0.iter().take(16) {
            addresses.push(*address);
        }
        if addresses.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(addresses) }
    }
}

impl Fetched {
    fn into_result(self, format: Format, context: &Context<'_>) -> Result<WebFetchResult, Error> {
        let Self { url, status, content_type, bytes, truncated } = self;
        let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let mut result = WebFetchResult {
            url: url.into(),
            status,
            content_type,
            text: String::new(),
            bytes: bytes.len() as u64,
            truncated,
            text_bytes: 0,
            full_text: None,
            encoding: None,
            damaged: false,
            converted: false,
            image: None,
        };
        if matches!(media_type.as_str(), "image/png" | "image/jpeg" | "image/gif" | "image/webp") {
            result.image = Some(bytes).filter(|_| !truncated);
            return Ok(result);
        }
        if is_binary(&bytes, &media_type) {
            return Ok(result);
        }
        let decoded = decode(&bytes, &result.content_type);
        result.encoding = Some(decoded.encoding.to_owned());
        result.damaged = decoded.damaged;
        let text = match format {
            Format::Json => json(&decoded.text, &result)?,
            Format::Auto | Format::Markdown if is_html(&media_type, &decoded.text) => {
                result.converted = true;
                markdown(&decoded.text)
            }
            Format::Auto | Format::Markdown | Format::Html => decoded.text,
        };
        result.text_bytes = text.len() as u64;
        head(&text, ANSWER_BYTES).clone_into(&mut result.text);
        if result.text.len() < text.len() {
            result.full_text = keep(&text, context);
        }
        Ok(result)
    }
}

/// Whether a page is neither text nor said to be.
fn is_binary(bytes: &[u8], media_type: &str) -> bool {
    let said = media_type.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "x-www-form-urlencoded"]
            .iter()
            .any(|kind| media_type.contains(kind));
    let start = bytes.get(..bytes.len().min(8192)).unwrap_or_default();
    let marked = encoding_rs::Encoding::for_bom(bytes).is_some();
    !said && !marked && memchr::memchr(0, start).is_some()
}

fn is_html(media_type: &str, text: &str) -> bool {
    let start = head(text.trim_start(), 64).to_ascii_lowercase();
    match media_type {
        "text/html" | "application/xhtml+xml" => true,
        "" => start.starts_with("<!doctype html") || start.starts_with("<html"),
        _ => false,
    }
}

/// Lays JSON out.
fn json(text: &str, result: &WebFetchResult) -> Result<String, Error> {
    let read: Result<serde_json::Value, _> = serde_json::from_str(text);
    let laid_out = read.and_then(|value| serde_json::to_string_pretty(&value));
    laid_out.map_err(|error| {
        let kind = if result.truncated { "JSON that was cut by maxBytes" } else { "no JSON" };
        let message = format!("{kind} ({}): {error}", result.content_type);
        Error::Fetch { url: result.url.clone(), message }
    })
}

/// Keeps a text that does not fit an answer, if the host names a folder for it.
fn keep(text: &str, context: &Context<'_>) -> Option<PathBuf> {
    let mut file =
        tempfile::Builder::new().prefix("webfetch-").suffix(".txt").tempfile_in(context.scratch?).ok()?;
    file.write_all(text.as_bytes()).ok()?;
    file.keep().ok().map(|(_, path)| path)
}

impl Answer for WebFetchResult {
    fn text(&self, language: Language) -> String {
        let mut text = self.text.clone();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for note in self.notes(language) {
            text.push_str(&["[", &note, "]\n"].concat());
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }

    fn content(&self, language: Language) -> Vec<Content> {
        let mut content = vec![Content::Text(self.text(language))];
        if let Some(data) = &self.image {
            let mime_type = self.content_type.split(';').next().unwrap_or_default().trim().to_owned();
            content.push(Content::Image { mime_type, data: data.clone() });
        }
        content
    }

    fn is_error(&self) -> bool {
        self.status >= 400
    }
}

impl WebFetchResult {
    fn notes(&self, language: Language) -> Vec<String> {
        let Self { url, status, content_type, bytes, .. } = self;
        let mut notes = Vec::new();
        if self.encoding.is_none() {
            notes.push(match language {
                Language::ZhCn => format!("{url}：{content_type}，{bytes} 字节，不是文本"),
                Language::En => format!("{url}: {content_type}, {bytes} bytes, no text"),
            });
        } else if self.text.is_empty() {
            notes.push(language.pick("内容为空", "the page is empty").to_owned());
        }
        if *status >= 300 {
            notes.push(match language {
                Language::ZhCn => format!("HTTP 状态 {status}：{url}"),
                Language::En => format!("HTTP status {status}: {url}"),
            });
        }
        if self.damaged {
            notes.push(
                language
                    .pick("部分字符无法按其编码解码", "some characters do not fit the page's encoding")
                    .to_owned(),
            );
        }
        if self.truncated {
            notes.push(match language {
                Language::ZhCn => format!("只取了前 {bytes} 字节；可用 maxBytes 放宽"),
                Language::En => {
                    format!("only the first {bytes} bytes of the page; a larger maxBytes gives more")
                }
            });
        }
        let (shown, all) = (self.text.len(), self.text_bytes);
        if (shown as u64) < all {
            let whole = self.full_text.as_ref().map(|path| path.display());
            notes.push(match (language, whole) {
                (Language::ZhCn, Some(path)) => {
                    format!("仅显示前 {shown} 字节，共 {all} 字节；完整内容：{path}（用 read 或 grep 查看）")
                }
                (Language::En, Some(path)) => {
                    format!("the first {shown} of {all} bytes; the whole text: {path} (use read or grep)")
                }
                (Language::ZhCn, None) => format!("仅显示前 {shown} 字节，共 {all} 字节"),
                (Language::En, None) => format!("the first {shown} of {all} bytes"),
            });
        }
        notes
    }
}
