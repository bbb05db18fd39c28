import { editHostname, type HostnameAct } from "./kinds/custom-hostname.ts";
import { editFallback, type FallbackAct } from "./kinds/fallback-origin.ts";
import { editRuleset, type RulesetAct } from "./kinds/ruleset.ts";
import { editTotalTls, type TotalTlsAct } from "./kinds/total-tls.ts";
import { editWaf, type MigrationAct } from "./kinds/waf-migration.ts";
import { editHold, type HoldAct } from "./kinds/zone-hold.ts";
import { editSetting, type SettingAct } from "./kinds/zone-setting.ts";
import type { Ledger } from "./ledger.ts";
import type { SimService } from "./sim-service.ts";

/** A foreign act: the application's, or a person's in the dashboard. */
export type OutsideAct = HostnameAct | RulesetAct | TotalTlsAct | FallbackAct | SettingAct | HoldAct | MigrationAct;

/** Lets the application or a person in the dashboard act. What the service refuses did not happen. */
export function actOutside(service: SimService, ledger: Ledger, act: OutsideAct): void {
  const number = ledger.outsideActs;
  ledger.outsideActs += 1;
  switch (act.act) {
    case "create":
    case "edit":
    case "delete":
    case "edit-ssl":
    case "edit-note":
      return editHostname(service, ledger, act);
    case "add-rule":
    case "put-in-front":
    case "edit-rule":
    case "drop-rule":
    case "describe":
    case "edit-foreign-rule":
    case "drop-foreign-rule":
      return editRuleset(service, act, number);
    case "total-tls":
      return editTotalTls(service, act);
    case "fallback":
      return editFallback(service, act);
    case "setting":
      return editSetting(service, act);
    case "hold":
    case "release-hold":
    case "suspend-hold":
      return editHold(service, act);
    case "waf-deploy":
    case "waf-override":
      return editWaf(service, act, number);
    default:
      return act satisfies never;
  }
}
