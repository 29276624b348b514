import { trimEnd } from "@cloudwright/platform";
import { gcpOf as clusterOf } from "../../kubernetes/gcp/gcp-of.ts";
import { findExisting } from "../../network/gcp/find-existing.ts";
import { gcpOf } from "../../network/gcp/gcp-of.ts";
import { planRanges } from "../../network/gcp/ranges.ts";
import type { DeployedEntity } from "../../task.ts";
import { createPermissionCheck, createServiceCheck, regionIsOpen } from "../account-checks.ts";
import { createAgentCheck } from "../agent-checks.ts";
import {
  createBucketNameCheck,
  createClusterNameCheck,
  familyQuota,
  machinesAreOffered,
  vcpuQuota,
  versionIsOffered,
} from "../cluster-checks.ts";
import { imageExists, machineIsOffered } from "../instance-checks.ts";
import { findShortage, networkQuota, overlaps, pluralOf, rangeIsApart, zonesExist } from "../network-checks.ts";
import type { Check, Finding, PreflightChecks } from "../question.ts";
import { diskQuota, groupQuota, networkPartQuotas, serviceAccountQuota, volumeQuota } from "./quota-checks.ts";

type View = Parameters<Check>[0]["view"];

function servicesAreEnabled(feature: string): Check {
  return createServiceCheck(feature, (services, project) => `gcloud services enable ${services.join(" ")} --project ${project}`);
}

/** Checks the quota for static addresses. Cloud NAT uses such addresses only if the spec reserves them. */
const addressQuota: Check<"Network"> = async (question) => {
  const { view, entity, cloud } = question;
  const { natIps, loadBalancerIps } = gcpOf(entity.spec);
  const wanted = (["", "none"].includes(entity.spec.nat) ? 0 : natIps) + loadBalancerIps;
  if (entity.spec.existing !== undefined || wanted === 0) return [];
  const [{ publicIps: limit }, all] = await Promise.all([view.getLimits(), view.listPublicIps()]);
  const used = all.filter(({ owner }) => owner !== entity.uid).length;
  const field = natIps > loadBalancerIps ? "spec.gcp.natIps" : "spec.gcp.loadBalancerIps";
  return findShortage(question, field, pluralOf(cloud.terms.publicIp), { limit, used, wanted });
};

/** Checks that none of the network's ranges overlaps the ranges of its peers. Peered networks exchange routes to all of their ranges. */
const rangesAreFree: Check<"Network"> = async ({ view, entity }) => {
  const { peers } = gcpOf(entity.spec);
  if (entity.spec.existing !== undefined || peers.length === 0) return [];
  const { machines, pods, services } = planRanges(entity, gcpOf(entity.spec));
  const networks = await view.listNetworks();
  return peers.flatMap((peer): Finding[] => {
    const ranges = /^[0-9.]+\/\d+$/.test(peer) ? [peer] : networks.find(({ id }) => isNamed(id, peer))?.ranges;
    if (ranges === undefined) {
      const help = "Use the name of a VPC network in this project, or an address range.";
      return [{ field: "spec.gcp.peers", message: `the project has no VPC network ${peer}`, help }];
    }
    return [machines, pods, services].flatMap((own) =>
      ranges
        .filter((range) => overlaps(range, own))
        .map((range) => ({
          field: "spec.cidr",
          message: `${own} overlaps ${range === peer ? peer : `${range} of ${peer}`}`,
          help: "Choose a range that does not overlap it.",
        })),
    );
  });
};

/** Checks that an existing network can be found by its name or id. Its subnet is read later, during planning. */
const existingIsThere: Check<"Network"> = async ({ view, entity, region }) => {
  const { accountId } = await view.getIdentity();
  const existing = findExisting(entity, region, accountId.startsWith("simulated-") ? "" : accountId);
  if (existing === undefined) return [];
  if ((await view.listNetworks()).some(({ id }) => isNamed(id, existing.network))) return [];
  const message = `the project has no VPC network ${existing.network}`;
  return [{ field: "spec.existing.id", message, help: `${await describeNetworks(view)}.` }];
};

async function describeNetworks(view: View): Promise<string> {
  const names = (await view.listNetworks()).map(({ id }) => id.slice(id.lastIndexOf("/") + 1)).toSorted();
  return names.length === 0 ? "The project has no VPC networks" : `Choose from ${names.slice(0, 10).join(", ")}`;
}

function isNamed(id: string, name: string): boolean {
  return id === name || id.endsWith(`/${name}`) || name.endsWith(`/${id}`);
}

export const gcpChecks: PreflightChecks = {
  network: [
    servicesAreEnabled("network"),
    createPermissionCheck("network"),
    regionIsOpen,
    zonesExist,
    networkQuota,
    networkPartQuotas,
    addressQuota,
    rangesAreFree,
    rangeIsApart,
    existingIsThere,
  ],
  cluster: [
    servicesAreEnabled("cluster"),
    createPermissionCheck("cluster"),
    regionIsOpen,
    versionIsOffered,
    machinesAreOffered,
    vcpuQuota,
    familyQuota,
    serviceAccountQuota,
    createAgentCheck(({ entity }) => clusterOf(entity.spec).dnsEndpoint),
    createClusterNameCheck((entity) => renderName(entity, 31, 8)),
  ],
  storage: [
    servicesAreEnabled("storage"),
    createPermissionCheck("storage"),
    regionIsOpen,
    diskQuota,
    createBucketNameCheck((entity) => renderName(entity, 50, 12)),
  ],
  instance: [servicesAreEnabled("instance"), createPermissionCheck("instance"), regionIsOpen, machineIsOffered, imageExists],
  securitygroup: [servicesAreEnabled("securitygroup"), createPermissionCheck("securitygroup"), groupQuota],
  volume: [servicesAreEnabled("volume"), createPermissionCheck("volume"), regionIsOpen, volumeQuota],
};

/**
 * Builds a resource name from the entity's name and the end of its uid. The result must match the name that the configuration in `infra/`
 * builds.
 */
function renderName({ name, uid }: Pick<DeployedEntity, "name" | "uid">, longest: number, fromUid: number): string {
  return `${trimEnd(name.slice(0, longest).replace(/^-+/, ""), "-")}-${uid.replaceAll("-", "").slice(-fromUid)}`;
}
