import { expect, test } from "vitest";
import { run } from "../support/command.ts";
import { projectFolder } from "../unit/config/project.ts";
import { type Mistake, MISTAKES, SOUND } from "./mistakes.ts";

const GOLDEN = "../golden/mistakes.txt";
const BROKEN = /(?:error|warning): .*\[([a-z0-9.-]+)\]$/gm;

async function met({ files, command = ["validate"], env }: Omit<Mistake, "title" | "codes">): Promise<string> {
  const present = Object.entries({ ...SOUND, ...files }).filter(
    (file): file is [string, string | Uint8Array] => file[1] !== null,
  );
  const cwd = await projectFolder(Object.fromEntries(present));
  const { code, stdout, stderr } = await run(command, {
    cwd,
    env: env ?? { CLOUDFLARE_API_TOKEN: "a-token-of-no-account" },
  });
  return `$ zoneform ${command.join(" ")}\n${stdout}${stderr}exit ${code}\n`;
}

test("the project of the mistakes is sound without them", async () => {
  expect(await met({ files: {} })).toBe(
    "$ zoneform validate\nThe configuration is valid: 1 zone, 4 objects, 1 policy.\nexit 0\n",
  );
});

test.each(MISTAKES.map((mistake) => [mistake.title, mistake] as const))("%s", async (_title, mistake) => {
  const output = await met(mistake);
  expect([...output.matchAll(BROKEN)].map(([, code]) => code)).toEqual(mistake.codes);
  const isWrong = output.includes("error: ");
  expect(output).toContain(isWrong ? "\nexit 1\n" : "\nexit 0\n");
});

test("each of at least fifty mistakes of a newcomer is said as the golden file has it", async () => {
  const told: string[] = [];
  for (const mistake of MISTAKES) told.push(`# ${mistake.title}\n${await met(mistake)}`);
  expect(MISTAKES.length).toBeGreaterThanOrEqual(50);
  await expect(told.join("\n")).toMatchFileSnapshot(GOLDEN);
});
