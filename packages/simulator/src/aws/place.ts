import { createHash } from "node:crypto";
import type { HookContext } from "../provider/definition.ts";
import { textOf } from "../values/read-value.ts";
import type { ValueMap } from "../values/value.ts";

/** Where a call goes: whose account, in which region of which partition. */
export interface Place {
  readonly account: string;
  readonly region: string;
  readonly partition: string;
  /** What host names end in. */
  readonly suffix: string;
}

/** The place of a resource: its own region, or else the provider's. */
export function placeOf({ tenant, provider }: Pick<HookContext, "tenant" | "provider">, attributes?: ValueMap | null): Place {
  const region = textOf(attributes?.["region"]) || textOf(provider["region"]) || "us-east-1";
  const partition = region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
  const suffix = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  return { account: accountOf(tenant), region, partition, suffix };
}

/** The twelve digits of a tenant's account. */
export function accountOf(tenant: string): string {
  return String(BigInt(`0x${hash(tenant).slice(0, 14)}`) % 1_000_000_000_000n).padStart(12, "0");
}

/** `arn:aws:eks:eu-west-1:123456789012:cluster/a`; services of the whole account have no region. */
export function arnOf({ partition, region, account }: Place, service: string, rest: string): string {
  const isGlobal = service === "iam" || service === "s3";
  return `arn:${partition}:${service}:${isGlobal ? "" : region}:${service === "s3" ? "" : account}:${rest}`;
}

/** Hexadecimal digits that depend on the text only. */
export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
