import { arnOf, hash } from "../place.ts";
import { textOf } from "../../values/read-value.ts";
import { makeId, type AwsResource } from "../resource.ts";
import { alreadyExists, deleteConflict, limitExceeded, ofRole, refuseDocument } from "./entities.ts";

const policy: AwsResource = {
  service: "IAM",
  noun: "Policy",
  calls: { update: "CreatePolicyVersion" },
  id: (planned, place, { nowMs }) => {
    const name = textOf(planned["name"]) || `${textOf(planned["name_prefix"]) || "terraform-"}${makeId("", nowMs).slice(1)}`;
    return arnOf(place, "iam", `policy${textOf(planned["path"]) || "/"}${name}`);
  },
  arn: (id) => id,
  forceNew: ["name", "name_prefix", "path", "description"],
  defaults: { path: "/" },
  limits: [{ quota: "policies", within: "", refusal: limitExceeded("PoliciesPerAccount") }],
  held: () => deleteConflict("Cannot delete a policy attached to entities."),
  check: async ({ operation, planned, id }, context) => {
    if (operation === "delete") return [];
    const isTaken = operation === "create" && (await context.find({ type: "aws_iam_policy", id })) !== undefined;
    const name = id.split("/").at(-1) ?? "";
    return [
      ...refuseDocument(textOf(planned["policy"])),
      ...(isTaken ? [alreadyExists(`A policy called ${name} already exists. Duplicate names are not allowed.`)] : []),
    ];
  },
  compute: ({ id }) => ({
    name: id.split("/").at(-1) ?? "",
    policy_id: `ANPA${hash(id).slice(0, 17).toUpperCase()}`,
    attachment_count: 0,
  }),
};

const attachment: AwsResource = {
  service: "IAM",
  noun: "Role Policy Attachment",
  calls: { create: "AttachRolePolicy", delete: "DetachRolePolicy" },
  id: (planned) => `${textOf(planned["role"])}/${textOf(planned["policy_arn"])}`,
  forceNew: ["role", "policy_arn"],
  names: [
    ofRole("role", "holds"),
    {
      path: "policy_arn",
      to: ["aws_iam_policy"],
      missing: (arn) => ({ code: "NoSuchEntity", message: `Policy ${arn} does not exist or is not attachable.`, status: 404 }),
      tie: "holds",
      // AWS managed policies always exist, so they are not looked up.
      idOf: (arn) => (/^arn:[a-z-]+:iam::aws:policy\//.test(arn) ? undefined : arn),
    },
  ],
  limits: [{ quota: "policies-per-role", within: "role", refusal: limitExceeded("PoliciesPerRole") }],
};

const identityProvider: AwsResource = {
  service: "IAM",
  noun: "OIDC Provider",
  calls: {
    create: "CreateOpenIDConnectProvider",
    update: "UpdateOpenIDConnectProviderThumbprint",
    delete: "DeleteOpenIDConnectProvider",
  },
  id: (planned, place) => arnOf(place, "iam", `oidc-provider/${textOf(planned["url"]).replace(/^https:\/\//, "")}`),
  arn: (id) => id,
  forceNew: ["url"],
  limits: [{ quota: "identity-providers", within: "", refusal: limitExceeded("OpenIdConnectProvidersPerAccount") }],
  check: async ({ operation, id }, context) =>
    operation === "create" && (await context.find({ type: "aws_iam_openid_connect_provider", id })) !== undefined
      ? [alreadyExists(`Provider with url ${id.slice(id.indexOf("/") + 1)} already exists.`)]
      : [],
  compute: ({ id }) => ({ thumbprint_list: [hash(id).slice(0, 40)] }),
};

/** The IAM policy resource types. */
export const policies = {
  aws_iam_policy: policy,
  aws_iam_role_policy_attachment: attachment,
  aws_iam_openid_connect_provider: identityProvider,
} as const;
