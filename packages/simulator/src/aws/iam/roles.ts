import { arnOf, hash, type Place } from "../place.ts";
import { textOf } from "../../values/read-value.ts";
import { makeId, type AwsResource } from "../resource.ts";
import type { ValueMap } from "../../values/value.ts";
import { alreadyExists, deleteConflict, limitExceeded, ofRole, refuseDocument } from "./entities.ts";

function nameOf(planned: ValueMap, nowMs: number): string {
  return textOf(planned["name"]) || `${textOf(planned["name_prefix"]) || "terraform-"}${makeId("", nowMs).slice(1)}`;
}

function pathOf(attributes: ValueMap): string {
  return textOf(attributes["path"]) || "/";
}

const role: AwsResource = {
  service: "IAM",
  noun: "Role",
  calls: { update: "UpdateRole" },
  id: (planned, _place, { nowMs }) => nameOf(planned, nowMs),
  arn: (id, attributes, place) => arnOf(place, "iam", `role${pathOf(attributes)}${id}`),
  forceNew: ["name", "name_prefix", "path"],
  defaults: { path: "/", max_session_duration: 3600, force_detach_policies: false },
  limits: [{ quota: "roles", within: "", refusal: limitExceeded("RolesPerAccount") }],
  held: (_id, holder) =>
    holder.type === "aws_iam_instance_profile"
      ? deleteConflict("Cannot delete entity, must remove roles from instance profile first.")
      : holder.type === "aws_iam_role_policy"
        ? deleteConflict("Cannot delete entity, must delete policies first.")
        : deleteConflict("Cannot delete entity, must detach all policies first."),
  takes: { create: 1, delete: 1 },
  validate: ({ name }) =>
    typeof name === "string" && !/^[\w+=,.@-]{1,64}$/.test(name)
      ? [{ summary: `invalid value for name (must match [\\w+=,.@-], at most 64 characters)`, path: ["name"] }]
      : [],
  check: async ({ operation, planned, id }, context) => {
    if (operation === "delete") return [];
    const isTaken = operation === "create" && (await context.find({ type: "aws_iam_role", id })) !== undefined;
    return [
      ...refuseDocument(textOf(planned["assume_role_policy"])),
      ...(isTaken ? [alreadyExists(`Role with name ${id} already exists.`)] : []),
    ];
  },
  compute: ({ id, place }, { nowMs }) => ({
    name: id,
    unique_id: uniqueId("AROA", id, place),
    create_date: new Date(nowMs).toISOString(),
  }),
};

const rolePolicy: AwsResource = {
  service: "IAM",
  noun: "Role Policy",
  calls: { create: "PutRolePolicy", update: "PutRolePolicy", delete: "DeleteRolePolicy" },
  id: (planned, _place, { nowMs }) => `${textOf(planned["role"])}:${nameOf(planned, nowMs)}`,
  forceNew: ["name", "name_prefix", "role"],
  names: [ofRole("role", "holds")],
  check: ({ operation, planned }) => (operation === "delete" ? [] : refuseDocument(textOf(planned["policy"]))),
  compute: ({ id }) => ({ name: id.slice(id.indexOf(":") + 1) }),
};

const instanceProfile: AwsResource = {
  service: "IAM",
  noun: "Instance Profile",
  calls: { update: "AddRoleToInstanceProfile" },
  id: (planned, _place, { nowMs }) => nameOf(planned, nowMs),
  arn: (id, attributes, place) => arnOf(place, "iam", `instance-profile${pathOf(attributes)}${id}`),
  forceNew: ["name", "name_prefix", "path"],
  defaults: { path: "/" },
  names: [ofRole("role", "holds")],
  limits: [{ quota: "instance-profiles", within: "", refusal: limitExceeded("InstanceProfilesPerAccount") }],
  check: async ({ operation, id }, context) =>
    operation === "create" && (await context.find({ type: "aws_iam_instance_profile", id })) !== undefined
      ? [alreadyExists(`Instance Profile ${id} already exists.`)]
      : [],
  compute: ({ id, place }, { nowMs }) => ({
    name: id,
    unique_id: uniqueId("AIPA", id, place),
    create_date: new Date(nowMs).toISOString(),
  }),
};

const serviceLinkedRole: AwsResource = {
  service: "IAM",
  noun: "Service Linked Role",
  id: (planned, place) => {
    const service = textOf(planned["aws_service_name"]);
    const name = service.split(".")[0] ?? "";
    return arnOf(
      place,
      "iam",
      `role/aws-service-role/${service}/AWSServiceRoleFor${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    );
  },
  arn: (id) => id,
  forceNew: ["aws_service_name", "custom_suffix"],
  check: async ({ operation, id }, context) =>
    operation === "create" && (await context.find({ type: "aws_iam_service_linked_role", id })) !== undefined
      ? [
          {
            code: "InvalidInput",
            message: `Service role name ${id.split("/").at(-1) ?? ""} has been taken in this account, please try a different suffix.`,
          },
        ]
      : [],
  compute: ({ id }, { nowMs }) => ({
    name: id.split("/").at(-1) ?? "",
    path: `/${id.split("/").slice(1, -1).join("/")}/`,
    create_date: new Date(nowMs).toISOString(),
  }),
};

function uniqueId(prefix: string, name: string, { account }: Place): string {
  return `${prefix}${hash(`${account} ${name}`).slice(0, 17).toUpperCase()}`;
}

/** The IAM role resource types. */
export const roles = {
  aws_iam_role: role,
  aws_iam_role_policy: rolePolicy,
  aws_iam_instance_profile: instanceProfile,
  aws_iam_service_linked_role: serviceLinkedRole,
} as const;
