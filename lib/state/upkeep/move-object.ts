import { parseAddress } from "../../core/address.ts";
import { error, Refusal } from "../../core/diagnostic.ts";
import type { DiagnosticCode } from "../../core/diagnostic-code.ts";
import { didYouMean } from "../../core/suggest.ts";
import { editState } from "../edit.ts";
import type { State } from "../state.ts";

const TAKE_THE_OTHER = "release this object with zoneform state rm, then adopt the other one with zoneform import";

/**
 * The state with a tracked object moved to another address of the same kind. Throws `Refusal` if nothing is tracked
 * under the old address, something is tracked under the new one, both are the same, their kinds differ, the key is the
 * live name of the kind's objects (`isNamedLive`), or the response to its create was lost.
 */
export function moveInState(
  state: State | undefined,
  from: string,
  to: string,
  isNamedLive: (kind: string) => boolean,
): State {
  const object = state?.objects.get(from);
  if (!state || !object) {
    const remedy =
      didYouMean(from, [...(state?.objects.keys() ?? [])]) || "to list the objects in the state: zoneform state list";
    throw refusal("not-tracked", `${from} is not in the state`, remedy);
  }
  const { kind, key } = parseAddress(to) ?? { kind: undefined, key: undefined };
  if (kind !== object.kind || key === undefined) {
    const message = `${from} cannot become ${to}: an object keeps its kind, and the only one of its kind in a zone keeps its address`;
    throw refusal("moved-to-another-kind", message, `write the new address as ${object.kind}["…"]`);
  }
  if (to === from) {
    const remedy = "nothing to move; to see what else differs: zoneform plan";
    throw refusal("moved-to-itself", `${from} has this address already`, remedy);
  }
  if (state.objects.has(to)) {
    const remedy = `if that object is not needed any more, release it: zoneform state rm '${to}'`;
    throw refusal("tracked-already", `${to} is in the state already`, remedy);
  }
  if (isNamedLive(object.kind)) {
    const message = `${from} cannot become ${to}: its key is its live name, so ${to} is another object`;
    const remedy =
      object.kind === "custom_hostname"
        ? `${TAKE_THE_OTHER}; to move it to another zone, use moved: in the YAML`
        : TAKE_THE_OTHER;
    throw refusal("named-live", message, remedy);
  }
  if (object.pending) {
    const message = `it is not known yet whether ${from} was created, and only this address can find it`;
    throw refusal("fate-unknown", message, "let an apply find out, then move it: zoneform apply");
  }
  const editor = editState(state);
  editor.delete(from);
  editor.set(to, { ...object, key });
  return editor.toState();
}

function refusal(code: DiagnosticCode, message: string, remedy: string): Refusal {
  return new Refusal([error({ code, message, remedy })]);
}
