import { cloudOf, findAccount, type EntityJson, type JsonObject } from "@cloudwright/contract";
import { findCloud } from "@cloudwright/contract/clouds";
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
    const [instance, former] = [textAt(spec, "instance"), textAt(before?.spec ?? {}, "instance")];
    if (instance === former || instance === "") return;
    // Of several concurrent requests, the first one is stored. The others start over and find its instance here.
    if (former !== "") {
      const message = `the volume is attached to Instance "${former}", so it cannot be attached to "${instance}"; detach it first`;
      throw new Fault(apiFaults.volume_attached, message);
    }
    const fields = await checkAccount(pool, project, instance, textAt(spec, "account"));
    if (fields.length > 0) throw invalid("the Volume", fields);
  },
  async requireUnused(_deps, row) {
    const instance = textAt(parseEntity(row.object).spec, "instance");
    if (instance === "") return;
    const message = `Volume "${row.name}" is attached to Instance "${instance}"; detach it first`;
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

async function checkAccount(pool: Database, project: string, instance: string, account: string): Promise<FieldViolation[]> {
  const row = await findEntity(pool, { kind: "Instance", project, namingScope: "", ref: instance });
  if (row === undefined) return [];
  if (textAt(parseEntity(row.object).spec, "inventory") !== "") {
    const message = `is "${instance}", which is a machine of an inventory; volumes can be attached to created instances only`;
    return [{ field: "spec.instance", message }];
  }
  const lineage = (await findLineage(pool, row.uid)).map(({ kind, object }) => ({ kind, entity: parseEntity(object) }));
  const other = findAccount(lineage)?.entity.metadata.name ?? "";
  if (other === account) return [];
  const message = `is "${instance}", which is in the account "${other}", but the volume is in "${account}"`;
  return [{ field: "spec.instance", message }];
}
