import { cloudOf, findAccount, type EntityJson, type JsonObject } from "@cloudwright/contract";
import { findCloud, type CloudFacts, type RegionFacts } from "@cloudwright/contract/clouds";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import { findEntity, findLineage, type Database } from "@cloudwright/store";
import { invalid } from "../calls/decode.ts";
import { parseEntity } from "../calls/trace-call.ts";
import { findSource, type Source } from "../entities/find-source.ts";
import { textAt } from "../entities/json-tree.ts";
import { apiFaults } from "../faults.ts";
import type { KindRules } from "./kind-rules.ts";

export const volumeRules: KindRules = {
  async resolve(deps, target, spec) {
    const ref = textAt(spec, "sourceSnapshot");
    if (ref === "") return { ...spec, sourceSnapshotUid: "" };
    const field = "spec.sourceSnapshot";
    const snapshot = await findSource(deps, target, { kind: "VolumeSnapshot", ref, field });
    const misfit = describeMisfit(snapshot, spec);
    if (misfit !== undefined) throw invalid("the Volume", [misfit]);
    return { ...spec, sourceSnapshot: snapshot.name, sourceSnapshotUid: snapshot.uid };
  },
  normalise: (spec, current) =>
    Object.keys(current).length === 0 ? spec : { ...spec, sourceSnapshotUid: textAt(current, "sourceSnapshotUid") },
  checkAgainstOwner(_spec, { name, spec }) {
    const cloud = findCloud(cloudOf(spec) ?? "");
    if (cloud === undefined || cloud.hasVolumes === true) return [];
    const message = `is "${name}", which is in ${cloud.title}; this release cannot create volumes in ${cloud.title}. For a volume of a cluster, create an entity of the kind Storage`;
    return [{ field: "spec.account", message }];
  },
  checkChange(current, spec) {
    const [size, desired] = [sizeOf(current), Number(spec["sizeGib"])];
    if (desired >= size) return [];
    const message = `is ${desired}, but the volume has ${size} GiB and volumes cannot shrink; create a new one instead`;
    return [{ field: "spec.sizeGib", message }];
  },
  async admit({ pool }, _call, { project, spec, before }) {
    const requested = textAt(before?.spec ?? {}, "instance");
    const instance = textAt(spec, "instance");
    if (instance === requested || instance === "") return;
    // Of several concurrent requests, the first one is stored. The others start over and find its instance here. A detachment can fail, so
    // the volume may still be attached although its spec names no instance.
    const former = requested || textAt(before?.status ?? {}, "attachedTo");
    if (former !== "" && former !== instance) {
      const message = `the volume is attached to Instance "${former}", so it cannot be attached to "${instance}"; detach it first`;
      throw new Fault(apiFaults.volume_attached, message);
    }
    const fields = await checkPlace(pool, project, instance, spec);
    if (fields.length > 0) throw invalid("the Volume", fields);
  },
  async requireUnused(_deps, row) {
    const { spec, status } = parseEntity(row.object);
    const instance = textAt(spec, "instance") || textAt(status, "attachedTo");
    if (instance === "") return;
    const message = `Volume "${row.name}" is attached to Instance "${instance}"; detach it first and wait until it is detached`;
    throw new Fault(apiFaults.volume_attached, message);
  },
};

/** Returns why a volume cannot be created from a snapshot. */
function describeMisfit({ name, accountUid, entity }: Source, spec: JsonObject): FieldViolation | undefined {
  const [account, own] = [textAt(spec, "account"), textAt(entity.spec, "account")];
  const field = "spec.sourceSnapshot";
  if (account !== own && account !== accountUid)
    return { field, message: `is "${name}", which is in the account "${own}", but the volume is in "${account}"` };
  if (textAt(entity.status, "snapshotId") === "")
    return { field, message: `is "${name}", which is ${textAt(entity.status, "phase")}; wait until it is RUNNING` };
  const [size, least] = [Number(spec["sizeGib"]), Number(entity.status["sizeGib"] ?? 0)];
  if (size >= least) return undefined;
  return { field: "spec.sizeGib", message: `is ${size}, but the snapshot "${name}" has ${least} GiB; use at least ${least}` };
}

/** Returns the size that the volume has or soon will have. A size that was never built can be reduced again. */
function sizeOf({ spec, status }: Pick<EntityJson, "spec" | "status">): number {
  const isBuilt = textAt(status, "phase") === "RUNNING";
  return Number((isBuilt ? spec : status)["sizeGib"] ?? 0);
}

/** Checks that an instance is in the account, the region and the zone of the volume. */
async function checkPlace(pool: Database, project: string, instance: string, spec: JsonObject): Promise<FieldViolation[]> {
  const row = await findEntity(pool, { kind: "Instance", project, namingScope: "", ref: instance });
  if (row === undefined) return [];
  if (textAt(parseEntity(row.object).spec, "inventory") !== "") {
    const message = `is "${instance}", which is a machine of an inventory; volumes can be attached to created instances only`;
    return [{ field: "spec.instance", message }];
  }
  const lineage = (await findLineage(pool, row.uid)).map(({ kind, object }) => ({ kind, entity: parseEntity(object) }));
  const account = findAccount(lineage)?.entity;
  const refuse = (what: string, own: string, other: string): FieldViolation[] => [
    { field: "spec.instance", message: `is "${instance}", which is in the ${what} "${other}", but the volume is in "${own}"` },
  ];
  const accounts = [textAt(spec, "account"), account?.metadata.name ?? ""] as const;
  if (accounts[0] !== accounts[1]) return refuse("account", ...accounts);
  const network = lineage.find(({ kind }) => kind === "Network")?.entity.spec ?? {};
  const regions = [textAt(spec, "region"), textAt(network, "region")] as const;
  if (regions[0] !== regions[1]) return refuse("region", ...regions);
  const facts = findCloud(cloudOf(account?.spec ?? {}) ?? "");
  const machine = parseEntity(row.object);
  if (facts === undefined) return [];
  const zones = [findVolumeZone(facts, spec), findInstanceZone(facts, machine, network)] as const;
  return zones[0] === zones[1] || zones[1] === "" ? [] : refuse("zone", ...zones);
}

/** Returns the full name of a volume's zone: the one that its spec names, or the region's first zone. */
function findVolumeZone({ regions }: CloudFacts, spec: JsonObject): string {
  return renderZone(regions, textAt(spec, "region"), textAt(spec, "zone") || firstZoneOf(regions, spec));
}

/** Returns the full name of an instance's zone. Empty if its subnet determines the zone and the instance has not been built yet. */
function findInstanceZone({ regions }: CloudFacts, { spec, status }: EntityJson, network: JsonObject): string {
  const built = textAt(status, "zone");
  if (built !== "") return built;
  if (textAt(spec, "zone") === "" && textAt(spec, "subnet") !== "") return "";
  const [first] = Array.isArray(network["zones"]) ? network["zones"] : [];
  const standard = typeof first === "string" ? first : firstZoneOf(regions, network);
  return renderZone(regions, textAt(network, "region"), textAt(spec, "zone") || standard);
}

function firstZoneOf({ findDefaultZones, defaultZones }: RegionFacts, spec: JsonObject): string {
  return (findDefaultZones?.(textAt(spec, "region")) ?? defaultZones)[0] ?? "";
}

function renderZone(regions: RegionFacts, region: string, zone: string): string {
  return zone === "" ? "" : regions.renderZone(region, zone);
}
