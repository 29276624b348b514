import type { QuotaKind } from "@cloudwright/clouds";
import { defaultVolumeType } from "@cloudwright/contract/clouds/gcp/volumes";
import { gcpOf as clusterOf } from "../../kubernetes/gcp/gcp-of.ts";
import { numberOf } from "../../read-spec.ts";
import { findShortage } from "../network-checks.ts";
import type { Check, Finding, Question } from "../question.ts";

/** Checks the quotas for subnets, firewall rules and routers. A network that already exists has the resources that it needs. */
export const networkPartQuotas: Check<"Network"> = async (question) => {
  const { view, entity } = question;
  const { existing, nat, infra } = entity.spec;
  if (existing !== undefined) return [];
  const hasNetwork = (await view.listNetworks()).some(({ owner }) => owner === entity.uid);
  const hasNat = !["", "none"].includes(nat);
  const hasRouter = hasNat && (await view.listNatGateways()).some(({ owner }) => owner === entity.uid);
  // The first version of the configuration has no rule that denies all other traffic.
  const rules = infra?.version === "v1.0.0" ? 2 : 3;
  const findings = await Promise.all([
    findLack(question, { quota: "subnets", field: "spec.region", what: "subnets", wanted: hasNetwork ? 0 : 1 }),
    findLack(question, { quota: "firewalls", field: "spec.region", what: "firewall rules", wanted: hasNetwork ? 0 : rules }),
    findLack(question, { quota: "routers", field: "spec.nat", what: "Cloud Routers", wanted: hasNat && !hasRouter ? 1 : 0 }),
  ]);
  return findings.flat();
};

/** Checks the quota for service accounts. A new cluster gets one for its nodes unless the spec names one. */
export const serviceAccountQuota: Check<"Cluster"> = async (question) => {
  const { entity, around } = question;
  const wanted = isBuilt(around.outputs) || clusterOf(entity.spec).nodeServiceAccount !== "" ? 0 : 1;
  const field = "spec.gcp.nodeServiceAccount";
  return findLack(question, { quota: "serviceAccounts", field, what: "service accounts", wanted });
};

/** The quota that limits each disk type. Other disk types have separate quotas that depend on the project. */
const diskQuotas: Readonly<Record<string, QuotaKind>> = { "pd-standard": "diskGiB", "pd-balanced": "ssdGiB", "pd-ssd": "ssdGiB" };

/** Checks the quota for disk space for a new disk of a storage entity. */
export const diskQuota: Check<"Storage"> = async (question) => {
  const { type: storage } = question.entity.spec;
  if (storage.case !== "volume" || isBuilt(question.around.outputs)) return [];
  const { sizeGib, type } = storage.value;
  return findDiskLack(question, { type, field: "spec.volume.sizeGib", wanted: sizeGib });
};

/** Checks the quota for disk space for a new volume, or for the additional space of one that grows. */
export const volumeQuota: Check<"Volume"> = async (question) => {
  const { spec } = question.entity;
  const wanted = Math.max(0, spec.sizeGib - numberOf(question.around.outputs["size_gib"]));
  return findDiskLack(question, { type: spec.type, field: "spec.sizeGib", wanted });
};

async function findDiskLack(
  question: Pick<Question, "view" | "cloud" | "region">,
  { type, field, wanted }: { readonly type: string; readonly field: string; readonly wanted: number },
): Promise<readonly Finding[]> {
  const quota = diskQuotas[type || defaultVolumeType];
  if (quota === undefined) return [];
  const what = quota === "ssdGiB" ? "GiB of SSD disks" : "GiB of standard disks";
  return findLack(question, { quota, field, what, wanted });
}

/** Checks the quota for firewall rules. A new group needs one for each protocol and port range, and one that denies everything else. */
export const groupQuota: Check<"SecurityGroup"> = async (question) => {
  const { rules } = question.entity.spec;
  if (isBuilt(question.around.outputs)) return [];
  const allowed = rules.filter(({ protocol }) => protocol !== "arp");
  const kinds = new Set(
    allowed.map(({ direction, protocol, fromPort, toPort }) => `${direction} ${protocol} ${fromPort} ${toPort}`),
  );
  const denied = rules.some(({ direction }) => direction === "egress") ? 2 : 1;
  return findLack(question, { quota: "firewalls", field: "spec.rules", what: "firewall rules", wanted: kinds.size + denied });
};

interface Lack {
  readonly quota: QuotaKind;
  readonly field: string;
  readonly what: string;
  readonly wanted: number;
}

async function findLack(
  question: Pick<Question, "view" | "cloud" | "region">,
  { quota, field, what, wanted }: Lack,
): Promise<readonly Finding[]> {
  const usage = wanted === 0 ? undefined : await question.view.findUsage?.(quota);
  if (usage === undefined) return [];
  const { limit, used, isAssumed = false } = usage;
  const found = findShortage(question, field, what, { limit, used, wanted });
  // The project may have a higher limit than the default, so this is only a warning.
  return isAssumed ? found.map((finding) => ({ ...finding, severity: "should" as const })) : found;
}

function isBuilt(outputs: object): boolean {
  return Object.keys(outputs).length > 0;
}
