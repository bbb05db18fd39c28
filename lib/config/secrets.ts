import { CODES, type Diagnostic, error, type Position, refusal } from "../core/diagnostic.ts";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { X509Certificate, createPrivateKey } from "node:crypto";
import { errorCode } from "../core/file-system.ts";
import { type Json, type JsonObject, canonical, isList, isObject } from "../core/json.ts";
import { Secret, type SecretReference } from "../core/secret.ts";
import { HOSTNAMES } from "../kinds/registry.ts";
import { type ProjectFolder, locate } from "./files.ts";
import type { ZoneFile } from "./document-types.ts";
import { find, placeOf } from "./document.ts";
import type { Report } from "./report.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where secrets come from, and the callback for each secret that is read. */
interface SecretWorld {
  readonly env: Environment;
  readonly learn?: (secret: Secret) => void;
}

/** The largest file of a secret; certificates and keys are small. */
const LARGEST_BYTES = 64 * 1024;

/**
 * Reads the secrets that a zone file refers to, by the canonical text of the reference. Their paths are relative to the
 * project's folder. No message contains a value (docs/semantics.md#credentials-and-secrets). With `absent`, a missing
 * secret is recorded there and is no error.
 */
export async function readSecrets(
  project: ProjectFolder,
  { env, learn }: SecretWorld,
  zone: ZoneFile,
  secrets: Map<string, Secret>,
  report: Report,
  absent?: Map<string, Diagnostic>,
): Promise<void> {
  for (const reference of references(zone)) {
    const key = canonical(reference);
    if (secrets.has(key) || absent?.has(key)) continue;
    const told: Report = (problem) => (absent && isAbsence(problem) ? void absent.set(key, problem) : report(problem));
    const at = placeOf(reference);
    const text =
      "env" in reference
        ? fromEnvironment(env, reference.env, at, told)
        : await fromFile(project, reference.file, at, told);
    if (text !== undefined) secrets.set(key, learned(new Secret(text), learn));
  }
}

/** The variable is not set, or the file does not exist: everything else can still be planned. */
function isAbsence({ code }: Diagnostic): boolean {
  return code === "secret-missing" || code === "file-not-found";
}

function learned(secret: Secret, learn: SecretWorld["learn"]): Secret {
  const blocks = pemBlocks(secret.reveal());
  if (blocks !== "") learn?.(new Secret(blocks));
  return secret;
}

/**
 * Returns a function that reads the values of secrets again when they are sent
 * (docs/semantics.md#credentials-and-secrets). `file` is the path of the project file. The function throws `Refusal` if
 * a secret is not available. It reads synchronously, because building a request cannot wait.
 */
export function revealer({ env, learn }: SecretWorld, file: string): (reference: SecretReference) => Secret {
  const folder = realpathSync(dirname(file));
  return (reference) => {
    const text = "env" in reference ? env[reference.env] : fileText(folder, reference.file);
    if (text !== undefined && text !== "") return learned(new Secret(text), learn);
    const name =
      "env" in reference ? `the environment variable ${reference.env}` : `the file ${JSON.stringify(reference.file)}`;
    const remedy = "provide the secret that the plan was made with";
    throw refusal({ code: "secret-missing", message: `${name} is empty or missing`, remedy });
  };
}

/** Undefined if the file is missing, too large, not a regular file, or outside the project. */
function fileText(folder: string, written: string): string | undefined {
  try {
    const path = realpathSync(join(folder, written));
    const stat = statSync(path);
    const isInside = path.startsWith(`${folder}/`);
    return isInside && stat.isFile() && stat.size <= LARGEST_BYTES ? readFileSync(path, "utf8") : undefined;
  } catch (failure) {
    if (errorCode(failure) === undefined) throw failure;
    return undefined;
  }
}

/**
 * Every reference in a place that the schema has for a secret. A map of the same shape, or a key of the same name, may
 * occur elsewhere: a cache key's `custom_key`, or metadata named `env`.
 */
function references({ custom_hostnames: hostnames }: ZoneFile): readonly SecretReference[] {
  const { entries = [], policies = [], exceptions = [] } = hostnames ?? {};
  const specs = [...entries, ...[...policies, ...exceptions].map(({ set }) => set)];
  const leaves = HOSTNAMES.writeOnly.map((leaf) => leaf.split("."));
  return specs.flatMap((spec) => leaves.flatMap((leaf) => referencesIn(find(spec, leaf)?.value)));
}

function referencesIn(value: Json | undefined): readonly SecretReference[] {
  if (isList(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return isReference(value) ? [value] : Object.values(value).flatMap(referencesIn);
}

function isReference(value: JsonObject): value is JsonObject & SecretReference {
  return typeof value["env"] === "string" || typeof value["file"] === "string";
}

function fromEnvironment(env: Environment, name: string, at: Position, report: Report): string | undefined {
  const text = env[name];
  if (text !== undefined && text !== "") return text;
  const message = `the environment variable ${name} ${text === undefined ? "is not set" : "is empty"}`;
  report(error({ code: "secret-missing", message, remedy: `set it before the command runs: export ${name}=…`, at }));
  return undefined;
}

async function fromFile(
  project: ProjectFolder,
  written: string,
  at: Position,
  report: Report,
): Promise<string | undefined> {
  const refuse = (message: string, remedy: string): undefined => {
    report(error({ code: "secret-missing", message, remedy, at }));
  };
  const located = await locate(project, "", written, at, report);
  if (!located) return undefined;
  const { name, path } = located;
  const size = (await project.disk.stat(path))?.sizeBytes ?? 0;
  if (size === 0) return refuse(`the secret file ${JSON.stringify(name)} is empty`, "write the secret to it");
  if (size > LARGEST_BYTES)
    return refuse(
      `the secret file ${JSON.stringify(name)} has ${size} bytes, at most ${LARGEST_BYTES} are allowed`,
      "check the path: it is not a certificate or a key",
    );
  try {
    return Buffer.from(await project.disk.read(path, LARGEST_BYTES)).toString("utf8");
  } catch (failure) {
    const code = errorCode(failure);
    if (code === undefined) throw failure;
    return refuse(`cannot read the secret file ${JSON.stringify(name)}: ${code}`, CODES["file-unreadable"].remedy);
  }
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/**
 * The certificates and keys of a PEM, without the text between them; empty for any other text. A person with access
 * only to the YAML chooses which file or variable it names. So output hides only what can be uploaded as a certificate
 * or a key, and never a word of a report: an encrypted key is refused, because it could consist of such words.
 */
export function pemBlocks(text: string): string {
  return [...text.matchAll(BLOCK)].flatMap(([block, type = ""]) => (isReadable(type, block) ? block : [])).join("\n");
}

function isReadable(type: string, block: string): boolean {
  try {
    const read = type.endsWith("PRIVATE KEY") ? createPrivateKey(block) : new X509Certificate(block);
    return Boolean(read);
  } catch {
    // OpenSSL has many errors for a text that is no key.
    return false;
  }
}
