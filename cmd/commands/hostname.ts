import { Command } from "commander";
import type { Run } from "../context.ts";
import { hostnameListCommand } from "./hostname-list.ts";
import { hostnameRevalidateCommand } from "./hostname-revalidate.ts";
import { hostnameTodoCommand } from "./hostname-todo.ts";

/** `zoneform hostname`: live custom hostnames, what their customers still have to do, and validating them again. */
export function hostnameCommand(run: Run): Command {
  return new Command("hostname")
    .description("list hostnames, show what customers must set, revalidate")
    .addCommand(hostnameListCommand(run))
    .addCommand(hostnameTodoCommand(run))
    .addCommand(hostnameRevalidateCommand(run, "revalidate"))
    .addCommand(hostnameRevalidateCommand(run, "retry"))
    .addHelpText("after", "\nExample:\n  $ zoneform hostname todo --format csv > records.csv");
}
