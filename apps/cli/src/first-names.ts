import { cloudNames, getCloud, type CloudName } from "@cloudwright/contract/clouds";
import { objectOf } from "@cloudwright/platform";
import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "./faults.ts";

type Fields = Readonly<Record<string, unknown>>;

const clouds = new Map(
  cloudNames.filter((name) => getCloud(name).kubernetesService !== "").map((name) => [`CLOUD_TYPE_${name.toUpperCase()}`, name]),
);

/**
 * Translates a spec that uses the field names of the original API design. `cloudType` becomes the section of the spec for that cloud. The
 * fields of `<cloud>KubernetesSpec` become cluster fields. The region is dropped, because a cluster takes its region from its network.
 */
export function readFirstNames(kind: string, spec: Fields, source: string): Fields {
  const { cloudType, ...fields } = spec;
  const cloud = typeof cloudType === "string" ? clouds.get(cloudType) : undefined;
  if (cloudType !== undefined && cloud === undefined) {
    const known = [...clouds.keys()].join(", ");
    throw new Fault(
      cliFaults.bad_file,
      `${source}: unknown spec.cloudType ${JSON.stringify(cloudType)}; supported values: ${known}`,
    );
  }
  const own = cloudNames.find((name) => fields[`${name}KubernetesSpec`] !== undefined);
  const named = cloud === undefined ? fields : { ...fields, [cloud]: fields[cloud] ?? {} };
  if (own === undefined) return named;
  return kind === "Cluster" ? readFirstCluster(own, named, source) : spec;
}

function readFirstCluster(cloud: CloudName, fields: Fields, source: string): Fields {
  const part = `${cloud}KubernetesSpec`;
  const { [part]: given, region: _ofTheNetwork, ...own } = fields;
  const { kubernetesVersion: version, vpcId: network, ...rest } = objectOf(given);
  const { firstClusterFields } = getCloud(cloud);
  const extra = Object.keys(rest).find((field) => !firstClusterFields.includes(field));
  if (extra !== undefined) throw new Fault(cliFaults.bad_file, `${source}: spec.${part} has an unknown field "${extra}"`);
  return {
    ...(version === undefined ? {} : { version }),
    ...(network === undefined ? {} : { network }),
    ...own,
    [cloud]: { ...rest, ...objectOf(own[cloud]) },
  };
}
