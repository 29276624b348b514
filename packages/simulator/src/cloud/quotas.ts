import { cloudNames, getCloud, type QuotaName } from "@cloudwright/contract/clouds";
import type { Conditions } from "./conditions.ts";

export type { QuotaName } from "@cloudwright/contract/clouds";

/** Default limits per account, for the quotas of all clouds. Quotas with the same name have the same default in every cloud. */
const granted = Object.assign({}, ...cloudNames.map((name) => getCloud(name).quotas)) as Readonly<Record<QuotaName, number>>;

/** Returns the limit of one quota under the given conditions. */
export function getQuota(name: QuotaName, { quotas }: Pick<Conditions, "quotas">): number {
  return quotas[name] ?? granted[name];
}

/** Returns the limits of all quotas under the given conditions. */
export function listQuotas({ quotas }: Pick<Conditions, "quotas">): Readonly<Record<string, number>> {
  return { ...granted, ...quotas };
}
