import { Command } from "commander";
import { print, type ProjectFlags, type Run } from "../context.ts";
import { withProjectFlags } from "../flags.ts";

/** `zoneform state pull`: the state as it is stored, on standard output. */
export function statePullCommand(run: Run): Command {
  return withProjectFlags(new Command("pull"))
    .description("print the state of a zone as it is stored, with what an interrupted run left folded in")
    .addHelpText("after", "\nExample:\n  $ zoneform state pull --zone saas.dev > saas.dev.state")
    .action(
      run(async (context, flags: ProjectFlags) => {
        const { error, Refusal } = await import("../../lib/core/diagnostic.ts");
        const { encodeState } = await import("../../lib/state/codec.ts");
        const { loadState } = await import("../../lib/state/load.ts");
        const { refuseSecrets } = await import("../intact.ts");
        const { oneStateZone } = await import("../states.ts");
        const { world, zone } = await oneStateZone(context, flags);
        const loaded = await loadState(world.store, zone.id);
        if (!loaded) {
          const remedy = "the first zoneform apply or zoneform import writes it";
          throw new Refusal([error({ code: "no-state", message: `${zone.name} has no state yet`, remedy })]);
        }
        refuseSecrets(context, encodeState(loaded.state), {
          name: `the state of ${zone.name}`,
          remedy: `find the secret in what is declared there or is live, or among the credentials in the environment, and take it away; a copy can be made of the file itself: ${world.store.describe(zone.id)}`,
        });
        for (const line of encodeState(loaded.state)) print(context.stdout, line);
      }),
    );
}
