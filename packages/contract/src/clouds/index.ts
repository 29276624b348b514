/**
 * The registry of clouds, with facts that need no SDK. A cloud's name is also its field name in each spec's `cloud` oneof and the value of
 * the agents' `cloud` label. Folders in `clouds`, `simulator`, `deployer` and `infra` use the same name.
 */
import { awsFacts } from "./aws/facts.ts";
import type { awsQuotas } from "./aws/quotas.ts";
import { azureFacts } from "./azure/facts.ts";
import type { azureQuotas } from "./azure/quotas.ts";
import type { CloudFacts } from "./cloud-facts.ts";
import { gcpFacts } from "./gcp/facts.ts";
import type { gcpQuotas } from "./gcp/quotas.ts";
import { localFacts } from "./local/facts.ts";
import type { CheckedEntity, SpecProblem } from "./spec-checks.ts";

export type * from "./cloud-facts.ts";
export type { CheckedEntity, SpecProblem } from "./spec-checks.ts";
export { systemImages } from "./system-images.ts";

const registry: Readonly<Record<"aws" | "gcp" | "azure" | "local", CloudFacts>> = {
  aws: awsFacts,
  gcp: gcpFacts,
  azure: azureFacts,
  local: localFacts,
} as const satisfies Record<string, CloudFacts>;

export type CloudName = keyof typeof registry;

/** The name of a quota in any cloud. */
export type QuotaName = keyof typeof awsQuotas | keyof typeof gcpQuotas | keyof typeof azureQuotas;

/** Spec fields that contain the cloud's own id for an account. Each cloud uses one of them. */
const idFields = ["accountId", "projectId", "subscriptionId"];

/** Returns the cloud's own account id in an account's spec, such as a project id. Returns undefined if the spec contains none. */
export function findCloudAccount(spec: Readonly<Record<string, unknown>>): string | undefined {
  const settings = cloudNames.map((name) => (spec[name] ?? {}) as Readonly<Record<string, unknown>>);
  const ids = settings.flatMap((each) => idFields.map((field) => each[field]));
  return ids.find((id): id is string => typeof id === "string" && id !== "");
}

/** All clouds in the order in which users see them. */
export const cloudNames = Object.keys(registry) as readonly CloudName[];

/** Cloud that examples, forms and the quickstart use. */
export const defaultCloud: CloudName = "aws";

export function getCloud(name: CloudName): CloudFacts {
  return registry[name];
}

/** Returns the facts about a cloud. Returns undefined for an unknown name. */
export function findCloud(name: string): CloudFacts | undefined {
  return isCloudName(name) ? registry[name] : undefined;
}

export function isCloudName(name: string): name is CloudName {
  return Object.hasOwn(registry, name);
}

/** Returns the fields of an entity's spec that its cloud does not accept. */
export function listSpecProblems(cloud: CloudName, kind: string, entity: CheckedEntity): readonly SpecProblem[] {
  const { checks = {} } = registry[cloud];
  return (Object.hasOwn(checks, kind) ? checks[kind]?.(entity) : undefined) ?? [];
}

/** Returns the cloud whose section is set in a spec, or undefined if none is set. The spec is in JSON form. */
export function cloudOf(spec: object): CloudName | undefined {
  return cloudNames.find((name) => (spec as Readonly<Record<string, unknown>>)[name] !== undefined);
}

/**
 * Returns whether an account uses the cloud identity of the agent that runs its tasks. `spec` is the account's spec in JSON form. Simulated
 * accounts do not need an identity.
 */
export function usesAgentIdentity(spec: Readonly<Record<string, unknown>>): boolean {
  const cloud = cloudOf(spec);
  if (cloud === undefined || spec["simulated"] === true) return false;
  return registry[cloud].agent.usesIdentity((spec[cloud] ?? {}) as Readonly<Record<string, unknown>>);
}

/** Returns the external id that agents use to assume the roles of a project's accounts. */
export function renderExternalId(projectUid: string): string {
  return `cloudwright-${projectUid}`;
}

/** Lists the Terraform resource types of managed clusters and their machines, across all clouds. */
export function listClusterTypes(): { readonly clusters: readonly string[]; readonly all: readonly string[] } {
  const types = cloudNames.flatMap((name) => registry[name].terraform.cluster ?? []);
  return { clusters: types.map(({ cluster }) => cluster), all: types.flatMap(({ cluster, machines }) => [cluster, machines]) };
}

/** Returns the full zone names of a region. Returns undefined for an unknown region. */
export function findZones(cloud: CloudName, region: string): readonly string[] | undefined {
  const { known, renderZone } = registry[cloud].regions;
  return Object.hasOwn(known, region) ? known[region]?.split("").map((zone) => renderZone(region, zone)) : undefined;
}

/** Returns the full names of the zones that a network in this region uses if its spec does not list any. */
export function listDefaultZones(cloud: CloudName, region: string): readonly string[] {
  const { defaultZones, findDefaultZones, renderZone } = registry[cloud].regions;
  return (findDefaultZones?.(region) ?? defaultZones).map((zone) => renderZone(region, zone));
}

export function listRegions(cloud: CloudName): readonly string[] {
  return Object.keys(registry[cloud].regions.known);
}

/** Returns why labels cannot become tags in a cloud, or undefined if they can. */
export function findTagProblem(cloud: CloudName, labels: Readonly<Record<string, string>>): string | undefined {
  const { title, tags } = registry[cloud];
  const keys = Object.keys(labels);
  const kept = tags === undefined ? [] : keys.filter((key) => !tags.isReserved(key));
  if (tags !== undefined && kept.length > tags.most)
    return `has ${kept.length} labels that become tags; ${title} allows ${tags.most}`;
  const seen = new Map<string, string>();
  for (const key of kept) {
    const other = seen.get(key.toLowerCase());
    if (other !== undefined)
      return `has the labels ${other} and ${key}, which differ only in case; ${title} ignores the case of tags`;
    seen.set(key.toLowerCase(), key);
  }
  const most = tags?.maxLength ?? Infinity;
  const isTooLong = (key: string): boolean =>
    tags?.render?.([key, labels[key] ?? ""]).some((part) => part.length > most) ?? false;
  const long = kept.find(isTooLong);
  return long === undefined
    ? undefined
    : `has the label ${long}, whose key or value is too long for ${title}: at most ${most} characters, and each character other than lower-case letters, digits, "-" and "_" counts as four`;
}

/** Reads a tag from the attributes of a resource in any cloud. Returns undefined if the resource does not have the tag. */
export function findTag(attributes: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const { tags } = attributes as { tags?: Readonly<Record<string, unknown>> | null };
  const value = [tags, ...cloudNames.map((name) => registry[name].tags?.read?.(attributes))]
    .map((each) => each?.[key])
    .find(isText);
  return isText(value) ? value : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Renders labels as tags in the cloud's syntax. Leaves out reserved labels. */
export function renderTags(cloud: CloudName, labels: Readonly<Record<string, string>>): Record<string, string> {
  const { tags } = registry[cloud];
  const kept = Object.entries(labels).filter(([key]) => tags?.isReserved(key) !== true && !key.includes(":"));
  return Object.fromEntries(kept.map((label) => tags?.render?.(label) ?? label));
}
