import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, stat, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { type Ended, ROOT, run, start } from "../support/command.ts";
import { temporaryFolder } from "../support/disk.ts";

const execute = promisify(execFile);

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The instructions, with continued lines joined and without comments. */
async function instructions(): Promise<readonly Instruction[]> {
  const text = await readFile(join(ROOT, "Dockerfile"), "utf8");
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", value = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      return { name, value };
    });
}

function only(found: readonly Instruction[], name: string): string {
  const values = found.filter((each) => each.name === name);
  expect([name, values.length]).toEqual([name, 1]);
  return values[0]?.value ?? "";
}

function command(value: string): readonly string[] {
  const parsed: unknown = JSON.parse(value.slice(value.indexOf("[")));
  return Array.isArray(parsed) ? parsed.map(String) : [];
}

/** Each source of a COPY, with where it goes below the working folder. */
function copies(found: readonly Instruction[]): readonly (readonly [from: string, to: string])[] {
  return found
    .filter(({ name }) => name === "COPY")
    .flatMap(({ value }) => {
      const words = value.split(/\s+/);
      const to = words.at(-1) ?? "";
      const sources = words.slice(0, -1);
      return sources.map((from) => [from, sources.length > 1 ? join(to, from.split("/").at(-1) ?? "") : to] as const);
    });
}

test("the Dockerfile uses only existing instructions, and ends with an unprivileged user", async () => {
  const found = await instructions();
  const known = ["FROM", "WORKDIR", "COPY", "RUN", "USER", "HEALTHCHECK", "EXPOSE", "ENTRYPOINT", "CMD"];
  expect(found.filter(({ name }) => !known.includes(name))).toEqual([]);
  expect(found[0]).toEqual({ name: "FROM", value: "node:22-alpine" });
  expect(only(found, "USER")).toBe("node");
  expect(found.findLastIndex(({ name }) => name === "RUN")).toBeLessThan(
    found.findIndex(({ name }) => name === "USER"),
  );
});

test("what the Dockerfile copies is built, published in the package, and not ignored", async () => {
  const found = await instructions();
  const { files } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const kept = (await readFile(join(ROOT, ".dockerignore"), "utf8")).split("\n").filter((line) => line.startsWith("!"));
  // npm publishes these two whatever `files` says.
  const published = new Set<unknown>([...files, "package.json", "LICENSE"]);
  expect(published.has("Dockerfile")).toBe(true);
  for (const [from] of copies(found)) {
    expect([from, (await stat(join(ROOT, from))).isFile() || (await stat(join(ROOT, from))).isDirectory()]).toEqual([
      from,
      true,
    ]);
    expect([from, published.has(from), kept.includes(`!${from}`)]).toEqual([from, true, true]);
  }
});

/** The packages that the Dockerfile installs with npm, with their versions, and the folder in which it does. */
async function installed(): Promise<{ readonly folder: string; readonly packages: readonly string[] }> {
  const installs = (await instructions()).filter(
    ({ name, value }) => name === "RUN" && value.startsWith("npm install"),
  );
  const [command = ""] = only(installs, "RUN").split("&&");
  const words = command.trim().split(/\s+/).slice(2);
  const at = words.indexOf("--prefix");
  return {
    folder: words[at + 1] ?? "",
    packages: words.filter((word, index) => !word.startsWith("--") && index !== at + 1),
  };
}

test("the Dockerfile installs every optional package, in the version that the tests use", async () => {
  const { peerDependencies, devDependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const wanted = Object.keys(peerDependencies).map((name) => `${name}@${devDependencies[name]}`);
  expect((await installed()).packages.toSorted()).toEqual(wanted.toSorted());
});

/** A server of PostgreSQL's protocol that refuses every login at once. Returns its port. */
async function refusingServer(): Promise<number> {
  const fields = "SFATAL\0C28P01\0Mno such user\0\0";
  const refusal = Buffer.concat([Buffer.from([69, 0, 0, 0, fields.length + 4]), Buffer.from(fields)]);
  const server = createServer((socket) => socket.once("data", () => socket.end(refusal))).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

test("what the Dockerfile installs is found by the command that it copies", async () => {
  const [found, { folder: beside, packages }] = [await instructions(), await installed()];
  const image = await temporaryFolder();
  const folder = found.find(({ name }) => name === "WORKDIR")?.value ?? "";
  for (const [from, to] of copies(found))
    await cp(join(ROOT, from), join(image, folder, to.endsWith("./") ? join(to, from) : to), { recursive: true });
  await cp(join(ROOT, "examples/saas"), join(image, "project"), { recursive: true });
  const [, main = ""] = command(only(found, "ENTRYPOINT"));
  const port = await refusingServer();
  const list = (): Promise<Ended> =>
    run(["state", "list"], {
      cwd: join(image, "project"),
      main: join(image, main),
      env: { ZONEFORM_STATE: `postgres://nobody@127.0.0.1:${port}/states?sslmode=disable` },
    });
  expect((await list()).stderr).toContain("[state-driver]");
  for (const name of packages.map((each) => each.slice(0, each.lastIndexOf("@")))) {
    await mkdir(dirname(join(image, beside, "node_modules", name)), { recursive: true });
    await symlink(join(ROOT, "node_modules", name), join(image, beside, "node_modules", name));
  }
  expect((await list()).stderr).toContain("[state-denied]");
});

test("what the Dockerfile copies and runs is an emulator that its health check reaches", async () => {
  const found = await instructions();
  const image = await temporaryFolder();
  const folder = found.find(({ name }) => name === "WORKDIR")?.value ?? "";
  for (const [from, to] of copies(found)) {
    const target = join(image, folder, to.endsWith("./") ? join(to, from) : to);
    await mkdir(dirname(target), { recursive: true });
    await cp(join(ROOT, from), target, { recursive: true });
  }
  const [node, main = "", ...rest] = [...command(only(found, "ENTRYPOINT")), ...command(only(found, "CMD"))];
  expect(node).toBe("node");
  const port = rest[rest.indexOf("--port") + 1] ?? "";
  expect(only(found, "EXPOSE")).toBe(port);

  const emulator = start(
    rest.map((word) => (word === port ? "0" : word)),
    { cwd: image, main: join(image, main) },
  );
  onTestFinished(() => emulator.kill("SIGTERM"));
  await emulator.said("Press Ctrl-C");
  const [, listening = ""] = /127\.0\.0\.1:(\d+)/.exec(emulator.printed()) ?? [];
  const [program = "", ...check] = command(only(found, "HEALTHCHECK"));
  const at = (other: string): readonly string[] =>
    check.map((word) => word.replace(`127.0.0.1:${port}`, `127.0.0.1:${other}`));
  expect(check.join(" ")).toContain(`http://127.0.0.1:${port}/`);
  await expect(execute(program, at(listening))).resolves.toMatchObject({ stderr: "" });
  emulator.kill("SIGTERM");
  expect(await emulator.ended).toMatchObject({ code: 0 });
  await expect(execute(program, at(listening))).rejects.toMatchObject({ code: 1 });
});
