import { arnOf, hash } from "./place.ts";
import { textOf } from "../values/read-value.ts";
import { makeId, type AwsResource } from "./resource.ts";

const key: AwsResource = {
  service: "KMS",
  noun: "Key",
  calls: { update: "UpdateKeyDescription", delete: "ScheduleKeyDeletion" },
  id: (_planned, _place, { nowMs }) =>
    hash(makeId("key", nowMs)).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5"),
  arn: (id, _attributes, place) => arnOf(place, "kms", `key/${id}`),
  forceNew: ["customer_master_key_spec", "key_usage", "multi_region", "custom_key_store_id"],
  defaults: {
    enable_key_rotation: false,
    is_enabled: true,
    key_usage: "ENCRYPT_DECRYPT",
    customer_master_key_spec: "SYMMETRIC_DEFAULT",
    bypass_policy_lockout_safety_check: false,
  },
  takes: { create: 5, delete: 1 },
  validate: ({ deletion_window_in_days: days }) =>
    typeof days === "number" && (days < 7 || days > 30)
      ? [
          {
            summary: `expected deletion_window_in_days to be in the range (7 - 30), got ${days}`,
            path: ["deletion_window_in_days"],
          },
        ]
      : [],
  compute: ({ id, place }) => ({
    key_id: id,
    rotation_period_in_days: 365,
    multi_region: false,
    description: "",
    policy: JSON.stringify({
      Id: "key-default-1",
      Statement: [
        {
          Action: "kms:*",
          Effect: "Allow",
          Principal: { AWS: arnOf(place, "iam", "root") },
          Resource: "*",
          Sid: "Enable IAM User Permissions",
        },
      ],
      Version: "2012-10-17",
    }),
  }),
};

const alias: AwsResource = {
  service: "KMS",
  noun: "Alias",
  calls: { update: "UpdateAlias" },
  id: (planned, _place, { nowMs }) =>
    textOf(planned["name"]) || `${textOf(planned["name_prefix"]) || "alias/"}${makeId("", nowMs).slice(1)}`,
  arn: (id, _attributes, place) => arnOf(place, "kms", id),
  forceNew: ["name", "name_prefix"],
  names: [
    {
      path: "target_key_id",
      to: ["aws_kms_key"],
      missing: (id) => ({ code: "NotFoundException", message: `Key '${id}' does not exist`, status: 400 }),
      tie: "follows",
      idOf: (written) => written.split("/").at(-1),
    },
  ],
  validate: ({ name }) =>
    typeof name === "string" && !/^alias\/[a-zA-Z0-9/_-]+$/.test(name)
      ? [{ summary: `"name" must begin with 'alias/' and be comprised of only [a-zA-Z0-9/_-]`, path: ["name"] }]
      : [],
  check: async ({ operation, id, place }, context) =>
    operation === "create" && (await context.find({ type: "aws_kms_alias", id })) !== undefined
      ? [{ code: "AlreadyExistsException", message: `An alias with the name ${arnOf(place, "kms", id)} already exists` }]
      : [],
  compute: ({ id, planned, place }) => ({
    name: id,
    target_key_arn: arnOf(place, "kms", `key/${textOf(planned["target_key_id"]).split("/").at(-1) ?? ""}`),
  }),
};

const logGroup: AwsResource = {
  service: "CloudWatch Logs",
  noun: "Log Group",
  calls: { update: "PutRetentionPolicy" },
  id: (planned, _place, { nowMs }) =>
    textOf(planned["name"]) || `${textOf(planned["name_prefix"]) || "terraform-"}${makeId("", nowMs).slice(1)}`,
  arn: (id, _attributes, place) => arnOf(place, "logs", `log-group:${id}`),
  forceNew: ["name", "name_prefix", "log_group_class"],
  defaults: { retention_in_days: 0, skip_destroy: false },
  check: async ({ operation, id }, context) =>
    operation === "create" && (await context.find({ type: "aws_cloudwatch_log_group", id })) !== undefined
      ? [{ code: "ResourceAlreadyExistsException", message: "The specified log group already exists" }]
      : [],
  compute: ({ id }) => ({ name: id, log_group_class: "STANDARD", deletion_protection_enabled: false }),
};

/** The KMS and CloudWatch Logs resource types. */
export const keysAndLogs = { aws_kms_key: key, aws_kms_alias: alias, aws_cloudwatch_log_group: logGroup } as const;
