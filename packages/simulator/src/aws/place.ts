import { createHash } from "node:crypto";
import type { HookContext } from "../provider/definition.ts";
import { isList, isMap, type Value, type ValueMap } from "../values/value.ts";

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

/** The text, or nothing. */
export function textOf(value: Value | undefined): string {
  return typeof value === "string" ? value : "";
}

/** The number, or 0. */
export function numberOf(value: Value | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** The map, or an empty one. */
export function mapOf(value: Value | undefined): ValueMap {
  return isMap(value) ? value : {};
}

/** The first block of that name, or an empty one. */
export function blockOf(attributes: ValueMap | null | undefined, name: string): ValueMap {
  const blocks = attributes?.[name];
  return mapOf(isList(blocks) ? blocks[0] : undefined);
}

/** All text at a dotted path, which runs through every element: `vpc_config.subnet_ids`. */
export function textsAt(value: Value | undefined, path: string): readonly string[] {
  if (isList(value)) return value.flatMap((element) => textsAt(element, path));
  if (path === "") return typeof value === "string" && value !== "" ? [value] : [];
  const [name = "", ...rest] = path.split(".");
  return isMap(value) ? textsAt(value[name], rest.join(".")) : [];
}
