import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Derives the types in `models.ts` and the test server's description of the APIs from Google's discovery documents. Fails if an
 * API lacks a field or a method that the provider uses.
 *
 * Usage: node packages/clouds/scripts/derive-google-models.ts FOLDER
 */
const [folder = ""] = process.argv.slice(2);

interface Property {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Property;
  readonly additionalProperties?: Property;
  readonly properties?: Readonly<Record<string, Property>>;
}

interface Method {
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly parameters?: Readonly<
    Record<string, { readonly location: string; readonly required?: boolean; readonly pattern?: string }>
  >;
  readonly request?: { readonly $ref: string };
}

interface Resources {
  readonly [name: string]: { readonly methods?: Readonly<Record<string, Method>>; readonly resources?: Resources };
}

interface Discovery {
  readonly servicePath: string;
  readonly revision: string;
  readonly schemas: Readonly<Record<string, Property>>;
  readonly resources: Resources;
}

/** Fields that the provider reads or writes, by schema. */
const fields: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  compute: {
    Zone: ["name", "region", "status"],
    Region: ["name", "status", "quotas"],
    Project: ["name", "quotas"],
    Quota: ["metric", "limit", "usage"],
    Network: ["name", "selfLink", "description", "subnetworks"],
    Subnetwork: ["name", "selfLink", "description", "network", "region", "ipCidrRange", "secondaryIpRanges"],
    SubnetworkSecondaryRange: ["rangeName", "ipCidrRange"],
    Address: ["name", "selfLink", "description", "address", "addressType", "labels", "status", "region"],
    Router: ["name", "selfLink", "description", "network", "region", "nats"],
    RouterNat: ["name", "natIps"],
    Firewall: ["name", "selfLink", "description", "network", "targetTags"],
    Disk: ["name", "selfLink", "description", "labels", "labelFingerprint", "users", "zone", "status"],
    ZoneSetLabelsRequest: ["labels", "labelFingerprint"],
    Instance: ["name", "machineType", "status", "labels", "scheduling", "zone"],
    Scheduling: ["provisioningModel", "preemptible"],
    MachineType: ["name", "guestCpus", "zone", "deprecated"],
    DeprecationStatus: ["state"],
    InstanceGroupManager: ["name", "targetSize"],
    Operation: ["name", "status", "error", "selfLink", "zone", "region"],
  },
  container: {
    Cluster: ["name", "location", "status", "resourceLabels", "nodePools", "endpoint"],
    NodePool: ["name", "config", "instanceGroupUrls", "initialNodeCount"],
    NodeConfig: ["labels", "resourceLabels", "machineType"],
    ServerConfig: ["validMasterVersions", "defaultClusterVersion", "channels"],
    ReleaseChannelConfig: ["channel", "defaultVersion", "validVersions"],
  },
};

/** Methods that the provider calls. */
const methods: Readonly<Record<string, readonly string[]>> = {
  compute: [
    "addresses.delete",
    "addresses.list",
    "disks.aggregatedList",
    "disks.delete",
    "disks.get",
    "disks.setLabels",
    "firewalls.delete",
    "firewalls.list",
    "globalAddresses.list",
    "globalOperations.wait",
    "instanceGroupManagers.get",
    "instances.aggregatedList",
    "machineTypes.aggregatedList",
    "networks.list",
    "projects.get",
    "regionOperations.wait",
    "regions.get",
    "routers.list",
    "subnetworks.aggregatedList",
    "subnetworks.list",
    "zoneOperations.wait",
    "zones.list",
  ],
  container: ["projects.locations.clusters.list", "projects.locations.getServerConfig"],
};

const root = join(import.meta.dirname, "../src/gcp");
const interfaces: string[] = [];
const described: Record<string, unknown> = {};
for (const [service, schemas] of Object.entries(fields)) {
  const document = JSON.parse(readFileSync(join(folder, `${service}.v1.json`), "utf8")) as Discovery;
  interfaces.push(...Object.entries(schemas).map(([name, names]) => renderInterface(document, schemas, name, names)));
  for (const id of methods[service] ?? []) {
    const { httpMethod, path, parameters = {}, request } = findMethod(document, id.split("."));
    const queries = Object.entries(parameters).flatMap(([name, { location }]) => (location === "query" ? [name] : []));
    const body = request === undefined ? undefined : Object.keys(document.schemas[request.$ref]?.properties ?? {}).toSorted();
    described[`${service}.${id}`] = {
      method: httpMethod,
      path: renderPattern(document.servicePath + path, parameters),
      queries: queries.toSorted(),
      ...(body === undefined ? {} : { body }),
    };
  }
}
const heading =
  "// Derived from Google's discovery documents by `scripts/derive-google-models.ts`. Contains only the fields that are used.\n\n";
writeFileSync(join(root, "models.ts"), heading + interfaces.join("\n"));
writeFileSync(join(root, "testing/api-methods.json"), `${JSON.stringify(described, undefined, 2)}\n`);

function findMethod({ resources }: Discovery, names: readonly string[]): Method {
  let at: Resources = resources;
  for (const name of names.slice(0, -2)) at = at[name]?.resources ?? {};
  const [resource = "", method = ""] = names.slice(-2);
  const found = at[resource]?.methods?.[method];
  if (found === undefined) throw new Error(`the API has no method ${names.join(".")}`);
  return found;
}

// Converts a path to a regular expression. Each parameter becomes a group with the parameter's own pattern.
function renderPattern(path: string, parameters: Method["parameters"] = {}): string {
  const pattern = path.replaceAll(/\{\+?([A-Za-z]+)\}/g, (_text, name: string) => {
    const own = parameters[name]?.pattern?.replace(/^\^/, "").replace(/\$$/, "");
    return `(?:${own ?? "[^/]+"})`;
  });
  return `^/${pattern}$`;
}

function renderInterface(
  { schemas }: Discovery,
  known: Readonly<Record<string, unknown>>,
  name: string,
  names: readonly string[],
): string {
  const lines = names.map((field) => {
    const property = schemas[name]?.properties?.[field];
    if (property === undefined) throw new Error(`the schema ${name} has no field ${field}`);
    return `  readonly ${field}?: ${renderType(property, known)};`;
  });
  return `export interface ${name} {\n${lines.join("\n")}\n}\n`;
}

function renderType(
  { type, $ref, items, additionalProperties, properties }: Property,
  known: Readonly<Record<string, unknown>>,
): string {
  if ($ref !== undefined) return $ref in known ? $ref : "object";
  if (items !== undefined) return `readonly ${renderType(items, known)}[]`;
  if (additionalProperties !== undefined) return `Readonly<Record<string, ${renderType(additionalProperties, known)}>>`;
  if (properties !== undefined) {
    const inner = Object.entries(properties).map(([name, each]) => `readonly ${name}?: ${renderType(each, known)}`);
    return `{ ${inner.join("; ")} }`;
  }
  return type === "integer" ? "number" : (type ?? "unknown");
}
