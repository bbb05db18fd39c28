import { isHostname } from "../../lib/kinds/registry.ts";
import { projectsIn } from "../../lib/state/stores.ts";
import { CERTIFICATE_KINDS } from "../../lib/engine/certificates/certificate.ts";
import type { DesiredZone, LoadedProject } from "../../lib/config/desired.ts";
import { formatAddress, parseAddress } from "../../lib/core/address.ts";
import { formatPosition } from "../../lib/core/diagnostic.ts";
import { enterProject, readHeading, readProject } from "../../lib/engine/world.ts";
import { allMeanings } from "../../lib/engine/explain/explain.ts";
import { HAZARDS } from "../../lib/kinds/hazards.ts";
import { WORDS_TO_DENY } from "../../lib/plan/inputs.ts";
import { moment } from "../../lib/core/moment.ts";
import { counted } from "../../lib/core/words.ts";
import { kindNoun } from "../../lib/report/lines/words.ts";
import { loadState } from "../../lib/state/load.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { undoableRuns } from "../../lib/undo/run.ts";
import type { Context } from "../context.ts";
import { REPORTS } from "../report-formats.ts";
import { localWorld } from "../world.ts";
import type { Source } from "./sources.ts";

/** A value to offer, and its description. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** Where to look for candidates: only on this machine, never by an API call. */
export interface Place {
  readonly context: Context;
  /** The path of the project file. */
  readonly config: string;
  /** The place of the states, if the words before name it. */
  readonly state?: string;
}

/** The values of a source. Throws if the project or the state cannot be read. */
export async function candidatesOf(source: Source, place: Place): Promise<readonly Candidate[]> {
  switch (source) {
    case "files":
    case "free":
      return [];
    case "reports":
      return [...new Set(Object.values(REPORTS).flat())].map((format) => ({
        value: `${format}=`,
        about: "and a file",
      }));
    case "denials":
      return denials(WORDS_TO_DENY);
    case "hazards":
      return denials(HAZARDS);
    case "codes":
      return allMeanings().map(({ code, cause }) => ({ value: code, about: cause }));
    case "certificate-kinds":
      return CERTIFICATE_KINDS.map((kind) => ({ value: kind, about: kindNoun(kind) }));
    case "hostname-statuses":
      return statuses("status of a custom hostname");
    case "certificate-statuses":
      return statuses("status of a certificate");
    case "zones":
      return (await projectOf(place)).desired.zones.map(({ name, id }) => ({ value: name, about: `zone ${id}` }));
    case "project-source-names":
      return (await projectOf(place)).sources.map(({ source, zone }) => ({ value: source, about: `feeds ${zone}` }));
    case "project-sources":
      return (await projectOf(place)).sources.map(({ source, zone }) => ({
        value: `${source}=`,
        about: `a file for ${zone}`,
      }));
    case "projects":
      return projects(place);
    case "addresses":
      return addresses(place);
    case "hostnames":
      return hostnames(place);
    case "runs":
      return runs(place);
    default:
      return source satisfies never;
  }
}

function denials(words: readonly string[]): readonly Candidate[] {
  const hazards = new Map(allMeanings().flatMap(({ code, of, cause }) => (of === "hazard" ? [[code, cause]] : [])));
  return words.map((word) => ({ value: word, about: hazards.get(word) ?? `every ${word}` }));
}

function statuses(of: string): readonly Candidate[] {
  return allMeanings()
    .filter((meaning) => meaning.of === of)
    .map(({ code, cause }) => ({ value: code, about: cause }));
}

/** The states of the project. */
async function storeOf(place: Place, project: LoadedProject): Promise<ProjectStore> {
  return (await enterProject(localWorld(place.context, place), project)).store;
}

async function projectOf({ context, config }: Place): Promise<LoadedProject> {
  return (await readProject(localWorld(context, { config }), { file: config }, "where-at-hand")).project;
}

/** The other projects in the place of the states. */
async function projects(place: Place): Promise<readonly Candidate[]> {
  const world = localWorld(place.context, place);
  const { stores, project } = await enterProject(world, { heading: await readHeading(world, place.config) });
  const names = projectsIn(await stores.kept()).filter((name) => name !== project);
  return names.map((value) => ({ value, about: "has states here" }));
}

/** Declared and tracked addresses, then the kinds. */
async function addresses(place: Place): Promise<readonly Candidate[]> {
  const project = await projectOf(place);
  const { desired } = project;
  const store = await storeOf(place, project);
  const isOneOfMany = desired.zones.length > 1;
  const found = new Map<string, string>();
  for (const zone of desired.zones) {
    const inZone = isOneOfMany ? { zone: zone.name } : {};
    for (const { kind, key, at } of zone.objects)
      found.set(
        formatAddress({ ...inZone, kind, ...(key === "" ? {} : { key }) }),
        `declared at ${formatPosition(at)}`,
      );
    for (const { kind, key } of await tracked(store, zone)) {
      const address = formatAddress({ ...inZone, kind, ...(key === "" ? {} : { key }) });
      if (!found.has(address)) found.set(address, "tracked, not declared");
    }
  }
  const kinds = new Set([...found.keys()].flatMap((address) => parseAddress(address)?.kind ?? []));
  return [
    ...[...found].map(([value, about]) => ({ value, about })),
    ...[...kinds].filter((kind) => !found.has(kind)).map((kind) => ({ value: kind, about: `every ${kindNoun(kind)}` })),
  ];
}

/** The names of declared and tracked custom hostnames. */
async function hostnames(place: Place): Promise<readonly Candidate[]> {
  const project = await projectOf(place);
  const store = await storeOf(place, project);
  const found = new Map<string, string>();
  for (const zone of project.desired.zones)
    for (const { kind, key } of [...zone.objects, ...(await tracked(store, zone))])
      if (isHostname(kind)) found.set(key, `in ${zone.name}`);
  return [...found].map(([value, about]) => ({ value, about }));
}

/** The tracked objects of a zone; empty if its state cannot be read, so that declared ones are still offered. */
async function tracked(store: ProjectStore, { id }: DesiredZone): Promise<readonly { kind: string; key: string }[]> {
  const loaded = await loadState(store, id).catch(() => undefined);
  return [...(loaded?.state.objects.values() ?? [])];
}

async function runs(place: Place): Promise<readonly Candidate[]> {
  const project = await projectOf(place);
  const found = await undoableRuns(await storeOf(place, project), project.desired.zones);
  const newest = found.length === 0 ? [] : [{ value: "last", about: "the newest of them" }];
  return [
    ...newest,
    ...found.map(({ zone, header: { run, operation = "run", began, changes } }) => ({
      value: run,
      about: `${operation} of ${moment(began)}, ${counted(changes, "change")} in ${zone.name}`,
    })),
  ];
}
