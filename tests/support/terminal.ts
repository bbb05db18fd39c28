import { spawnSync } from "node:child_process";

/** Runs a program on a pseudo-terminal, and types KEYS once PROMPT was printed. */
const PTY = `
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(os.environ["COLUMNS"]), 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
printed = b""
keys = os.environ["KEYS"].encode()
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
    if keys and os.environ["PROMPT"].encode() in printed:
        os.write(terminal, keys)
        keys = b""
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) if hasattr(os, "waitstatus_to_exitcode") else status >> 8)
`;

/** Whether this machine can make a pseudo-terminal; Node alone cannot. */
export const HAS_TERMINAL: boolean = spawnSync("python3", ["-c", "import pty"]).status === 0;

/** Options that give a command a terminal on all its streams. */
export function onTerminal(
  prompt: string,
  keys: string,
  columns = 80,
): { readonly through: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  return {
    through: ["python3", "-c", PTY],
    env: { PROMPT: prompt, KEYS: keys, COLUMNS: String(columns), TERM: "xterm-256color" },
  };
}
