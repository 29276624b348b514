import { findRegion } from "../../cloud/regions.ts";
import type { HookContext } from "../../provider/definition.ts";
import { blockOf, textOf } from "../../values/read-value.ts";
import { isList, isMap } from "../../values/value.ts";
import { projectNumber } from "../place.ts";
import type { Refusal } from "../refusal.ts";
import type { GcpChange, GcpResource, GcpResources } from "../resource.ts";
import { countObjects } from "./count-objects.ts";

/** Locations that span several regions. */
const multiRegions = new Set(["US", "EU", "ASIA", "NAM4", "EUR4", "EUR5", "EUR7", "EUR8", "ASIA1"]);

const classes = new Set(["STANDARD", "NEARLINE", "COLDLINE", "ARCHIVE", "MULTI_REGIONAL", "REGIONAL"]);

const bucket: GcpResource = {
  noun: "Bucket",
  path: "{name}",
  api: "storage/v1/b",
  forceNew: ["location", "project", "enable_object_retention", "hierarchical_namespace", "custom_placement_config"],
  defaults: { force_destroy: false, storage_class: "STANDARD" },
  recompute: { updated: "*" },
  computedBlocks: ["soft_delete_policy"],
  takes: { create: 2, update: 1, delete: 2 },
  check: (change, context) => checkBucket(change, context),
  compute: ({ id, operation, prior, place }, { nowMs }) => ({
    url: `gs://${id}`,
    public_access_prevention: "inherited",
    uniform_bucket_level_access: false,
    rpo: "",
    project_number: Number(projectNumber(place.project)),
    soft_delete_policy: [{ retention_duration_seconds: 604_800, effective_time: new Date(nowMs).toISOString() }],
    time_created: operation === "create" ? new Date(nowMs).toISOString() : textOf(prior["time_created"]),
    updated: new Date(nowMs).toISOString(),
  }),
};

async function checkBucket(change: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  if (change.operation === "delete") return checkEmpty(change, context);
  const { id, planned } = change;
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/.test(id) || /^goog|g[o0]{2}gle/.test(id) || id.includes("..")) {
    return [{ code: "invalid", message: `Invalid bucket name: '${id}'`, path: ["name"] }];
  }
  const location = textOf(planned["location"]);
  if (!multiRegions.has(location.toUpperCase()) && findRegion("gcp", location.toLowerCase()) === undefined) {
    return [{ code: "invalid", message: `The specified location constraint is not valid.`, path: ["location"] }];
  }
  if (!classes.has(textOf(planned["storage_class"]))) {
    return [{ code: "invalid", message: `Invalid argument. Storage class is not valid.`, path: ["storage_class"] }];
  }
  const key = textOf(blockOf(planned, "encryption")["default_kms_key_name"]);
  if (key !== "" && !/^projects\/[^/]+\/locations\/[^/]+\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/.test(key)) {
    return [{ code: "invalid", message: `Malformed Cloud KMS crypto key: ${key}`, path: ["encryption"] }];
  }
  return [...checkRules(change), ...checkRetention(change)];
}

function checkRules({ planned }: GcpChange): readonly Refusal[] {
  const rules = planned["lifecycle_rule"];
  for (const [index, rule] of (isList(rules) ? rules : []).entries()) {
    const path = ["lifecycle_rule", index];
    const [action, condition] = [blockOf(isMap(rule) ? rule : {}, "action"), blockOf(isMap(rule) ? rule : {}, "condition")];
    const type = textOf(action["type"]);
    if (!["Delete", "SetStorageClass", "AbortIncompleteMultipartUpload"].includes(type)) {
      return [{ code: "invalid", message: `Invalid lifecycle action type: '${type}'`, path }];
    }
    if (type === "SetStorageClass" && !classes.has(textOf(action["storage_class"]))) {
      return [{ code: "invalid", message: "Invalid argument. Storage class is not valid.", path }];
    }
    const isSet = Object.entries(condition).some(
      ([name, value]) => !name.startsWith("send_") && value !== null && value !== "" && !(isList(value) && value.length === 0),
    );
    if (!isSet) return [{ code: "invalid", message: "A lifecycle rule must have at least one condition.", path }];
  }
  return [];
}

function checkRetention({ prior, planned }: GcpChange): readonly Refusal[] {
  const [before, after] = [blockOf(prior, "retention_policy"), blockOf(planned, "retention_policy")];
  if (before["is_locked"] !== true) return [];
  const isShorter = Number(textOf(after["retention_period"])) < Number(textOf(before["retention_period"]));
  if (after["is_locked"] === true && !isShorter) return [];
  const message = "Cannot reduce retention duration of a locked Retention Policy for bucket, or remove it.";
  return [{ code: "forbidden", message, status: 403, path: ["retention_policy"] }];
}

async function checkEmpty({ id, prior }: GcpChange, context: HookContext): Promise<readonly Refusal[]> {
  const found = await context.find({ type: "google_storage_bucket", id });
  const objects = countObjects(found);
  if (objects === 0) return [];
  const isRetained = blockOf(prior, "retention_policy")["retention_period"] !== undefined;
  if (prior["force_destroy"] === true && !isRetained) return [];
  if (isRetained && prior["force_destroy"] === true) {
    const message = `Object in bucket '${id}' is subject to bucket's retention policy or object retention and cannot be deleted or overwritten`;
    return [{ code: "retentionPolicyNotMet", message, status: 403 }];
  }
  const summary = `Error trying to delete bucket ${id} containing objects without \`force_destroy\` set to true`;
  return [{ code: "conflict", message: "The bucket you tried to delete is not empty.", status: 409, summary }];
}

const member: GcpResource = {
  noun: "BucketIamMember",
  path: "b/{bucket}/{role}/{member}",
  api: "storage/v1",
  names: [
    {
      path: "bucket",
      to: ["google_storage_bucket"],
      missing: () => ({ code: "notFound", message: "The specified bucket does not exist.", status: 404 }),
      tie: "follows",
      idOf: (written) => written.replace(/^b\//, ""),
    },
  ],
  check: async ({ operation, planned }, context) => {
    if (operation === "delete") return [];
    const who = textOf(planned["member"]);
    const isForm =
      /^(allUsers|allAuthenticatedUsers|(user|serviceAccount|group|domain|projectOwner|projectEditor|projectViewer|principal|principalSet|deleted):.+)$/;
    if (!isForm.test(who)) return [{ code: "invalid", message: `Invalid argument: member '${who}'`, path: ["member"] }];
    const home = await context.find({ type: "google_storage_bucket", id: textOf(planned["bucket"]).replace(/^b\//, "") });
    const isPublic = who === "allUsers" || who === "allAuthenticatedUsers";
    if (!isPublic || home?.attributes["public_access_prevention"] !== "enforced") return [];
    const message =
      "The member bindings allUsers and allAuthenticatedUsers are not allowed since public access prevention is enforced.";
    return [{ code: "conditionNotMet", message, status: 412, path: ["member"] }];
  },
  compute: ({ id }) => ({ etag: Buffer.from(id.length.toString()).toString("base64") }),
};

/** The Cloud Storage resource types. */
export const buckets: GcpResources = { google_storage_bucket: bucket, google_storage_bucket_iam_member: member };
