import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { findOrigin } from "../../configuration-origin.ts";
import { deployerFaults } from "../../faults.ts";
import { getNetwork } from "../../find-network.ts";
import { findProject } from "../../network/gcp/find-project.ts";
import { renderTags } from "../../render-tags.ts";
import type { Stack } from "../../stack.ts";
import { createBucketGuard } from "../guard-bucket.ts";
import { listGrants } from "./bucket-policy.ts";
import { findDefaultZone, renderKind } from "./variables.ts";

/** A Cloud Storage bucket or a disk. */
export const gcpStorage: Stack<"Storage"> = {
  service: "storage",
  cloud: "gcp",
  variables(entity, account, around, version) {
    const { region } = getNetwork(entity, around);
    return {
      name: entity.name,
      project: findProject(account) ?? null,
      region,
      ...renderKind(entity, {
        region,
        version,
        origin: findOrigin(around.outputs, version),
        lockedDays: Number(around.outputs["locked_retention_days"] ?? 0),
      }),
      owner: { project: entity.project, entity: entity.uid },
      labels: renderTags("gcp", entity),
    };
  },
  removalVariables(entity, around) {
    const { name, project, uid, spec } = entity;
    const { region } = getNetwork(entity, around);
    // When a bucket is deleted, only `forceDestroy` matters.
    const kind =
      spec.type.case === "volume"
        ? { volume: { zone: findDefaultZone(region), size_gib: 1 } }
        : { bucket: { force_destroy: spec.type.value?.forceDestroy ?? false } };
    return { name, region, ...kind, owner: { project, entity: uid } };
  },
  environment: () => ({}),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, { resource_id: "text", domain_name: "text" });
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the outputs of the storage configuration are invalid: ${said}`);
    }
    return values;
  },
  ...createBucketGuard(/delete bucket (\S+) containing objects without/),
  // Grants do not have labels. A grant from the spec has the key `role member`; grants by others are left unchanged.
  findUntagged({ type, names }, tagged, _declares, { spec }) {
    if (type !== "google_storage_bucket_iam_member") return undefined;
    const isOwn = names.some((name) => tagged.get(name.replace(/^b\//, ""))?.startsWith("google_storage_bucket.") === true);
    const { policy } = spec.type.case === "bucket" ? spec.type.value : { policy: undefined };
    const grant = isOwn
      ? listGrants(policy).find(({ role, member }) => names.includes(role) && names.includes(member))
      : undefined;
    return grant === undefined ? undefined : `${type}.this[${JSON.stringify(`${grant.role} ${grant.member}`)}]`;
  },
};
