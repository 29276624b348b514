import type { JsonObject } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { claimPart, findEntity, listClaims, type Database, type EntityRow } from "@cloudwright/store";
import { invalid } from "../calls/decode.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { isObject, textAt } from "../entities/json-tree.ts";
import { apiFaults } from "../faults.ts";
import type { PlacedEntity, WrittenEntity } from "./kind-rules.ts";

/** Returns the hosts in the spec of an inventory, as JSON. */
export function hostsOf(spec: JsonObject): JsonObject[] {
  const { hosts } = spec;
  return Array.isArray(hosts) ? (hosts.filter(isObject) as JsonObject[]) : [];
}

/**
 * Chooses the host that a new instance claims and returns the completed spec. Returns undefined if the spec names the host. Throws if no host
 * is free, ready and labelled as required.
 */
export async function chooseHost(pool: Database, { project, ownerUid, spec }: PlacedEntity): Promise<JsonObject | undefined> {
  const inventory = await readInventory(pool, project, ownerUid);
  const { hosts, states, name } = inventory;
  const wanted = textAt(spec, "host");
  const taken = new Map((await listClaims(pool, [ownerUid])).map((claim) => [claim.part, claim.name]));
  const refusals = hosts.map((host) => ({ host, why: findMisfit(host, spec, states, taken) }));
  if (wanted === "") {
    const free = refusals.find(({ why }) => why === undefined);
    if (free !== undefined) return { ...spec, host: textAt(free.host, "name") };
    const reasons = refusals.map(({ host, why }) => `${textAt(host, "name")} ${why ?? ""}`).slice(0, mostReasons);
    const more = refusals.length > mostReasons ? `, and ${refusals.length - mostReasons} more` : "";
    const message = `no host of Inventory "${name}" can be claimed: ${reasons.join(", ") || "it has no hosts"}${more}`;
    throw new Fault(apiFaults.no_free_host, message);
  }
  const host = hosts.find((each) => textAt(each, "name") === wanted);
  if (host === undefined)
    throw invalid("the Instance", [
      { field: "spec.host", message: `is "${wanted}", which is not a host of Inventory "${name}"` },
    ]);
  const label = findMissingLabel(host, spec);
  if (label !== undefined)
    throw invalid("the Instance", [
      { field: "spec.hostLabels", message: `require ${label}, but host "${wanted}" does not have it` },
    ]);
  if (taken.has(wanted)) throw refuseClaimed(wanted, name);
  return undefined;
}

const mostReasons = 10;

/** Claims the host of a new instance, inside the transaction that inserts the instance. */
export async function claimHost(database: Database, { uid, project, ownerUid, spec }: WrittenEntity): Promise<void> {
  const part = textAt(spec, "host");
  const { hosts, name } = await readInventory(database, project, ownerUid);
  if (!hosts.some((host) => textAt(host, "name") === part)) {
    throw new Fault(apiFaults.host_claimed, `host "${part}" was removed from Inventory "${name}" in the meantime`);
  }
  if (!(await claimPart(database, { ownerUid, part, entityUid: uid }))) throw refuseClaimed(part, name);
}

/** Returns whether the host that an instance has claimed has a management controller. */
export async function hasController(
  pool: Database,
  { project, spec }: { readonly project: string; readonly spec: JsonObject },
): Promise<boolean> {
  const { hosts } = await readInventory(pool, project, textAt(spec, "inventory"));
  const host = hosts.find((each) => textAt(each, "name") === textAt(spec, "host"));
  return isObject(host?.["bmc"]);
}

interface ReadInventory {
  readonly name: string;
  readonly hosts: readonly JsonObject[];
  /** What the last check found, keyed by host. */
  readonly states: ReadonlyMap<string, string>;
}

async function readInventory(database: Database, project: string, ref: string): Promise<ReadInventory> {
  const row: EntityRow | undefined = await findEntity(database, { kind: "Inventory", project, namingScope: "", ref });
  if (row === undefined) throw invalid("the Instance", [{ field: "spec.inventory", message: `Inventory "${ref}" not found` }]);
  const { spec, status } = parseEntity(row.object);
  const found = Array.isArray(status["hosts"]) ? (status["hosts"].filter(isObject) as JsonObject[]) : [];
  return {
    name: row.name,
    hosts: hostsOf(spec),
    states: new Map(found.map((host) => [textAt(host, "name"), textAt(host, "state")])),
  };
}

/** Says why a host cannot be chosen. Returns undefined if it can. */
function findMisfit(
  host: JsonObject,
  spec: JsonObject,
  states: ReadInventory["states"],
  taken: ReadonlyMap<string, string>,
): string | undefined {
  const name = textAt(host, "name");
  const user = taken.get(name);
  if (user !== undefined) return user === "" ? "is claimed" : `is claimed by Instance "${user}"`;
  const label = findMissingLabel(host, spec);
  if (label !== undefined) return `lacks the label ${label}`;
  const state = states.get(name) ?? "";
  if (state === "READY") return undefined;
  return state === "" ? "has not been checked yet" : `is ${state}`;
}

/** Returns a required label that a host does not have, as `key=value`. */
function findMissingLabel(host: JsonObject, spec: JsonObject): string | undefined {
  const [own, wanted] = [host["labels"], spec["hostLabels"]].map((labels) => (isObject(labels) ? labels : {})) as [
    JsonObject,
    JsonObject,
  ];
  const missing = Object.entries(wanted).find(([key, value]) => own[key] !== value);
  return missing && `${missing[0]}=${textAt(wanted, missing[0])}`;
}

function refuseClaimed(host: string, inventory: string): Fault {
  return new Fault(apiFaults.host_claimed, `host "${host}" of Inventory "${inventory}" is claimed by another instance`);
}
