import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkedFields, fields } from "./google-fields.ts";

/**
 * Generates the types in `compute-models.ts` and `container-models.ts`, and the test server's description of the APIs, from Google's
 * discovery documents. Fails if an API lacks a field or a method that the provider uses. The documents are called `compute.v1.json`,
 * `storage.v1.json` and so on. A folder may contain only extracts, so each field and method is taken from the first folder whose document
 * contains it. A method that no document contains keeps its description from the last run.
 * Usage: node packages/clouds/scripts/derive-google-models.ts FOLDER...
 */
const folders = process.argv.slice(2);

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
  /** Query parameters that all methods accept, such as `fields`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly schemas: Readonly<Record<string, Property>>;
  readonly resources: Resources;
}

/** Path prefixes in the test server for APIs whose paths do not start with the API's name. */
const prefixes: Readonly<Record<string, string>> = {
  cloudresourcemanager: "resource_manager/",
  serviceusage: "service_usage/",
  iam: "iam_beta/",
  cloudkms: "kms/",
  logging: "logging/",
  iamcredentials: "iam_credentials/",
};

/** Query parameters that the provider uses and that all methods of an API accept, keyed by API. */
const commonQueries: Readonly<Record<string, readonly string[]>> = { storage: ["fields"] };

/** Methods that the provider calls. */
const methods: Readonly<Record<string, readonly string[]>> = {
  compute: [
    "addresses.delete",
    "addresses.list",
    "backendServices.delete",
    "backendServices.list",
    "disks.aggregatedList",
    "disks.delete",
    "disks.get",
    "disks.insert",
    "disks.resize",
    "disks.setLabels",
    "firewalls.delete",
    "firewalls.get",
    "firewalls.insert",
    "firewalls.list",
    "firewalls.update",
    "forwardingRules.delete",
    "forwardingRules.list",
    "globalAddresses.list",
    "globalForwardingRules.delete",
    "globalForwardingRules.list",
    "globalOperations.get",
    "globalOperations.wait",
    "healthChecks.delete",
    "healthChecks.list",
    "httpHealthChecks.delete",
    "httpHealthChecks.list",
    "images.get",
    "images.getFromFamily",
    "instanceGroupManagers.get",
    "instances.aggregatedList",
    "instances.attachDisk",
    "instances.delete",
    "instances.detachDisk",
    "instances.get",
    "instances.getSerialPortOutput",
    "instances.insert",
    "instances.resume",
    "instances.setLabels",
    "instances.setMachineType",
    "instances.setMetadata",
    "instances.setTags",
    "instances.start",
    "instances.stop",
    "machineTypes.aggregatedList",
    "machineTypes.get",
    "networks.list",
    "projects.get",
    "regionBackendServices.delete",
    "regionBackendServices.list",
    "regionOperations.wait",
    "regions.get",
    "routers.list",
    "subnetworks.aggregatedList",
    "subnetworks.list",
    "targetPools.delete",
    "targetPools.list",
    "zoneOperations.get",
    "zoneOperations.wait",
    "zones.list",
  ],
  container: [
    "projects.locations.clusters.create",
    "projects.locations.clusters.delete",
    "projects.locations.clusters.get",
    "projects.locations.clusters.list",
    "projects.locations.clusters.nodePools.create",
    "projects.locations.clusters.nodePools.delete",
    "projects.locations.clusters.nodePools.get",
    "projects.locations.clusters.nodePools.setAutoscaling",
    "projects.locations.clusters.nodePools.setManagement",
    "projects.locations.clusters.nodePools.setSize",
    "projects.locations.clusters.nodePools.update",
    "projects.locations.clusters.setResourceLabels",
    "projects.locations.clusters.update",
    "projects.locations.clusters.updateMaster",
    "projects.locations.getServerConfig",
    "projects.locations.operations.get",
  ],
  storage: ["buckets.get", "buckets.getIamPolicy", "buckets.list", "objects.list"],
  cloudresourcemanager: ["projects.get", "projects.getIamPolicy", "projects.testIamPermissions"],
  serviceusage: ["services.batchGet"],
  iam: ["projects.serviceAccounts.list"],
  cloudkms: [
    "projects.locations.keyRings.cryptoKeys.getIamPolicy",
    "projects.locations.keyRings.cryptoKeys.list",
    "projects.locations.keyRings.list",
  ],
  logging: ["entries.list"],
  iamcredentials: ["projects.serviceAccounts.generateAccessToken"],
};

const root = join(import.meta.dirname, "../src/gcp");
const heading =
  "// Derived from Google's discovery documents by `scripts/derive-google-models.ts`. Contains only the fields that are used.\n\n";
const described: Record<string, unknown> = {};
const previous = JSON.parse(readFileSync(join(root, "testing/api-methods.json"), "utf8")) as Readonly<Record<string, object>>;
for (const [service, ids] of Object.entries(methods)) {
  const documents = readDocuments(service);
  if (documents.length > 0)
    for (const [name, names] of Object.entries(checkedFields[service] ?? {})) getProperties(documents, name, names);
  const schemas = fields[service] ?? {};
  const interfaces = Object.entries(schemas).map(([name, names]) => renderInterface(documents, schemas, name, names));
  if (interfaces.length > 0) writeFileSync(join(root, `${service}-models.ts`), heading + interfaces.join("\n"));
  for (const id of ids) described[`${service}.${id}`] = describeMethod(service, documents, id);
}
writeFileSync(join(root, "testing/api-methods.json"), `${JSON.stringify(described, undefined, 2)}\n`);

function readDocuments(service: string): readonly Discovery[] {
  const paths = folders.flatMap((folder) => ["v1", "v2"].map((version) => join(folder, `${service}.${version}.json`)));
  return paths.filter((path) => existsSync(path)).map((path) => JSON.parse(readFileSync(path, "utf8")) as Discovery);
}

function describeMethod(service: string, documents: readonly Discovery[], id: string): object {
  for (const document of documents) {
    const found = findMethod(document, id.split("."));
    if (found === undefined) continue;
    const { httpMethod, path, parameters = {}, request } = found;
    const own = Object.entries(parameters).flatMap(([name, { location }]) => (location === "query" ? [name] : []));
    const common = commonQueries[service] ?? [];
    const missing = common.find((name) => document.parameters?.[name] === undefined);
    if (missing !== undefined) throw new Error(`the API ${service} has no parameter ${missing}`);
    const body = request === undefined ? undefined : Object.keys(document.schemas[request.$ref]?.properties ?? {}).toSorted();
    return {
      method: httpMethod,
      path: renderPattern((prefixes[service] ?? "") + document.servicePath + path, parameters),
      queries: [...own, ...common].toSorted(),
      ...(body === undefined ? {} : { body }),
    };
  }
  const kept = previous[`${service}.${id}`];
  if (kept === undefined) throw new Error(`the API ${service} has no method ${id}`);
  return kept;
}

function findMethod({ resources }: Discovery, names: readonly string[]): Method | undefined {
  let at: Resources = resources;
  for (const name of names.slice(0, -2)) at = at[name]?.resources ?? {};
  const [resource = "", method = ""] = names.slice(-2);
  return at[resource]?.methods?.[method];
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
  documents: readonly Discovery[],
  known: Readonly<Record<string, unknown>>,
  name: string,
  names: readonly string[],
): string {
  const properties = getProperties(documents, name, names);
  const lines = properties.map(([field, property]) => `  readonly ${field}?: ${renderType(property, known)};`);
  return `export interface ${name} {\n${lines.join("\n")}\n}\n`;
}

/** Returns the named fields of a schema. Throws if the schema lacks one of them. */
function getProperties(documents: readonly Discovery[], name: string, names: readonly string[]): [string, Property][] {
  return names.map((field) => {
    const property = documents.map(({ schemas }) => schemas[name]?.properties?.[field]).find((each) => each !== undefined);
    if (property === undefined) throw new Error(`the schema ${name} has no field ${field}`);
    return [field, property];
  });
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
