import { findParent } from "@cloudwright/contract";
import { textOf } from "../read-spec.ts";
import type { DeployedEntity } from "../task.ts";
import { findShortage, overlaps } from "./network-checks.ts";
import { machinesOf, zonesOf, type Check, type Finding, type Question } from "./question.ts";

/**
 * Checks that the cloud offers the requested version and the final version of a multi-step upgrade. An upgrade cannot be reverted, so it
 * must not stop halfway.
 */
export const versionIsOffered: Check<"Cluster"> = async ({ view, entity, finalVersion, cloud }) => {
  const requested = [entity.spec.version, finalVersion ?? ""];
  const minors = requested.flatMap((version) => /^v?(?<minor>1\.\d+)/.exec(version)?.groups?.["minor"] ?? []);
  const offered = minors.length === 0 ? [] : await view.listVersions();
  const missing = minors.find((minor) => !offered.includes(minor));
  if (missing === undefined) return [];
  const known = offered.toSorted(byMinor).join(", ");
  const message = `${cloud.kubernetesService} offers ${known}; ${missing} is not available`;
  return [{ field: "spec.version", message, help: `Choose from ${known}.` }];
};

/** Checks that the requested machine types are available in the workers' zones. */
export const machinesAreOffered: Check<"Cluster"> = async (question) => {
  const { view, around, region, cloud } = question;
  const list = cloud.commands === undefined ? "" : ` \`${cloud.commands.listMachineTypes(region)}\` lists what the zones offer.`;
  const otherType = `Choose another machine type, or zones that offer this one.${list}`;
  const wanted = machinesOf(question);
  const offered = new Map((await view.listOffered(wanted.map(({ type }) => type))).map((each) => [each.name, each]));
  const network = findParent(around, "Network");
  const networkZones = network === undefined || network.spec.existing !== undefined ? [] : zonesOf(network.spec, question);
  const findings = wanted.map(async ({ field, type, zones }): Promise<readonly Finding[]> => {
    const needed = zones.length > 0 ? zones : networkZones;
    const machine = offered.get(type);
    if (machine === undefined) {
      const near = await findSimilar(question, type, needed);
      const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
      return [{ field, message: `${region} does not offer the machine type ${type}${hint}`, help: otherType }];
    }
    const without = needed.filter((zone) => !machine.zones.includes(zone));
    return without.length === 0 ? [] : [{ field, message: `${type} is not available in ${without.join(", ")}`, help: otherType }];
  });
  return (await Promise.all(findings)).flat();
};

/** The maximum number of machine types that are looked up for one suggestion. */
const mostSimilar = 15;

/** Returns the machine type most similar to `type` that all the zones offer, or undefined if there is none. */
async function findSimilar(
  { view, cloud }: Pick<Question, "view" | "cloud">,
  type: string,
  zones: readonly string[],
): Promise<string | undefined> {
  const similar = (cloud.machines.listSimilar?.(type) ?? []).filter((each) => each !== type).slice(0, mostSimilar);
  if (similar.length === 0) return undefined;
  const offered = new Map((await view.listOffered(similar)).map((each) => [each.name, each]));
  return similar.find((each) => {
    const machine = offered.get(each);
    return machine !== undefined && zones.every((zone) => machine.zones.includes(zone));
  });
}

/**
 * Checks the vCPU quota for the requested machines. Spot machines and uncommon types are left out, because separate quotas apply to them.
 */
export const vcpuQuota: Check<"Cluster"> = async (question) => {
  const { view, entity } = question;
  const wanted = machinesOf(question).filter(({ isSpot }) => !isSpot);
  const offered = new Map((await view.listOffered(wanted.map(({ type }) => type))).map((each) => [each.name, each]));
  const counted = wanted.filter(({ type }) => offered.get(type)?.isCommon === true);
  const sizeOf = (type: string): number => offered.get(type)?.vcpus ?? 0;
  const needed = counted.reduce((sum, { type, count }) => sum + count * sizeOf(type), 0);
  if (needed === 0) return [];
  const [{ vcpus: limit }, running] = await Promise.all([view.getLimits(), view.listMachines()]);
  const used = running.filter(({ owner }) => owner !== entity.uid).reduce((sum, { vcpus }) => sum + vcpus, 0);
  return findShortage(question, "spec.workers", "vCPUs", { limit, used, wanted: needed });
};

/** Checks the quotas for machine families, in clouds that have such quotas. Spot machines have separate quotas. */
export const familyQuota: Check<"Cluster"> = async (question) => {
  const { view, entity } = question;
  const wanted = machinesOf(question).filter(({ isSpot }) => !isSpot);
  const offered = new Map((await view.listOffered(wanted.map(({ type }) => type))).map((each) => [each.name, each]));
  const families = new Map<string, { readonly field: string; readonly limit: number; readonly used: number; needed: number }>();
  for (const { field, type, count } of wanted) {
    const { quota, vcpus = 0 } = offered.get(type) ?? {};
    if (quota === undefined) continue;
    const others = quota.used.filter(({ owner }) => owner !== entity.uid).reduce((sum, each) => sum + each.vcpus, 0);
    const family = families.get(quota.name) ?? { field, limit: quota.limit, used: others, needed: 0 };
    family.needed += count * vcpus;
    families.set(quota.name, family);
  }
  return [...families].flatMap(([name, { field, limit, used, needed }]) =>
    findShortage(question, field, name, { limit, used, wanted: needed }),
  );
};

/** Checks that the service range does not overlap the network's range. */
export const servicesAreApart: Check<"Cluster"> = async ({ entity, around }) => {
  const services = entity.spec.networking?.serviceCidr ?? "";
  const network = findParent(around, "Network");
  // The range of an existing network is in its outputs, not in its spec.
  const range = textOf(network?.outputs["cidr"]) || network?.spec.cidr || "10.0.0.0/16";
  if (services === "" || network === undefined || !overlaps(services, range)) return [];
  const message = `${services} overlaps ${range} of the network "${network.name}"`;
  const help = "Choose a range that does not overlap it.";
  return [{ field: "spec.networking.serviceCidr", message, help }];
};

const otherName = "Choose another name.";

/** Creates a check that the cluster's name in the cloud is not already in use. */
export function createClusterNameCheck(nameOf: (entity: DeployedEntity) => string): Check<"Cluster"> {
  return async ({ view, entity }) => {
    const name = nameOf(entity);
    const found = await view.findCluster(name);
    return found === undefined || found.owner === entity.uid
      ? []
      : [{ field: "metadata.name", message: `the account already has another cluster named ${name}`, help: otherName }];
  };
}

/** Creates a check that the bucket's name in the cloud is not already in use. */
export function createBucketNameCheck(nameOf: (entity: DeployedEntity) => string): Check<"Storage"> {
  return async ({ view, entity }) => {
    if (entity.spec.type.case === "volume") return [];
    const name = nameOf(entity);
    const found = await view.findBucket(name);
    return found === undefined || found.owner === entity.uid
      ? []
      : [{ field: "metadata.name", message: `another bucket named ${name} already exists`, help: otherName }];
  };
}

function byMinor(a: string, b: string): number {
  return Number(a.split(".")[1]) - Number(b.split(".")[1]);
}
