import { objectOf } from "@cloudwright/platform";
import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "./faults.ts";

type Fields = Readonly<Record<string, unknown>>;

const clouds: Readonly<Record<string, string>> = {
  CLOUD_TYPE_AWS: "aws",
  CLOUD_TYPE_GCP: "gcp",
  CLOUD_TYPE_AZURE: "azure",
};

/**
 * Translates a spec with the field names of the first design into today's fields: `cloudType: CLOUD_TYPE_AWS` is the part of that cloud, `awsKubernetesSpec`
 * has fields that belong to the cluster's spec. Its region is ignored, because a cluster is in its network's region.
 */
export function readFirstNames(kind: string, spec: Fields, source: string): Fields {
  const { cloudType, awsKubernetesSpec, ...rest } = spec;
  const cloud = typeof cloudType === "string" ? clouds[cloudType] : undefined;
  if (cloudType !== undefined && cloud === undefined) {
    const known = Object.keys(clouds).join(", ");
    throw new Fault(cliFaults.bad_file, `${source}: spec.cloudType is ${JSON.stringify(cloudType)}, not ${known}`);
  }
  const named = cloud === undefined ? rest : { ...rest, [cloud]: rest[cloud] ?? {} };
  if (awsKubernetesSpec === undefined || kind !== "Cluster") return awsKubernetesSpec === undefined ? named : spec;
  const { kubernetesVersion: version, vpcId: network, karpenter, ...unknown } = objectOf(awsKubernetesSpec);
  const [extra] = Object.keys(unknown);
  if (extra !== undefined)
    throw new Fault(cliFaults.bad_file, `${source}: spec.awsKubernetesSpec has an unknown field "${extra}"`);
  const { region: _ofTheNetwork, ...own } = named as Record<string, unknown>;
  return {
    ...(version === undefined ? {} : { version }),
    ...(network === undefined ? {} : { network }),
    ...own,
    aws: { ...(karpenter === undefined ? {} : { karpenter }), ...objectOf(own["aws"]) },
  };
}
