import { Fault } from "@cloudwright/platform";
import { pickOutputs } from "@cloudwright/terraform";
import { deployerFaults } from "../faults.ts";
import { getNetwork, type NetworkFacts } from "../find-network.ts";
import { numberOf, objectOf, textOf, textsOf } from "../read-spec.ts";
import type { Stack } from "../stack.ts";
import type { DeployedEntity, Json, JsonObject } from "../task.ts";
import { renderNodePools } from "./node-pools.ts";

const wanted = {
  cluster_name: "text",
  cluster_arn: "text",
  endpoint: "text",
  certificate_authority: "text",
  version: "text",
  security_group_id: "text",
  oidc_issuer: "text",
  oidc_provider_arn: "text",
  cluster_role_arn: "text",
  node_role_arn: "text",
  node_group_names: "texts",
  ready_nodes: "number",
} as const;

/** A cluster in AWS: EKS, with a managed node group for each pool. */
export const awsKubernetes: Stack = {
  service: "cluster",
  folder: "kubernetes",
  cloud: "aws",
  variables(entity, _account, around) {
    refuseExtras(entity);
    const network = getNetwork(entity, around);
    const { spec } = entity;
    const { serviceCidr } = objectOf(spec["networking"]);
    const aws = objectOf(spec["aws"]);
    return {
      name: entity.name,
      region: network.region,
      kubernetes_version: parseVersion(entity),
      subnets: chooseSubnets(entity, network),
      endpoint: renderEndpoint(spec["endpoint"]),
      service_cidr: textOf(serviceCidr) || null,
      log_types: textsOf(aws["logTypes"]),
      roles: { cluster: textOf(aws["eksRoleArn"]) || null, nodes: textOf(aws["nodeRoleArn"]) || null },
      node_pools: renderNodePools(entity, around.nodePools, network.region),
      owner: { project: entity.project, entity: entity.uid },
      tags: { ...entity.labels },
    };
  },
  environment: () => ({}),
  status(outputs) {
    const { values, problems } = pickOutputs(outputs, wanted);
    if (problems.length > 0) {
      const said = problems.map(({ field, message }) => `${field} ${message}`).join(", ");
      throw new Fault(deployerFaults.bad_outputs, `the cluster's outputs are not as they should be: ${said}`);
    }
    return values;
  },
  findUntagged({ type, names }, tagged) {
    const owner = (prefix: string): string | undefined =>
      names.map((id) => tagged.get(id)).find((address) => address?.startsWith(prefix));
    if (type === "aws_iam_role_policy_attachment") {
      const role = owner("aws_iam_role.");
      if (role?.startsWith("aws_iam_role.nodes") !== true) return role?.replace("aws_iam_role", type);
      const policy =
        names
          .find((name) => name.startsWith("arn:"))
          ?.split("/")
          .at(-1) ?? "";
      return `${type}.nodes[${JSON.stringify(policy)}]`;
    }
    const admin = names.find((name) => /:(role|user)\//.test(name));
    return type === "aws_eks_access_policy_association" && admin !== undefined
      ? `${type}.admin[${JSON.stringify(admin)}]`
      : undefined;
  },
};

function refuseExtras({ name, spec }: DeployedEntity): void {
  const { karpenter } = objectOf(spec["aws"]);
  const { podCidr } = objectOf(spec["networking"]);
  if (objectOf(karpenter)["enabled"] === true) {
    throw new Fault(deployerFaults.not_supported, `spec.aws.karpenter of ${name} cannot be built yet`);
  }
  if (textOf(podCidr) !== "") {
    throw new Fault(deployerFaults.bad_spec, `spec.networking.podCidr of ${name}: pods of EKS have addresses of the network`);
  }
  if (numberOf(spec["controlPlaneNodes"]) > 0) {
    throw new Fault(deployerFaults.bad_spec, `spec.controlPlaneNodes of ${name}: EKS runs the control plane itself`);
  }
}

/** EKS knows minor versions only; which patch a cluster runs is its own business. */
function parseVersion({ name, spec }: DeployedEntity): string | null {
  const asked = textOf(spec["version"]);
  if (asked === "") return null;
  const minor = /^v?(?<minor>1\.\d+)(\.\d+)?$/.exec(asked)?.groups?.["minor"];
  if (minor === undefined)
    throw new Fault(deployerFaults.bad_spec, `spec.version of ${name} is "${asked}", not one such as 1.34`);
  return minor;
}

function chooseSubnets({ name }: DeployedEntity, network: NetworkFacts): JsonObject {
  const { intraSubnetIds, privateSubnetIds, publicSubnetIds } = network;
  const controlPlane = [intraSubnetIds, privateSubnetIds, publicSubnetIds].find((ids) => ids.length >= 2);
  const workers = [privateSubnetIds, publicSubnetIds].find((ids) => ids.length > 0);
  if (controlPlane === undefined || workers === undefined) {
    const message = `${name} needs a network with subnets in at least two zones; "${network.name}" has ${describeCounts(network)}`;
    throw new Fault(deployerFaults.bad_spec, message);
  }
  return { control_plane: [...controlPlane], workers: [...workers] };
}

function describeCounts({ intraSubnetIds, privateSubnetIds, publicSubnetIds }: NetworkFacts): string {
  return `${intraSubnetIds.length} intra, ${privateSubnetIds.length} private and ${publicSubnetIds.length} public ones`;
}

function renderEndpoint(value: Json | undefined): JsonObject {
  // Without a word about it people can reach what they have made.
  if (value === undefined || value === null) return { public: true };
  const endpoint = objectOf(value);
  const ranges = textsOf(endpoint["publicCidrs"]);
  return { public: endpoint["public"] === true, ...(ranges.length === 0 ? {} : { public_cidrs: ranges }) };
}
