import { createHash } from "node:crypto";
import type { HookContext } from "../provider/definition.ts";
import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";

/** The target of a call: an account and a region in a partition. */
export interface Place {
  readonly account: string;
  readonly region: string;
  readonly partition: string;
  /** The domain of AWS host names in this partition. */
  readonly suffix: string;
}

/** Returns the account, region and partition of a resource. A resource without its own region is in the provider's region. */
export function placeOf({ tenant, provider }: Pick<HookContext, "tenant" | "provider">, attributes?: ValueMap | null): Place {
  const region = textOf(attributes?.["region"]) || textOf(provider["region"]) || "us-east-1";
  const partition = region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
  const suffix = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  return { account: accountOf(tenant), region, partition, suffix };
}

/** Returns the ARN of the user that makes all calls to a simulated account. */
export function callerOf(place: Place): string {
  return arnOf(place, "iam", "user/simulated");
}

/** Returns the twelve-digit account id of a tenant. */
export function accountOf(tenant: string): string {
  return String(BigInt(`0x${hash(tenant).slice(0, 14)}`) % 1_000_000_000_000n).padStart(12, "0");
}

/** Renders an ARN such as `arn:aws:eks:eu-west-1:123456789012:cluster/a`. ARNs of global services have no region. */
export function arnOf({ partition, region, account }: Place, service: string, rest: string): string {
  const isGlobal = service === "iam" || service === "s3";
  return `arn:${partition}:${service}:${isGlobal ? "" : region}:${service === "s3" ? "" : account}:${rest}`;
}

/** Returns the SHA-256 hash of a string in hexadecimal. */
export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
