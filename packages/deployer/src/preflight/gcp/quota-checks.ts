import type { QuotaKind } from "@cloudwright/clouds";
import { gcpOf as clusterOf } from "../../kubernetes/gcp/gcp-of.ts";
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

/** Checks the quota for disk space for a new volume. */
export const diskQuota: Check<"Storage"> = async (question) => {
  const { type: storage } = question.entity.spec;
  if (storage.case !== "volume" || isBuilt(question.around.outputs)) return [];
  const { sizeGib, type } = storage.value;
  const quota = diskQuotas[type || "pd-balanced"];
  if (quota === undefined) return [];
  const what = quota === "ssdGiB" ? "GiB of SSD disks" : "GiB of standard disks";
  return findLack(question, { quota, field: "spec.volume.sizeGib", what, wanted: sizeGib });
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
