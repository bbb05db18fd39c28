import type { HttpRequest } from "../../lib/service/http.ts";
import type { Stage } from "./engine-run.ts";
import { SIM_KINDS } from "./kinds.ts";
import { isReadOf, isServing } from "./kinds/custom-hostname.ts";
import type { Moving, Place } from "./scenario.ts";
import type { SimService } from "./sim-service.ts";
import { pathInZone, type Side } from "./zones.ts";

/** Watches what a run does about hostnames that move. */
export interface MoveJudge {
  /** The apply reads something of a zone. */
  reads(stage: Stage, request: HttpRequest): void;
  /** A deletion is about to happen. */
  deletes(stage: Stage, request: HttpRequest): void;
}

/**
 * A hostname that moves is deleted only after the apply itself has seen that the new one serves: what counts is what
 * the service knew when the new one was last read. Nobody can see what happens to it after that (invariant 19).
 */
export function openMoveJudge(main: Stage, moves: readonly Moving[]): MoveJudge {
  const seen = new Map<Moving, boolean>();

  function reads(stage: Stage, request: HttpRequest): void {
    if (request.method !== "GET") return;
    for (const move of moves) {
      const { side, name } = move.to;
      const service = serviceOf(main, side);
      if (service === undefined || stage.service.id !== service.id) continue;
      if (isReadOf(request, service, name)) seen.set(move, isServing(service, name));
    }
  }

  function deletes({ service, ledger }: Stage, { url }: HttpRequest): void {
    const id = SIM_KINDS.custom_hostname.idAt(pathInZone(url));
    const name = id === undefined ? undefined : service.zone().hostnames.get(id)?.hostname;
    const move = moves.find(({ from }) => from.name === name && serviceOf(main, from.side)?.id === service.id);
    if (!move) return;
    if (seen.get(move) === true) ledger.moved += 1;
    else
      ledger.blame(
        "I19",
        `deletes ${said(move.from)}, which moves to ${said(move.to)}, and that ${seen.has(move) ? "did not serve when it was last read" : "was not read again"}`,
      );
  }

  return { reads, deletes };
}

function serviceOf({ service }: Stage, side: Side): SimService | undefined {
  return side === "main" ? service : service.beside;
}

function said({ side, name }: Place): string {
  return `${name} of ${side}`;
}
