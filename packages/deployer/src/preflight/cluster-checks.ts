import { isCommonMachine } from "@cloudwright/clouds";
import { objectOf, textOf } from "../read-spec.ts";
import { findShortage, overlaps } from "./network-checks.ts";
import { cloudNameOf, isExisting, machinesOf, zonesOf, type Check, type Finding } from "./question.ts";

/** The version is offered, and the one at the end of the way as well: nothing goes back from a minor that was reached. */
export const versionIsOffered: Check = async ({ view, entity, finalVersion }) => {
  const asked = [textOf(entity.spec["version"]), finalVersion ?? ""];
  const minors = asked.flatMap((version) => /^v?(?<minor>1\.\d+)/.exec(version)?.groups?.["minor"] ?? []);
  const offered = minors.length === 0 ? [] : await view.listVersions();
  const wanted = minors.find((minor) => !offered.includes(minor));
  if (wanted === undefined) return [];
  const known = offered.toSorted(byMinor).join(", ");
  return [{ field: "spec.version", message: `EKS does not offer ${wanted}, but ${known}`, help: `Choose of ${known}.` }];
};

const otherType = "Choose another type, or zones that have it.";

/** The zones of the workers have the machines that are asked for. */
export const machinesAreOffered: Check = async ({ view, entity, around, region }) => {
  const wanted = machinesOf(entity, around, region);
  const offered = new Map((await view.listOffered(wanted.flatMap(({ types }) => types))).map((each) => [each.name, each]));
  const network = around.parents.find(({ kind }) => kind === "Network");
  return wanted.flatMap(({ field, types, zones }) => {
    const needed = zones.length > 0 ? zones : network === undefined || isExisting(network) ? [] : zonesOf(network, region);
    return types.flatMap((type): Finding[] => {
      const machine = offered.get(type);
      if (machine === undefined) return [{ field, message: `${region} has no machines of the type ${type}`, help: otherType }];
      const without = needed.filter((zone) => !machine.zones.includes(zone));
      return without.length === 0 ? [] : [{ field, message: `${type} cannot be had in ${without.join(", ")}`, help: otherType }];
    });
  });
};

/** There is room for the machines that are asked for; those of the spot market, and uncommon ones, are not counted here. */
export const vcpuQuota: Check = async ({ view, entity, around, region }) => {
  const all = machinesOf(entity, around, region);
  const wanted = all.filter(({ isSpot, types }) => !isSpot && types.every(isCommonMachine));
  const offered = await view.listOffered(wanted.flatMap(({ types }) => types));
  const sizeOf = (type: string): number => offered.find(({ name }) => name === type)?.vcpus ?? 0;
  const needed = wanted.reduce((sum, { types, count }) => sum + count * Math.min(...types.map(sizeOf)), 0);
  if (needed === 0) return [];
  const [{ vcpus: limit }, running] = await Promise.all([view.getLimits(), view.listMachines()]);
  const used = running.filter(({ owner }) => owner !== entity.uid).reduce((sum, { vcpus }) => sum + vcpus, 0);
  return findShortage("spec.workers", "vCPUs", limit, used, needed);
};

/** Services have addresses that the network has not. */
export const servicesAreApart: Check = async ({ entity, around }) => {
  const services = textOf(objectOf(entity.spec["networking"])["serviceCidr"]);
  const network = around.parents.find(({ kind }) => kind === "Network");
  // Of one that exists its spec says nothing.
  const range = textOf(network?.outputs["cidr"]) || textOf(network?.spec["cidr"]) || "10.0.0.0/16";
  if (services === "" || network === undefined || !overlaps(services, range)) return [];
  const message = `${services} overlaps ${range} of the network "${network.name}"`;
  const help = "Choose a range that shares no address with it.";
  return [{ field: "spec.networking.serviceCidr", message, help }];
};

const otherName = "Choose another name.";

/** Nobody else has a cluster of the name. */
export const clusterNameIsFree: Check = async ({ view, entity }) => {
  const name = cloudNameOf(entity, 40, 8);
  const found = await view.findCluster(name);
  return found === undefined || found.owner === entity.uid
    ? []
    : [{ field: "metadata.name", message: `the account has a cluster ${name} already, which is not this one`, help: otherName }];
};

/** Nobody else in the world has a bucket of the name. */
export const bucketNameIsFree: Check = async ({ view, entity }) => {
  if (entity.spec["volume"] !== undefined) return [];
  const name = cloudNameOf(entity, 50, 12);
  const found = await view.findBucket(name);
  return found === undefined || found.owner === entity.uid
    ? []
    : [{ field: "metadata.name", message: `a bucket ${name} exists already, which is not this one`, help: otherName }];
};

function byMinor(a: string, b: string): number {
  return Number(a.split(".")[1]) - Number(b.split(".")[1]);
}
