import { findShortage } from "../network-checks.ts";
import type { Check, Finding } from "../question.ts";

/** Checks the quotas for security groups and for rules in one group. EC2 counts each direction separately. */
export const groupQuotas: Check<"SecurityGroup"> = async (question) => {
  const { view, entity, around } = question;
  const isBuilt = Object.keys(around.outputs).length > 0;
  const groups = isBuilt ? undefined : await view.findUsage?.("securityGroups");
  const rules = await view.findUsage?.("rulesPerGroup");
  const counted = entity.spec.rules.filter(({ protocol }) => protocol !== "arp");
  const largest = Math.max(
    ...["ingress", "egress"].map((direction) => counted.filter((rule) => (rule.direction || "ingress") === direction).length),
  );
  return [
    ...(groups === undefined ? [] : findShortage(question, "spec.network", "security groups", { ...groups, wanted: 1 })),
    ...(rules === undefined
      ? []
      : findShortage(question, "spec.rules", "rules of a security group in one direction", { ...rules, wanted: largest })),
  ];
};

/**
 * Checks the quota for groups of one instance. Warns if some of its groups limit outgoing traffic and others do not, because EC2 allows what
 * any of the groups allows.
 */
export const groupsFit: Check<"Instance"> = async (question) => {
  const { view, entity, around } = question;
  const { cloud } = entity.spec;
  const groups = around.references.filter(({ field }) => field === "securityGroups");
  const wanted = groups.length + (cloud.case === "aws" ? cloud.value.securityGroupIds.length : 0);
  const limit = wanted === 0 ? undefined : await view.findUsage?.("groupsPerMachine");
  const limiting = groups.filter(({ spec }) => limitsEgress(spec["rules"]));
  const field = "spec.securityGroups";
  const lack: readonly Finding[] =
    limit === undefined ? [] : findShortage(question, field, "security groups of one instance", { ...limit, wanted });
  if (limiting.length === 0 || limiting.length === groups.length) return lack;
  const open = groups.filter((group) => !limiting.includes(group)).map(({ name }) => `"${name}"`);
  const message = `${open.join(", ")} has no egress rule and therefore allows all outgoing traffic, although "${limiting[0]?.name ?? ""}" limits it; in AWS, an instance may send what any of its groups allows`;
  const help = "Add an egress rule to each of the groups, for example one for the group itself: --allow-egress tcp:1:self.";
  return [...lack, { severity: "should", field, message, help }];
};

function limitsEgress(rules: unknown): boolean {
  return Array.isArray(rules) && rules.some((rule: unknown) => (rule as { readonly direction?: string }).direction === "egress");
}

/** Types that share the quota of General Purpose SSD volumes. */
const defaultType = "gp3";

/** Checks the quota for the storage of new volumes. */
export const volumeQuota: Check<"Volume"> = async (question) => {
  const { view, entity, around } = question;
  const isBuilt = Object.keys(around.outputs).length > 0;
  if (isBuilt || (entity.spec.type || defaultType) !== defaultType) return [];
  const usage = await view.findUsage?.("ssdGiB");
  if (usage === undefined) return [];
  return findShortage(question, "spec.sizeGib", "GiB of gp3 volumes", { ...usage, wanted: entity.spec.sizeGib });
};
