/**
 * The clouds that the platform knows and the facts about them that need no SDK. This is the only list of clouds. A cloud's name is the
 * field of every spec's `cloud` choice, the label `cloud` of agents, and the name of its folders in `clouds`, `simulator`, `deployer` and `infra`.
 */
import { awsFacts } from "./aws/facts.ts";
import { azureFacts } from "./azure/facts.ts";
import type { CloudFacts } from "./cloud-facts.ts";
import { gcpFacts } from "./gcp/facts.ts";
import { localFacts } from "./local/facts.ts";

export type * from "./cloud-facts.ts";

const registry: Readonly<Record<"aws" | "gcp" | "azure" | "local", CloudFacts>> = {
  aws: awsFacts,
  gcp: gcpFacts,
  azure: azureFacts,
  local: localFacts,
} as const satisfies Record<string, CloudFacts>;

export type CloudName = keyof typeof registry;

/** Every cloud, in the order in which users see them. */
export const cloudNames = Object.keys(registry) as readonly CloudName[];

/** The cloud that examples, forms and the quickstart use. */
export const defaultCloud: CloudName = "aws";

/** Returns the facts about a cloud. */
export function getCloud(name: CloudName): CloudFacts {
  return registry[name];
}

/** Returns the facts about the cloud of that name, if it is one. */
export function findCloud(name: string): CloudFacts | undefined {
  return isCloudName(name) ? registry[name] : undefined;
}

/** Returns whether a text is the name of a cloud. */
export function isCloudName(name: string): name is CloudName {
  return Object.hasOwn(registry, name);
}

/** Returns the cloud that a spec in its JSON form chooses. */
export function cloudOf(spec: object): CloudName | undefined {
  return cloudNames.find((name) => (spec as Readonly<Record<string, unknown>>)[name] !== undefined);
}

/** Returns the Terraform types that make up managed clusters, in every cloud. */
export function listClusterTypes(): { readonly clusters: readonly string[]; readonly all: readonly string[] } {
  const types = cloudNames.flatMap((name) => registry[name].terraform.cluster ?? []);
  return { clusters: types.map(({ cluster }) => cluster), all: types.flatMap(({ cluster, machines }) => [cluster, machines]) };
}

/** Returns the full names of a known region's zones. */
export function findZones(cloud: CloudName, region: string): readonly string[] | undefined {
  const { known, renderZone } = registry[cloud].regions;
  return Object.hasOwn(known, region) ? known[region]?.split("").map((zone) => renderZone(region, zone)) : undefined;
}

/** Returns the names of a cloud's known regions. */
export function listRegions(cloud: CloudName): readonly string[] {
  return Object.keys(registry[cloud].regions.known);
}
