// Runs real hosts with a scripted model and brakeline installed, and looks at what the model is told.
//
//   BRAKELINE_BIN=… node run.mjs FOLDER [HOST…]
//
// FOLDER holds the hosts, as npm installs them (see README.md). Nothing outside this machine is asked. Exit status 1 if a host
// does not do what it should.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { startModel } from "./model.mjs"

const program = process.env.BRAKELINE_BIN
const [folder, ...wanted] = process.argv.slice(2)
if (!program || !folder) {
  console.error("usage: BRAKELINE_BIN=PROGRAM node run.mjs FOLDER [HOST…]")
  process.exit(64)
}
const packages = resolve(folder, "node_modules")

// How each host is started without a person, and how its tools are called.
const HOSTS = {
  "claude-code": {
    start: (url) => [
      [join(packages, "@anthropic-ai/claude-code-linux-x64/claude"), "-p", "go", "--allowedTools", "Bash,Write", "--permission-mode", "acceptEdits", "--model", "claude-sonnet-4-5"],
      { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
    ],
    shell: (command) => ({ name: "Bash", args: { command, description: "Runs it" } }),
    write: (file) => ({ name: "Write", args: { file_path: file, content: "hello" } }),
  },
  codex: {
    start: (url) => {
      const provider = `{name="local",base_url="${url}/v1",wire_api="responses",env_key="NO_KEY"}`
      const options = ["-c", "model_provider=local", "-c", `model_providers.local=${provider}`, "-c", "analytics.enabled=false"]
      const bin = join(packages, "codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex")
      return [
        [bin, "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", ...options, "-m", "gpt-5", "go"],
        { NO_KEY: "none" },
      ]
    },
    shell: (command) => ({ name: "exec_command", args: { cmd: command } }),
    // The model that this one is taken for has no tool that edits.
    write: null,
  },
  "gemini-cli": {
    prepare: (home) => {
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }
      write(join(home, ".gemini/settings.json"), JSON.stringify(settings))
    },
    start: (url) => [
      [process.execPath, join(packages, "@google/gemini-cli/bundle/gemini.js"), "-p", "go", "--approval-mode", "yolo", "-m", "gemini-2.5-flash"],
      { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url },
    ],
    shell: (command) => ({ name: "run_shell_command", args: { command, description: "Runs it" } }),
    write: (file) => ({ name: "write_file", args: { file_path: file, content: "hello" } }),
  },
  copilot: {
    start: (url, home) => [
      [join(packages, "@github/copilot-linux-x64/copilot"), "-p", "go", "--allow-all-tools", "--no-auto-update"],
      {
        COPILOT_OFFLINE: "true", COPILOT_AUTO_UPDATE: "false", COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_PROVIDER_API_KEY: "none", COPILOT_MODEL: "m", COPILOT_PROVIDER_WIRE_API: "completions",
        COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "100000", COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "4000",
        // The program unpacks itself there; once is enough.
        COPILOT_CACHE_HOME: resolve(folder, "copilot-cache"),
      },
    ],
    shell: (command) => ({ name: "bash", args: { command, description: "Runs it" } }),
    write: (file) => ({ name: "create", args: { path: file, file_text: "hello" } }),
  },
  opencode: {
    prepare: (home, url) => {
      const provider = { npm: "@ai-sdk/openai-compatible", name: "local", options: { baseURL: `${url}/v1`, apiKey: "none" }, models: { m: { name: "m" } } }
      const config = { autoupdate: false, share: "disabled", permission: "allow", provider: { local: provider }, model: "local/m", small_model: "local/m" }
      write(join(home, ".config/opencode/opencode.json"), JSON.stringify(config))
    },
    start: () => [
      [join(packages, "opencode-linux-x64/bin/opencode"), "run", "--model", "local/m", "go"],
      { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
    ],
    shell: (command) => ({ name: "bash", args: { command, description: "Runs it" } }),
    write: (file) => ({ name: "write", args: { filePath: file, content: "hello" } }),
  },
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Runs a program to its end. */
const run = (command, options) =>
  new Promise((done) => {
    const child = spawn(command[0], command.slice(1), { ...options, stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    child.stdout.on("data", (data) => (text += data))
    child.stderr.on("data", (data) => (text += data))
    const timer = setTimeout(() => child.kill("SIGKILL"), 300_000)
    child.on("error", (error) => done({ status: String(error), text }))
    child.on("close", (status) => (clearTimeout(timer), done({ status, text })))
  })

const claims = (home) => {
  const claims = join(home, ".pi/agent/collision-guard/claims")
  return existsSync(claims) ? readdirSync(claims).filter((name) => /^[0-9a-f]{64}\.json$/.test(name)) : []
}

/** The scene: a forbidden search, an allowed command, an edit of a free file, and one of a file that somebody holds. */
async function play(name, host) {
  const home = mkdtempSync(join(tmpdir(), `brakeline-${name}-`))
  const project = join(home, "project")
  const [free, held] = ["free.txt", "held.txt"].map((file) => join(project, file))
  mkdirSync(project)
  const environment = { HOME: home, PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" }
  spawnSync("git", ["init", "-q", project])
  const edits = host.write ? [host.write(free), host.write(held)] : []
  const calls = [host.shell("find / -name aaa"), host.shell("echo hello"), ...edits]
  const model = await startModel([...calls.map((call) => ({ call })), { text: "done" }])
  host.prepare?.(home, model.url)
  const installed = spawnSync(program, ["install", name, "--apply"], { env: environment, encoding: "utf8" })
  const holder = spawn(program, ["lease", "run", "--path", held, "--", "sleep", "600"], { env: environment, stdio: "ignore" })
  while (claims(home).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  const [command, variables] = host.start(model.url, home)
  const outcome = await run(command, { cwd: project, env: { ...environment, ...variables } })

  const wrong = []
  const expect = (what, holds) => holds || wrong.push(what)
  expect(`install: ${installed.stderr}`, installed.status === 0)
  expect(`it ends with ${outcome.status}`, outcome.status === 0)
  const [search, hello, first, second] = model.results
  expect(`the search is blocked, and the model told why: ${search}`, search?.includes("bash may not run find in / (rule: /)"))
  expect(`the other command runs: ${hello}`, hello?.includes("hello") && !hello.includes("brakeline"))
  if (host.write) {
    expect(`the free file is written: ${first}`, existsSync(free))
    expect(`the held file is not, and the model told why: ${second}`, !existsSync(held) && second?.includes("Collision guard blocked"))
  }
  expect(`all leases but the holder's are given back: ${claims(home)}`, claims(home).length === 1)
  const before = spawnSync(program, ["uninstall", name, "--apply"], { env: environment, encoding: "utf8" })
  expect(`uninstall: ${before.stderr}`, before.status === 0)
  holder.kill()
  model.close()
  if (wrong.length > 0) console.log(outcome.text.slice(-2000))
  else rmSync(home, { recursive: true, force: true })
  return wrong
}

let failed = 0
for (const name of wanted.length > 0 ? wanted : Object.keys(HOSTS)) {
  const wrong = await play(name, HOSTS[name])
  console.log(wrong.length === 0 ? `ok    ${name}` : `WRONG ${name}\n  ${wrong.join("\n  ")}`)
  failed += wrong.length > 0
}
process.exit(failed > 0 ? 1 : 0)
