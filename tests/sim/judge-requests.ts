import { isObject, valueAt } from "../../lib/core/json.ts";
import type { StateObject } from "../../lib/state/state.ts";
import type { Change } from "../../lib/plan/change.ts";
import type { HttpRequest, HttpResponse } from "../../lib/service/http.ts";
import { contentOf } from "./content.ts";
import { type Ledger, type Party, plannedChange } from "./ledger.ts";
import { judgeMigration } from "./judge-migration.ts";
import { judgeDestroyed, judgeFreshness, objectOf } from "./judge-reads.ts";
import { isPlainSuccess } from "./looks.ts";
import type { Machine } from "./machine.ts";
import type { SimService } from "./sim-service.ts";
import { type TrueHostname, trueHostname, trueHostnames, truePacks, trueRules } from "./truth.ts";
import type { Wish } from "./wish.ts";
import type { Shelf } from "./shelf.ts";
import { hasDurableIntent, HOSTNAMES, isAllowed, MIGRATION, type Write, writeOf } from "./writes.ts";
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
    for (const { id, name } of trueHostnames(service)) ledger.names.set(id, name);
    for (const { id, hosts } of truePacks(service)) ledger.names.set(id, keyOf(party, id) ?? hosts);
    if (request.method === "GET") return read(party, request, fault);
    const write = writeOf(ledger, request);
    if (!write) {
      ledger.blame("I7", `an unexpected write: ${request.method} ${request.url}`);
      return service.handle(request, fault);
    }
    const before = write.id === undefined ? undefined : trueHostname(service, write.id);
    const rulesBefore = trueRules(service);
    judgeIntention(party, write, before);
    if (write.kind === MIGRATION) judgeMigration({ service, ledger, wish: wish() }, party, request);
    const change = plannedChange(party.plan, write);
    const object = objectOf(write, request, change);
    const look = judgeFreshness(ledger, party, { write, request, change });
    const contentBefore = object === undefined ? undefined : contentOf(service, object);
    const packsBefore = new Set(truePacks(service).map(({ id }) => id));
    const answer = service.handle(request, fault);
    for (const { id } of truePacks(service)) if (!packsBefore.has(id)) ledger.ours.add(id);
    if (isDone(answer) && look && object !== undefined) {
      const after = contentOf(service, object);
      judgeDestroyed(ledger, party, look, { write, request, change, before: contentBefore, after });
    }
    if (isDone(answer)) {
      party.effects.push({ write, request, isHeard: false });
      ledger.lastWriters.set(`${write.kind} ${write.key}`, party);
      judgeEffect(party, write, rulesBefore);
    }
    if (isDone(answer) && plannedChange(party.plan, write)?.action === "adopt") noteAdopted(write);
    party.shown.set(write.key, machine.scheduler.now());
    if (write.verb === "create" && answer.status !== 429) party.created.add(`${write.kind} ${write.key}`);
    if (write.kind === "custom_hostname" && isDone(answer) && ordersCertificate(request)) judgeIssuance(party);
    // The block clears the minute (docs/reliability.md#how-a-run-is-paced).
    if (write.kind === "custom_hostname" && answer.status === 429 && !answer.body.includes(GENERAL_LIMIT))
      party.ordered.length = 0;
    return answer;
  }

  /** The plan's key of a pack that somebody moved to a key other than its hosts. */
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
    const isOfOne = /custom_hostnames\/[0-9a-f-]{36}|hostname=/.test(url);
    const most = MOST_CALLS * (isOfOne ? 1 : Math.max(1, plan?.zones[0]?.changes.length ?? 0));
    if (times === most + 1) ledger.blame("I13", `${call} is sent more than ${most} times`);
  }

  /** What the answer to a read shows, if it arrives, and when it was given. */
  const shows = new WeakMap<HttpRequest, { readonly names: readonly string[]; readonly at: number }>();

  function read(party: Party, request: HttpRequest, fault: string | undefined): HttpResponse {
    const answer = service.handle(request, fault);
    party.looks.asked(request);
    const pathname = pathInZone(request.url);
    const { searchParams } = new URL(request.url);
    if (fault !== undefined) party.sawStale = true;
    const named = searchParams.get("hostname");
    const id = pathname.startsWith(`${HOSTNAMES}/`) ? pathname.slice(HOSTNAMES.length + 1) : undefined;
    const found = id === undefined ? undefined : trueHostname(service, id);
    shows.set(request, {
      names: [
        ...(named !== null && fault === undefined ? [named] : []),
        ...(found ? [found.name] : []),
        ...(pathname.endsWith("/waf_migration/check") && fault === undefined ? [MIGRATION] : []),
      ],
      at: machine.scheduler.now(),
    });
    if (pathname.endsWith("/entrypoint")) {
      party.rulesRead = new Set(trueRules(service)?.map(({ ref }) => ref));
      if (party.stage === "apply") party.rulesRereadAt = machine.scheduler.now();
    }
    return answer;
  }

  function judgeIntention(party: Party, write: Write, before: TrueHostname | undefined): void {
    const name = `${write.verb} ${write.kind} ${write.key}`;
    const change = plannedChange(party.plan, write);
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
    if (write.verb === "delete" && before) judgeDeletion(party, write, before, change);
    if (write.verb === "delete" && write.kind === "certificate_pack") judgePackDeletion(write, change);
  }

  function judgeDeletion(party: Party, write: Write, before: TrueHostname, change: Change | undefined): void {
    const name = `${write.key} (${before.id})`;
    const planned = change?.id;
    if (planned !== before.id) ledger.blame("I5", `deletes ${name}, where the plan means ${planned ?? "no object"}`);
    const known = party.before?.objects.get(`custom_hostname[${JSON.stringify(write.key)}]`);
    if (ledger.shielded.has(before.id)) ledger.blame("I5", `deletes ${name}, whose protection was applied`);
    const isKnown = known?.id === before.id || (known !== undefined && isTwin(known, before));
    if (ledger.foreign.has(before.id) && !isKnown && change?.action === "delete")
      ledger.blame("I14", `deletes ${name}, which somebody else made and the state does not know`);
    if (wish().forgotten.has(write.key) && !party.isUndo) ledger.blame("I5", `deletes ${name}, which was let go`);
    if (known?.protect === true) ledger.blame("I5", `deletes ${name}, which is protected`);
  }

  /** A replaced pack serves until its successor does, unless neither is wanted any more. */
  function judgePackDeletion({ key, id }: Write, change: Change | undefined): void {
    const serving = truePacks(service).filter(({ hosts, isActive }) => hosts === key && isActive);
    const isReplaced = change?.action === "replace" || (change?.key.includes("#") === true && wish().packs.has(key));
    if (isReplaced && serving.length === 1 && serving[0]?.id === id)
      ledger.blame("I5", `deletes the pack of ${key}, and no successor serves`);
  }

  function judgeEffect(party: Party, write: Write, rulesBefore: ReturnType<typeof trueRules>): void {
    ledger.effects += 1;
    if (write.kind === "custom_hostname" && write.verb === "create") {
      const made = trueHostname(service, write.key);
      if (made) ledger.ours.add(made.id);
    }
    if (write.kind === "ruleset" || write.kind === MIGRATION) judgeForeignRules(party, rulesBefore);
  }

  /** What somebody approved to adopt is ours from now on; how it was created stays unknown. */
  function noteAdopted({ id }: Write): void {
    if (id === undefined) return;
    ledger.foreign.delete(id);
    ledger.unanswered.add(id);
  }

  /** Foreign rules stay; only what came between the reread and this very request may be lost. */
  function judgeForeignRules(party: Party, before: ReturnType<typeof trueRules>): void {
    const after = new Set(trueRules(service)?.map(({ ref }) => ref));
    for (const { ref, isOurs } of before ?? []) {
      if (!isOurs && !after.has(ref) && party.rulesRead.has(ref))
        ledger.blame("I14", `takes away the foreign rule ${ref}`);
    }
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

/**
 * Somebody created an object of the same name with the same content while a create of ours was running whose answer was
 * lost: nobody can distinguish the two, and the plan names it.
 */
function isTwin({ pending, applied }: StateObject, live: TrueHostname): boolean {
  const sent = [["custom_origin_server"], ["custom_metadata", "tier"], ["ssl", "settings", "min_tls_version"]];
  const shown = [live.origin, live.tier, live.tls];
  return pending !== undefined && sent.every((path, index) => valueAt(applied, path) === shown[index]);
}

function ordersCertificate(request: HttpRequest): boolean {
  const body: unknown = request.method === "POST" ? JSON.parse(request.body ?? "{}") : {};
  return isObject(body) && body["ssl"] !== undefined;
}

function isDone({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}
