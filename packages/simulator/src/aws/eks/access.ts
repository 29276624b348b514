import type { HookContext } from "../../provider/definition.ts";
import { arnOf, hash } from "../place.ts";
import { blockOf, textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { AwsChange, AwsResource } from "../resource.ts";
import { findRole } from "../iam/entities.ts";
import { badParameter, inSubnets, inUse, ofCluster, refuseRole } from "./refusals.ts";
import { findAddonVersion, isAddonVersion } from "./versions.ts";

const addon: AwsResource = {
  service: "EKS",
  noun: "Add-On",
  calls: { create: "CreateAddon", update: "UpdateAddon", delete: "DeleteAddon" },
  id: (planned) => `${textOf(planned["cluster_name"])}:${textOf(planned["addon_name"])}`,
  arn: (id, _attributes, place) => arnOf(place, "eks", `addon/${id.replace(":", "/")}/${hash(id).slice(0, 32)}`),
  forceNew: ["cluster_name", "addon_name"],
  defaults: { preserve: false },
  recompute: { modified_at: "*" },
  names: [ofCluster("follows")],
  takes: { create: 45, update: 45, delete: 20 },
  check: async ({ operation, planned, id }, context) => {
    if (operation === "delete") return [];
    if (operation === "create" && (await context.find({ type: "aws_eks_addon", id })) !== undefined) {
      return [inUse("Addon already exists.")];
    }
    const name = textOf(planned["addon_name"]);
    const version = await versionOfCluster(planned, context);
    if (findAddonVersion(name, version) === undefined) {
      return [badParameter(`Addon ${name} specified is not supported in ${version} kubernetes version`, "addon_name")];
    }
    const wanted = textOf(planned["addon_version"]);
    return wanted === "" || isAddonVersion(wanted)
      ? []
      : [badParameter("Addon version specified is not supported", "addon_version")];
  },
  compute: async ({ planned }, context) => ({
    addon_version: findAddonVersion(textOf(planned["addon_name"]), await versionOfCluster(planned, context)) ?? "",
    created_at: new Date(context.nowMs).toISOString(),
    modified_at: new Date(context.nowMs).toISOString(),
  }),
};

const entry: AwsResource = {
  service: "EKS",
  noun: "Access Entry",
  calls: { update: "UpdateAccessEntry" },
  id: (planned) => `${textOf(planned["cluster_name"])}:${textOf(planned["principal_arn"])}`,
  forceNew: ["cluster_name", "principal_arn", "type"],
  defaults: { type: "STANDARD" },
  recompute: { modified_at: "*" },
  names: [ofCluster("follows")],
  check: (change, context) => (change.operation === "create" ? checkEntry(change, context) : []),
  compute: ({ id, planned, place }, { nowMs }) => ({
    access_entry_arn: arnOf(place, "eks", `access-entry/${textOf(planned["cluster_name"])}/${hash(id).slice(0, 32)}`),
    user_name: textOf(planned["principal_arn"]),
    created_at: new Date(nowMs).toISOString(),
    modified_at: new Date(nowMs).toISOString(),
  }),
};

const policyAssociation: AwsResource = {
  service: "EKS",
  noun: "Access Policy Association",
  calls: { create: "AssociateAccessPolicy", delete: "DisassociateAccessPolicy" },
  id: (planned) => ["cluster_name", "principal_arn", "policy_arn"].map((name) => textOf(planned[name])).join("#"),
  forceNew: ["cluster_name", "principal_arn", "policy_arn", "access_scope"],
  names: [ofCluster("follows")],
  check: async ({ operation, planned }, context) => {
    if (operation === "delete") return [];
    const [cluster, principal] = [textOf(planned["cluster_name"]), textOf(planned["principal_arn"])];
    const policy = textOf(planned["policy_arn"]);
    const found = await context.find({ type: "aws_eks_access_entry", id: `${cluster}:${principal}` });
    const unknownEntry: Refusal = {
      code: "ResourceNotFoundException",
      message: `The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.`,
      status: 404,
    };
    return [
      ...(found === undefined ? [unknownEntry] : []),
      ...(/^arn:[a-z-]+:eks::aws:cluster-access-policy\/AmazonEKS\w+$/.test(policy)
        ? []
        : [badParameter("The policyArn parameter format is not valid", "policy_arn")]),
    ];
  },
  compute: (_change, { nowMs }) => ({
    associated_at: new Date(nowMs).toISOString(),
    modified_at: new Date(nowMs).toISOString(),
  }),
};

const podIdentity: AwsResource = {
  service: "EKS",
  noun: "Pod Identity Association",
  calls: { update: "UpdatePodIdentityAssociation" },
  id: "a",
  forceNew: ["cluster_name", "namespace", "service_account"],
  names: [ofCluster("follows")],
  check: async ({ operation, planned }, context) => {
    if (operation === "delete") return [];
    const same = ["cluster_name", "namespace", "service_account"];
    const twin = (await context.list("aws_eks_pod_identity_association")).find(({ attributes }) =>
      same.every((name) => attributes[name] === planned[name]),
    );
    return [
      ...(operation === "create" && twin !== undefined ? [inUse(`Association already exists: ${twin.id}`)] : []),
      ...(await refuseRole(textOf(planned["role_arn"]), "pods.eks.", context, (arn) =>
        badParameter(`Role provided in the request does not exist or does not trust pods.eks.amazonaws.com: ${arn}`, "role_arn"),
      )),
    ];
  },
  compute: ({ id, planned, place }) => ({
    association_id: id,
    association_arn: arnOf(place, "eks", `podidentityassociation/${textOf(planned["cluster_name"])}/${id}`),
    disable_session_tags: false,
    external_id: "",
  }),
};

const fargateProfile: AwsResource = {
  service: "EKS",
  noun: "Fargate Profile",
  id: (planned) => `${textOf(planned["cluster_name"])}:${textOf(planned["fargate_profile_name"])}`,
  arn: (id, _attributes, place) => arnOf(place, "eks", `fargateprofile/${id.replace(":", "/")}/${hash(id).slice(0, 32)}`),
  forceNew: ["cluster_name", "fargate_profile_name", "pod_execution_role_arn", "subnet_ids", "selector"],
  names: [ofCluster("holds"), inSubnets("subnet_ids")],
  takes: { create: 90, delete: 90 },
  compute: () => ({ status: "ACTIVE" }),
};

async function versionOfCluster(planned: AwsChange["planned"], context: HookContext): Promise<string> {
  const cluster = await context.find({ type: "aws_eks_cluster", id: textOf(planned["cluster_name"]) });
  return textOf(cluster?.attributes["version"]);
}

async function checkEntry({ id, planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  const cluster = await context.find({ type: "aws_eks_cluster", id: textOf(planned["cluster_name"]) });
  const mode = textOf(blockOf(cluster?.attributes, "access_config")["authentication_mode"]);
  if (cluster !== undefined && mode === "CONFIG_MAP") {
    const message =
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.";
    return [{ code: "InvalidRequestException", message }];
  }
  if ((await context.find({ type: "aws_eks_access_entry", id })) !== undefined) {
    return [inUse("The specified access entry resource is already in use on this cluster.")];
  }
  const arn = textOf(planned["principal_arn"]);
  const isUser = /^arn:[a-z-]+:iam::\d{12}:user\//.test(arn);
  return isUser || (await findRole(arn, context)) !== undefined
    ? []
    : [badParameter("The specified principalArn is invalid: invalid principal.", "principal_arn")];
}

/** The EKS add-on, access entry and pod identity resource types. */
export const access = {
  aws_eks_addon: addon,
  aws_eks_access_entry: entry,
  aws_eks_access_policy_association: policyAssociation,
  aws_eks_pod_identity_association: podIdentity,
  aws_eks_fargate_profile: fargateProfile,
} as const;
