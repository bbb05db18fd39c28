import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Value } from "../parts/value.tsx";
import { Command } from "./command.tsx";
import { dashboardCurlOf } from "./curl.ts";
import { Dialog, Field, Refusal } from "./dialog.tsx";
import { AUTHORITIES, TLS_VERSIONS, toneOf, words } from "./hostnames.tsx";
import { at, type Json, type JsonObject, listAt, textAt } from "../parts/json.ts";
import { asDashboard } from "./server.ts";
import { useAttempt, useDashboard, type ZoneProps } from "./use.ts";

/** What the dashboard sends to change one setting. */
interface Change {
  readonly method: string;
  /** Below the zone. */
  readonly path: string;
  readonly body: JsonObject;
}

/** One setting of a zone: what it is, and how to change it. */
interface Setting {
  readonly name: string;
  readonly hint: string;
  readonly value: string;
  /** What to choose from, by name; empty for a text. */
  readonly choices: Readonly<Record<string, string>>;
  readonly change: (value: string) => Change;
}

/** The zone settings that protect something, with their values. */
const SETTINGS = {
  min_tls_version: ["Minimum TLS version", TLS_VERSIONS],
  tls_1_3: ["TLS 1.3", ["on", "off", "zrt"]],
  ssl: ["Encryption to the origin", ["strict", "full", "flexible", "off"]],
  always_use_https: ["Always use HTTPS", ["on", "off"]],
  security_level: ["Security level", ["under_attack", "high", "medium", "low", "essentially_off", "off"]],
} as const;

/** Total TLS, the fallback origin and the settings of a zone. */
export function Settings({ zone, revision, onEdited }: ZoneProps): JSX.Element {
  const id = textAt(zone, "id");
  const total = useDashboard(`/zones/${id}/acm/total_tls`, revision).answer?.result;
  const origin = useDashboard(`/zones/${id}/custom_hostnames/fallback_origin`, revision).answer?.result;
  const stored = useDashboard(`/zones/${id}/settings`, revision).answer?.result;
  const [edited, setEdited] = useState<Setting>();
  const settings = settingsOf(total ?? null, origin ?? null, stored ?? null);
  return (
    <section aria-label="Settings of the zone">
      <ul class="list">
        {settings.map((setting) => (
          <li class="setting" key={setting.name}>
            <div class="name">
              <strong>{setting.name}</strong>
              <span class="quiet small">{setting.hint}</span>
            </div>
            <span class="mono">
              <Value text={setting.choices[setting.value] ?? (setting.value || "not set")} />
            </span>
            {setting.name === FALLBACK_ORIGIN && origin !== undefined && (
              <Badge tone={toneOf(textAt(origin, "status"))} text={words(textAt(origin, "status"))} />
            )}
            <button type="button" class="button small" onClick={() => setEdited(setting)}>
              <Icon name="edit" /> Edit<span class="unseen"> {setting.name}</span>
            </button>
          </li>
        ))}
      </ul>
      {edited !== undefined && (
        <SettingDialog zoneId={id} setting={edited} onEdited={onEdited} onClose={() => setEdited(undefined)} />
      )}
    </section>
  );
}

const FALLBACK_ORIGIN = "Fallback origin";

function settingsOf(total: Json, origin: Json, stored: Json): readonly Setting[] {
  const authority = textAt(total, "certificate_authority");
  return [
    {
      name: FALLBACK_ORIGIN,
      hint: "where requests for all hostnames go",
      value: textAt(origin, "origin"),
      choices: {},
      change: (value) => ({ method: "PUT", path: "/custom_hostnames/fallback_origin", body: { origin: value } }),
    },
    {
      name: "Total TLS",
      hint: "a certificate for each proxied name",
      value: at(total, "enabled") === true ? authority : "off",
      choices: { off: "off", ...AUTHORITIES },
      change: (value) => ({
        method: "POST",
        path: "/acm/total_tls",
        body: { enabled: value !== "off", certificate_authority: value === "off" ? authority : value },
      }),
    },
    ...Object.entries(SETTINGS).map(([id, [name, values]]): Setting => {
      const found = listAt(stored).find((each) => textAt(each, "id") === id);
      return {
        name,
        hint: id,
        value: textAt(found ?? null, "value"),
        choices: Object.fromEntries(values.map((value) => [value, words(value)])),
        change: (value) => ({ method: "PATCH", path: `/settings/${id}`, body: { value } }),
      };
    }),
  ];
}

interface SettingDialogProps {
  readonly zoneId: string;
  readonly setting: Setting;
  readonly onEdited: () => void;
  readonly onClose: () => void;
}

function SettingDialog({ zoneId, setting, onEdited, onClose }: SettingDialogProps): JSX.Element {
  const [value, setValue] = useState(setting.value);
  const { isBusy, refused, attempt } = useAttempt();
  const { method, path, body } = setting.change(value);
  const whole = `/zones/${zoneId}${path}`;
  const choices = Object.entries(setting.choices);
  return (
    <Dialog title={setting.name} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          attempt(async () => {
            await asDashboard(method, whole, body);
            onEdited();
            onClose();
          });
        }}
      >
        <p class="quiet">Changed here, it changes as in the dashboard: Zoneform does not know of it.</p>
        <Field label="Value">
          {choices.length === 0 ? (
            <input value={value} required onInput={(event) => setValue(event.currentTarget.value)} />
          ) : (
            <select value={value} onChange={(event) => setValue(event.currentTarget.value)}>
              {choices.map(([each, name]) => (
                <option key={each} value={each}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Refusal text={refused} />
        <footer>
          <span />
          <button type="submit" class="button main" disabled={isBusy || value === setting.value}>
            Save
          </button>
        </footer>
        <details>
          <summary>The same with curl</summary>
          <Command text={dashboardCurlOf(location.origin, { method, path: whole, body: JSON.stringify(body) })} />
        </details>
      </form>
    </Dialog>
  );
}
