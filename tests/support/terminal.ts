import { spawnSync } from "node:child_process";

/** Runs a program on a pseudo-terminal. Types the keys of each step once the program has printed its text since the step before. */
const PTY = `
import fcntl, json, os, pty, re, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(os.environ["COLUMNS"]), 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
printed = b""
steps = json.loads(os.environ["STEPS"])
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    printed += piece
    sys.stdout.buffer.write(piece)
    sys.stdout.flush()
    plain = re.sub(rb"\\x1b\\[[0-9;?]*[A-Za-z]", b"", printed)
    if steps and steps[0][0].encode() in plain:
        keys = steps.pop(0)[1]
        if keys is None:
            os.kill(pid, 9)
            break
        os.write(terminal, keys.encode())
        printed = b""
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status >> 8)
`;

/** Python itself: on the PATH there may be a script that takes longer to find it than the test takes. */
const PYTHON: string = (
  spawnSync("python3", ["-c", "import pty, sys; print(sys.executable)"], { encoding: "utf8" }).stdout ?? ""
).trim();

/** Whether this machine can make a pseudo-terminal; Node alone cannot. */
export const HAS_TERMINAL: boolean = PYTHON !== "";

/** Options that connect all streams of a command to a terminal. Each time the prompt is printed, the next keys are typed. */
export function onTerminal(
  prompt: string,
  keys: string | readonly string[],
  columns = 80,
): { readonly through: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const steps = JSON.stringify([keys].flat().map((each) => [prompt, each]));
  return {
    through: [PYTHON, "-c", PTY],
    env: { STEPS: steps, COLUMNS: String(columns), TERM: "xterm-256color" },
  };
}

/** A text to wait for, and the keys to type then; null to stop there. */
export type Step = readonly [text: string, keys: string | null];

/** A conversation that takes longer has failed. */
const LONGEST_MILLISECONDS = 30_000;

/** Types into a program on a terminal until it ends or the steps are done. Returns everything that it printed. */
export function typeInto(
  program: readonly string[],
  steps: readonly Step[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): string {
  const { stdout } = spawnSync(PYTHON, ["-c", PTY, ...program], {
    cwd,
    env: { HOME: cwd, TERM: "xterm-256color", COLUMNS: "100", ...env, STEPS: JSON.stringify(steps) },
    encoding: "utf8",
    timeout: LONGEST_MILLISECONDS,
  });
  return stdout;
}
