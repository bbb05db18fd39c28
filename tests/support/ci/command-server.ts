import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { runHere } from "../command.ts";

/** A command that a script has started: its arguments, its folder and its environment. */
interface Started {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the commands that `tools/zoneform` sends, in this process, until the test ends; gives the port. What they print is
 * left in files below the folder.
 */
export async function serveCommand(folder: string): Promise<number> {
  const server = createServer((socket) => {
    let received = "";
    socket.setEncoding("utf8").on("data", (piece: string) => {
      received += piece;
      const started = startedBy(received);
      if (started) void answer(socket, started, folder);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => new Promise<void>((done) => void server.close(() => done())));
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** What was received, or undefined if that is not all yet. */
function startedBy(received: string): Started | undefined {
  const [count, ...texts] = received.split("\0").slice(0, -1);
  const [args, [cwd = "", ...variables]] = [texts.slice(0, Number(count)), texts.slice(Number(count))];
  if (variables.pop() !== "end") return undefined;
  return { args, cwd, env: Object.fromEntries(variables.map(variable)) };
}

function variable(line: string): readonly [name: string, value: string] {
  const at = line.indexOf("=");
  return [line.slice(0, at), line.slice(at + 1)];
}

async function answer(socket: Socket, { args, ...where }: Started, folder: string): Promise<void> {
  const bug = (thrown: unknown) => ({ code: 70, stdout: "", stderr: `${String(thrown)}\n` });
  const { code, stdout, stderr } = await runHere(args, where).catch(bug);
  const printed = await mkdtemp(join(folder, "printed-"));
  await writeFile(join(printed, "stdout"), stdout);
  await writeFile(join(printed, "stderr"), stderr);
  socket.end(`${code} ${printed}\n`);
}
