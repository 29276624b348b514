import { refuseRequest } from "../../library/errors.ts";

/** A resource and its region. The region is absent if the caller passed a name. */
export interface AwsReference {
  readonly name: string;
  readonly region?: string;
}

const clusterName = /^[0-9A-Za-z][\w-]{0,99}$/;
const clusterArn = /^arn:[\w-]+:eks:(?<region>[\w-]+):\d+:cluster\/(?<name>[^/]+)$/;
const instanceArn = /^arn:[\w-]+:ec2:(?<region>[\w-]+):\d+:instance\/(?<name>i-[\da-f]+)$/;
const nodeGroupArn = /^arn:[\w-]+:eks:[\w-]+:\d+:nodegroup\/(?<cluster>[^/]+)\/(?<name>[^/]+)\/[^/]+$/;

/** Reads a cluster's name or ARN. Throws `clouds.invalid` for anything else. */
export function readClusterRef(ref: string): AwsReference {
  const { name, region } = clusterArn.exec(ref)?.groups ?? { name: ref };
  if (name === undefined || !clusterName.test(name))
    throw refuseRequest(
      "aws",
      `"${ref}" is not the name or ARN of an EKS cluster; a name has at most 100 letters, digits, - and _`,
    );
  return { name, ...(region === undefined ? {} : { region }) };
}

/** Reads a node group's name or ARN. Throws `clouds.invalid` if the ARN belongs to another cluster. */
export function readPoolRef(cluster: string, ref: string): string {
  const groups = nodeGroupArn.exec(ref)?.groups;
  if (groups !== undefined && groups["cluster"] !== cluster)
    throw refuseRequest("aws", `the node group ${ref} does not belong to the cluster ${cluster}`);
  const name = groups?.["name"] ?? ref;
  if (!/^[0-9A-Za-z][\w-]{0,62}$/.test(name))
    throw refuseRequest("aws", `"${ref}" is not a node group's name; a name has at most 63 letters, digits, - and _`);
  return name;
}

/** Reads an instance's ID, ARN or name. `isId` indicates whether `name` is an ID. */
export function readInstanceRef(ref: string): AwsReference & { readonly isId: boolean } {
  const { name, region } = instanceArn.exec(ref)?.groups ?? { name: ref };
  if (name === undefined || name === "" || name.length > 255 || ref.startsWith("arn:") !== (region !== undefined))
    throw refuseRequest("aws", `"${ref}" is not an instance ID, ARN or name`);
  return { name, isId: /^i-[\da-f]{8,17}$/.test(name), ...(region === undefined ? {} : { region }) };
}
