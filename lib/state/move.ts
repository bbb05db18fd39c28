import { parseAddress } from "../core/address.ts";
import { error, Refusal } from "../core/diagnostic.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { didYouMean } from "../core/suggest.ts";
import { editState } from "./edit.ts";
import type { State } from "./state.ts";

const TAKE_THE_OTHER = "zoneform state rm forgets it and zoneform import takes the other one";

/**
 * The state with a tracked object moved to another address of the same kind. Throws `Refusal` if nothing is tracked
 * under the old address, something is tracked under the new one, both are the same, their kinds differ, the key is the
 * live name of the kind's objects (`isNamedLive`), or the answer to the object's create was lost.
 */
export function moveInState(
  state: State | undefined,
  from: string,
  to: string,
  isNamedLive: (kind: string) => boolean,
): State {
  const object = state?.objects.get(from);
  if (!state || !object) {
    const remedy = didYouMean(from, [...(state?.objects.keys() ?? [])]) || "zoneform state list shows what is tracked";
    throw refusal("not-tracked", `${from} is not tracked`, remedy);
  }
  const { kind, key } = parseAddress(to) ?? { kind: undefined, key: undefined };
  if (kind !== object.kind || key === undefined) {
    const message = `${from} cannot become ${to}: an object keeps its kind, and one of which a zone has a single one keeps its address`;
    throw refusal("moved-to-another-kind", message, `write it as in ${object.kind}["…"]`);
  }
  if (to === from) {
    const remedy = "zoneform plan shows what else differs; there is nothing to move";
    throw refusal("moved-to-itself", `${from} has this address already`, remedy);
  }
  if (state.objects.has(to)) {
    const remedy = `zoneform state rm '${to}' forgets that one, if it is no longer meant`;
    throw refusal("tracked-already", `${to} is tracked already`, remedy);
  }
  if (isNamedLive(object.kind)) {
    const message = `${from} cannot become ${to}: that is what the object is called live, and there ${to} is another one`;
    const remedy =
      object.kind === "custom_hostname"
        ? `${TAKE_THE_OTHER}; moved: in the YAML takes it to another zone`
        : TAKE_THE_OTHER;
    throw refusal("named-live", message, remedy);
  }
  if (object.pending) {
    const message = `nobody knows yet what became of the request that was to create ${from}, and only this address leads to what it may have created`;
    throw refusal("fate-unknown", message, "zoneform apply looks for it; then move it");
  }
  const editor = editState(state);
  editor.delete(from);
  editor.set(to, { ...object, key });
  return editor.toState();
}

function refusal(code: DiagnosticCode, message: string, remedy: string): Refusal {
  return new Refusal([error({ code, message, remedy })]);
}
