import { CODES, generalRemedy, problem, refusal } from "../../core/diagnostic.ts";
import { didYouMean } from "../../core/suggest.ts";
import { KINDS } from "../../kinds/registry.ts";
import { COMMON, FAMILIES, HTTP_STATUSES } from "../../service/explanations.ts";
import type { Codes } from "../../service/explanations/entry.ts";
import {
  CERTIFICATE_STATUSES,
  FALLBACK_STATUSES,
  HOSTNAME_STATUSES,
  meaningOfText,
  type Meant,
  MIGRATION_STATES,
  TEXTS,
} from "../../service/explanations/statuses.ts";
import type { Cause } from "../../core/diff.ts";
import { HAZARD_MEANINGS, HAZARDS } from "../../kinds/hazards.ts";

/** One meaning of a code. A code that several families use has one for each. */
export interface Meaning extends Meant {
  readonly code: string;
  /** The origin of the code: a family of calls, or the object that has it as a status. */
  readonly of: string;
}

/** Every known code, status, text and word, in listing order. */
export function allMeanings(): readonly Meaning[] {
  return [
    ...ofCodes(COMMON, "any call"),
    ...Object.entries(FAMILIES).flatMap(([family, codes]) => ofCodes(codes, family)),
    ...KINDS.flatMap(({ name, codes = {} }) => ofCodes(codes, name)),
    ...ofCodes(HTTP_STATUSES, "HTTP status"),
    ...CONDITIONS.map(({ code, cause, remedy }) => ({ code, of: "Cloudflare", cause, remedy })),
    ...ofNames(HOSTNAME_STATUSES, "status of a custom hostname"),
    ...ofNames(CERTIFICATE_STATUSES, "status of a certificate"),
    ...ofNames(FALLBACK_STATUSES, "status of the fallback origin"),
    ...ofNames(MIGRATION_STATES, "migration_state of the managed WAF rules"),
    ...TEXTS.map(({ code, text, cause, remedy }) => ({ code, of: `the text "${text}"`, cause, remedy })),
    ...ofNames(CODES, "zoneform"),
    ...KINDS.flatMap(({ ownCodes }) => ofNames(ownCodes, "zoneform")),
    ...WORDS.flatMap(({ of, words }) => ofNames(words, of)),
  ];
}

/**
 * The meanings of a code, a status, a text of `verification_errors` or a word of the output, one for each use. Case
 * does not matter. Throws `Refusal` for an unknown one.
 */
export function explain(code: string): readonly [Meaning, ...Meaning[]] {
  const asked = code.trim().toLowerCase();
  const known = allMeanings();
  const text = meaningOfText(asked)?.code;
  const [first, ...others] = known.filter((meaning) => meaning.code === asked || meaning.code === text);
  if (first) return [first, ...others];
  const names = [...new Set(known.map((meaning) => meaning.code))];
  throw refusal(problem("unknown-code", { code: JSON.stringify(code) }, { remedy: didYouMean(asked, names) }));
}

function ofCodes(codes: Codes, of: string): Meaning[] {
  return Object.entries(codes).map(([code, { cause, remedy }]) => ({ code, of, cause, remedy }));
}

function ofNames(names: Readonly<Record<string, Meant>>, of: string): Meaning[] {
  return Object.entries(names).map(([code, meant]) => ({ code, of, cause: meant.cause, remedy: generalRemedy(meant) }));
}

const NOTHING = "nothing";

const meant = (cause: string, remedy: string = NOTHING): Meant => ({ cause, remedy });

/** Why a line is in a plan. */
const CAUSES: Readonly<Record<Cause, Meant>> = {
  config: meant("you changed the YAML since the last apply"),
  drift: meant(
    "a managed field was changed outside Zoneform since the last apply",
    "keep the live value: zoneform drift --write; or restore what is declared: zoneform apply",
  ),
  both: meant(
    "the YAML was changed, and live was changed outside Zoneform as well, to another value",
    "compare the three values with: zoneform why ADDRESS",
  ),
  service: meant("Cloudflare changed it by itself: it expired, moved or was renewed"),
};

/** The actions of plans, with the words that texts use for them. */
const ACTIONS: Readonly<Record<string, Meant>> = {
  create: meant("the object is declared and not live: an apply creates it"),
  update: meant("the object is live, and a declared field differs: an apply changes that field"),
  replace: meant("a field that cannot be changed differs: an apply deletes the object and creates it again"),
  delete: meant("the object was removed from the YAML: an apply deletes it", "to keep it live, list it in forget"),
  adopt: meant("the object is live as declared, and not in the state yet: an apply adds it, and sends nothing"),
  forget: meant("the object is released: an apply removes it from the state, and it stays live"),
  held: meant(
    "the change waits until Cloudflare has finished something, such as a validation; an apply sends it then, under the same approval",
  ),
  "no-op": meant("the object is live as declared: nothing is sent"),
};

/** How a change of a run ended; `unconfirmed` has a code of its own. */
const OUTCOMES: Readonly<Record<string, Meant>> = {
  done: meant("the change was applied"),
  failed: meant("Cloudflare refused the change, or it could not be sent", "see the message, then apply again"),
  conflict: meant(
    "the object was changed after the plan was made, so it is left as it is",
    "look at the difference, then plan again",
  ),
  refused: meant(
    "a guard blocks the change: protection, a deletion limit, a check, a denied hazard, or no approval",
    "see the code behind the message; JSON says refused where texts say blocked",
  ),
  "not-started": meant("the run ended before it began this change", "apply again: the next run does it"),
  unknown: meant(
    "the change was sent and no response arrived: it may or may not have taken effect",
    "apply again: the next run finds out before it writes",
  ),
};

/** The words of the glossary (docs/style.md), and what texts count. */
const GLOSSARY: Readonly<Record<string, Meant>> = {
  plan: meant("what an apply would change, computed from the YAML, the state and the live zone", "zoneform plan"),
  apply: meant("carry out a plan", "zoneform apply"),
  run: meant("one apply, undo or destroy, with an id and a record", "list them with: zoneform undo --list"),
  live: meant("what Cloudflare has now"),
  object: meant("one thing that Zoneform manages: a hostname, a ruleset, a setting; Terraform says resource"),
  kind: meant("what sort of object it is, such as custom_hostname or ruleset; Terraform says resource type"),
  address: meant('the name of an object in a project, such as saas.dev/custom_hostname["app.customer-one.net"]'),
  field: meant("one value of an object, such as ssl.settings.min_tls_version; Terraform says attribute"),
  managed: meant("the YAML sets the field, or declares the object; everything else is left as it is"),
  unmanaged: meant("the YAML does not set the field, so it is never compared and never sent"),
  "foreign rule": meant("a rule in a shared entry point that Zoneform does not manage; it is kept"),
  foreign: meant(
    "live hostnames that the YAML does not declare and the state does not know",
    "declare them, or set custom_hostnames.foreign to ignore or adopt",
  ),
  declared: meant("written in the YAML, or made from it by a policy or a source"),
  import: meant("adopt one live object by its import id", "zoneform import ID"),
  release: meant("stop managing an object or a field; it stays live as it is"),
  blocked: meant(
    "a guard refuses the change: a deletion limit, protection, a denied hazard, a check, or no approval",
    "see the code behind the message",
  ),
  hazard: meant(`what is dangerous about a change: ${HAZARDS.join(", ")}`, "explain one with: zoneform explain outage"),
  hash: meant(
    "names a set of changes with their hazards: it begins with zf, and two plans with the same changes have the same one",
    "approve exactly these changes with: zoneform apply --expect HASH",
  ),
  lifecycle: meant(
    "who creates and deletes the hostnames of a zone: zoneform, or the application (app)",
    "set custom_hostnames.lifecycle in the zone's YAML",
  ),
  "rate limit": meant(
    "Cloudflare accepts 1,200 API calls in five minutes, and 15 new certificates a minute unless your contract says more",
    "set your share with budget in the project file",
  ),
  approval: meant("consent to exactly the changes of one plan: a saved plan, --expect HASH, or the answer yes"),
  state: meant("what Zoneform last applied, one for each zone", "inspect it with: zoneform state list"),
  lock: meant("only one run at a time may write a state", "see who holds it with: zoneform state lock"),
  unfinished: meant(
    "a run was stopped, or its call got no response, so the result of a change is not known",
    "apply again: the next run finds out, and finishes it",
  ),
  "lost result": meant(
    "a run sent a change and could not store the result, because it lost its lock or the server of the states",
    "apply again: the next run finds out",
  ),
  budget: meant("how many API calls and certificates a run may use, and how fast", "change budget in the project file"),
  claim: meant(
    "what a project manages in a zone, so that no other project of the same store may",
    "give it up with: zoneform state release",
  ),
  runner: meant(
    "a machine that applies; if several apply at once with one credential, they share the budget",
    "set budget.runners in the project file",
  ),
  certificate: meant("a TLS certificate that Cloudflare orders from a certificate authority"),
  subscription: meant("the plan that the zone pays for: free, pro, business or enterprise"),
  source: meant("a CSV or NDJSON file that declares hostnames"),
  policy: meant("a rule of the YAML that sets fields of many hostnames"),
  layer: meant("a YAML file that several zones share"),
  adopted: meant(
    "live is already as the YAML declares, and the state does not say so: somebody changed it, or the state is older; the next apply records it, and sends nothing",
  ),
  untracked: meant("an object is live as declared, and not in the state yet; the next apply adds it"),
  gone: meant("the application deleted a hostname of its zone; Zoneform drops it from the state"),
  unchanged: meant("objects that are live as declared"),
};

/** Every word that texts and JSON use for what Zoneform does, one table for each sort of word. */
const WORDS: readonly { readonly of: string; readonly words: Readonly<Record<string, Meant>> }[] = [
  { of: "cause of a change", words: CAUSES },
  { of: "hazard", words: HAZARD_MEANINGS },
  { of: "action", words: ACTIONS },
  { of: "result of a change", words: OUTCOMES },
  { of: "word of Zoneform", words: GLOSSARY },
];

/** A documented condition that no response of the API has a code for. */
interface Condition extends Meant {
  readonly code: string;
}

/**
 * Conditions without a code or status (docs/service.md#traffic, docs/service.md#issuance-limit,
 * docs/service.md#waf-migration). 1016, which a hostname's visitors see, has three causes.
 */
export const CONDITIONS: readonly Condition[] = [
  {
    code: "1016",
    cause: "visitors see this error: the hostname cannot be routed, because its ownership is not validated",
    remedy: "look at its verification_errors: zoneform certificates search HOSTNAME",
  },
  {
    code: "1016",
    cause: "visitors see this error: the fallback origin is not set, or its DNS record is missing",
    remedy: "declare fallback_origin, and give its name a proxied A, AAAA or CNAME record in the zone",
  },
  {
    code: "1016",
    cause:
      "visitors see this error: a wildcard covers the name, but its domain is also a zone at Cloudflare, which takes precedence even without a DNS record",
    remedy: "declare the hostname too, beside the wildcard",
  },
  {
    code: "issuance-limit",
    cause: "more than 15 certificates were ordered in a minute; only orders that succeed count",
    remedy: "wait 30 seconds; Zoneform paces itself by budget.issuance, and the account team can raise the limit",
  },
  {
    code: "support-only",
    cause: "more than 200 firewall rules need to be migrated, or one has an expression longer than 4 KB",
    remedy: "ask Cloudflare's support to migrate the zone, or remove or shorten rules first",
  },
];
