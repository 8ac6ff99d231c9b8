// The official TypeScript SDK as a client of `brakeline mcp`: list, call, error, progress, cancellation, results by their schemas.
// Usage: node client.mjs BRAKELINE
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const home = mkdtempSync(join(tmpdir(), "brakeline-mcp-"));
const project = join(home, "project");
mkdirSync(join(home, ".pi/agent"), { recursive: true });
mkdirSync(project);
const shell = { allowMultiple: true, permissons: { "*": "allow" } };
writeFileSync(join(home, ".pi/agent/sandbox.json"), JSON.stringify({ enabled: false, shell }));
writeFileSync(join(project, "a.txt"), "one\r\ntwo\r\n");

const transport = new StdioClientTransport({
  command: process.argv[2],
  args: ["mcp", "--structured"],
  cwd: project,
  env: { HOME: home, PATH: process.env.PATH },
  stderr: "inherit",
});
const client = new Client({ name: "test", version: "1" });
try {
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, "brakeline");

  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ["read", "grep", "edit", "write", "move", "find", "bash", "astgrep", "astedit", "webfetch"],
  );

  // The SDK checks each structured result by the tool's output schema.
  const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
  const read = await call("read", { path: "a.txt" });
  assert.equal(read.content[0].text, "one\ntwo\n");
  assert.equal(read.structuredContent.crlf, true);
  const edit = await call("edit", { path: "a.txt", edits: [{ oldText: "two\n", newText: "2\n" }] });
  assert.equal(edit.isError, false);
  assert.equal(readFileSync(join(project, "a.txt"), "utf8"), "one\r\n2\r\n");
  writeFileSync(join(project, "a.ts"), "log(1)\n");
  for (const [name, args] of [
    ["write", { path: "b/c.txt", content: "x\n" }],
    ["grep", { pattern: "o.e", context: 1 }],
    ["find", { pattern: "*.txt" }],
    ["move", { path: "b/c.txt", newPath: "d.txt" }],
    ["astgrep", { pattern: "log($A)", lang: "ts" }],
    ["astedit", { pattern: "log($A)", rewrite: "print($A)" }],
    ["bash", { command: "echo hi" }],
  ]) {
    const result = await call(name, args);
    assert.equal(result.isError, false, `${name}: ${result.content[0].text}`);
    assert.ok(result.structuredContent, name);
  }

  const missing = await call("read", { path: "none" });
  assert.equal(missing.isError, true);
  assert.match(missing.content[0].text, /does not exist/);
  const here = await call("webfetch", { url: "http://127.0.0.1:1/" });
  assert.equal(here.isError, true);
  await assert.rejects(call("nothing", {}), /there is no tool/);

  const steps = [];
  const slow = "for i in 1 2 3 4 5; do echo $i; sleep 0.15; done";
  await call("bash", { command: slow }, { onprogress: (step) => steps.push(step.progress) });
  assert.ok(steps.length > 0, "progress is told");

  const stop = new AbortController();
  setTimeout(() => stop.abort("enough"), 300);
  const start = Date.now();
  await assert.rejects(call("bash", { command: "sleep 30" }, { signal: stop.signal }));
  assert.ok(Date.now() - start < 10_000);
  assert.equal((await call("find", { pattern: "d.txt" })).content[0].text, "d.txt\n", "the server goes on");
  console.log("MCP: the official client lists, calls, hears of errors and progress, and cancels");
} finally {
  await client.close();
  rmSync(home, { recursive: true, force: true });
}
