/** The lines that GitHub's runner takes for commands: `::name …::…` after blanks, and `##[name …]…` anywhere. */
export function commandsIn(output: string): readonly string[] {
  const found: string[] = [];
  let stop: string | undefined;
  for (const line of output.split("\n")) {
    const [command = ""] = /^(?=\s*::)\s*::[^:].*?::.*$|##\[[a-z-]+.*?\].*$/.exec(line) ?? [];
    if (command === "") continue;
    const [, token] = /^::stop-commands::(.+)$/.exec(command) ?? [];
    if (stop === undefined && token === undefined) found.push(command.trim());
    else if (stop === undefined) stop = token;
    else if (command === `::${stop}::`) stop = undefined;
  }
  return found;
}

/** The outputs that commands set. */
export function setBy(commands: readonly string[]): Record<string, string> {
  const form = /^(?:::|##\[)set-output name=([\w-]+)(?:::|;?\])(.*)$/;
  return Object.fromEntries(
    commands.flatMap((line) => {
      const [, name, value = ""] = form.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

/** The outputs in the file of a step. */
export function outputsIn(file: string): Record<string, string> {
  const lines = file.split("\n").filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = "", value = ""] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
      if (name === "") throw new Error(`${line} is no output`);
      return [name, value];
    }),
  );
}
