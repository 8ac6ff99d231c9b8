// Reads cases from standard input, one JSON object a line: {"settings", "path", "default"}. Writes for each what
// es-toolkit answers: {"found", "value", "deviates", "documented": {"found", "value"}}.
//
// `documented` is the answer under the deviations that the README of the crate lists. It is es-toolkit's too, on a document
// from which JavaScript's own were taken: see `boxed`.

import readline from "node:readline";
import { get } from "es-toolkit/compat";
import { cloneDeep, mergeWith } from "es-toolkit/object";
import { isPlainObject } from "es-toolkit/predicate";

const ABSENT = Symbol("absent");
const SCALAR = Symbol("scalar");
const LENGTH = Symbol("length");
const PROTO = "__proto__";
const PLAIN_PROTO = "\u{e000}proto";

const replaceArrays = (target, source) => (Array.isArray(source) ? source : undefined);
const replaceOtherKinds = (target, source) =>
  Array.isArray(source) || (Array.isArray(target) && isPlainObject(source)) ? source : undefined;

function merged(found, fallback, customizer) {
  if (found === ABSENT) return fallback;
  return isPlainObject(fallback) && isPlainObject(found) ? mergeWith(cloneDeep(fallback), found, customizer) : found;
}

// An object with a key `length` that is merged into an array can throw.
function mergedOrThrown(found, fallback) {
  try {
    return merged(found, fallback, replaceArrays);
  } catch (error) {
    return `threw ${error}`;
  }
}

// The same document without prototypes, `length`, and scalars that can be stepped into: every value but null becomes an
// object without prototype.
function boxed(value) {
  if (value === null) return null;
  const box = Object.create(null);
  if (typeof value !== "object") box[SCALAR] = value;
  else if (Array.isArray(value)) box[LENGTH] = value.length;
  if (typeof value === "object") for (const key of Object.keys(value)) box[key] = boxed(value[key]);
  return box;
}

function unboxed(box) {
  if (box === null || box === ABSENT) return box;
  if (SCALAR in box) return box[SCALAR];
  const value = LENGTH in box ? [] : {};
  for (const key of Object.keys(box)) value[key] = unboxed(box[key]);
  return value;
}

// A function of a prototype and half of a character are no JSON; something like them will do to tell answers apart.
function text(value) {
  return JSON.stringify(value, (_, v) => {
    if (typeof v === "function") return `function ${v.name}`;
    return typeof v === "string" ? v.toWellFormed() : v;
  });
}

function answer(line) {
  const { settings, path, default: fallback } = JSON.parse(line);
  const found = get(settings, path, ABSENT);
  const value = mergedOrThrown(found, fallback);

  // As text, so that the key is an ordinary one in documents and in paths alike.
  const plain = JSON.parse(line.replaceAll(PROTO, PLAIN_PROTO));
  const plainFound = unboxed(get(boxed(plain.settings), plain.path, ABSENT));
  const plainValue = merged(plainFound, plain.default, replaceOtherKinds);

  const here = { found: found !== ABSENT, value: JSON.parse(text(value)) };
  const documented = { found: plainFound !== ABSENT, value: JSON.parse(text(plainValue).replaceAll(PLAIN_PROTO, PROTO)) };
  return text({ ...here, deviates: canonical(here) !== canonical(documented), documented });
}

// The order of keys says nothing.
function canonical(value) {
  return JSON.stringify(value, (_, v) =>
    isPlainObject(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v,
  );
}

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  process.stdout.write(answer(line) + "\n");
}
