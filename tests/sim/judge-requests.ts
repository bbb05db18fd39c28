import type { Change } from "../../lib/plan/change.ts";
import type { HttpRequest, HttpResponse } from "../../lib/service/http.ts";
import { judgeDestroyed, judgeFreshness } from "./judge-reads.ts";
import { ALL_KINDS, contentOf, liveNames, SIM_KINDS } from "./kinds.ts";
import { type Ledger, type Party, plannedChange } from "./ledger.ts";
import { isPlainSuccess, objectWritten } from "./looks.ts";
import type { Machine } from "./machine.ts";
import type { Shelf } from "./shelf.ts";
import type { SimService } from "./sim-service.ts";
import type { Wish } from "./wish.ts";
import { hasDurableIntent, isAllowed, type Write, writeOf } from "./writes.ts";
import { pathInZone } from "./zones.ts";

const MINUTE_MILLISECONDS = 60_000;
/** The code of the limit on all calls, which is not a block of certificates. */
const GENERAL_LIMIT = "10100";
/** How often one run makes the same call for one change at most: forty attempts, each with a read and a lookup after it. */
const MOST_CALLS = 80;

/** Watches every request of an engine that reaches the service, before and after it is carried out. */
export interface RequestJudge {
  handle(party: Party, request: HttpRequest, fault: string | undefined): HttpResponse;
  /** Sees every request, also those that something else answers in place of the service. */
  arrives(party: Party, request: HttpRequest): void;
  /** A create that was lost on its way may have taken effect, as far as its sender knows. */
  lost(party: Party, request: HttpRequest): void;
  /** An answer has reached the process, as the network left it. */
  answered(party: Party, request: HttpRequest, answer: HttpResponse): void;
}

/** Builds the judge over a service: it sees what really happens, whatever the engine gets to see. */
export function judgeRequests(
  service: SimService,
  { machine, shelf }: { readonly machine: Machine; readonly shelf: Shelf },
  ledger: Ledger,
  issuancesPerMinute: number,
  wish: () => Wish,
): RequestJudge {
  function handle(party: Party, request: HttpRequest, fault: string | undefined): HttpResponse {
    for (const { id, name } of liveNames(service)) ledger.names.set(id, keyOf(party, id) ?? name);
    if (request.method === "GET") return read(party, request, fault);
    const write = writeOf(ledger, request);
    if (!write) {
      ledger.blame("I7", `an unexpected write: ${request.method} ${request.url}`);
      return service.handle(request, fault);
    }
    const kind = SIM_KINDS[write.kind];
    const change = plannedChange(party.plan, write);
    const judged = { service, ledger, party, wish: wish(), change };
    judgeIntention(party, write, change);
    kind.judgeWrite?.(judged, write, request);
    const object = objectWritten(write, request, change);
    const look = judgeFreshness(ledger, party, { write, request, change });
    const contentBefore = object === undefined ? undefined : contentOf(service, object);
    const judgeAfter = kind.watch?.(judged);
    const liveBefore = new Set(liveNames(service).map(({ id }) => id));
    const answer = service.handle(request, fault);
    for (const { id } of liveNames(service)) if (!liveBefore.has(id)) ledger.ours.add(id);
    if (isDone(answer)) {
      if (look && object !== undefined) {
        const after = contentOf(service, object);
        judgeDestroyed(ledger, party, look, { write, request, change, before: contentBefore, after });
      }
      party.effects.push({ write, request, isHeard: false });
      ledger.lastWriters.set(`${write.kind} ${write.key}`, party);
      ledger.effects += 1;
      judgeAfter?.();
      if (change?.action === "adopt") noteAdopted(write);
      if (kind.ordersCertificate?.(request)) judgeIssuance(party);
    }
    party.shown.set(write.key, machine.scheduler.now());
    if (write.verb === "create" && answer.status !== 429) party.created.add(`${write.kind} ${write.key}`);
    // The block clears the minute (docs/reliability.md#how-a-run-is-paced).
    if (kind.ordersCertificate && answer.status === 429 && !answer.body.includes(GENERAL_LIMIT))
      party.ordered.length = 0;
    return answer;
  }

  /** The plan's key of an object that somebody moved to a key other than its name. */
  function keyOf({ plan }: Party, id: string): string | undefined {
    const keys = ledger.renamed.get(id);
    const changes = keys ? (plan?.zones.flatMap((section) => section.changes) ?? []) : [];
    const key = changes.find((change) => change.id === id)?.key.replace(`#${id}`, "");
    return key !== undefined && keys?.has(key) ? key : undefined;
  }

  /** A call is retried if that can help, but not forever. */
  function judgeRepetition({ calls, stage, plan }: Party, { method, url }: HttpRequest): void {
    const call = `${method} ${url} (${stage})`;
    const times = (calls.get(call) ?? 0) + 1;
    calls.set(call, times);
    const isOfOne = ALL_KINDS.some(([, kind]) => kind.isAboutOne?.(url));
    const most = MOST_CALLS * (isOfOne ? 1 : Math.max(1, plan?.zones[0]?.changes.length ?? 0));
    if (times === most + 1) ledger.blame("I13", `${call} is sent more than ${most} times`);
  }

  /** What the answer to a read shows, if it arrives, and when it was given. */
  const shows = new WeakMap<HttpRequest, { readonly names: readonly string[]; readonly at: number }>();

  function read(party: Party, request: HttpRequest, fault: string | undefined): HttpResponse {
    const answer = service.handle(request, fault);
    party.looks.asked(request);
    if (fault !== undefined) party.sawStale = true;
    const names = ALL_KINDS.flatMap(([, { shown }]) => shown?.(service, request, fault === undefined) ?? []);
    shows.set(request, { names, at: machine.scheduler.now() });
    for (const [, { noteRead }] of ALL_KINDS) noteRead?.(service, party, pathInZone(request.url));
    return answer;
  }

  function judgeIntention(party: Party, write: Write, change: Change | undefined): void {
    const name = `${write.verb} ${write.kind} ${write.key}`;
    if (party.stage !== "apply") ledger.blame("I7", `${name} outside of an apply`);
    else if (!change) ledger.blame("I7", `${name} is not in the plan`);
    else if (change.refused) ledger.blame("I7", `${name} was refused by a guard, and sent`);
    else if (!isAllowed(change.action, write.verb)) ledger.blame("I7", `${name}, where the plan says ${change.action}`);
    if (write.verb === "create" && party.created.has(`${write.kind} ${write.key}`))
      ledger.blame("I7", `${name} was sent twice, though the first may have taken effect`);
    if (!hasDurableIntent(shelf, service.id, write))
      ledger.blame("I6", `${name} was sent before its intent was durable`);
    if (ledger.writer && ledger.writer !== party && ledger.writer.stage === "apply")
      ledger.blame("I6", `${name} while another process writes under the same lock`);
    ledger.writer = party;
    party.writes += 1;
  }

  /** What somebody approved to adopt is ours from now on; how it was created stays unknown. */
  function noteAdopted({ id }: Write): void {
    if (id === undefined) return;
    ledger.foreign.delete(id);
    ledger.unanswered.add(id);
  }

  function judgeIssuance(party: Party): void {
    const now = machine.scheduler.now();
    party.ordered.push(now);
    const recent = party.ordered.filter((at) => at > now - MINUTE_MILLISECONDS).length;
    if (recent > issuancesPerMinute && !party.hasJump)
      ledger.blame("I9", `orders ${recent} certificates in a minute, and ${issuancesPerMinute} are its part`);
  }

  return {
    handle,
    arrives: judgeRepetition,
    answered: (party, request, answer) => {
      party.looks.answered(request, answer);
      const effect = party.effects.find((each) => each.request === request);
      if (effect && isPlainSuccess(answer)) effect.isHeard = true;
      // What the network kept from the run was not shown to it.
      const { names = [], at = 0 } = (isReadable(answer) ? shows.get(request) : undefined) ?? {};
      for (const name of names) party.shown.set(name, at);
    },
    lost: (party, request) => {
      const write = writeOf(ledger, request);
      if (write?.verb === "create") party.created.add(`${write.kind} ${write.key}`);
    },
  };
}

/** Whether a run can see in the answer what it shows: an object, or a list. */
function isReadable({ status, body }: HttpResponse): boolean {
  return status === 200 && body.includes('"success":true') && !body.includes('"result":null');
}

function isDone({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}
