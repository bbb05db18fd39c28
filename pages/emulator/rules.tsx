import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Badge, type Tone } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Value } from "../parts/value.tsx";
import { Command } from "./command.tsx";
import { dashboardCurlOf } from "./curl.ts";
import { Dialog, Field, Refusal } from "./dialog.tsx";
import { words } from "./hostnames.tsx";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../parts/json.ts";
import { asDashboard } from "./server.ts";
import { messageOf, useAttempt, type ZoneProps } from "./use.ts";

const PHASES: Readonly<Record<string, string>> = {
  http_request_firewall_custom: "Custom rules",
  http_request_firewall_managed: "Managed rules",
  http_ratelimit: "Rate limits",
};

/** The entry points of a zone, each with its rules in their order. */
export function Rules({ zone, revision, onEdited }: ZoneProps): JSX.Element {
  const zoneId = textAt(zone, "id");
  const { rulesets, refused } = useEntryPoints(zoneId, revision);
  const [edited, setEdited] = useState<{ readonly ruleset: Json; readonly rule: Json }>();
  return (
    <section aria-label="Rules">
      <Refusal text={refused} />
      {rulesets?.length === 0 && <p class="empty">No rules yet. An apply of a project with rulesets makes some.</p>}
      {rulesets?.map((ruleset) => (
        <EntryPoint
          key={textAt(ruleset, "id")}
          zoneId={zoneId}
          ruleset={ruleset}
          onEdited={onEdited}
          onEdit={(rule) => setEdited({ ruleset, rule })}
        />
      ))}
      {edited !== undefined && (
        <RuleDialog zoneId={zoneId} {...edited} onEdited={onEdited} onClose={() => setEdited(undefined)} />
      )}
    </section>
  );
}

function useEntryPoints(
  zoneId: string,
  revision: number,
): { readonly rulesets: readonly Json[] | undefined; readonly refused: string | undefined } {
  const [read, setRead] = useState<{
    readonly of: string;
    readonly rulesets?: readonly Json[];
    readonly refused?: string;
  }>({ of: zoneId });
  useEffect(() => {
    let isStale = false;
    const load = async (): Promise<readonly Json[]> => {
      const { result } = await asDashboard("GET", `/zones/${zoneId}/rulesets`);
      const own = listAt(result).filter((ruleset) => textAt(ruleset, "kind") === "zone");
      return Promise.all(
        own.map(
          async (ruleset) => (await asDashboard("GET", `/zones/${zoneId}/rulesets/${textAt(ruleset, "id")}`)).result,
        ),
      );
    };
    load().then(
      (rulesets) => isStale || setRead({ of: zoneId, rulesets }),
      (error: unknown) => isStale || setRead({ of: zoneId, refused: messageOf(error) }),
    );
    return () => {
      isStale = true;
    };
  }, [zoneId, revision]);
  const { rulesets, refused } = read.of === zoneId ? read : {};
  return { rulesets, refused };
}

interface EntryPointProps {
  readonly zoneId: string;
  readonly ruleset: Json;
  readonly onEdited: () => void;
  /** Called with the rule to edit; with null for a new one. */
  readonly onEdit: (rule: Json) => void;
}

function EntryPoint({ zoneId, ruleset, onEdited, onEdit }: EntryPointProps): JSX.Element {
  const phase = textAt(ruleset, "phase");
  const rules = listAt(ruleset, "rules");
  const path = `/zones/${zoneId}/rulesets/${textAt(ruleset, "id")}/rules`;
  const { isBusy, refused, attempt } = useAttempt();
  const send = (method: string, rule: Json, body?: JsonObject): void =>
    attempt(async () => {
      await asDashboard(method, `${path}/${textAt(rule, "id")}`, body);
      onEdited();
    });
  return (
    <section class="phase">
      <header>
        <h3>
          {PHASES[phase] ?? <Value text={words(phase)} />} <span class="quiet">{rules.length}</span>
        </h3>
        <button type="button" class="button small" onClick={() => onEdit(null)}>
          <Icon name="add" /> Add<span class="unseen"> a rule to {PHASES[phase] ?? phase}</span>
        </button>
      </header>
      <Refusal text={refused} />
      <ol class="list">
        {rules.map((rule, index) => {
          const name = nameOf(rule);
          const isOn = at(rule, "enabled") !== false;
          return (
            <li class={isOn ? "rule" : "rule off"} key={textAt(rule, "id")}>
              <span class="place quiet mono">{index + 1}</span>
              <div class="name">
                <p>
                  <Badge tone={toneOf(textAt(rule, "action"))} text={words(textAt(rule, "action"))} />{" "}
                  <strong>
                    <Value text={name} />
                  </strong>
                  {!isOn && <Badge tone="danger" text="off" />}
                </p>
                <code>
                  <Value text={textAt(rule, "expression")} />
                </code>
              </div>
              <div class="act">
                <button
                  type="button"
                  role="switch"
                  class="switch"
                  aria-checked={isOn}
                  aria-label={`Rule ${name} is on`}
                  disabled={isBusy}
                  onClick={() => send("PATCH", rule, { ...sendable(rule), enabled: !isOn })}
                />
                <button
                  type="button"
                  class="button plain small"
                  aria-label={`Move ${name} up`}
                  disabled={isBusy || index === 0}
                  onClick={() => send("PATCH", rule, { position: { index } })}
                >
                  <Icon name="up" />
                </button>
                <button
                  type="button"
                  class="button plain small"
                  aria-label={`Move ${name} down`}
                  disabled={isBusy || index === rules.length - 1}
                  onClick={() => send("PATCH", rule, { position: { index: index + 2 } })}
                >
                  <Icon name="down" />
                </button>
                <button
                  type="button"
                  class="button plain small"
                  aria-label={`Delete ${name}`}
                  disabled={isBusy}
                  onClick={() => send("DELETE", rule)}
                >
                  <Icon name="remove" />
                </button>
                <button type="button" class="button small" onClick={() => onEdit(rule)}>
                  <Icon name="edit" /> Edit<span class="unseen"> {name}</span>
                </button>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function nameOf(rule: Json): string {
  return textAt(rule, "description") || textAt(rule, "ref");
}

function toneOf(action: string): Tone {
  if (action === "block") return "danger";
  if (action === "skip") return "warn";
  return action === "log" ? "quiet" : "info";
}

/** The rule as the dashboard sends it back: without what the service sets. */
function sendable(rule: Json): JsonObject {
  const { id: _id, version: _version, last_updated: _lastUpdated, ...rest } = isObject(rule) ? rule : {};
  return rest;
}

/** The actions to offer. A rule with another one keeps it. */
const ACTIONS = ["block", "managed_challenge", "js_challenge", "challenge", "log", "skip"];

interface RuleDialogProps {
  readonly zoneId: string;
  readonly ruleset: Json;
  /** The rule to edit; null for a new one. */
  readonly rule: Json;
  readonly onEdited: () => void;
  readonly onClose: () => void;
}

function RuleDialog({ zoneId, ruleset, rule, onEdited, onClose }: RuleDialogProps): JSX.Element {
  const isNew = rule === null;
  const [form, setForm] = useState({
    description: textAt(rule, "description"),
    action: textAt(rule, "action") || "block",
    expression: textAt(rule, "expression"),
  });
  const { isBusy, refused, attempt } = useAttempt();
  const rulesPath = `/zones/${zoneId}/rulesets/${textAt(ruleset, "id")}/rules`;
  const path = isNew ? rulesPath : `${rulesPath}/${textAt(rule, "id")}`;
  const body = ruleOf(rule, form);
  const actions = ACTIONS.includes(form.action) ? ACTIONS : [form.action, ...ACTIONS];
  const method = isNew ? "POST" : "PATCH";
  return (
    <Dialog title={isNew ? "A new rule" : <Value text={nameOf(rule)} />} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          attempt(async () => {
            await asDashboard(method, path, body);
            onEdited();
            onClose();
          });
        }}
      >
        <p class="quiet">Changed here, it changes as in the dashboard: Zoneform does not know of it.</p>
        <Field label="Description">
          <input
            value={form.description}
            onInput={(event) => setForm({ ...form, description: event.currentTarget.value })}
          />
        </Field>
        <Field label="Action" hint={form.action === "skip" ? "Skips the rules below it in this list." : ""}>
          <select value={form.action} onChange={(event) => setForm({ ...form, action: event.currentTarget.value })}>
            {actions.map((action) => (
              <option key={action} value={action}>
                {words(action)}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Expression">
          <textarea
            rows={4}
            spellcheck={false}
            required
            value={form.expression}
            onInput={(event) => setForm({ ...form, expression: event.currentTarget.value })}
          />
        </Field>
        <Refusal text={refused} />
        <footer>
          <span />
          <button type="submit" class="button main" disabled={isBusy}>
            {isNew ? "Add it at the top" : "Save"}
          </button>
        </footer>
        <details>
          <summary>The same with curl</summary>
          <Command text={dashboardCurlOf(location.origin, { method, path, body: JSON.stringify(body) })} />
        </details>
      </form>
    </Dialog>
  );
}

/** The rule to send. The parameters of another action would be refused; a skip needs to say what it skips. */
function ruleOf(
  rule: Json,
  form: { readonly description: string; readonly action: string; readonly expression: string },
): JsonObject {
  const { action_parameters: parameters, ...rest } = sendable(rule);
  const isSame = form.action === textAt(rule, "action");
  const kept = isSame ? parameters : form.action === "skip" ? { ruleset: "current" } : undefined;
  return {
    ...rest,
    ...form,
    ...(kept === undefined ? {} : { action_parameters: kept }),
    ...(rule === null ? { position: { index: 1 } } : {}),
  };
}
