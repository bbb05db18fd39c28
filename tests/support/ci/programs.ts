import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** What a program does that the scripts of the jobs call, in this process: for `tools/within`. */
export type Program = (args: readonly string[], where: Where) => Promise<Printed>;

/** Where a script has started a program. */
interface Where {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** How a program ended. */
interface Printed {
  readonly code: number | null;
  readonly stdout: string | Uint8Array;
  readonly stderr: string;
}

interface Started extends Where {
  readonly name: string;
  readonly args: readonly string[];
}

/** Runs these programs by their names until the test ends; gives the port. What they print is left in files below the folder. */
export async function servePrograms(programs: Readonly<Record<string, Program>>, folder: string): Promise<number> {
  const run = async ({ name, args, ...where }: Started): Promise<string> => {
    const bug = (thrown: unknown): Printed => ({ code: 70, stdout: "", stderr: `${name}: ${String(thrown)}\n` });
    const { code, stdout, stderr } = (await programs[name]?.(args, where).catch(bug)) ?? bug("nobody knows it");
    const printed = await mkdtemp(join(folder, "printed-"));
    await writeFile(join(printed, "stdout"), stdout);
    await writeFile(join(printed, "stderr"), stderr);
    return `${code} ${printed}\n`;
  };
  const server = createServer((socket) => {
    let received = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      received += piece;
      const started = startedBy(received);
      if (started) void run(started).then((answer) => socket.end(answer));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => new Promise<void>((done) => void server.close(() => done())));
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** What was received, or undefined if that is not all yet. */
function startedBy(received: string): Started | undefined {
  const [name = "", count, ...texts] = received.split("\0").slice(0, -1);
  const [args, [cwd = "", ...variables]] = [texts.slice(0, Number(count)), texts.slice(Number(count))];
  if (variables.pop() !== "end") return undefined;
  return { name, args, cwd, env: Object.fromEntries(variables.map(variable)) };
}

function variable(line: string): readonly [name: string, value: string] {
  const at = line.indexOf("=");
  return [line.slice(0, at), line.slice(at + 1)];
}
