import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { error, Refusal } from "../core/diagnostic.ts";
import { errorCode } from "../core/file-system.ts";
import { canonical } from "../core/json.ts";
import { Secret, type SecretReference } from "../core/secret.ts";
import { locate, type ProjectFolder } from "./files.ts";
import { child, type Node, textOf, toDeclared } from "./node.ts";
import type { Report } from "./report.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where secrets come from, and who is told each of them as it is read. */
interface SecretWorld {
  readonly env: Environment;
  readonly learn?: (secret: Secret) => void;
}

/** Certificates and keys are small. */
const LARGEST_BYTES = 64 * 1024;

/**
 * Reads the secrets that a tree refers to, into a map by the canonical text of the reference. Files are relative to the
 * project's folder, whichever file of the project refers to them. No message holds a value (product semantics 11).
 */
export async function readSecrets(
  project: ProjectFolder,
  { env, learn }: SecretWorld,
  root: Node,
  secrets: Map<string, Secret>,
  report: Report,
): Promise<void> {
  for (const node of references(root)) {
    const variable = textOf(child(node, "env"));
    const file = textOf(child(node, "file"));
    const key = canonical(toDeclared(node));
    if (secrets.has(key)) continue;
    const text =
      variable === undefined
        ? await fromFile(project, file ?? "", node, report)
        : fromEnvironment(env, variable, node, report);
    if (text !== undefined) secrets.set(key, learned(new Secret(text), learn));
  }
}

function learned(secret: Secret, learn: SecretWorld["learn"]): Secret {
  learn?.(secret);
  return secret;
}

const SECRET_KEYS = ["custom_certificate", "custom_key"];

/**
 * Gives the values of secrets when they are sent, read again at that moment (product semantics 11). `file` is the path
 * of the project file. The function throws `Refusal` for a value that is not to be had. It reads files by itself,
 * because it is asked in the middle of building a request, where nothing waits.
 */
export function revealer({ env, learn }: SecretWorld, file: string): (reference: SecretReference) => Secret {
  const folder = realpathSync(dirname(file));
  return (reference) => {
    const text = "env" in reference ? env[reference.env] : fileText(folder, reference.file);
    if (text !== undefined && text !== "") return learned(new Secret(text), learn);
    const name =
      "env" in reference ? `the environment variable ${reference.env}` : `the file ${JSON.stringify(reference.file)}`;
    const remedy = "provide the secret where apply runs, as it was when the plan was made";
    throw new Refusal([error({ code: "secret-missing", message: `${name} holds no value`, remedy })]);
  };
}

/** Undefined where the file is missing, too large, no regular file, or outside of the project. */
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

/** Every value under a key that holds a secret. Other parts of a tree may have maps of the same shape (metadata named `env`). */
function references(node: Node): readonly Node[] {
  switch (node.kind) {
    case "scalar":
      return [];
    case "list":
      return node.items.flatMap(references);
    case "map":
      return [...node.entries].flatMap(([key, { value }]) =>
        SECRET_KEYS.includes(key) && value.kind === "map" ? [value] : references(value),
      );
    default:
      return node satisfies never;
  }
}

function fromEnvironment(env: Environment, name: string, node: Node, report: Report): string | undefined {
  const text = env[name];
  if (text !== undefined && text !== "") return text;
  const message = `the environment variable ${name} ${text === undefined ? "is not set" : "is empty"}`;
  report(error({ code: "secret-missing", message, remedy: "set it where the command runs", at: node.at }));
  return undefined;
}

async function fromFile(
  project: ProjectFolder,
  written: string,
  node: Node,
  report: Report,
): Promise<string | undefined> {
  const refuse = (message: string, remedy: string): undefined => {
    report(error({ code: "secret-missing", message, remedy, at: node.at }));
  };
  const located = await locate(project, "", written, node.at);
  if ("diagnostic" in located) return report(located.diagnostic);
  const { name, path } = located.found;
  const size = (await project.disk.stat(path))?.sizeBytes ?? 0;
  if (size === 0) return refuse(`the file ${JSON.stringify(name)} is empty`, "put the value into it");
  if (size > LARGEST_BYTES)
    return refuse(`the file ${JSON.stringify(name)} has ${size} bytes`, `${LARGEST_BYTES} are allowed`);
  try {
    return Buffer.from(await project.disk.read(path, LARGEST_BYTES)).toString("utf8");
  } catch (failure) {
    const code = errorCode(failure);
    if (code === undefined) throw failure;
    return refuse(`the file ${JSON.stringify(name)} cannot be read (${code})`, "check its permissions");
  }
}
