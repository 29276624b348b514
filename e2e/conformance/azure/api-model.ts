import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
}

interface SchemaFile {
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly resourceDefinitions: Readonly<Record<string, Schema>>;
}

/** Azure's published schemas for the request bodies that create or update resources. */
export interface ApiModel {
  /**
   * Returns the fields and values in a request body that the schema of its resource type forbids. If a resource type has no schema,
   * everything is allowed.
   */
  listForbidden(type: string, body: unknown): string[];
}

const files = ["armschema-containerservice-2026-05-01.json", "armschema-compute-2026-03-01.json"];
// Fields that are not checked. The schemas describe ARM templates, which contain a resource's name and type. Requests contain the name and
// type in the path.
const envelope = new Set(["id", "name", "type", "apiVersion", "etag", "eTag", "systemData", "managedBy", "managedByExtended"]);
// Azure computes these fields. The provider sends them back when it updates a resource, and Azure ignores them.
const readOnly = new Set(
  "provisioningState powerState currentOrchestratorVersion nodeImageVersion eTag resourceUID maxAgentPools azurePortalFQDN fqdn privateFQDN currentKubernetesVersion issuerURL effectiveOutboundIPs identity uniqueId timeCreated diskState diskSizeBytes clientId principalId".split(
    " ",
  ),
);

/** Reads Azure's schemas for AKS and Compute. */
export function readApiModel(): ApiModel {
  const folder = findFolder();
  const read = files.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as SchemaFile);
  const namespaces = ["microsoft.containerservice", "microsoft.compute"];

  function check(schema: Schema, value: unknown, at: string, definitions: SchemaFile["definitions"]): string[] {
    // The provider sends an empty string for an unset value.
    if (value === null || value === undefined || value === "") return [];
    const name = schema.$ref?.startsWith("#/definitions/") === true ? schema.$ref.slice("#/definitions/".length) : undefined;
    if (name !== undefined) return check(definitions[name] ?? {}, value, at, definitions);
    const options = schema.oneOf?.filter(({ $ref = "" }) => !$ref.includes("/common/"));
    if (options?.length === 1) return check(options[0] ?? {}, value, at, definitions);
    if (schema.enum !== undefined) return schema.enum.includes(value) ? [] : [`${at}: ${JSON.stringify(value)} is not allowed`];
    if (Array.isArray(value)) {
      return value.flatMap((each, index) => check(schema.items ?? {}, each, `${at}[${index}]`, definitions));
    }
    const { properties, additionalProperties } = schema;
    if (typeof value !== "object" || properties === undefined) return [];
    return Object.entries(value).flatMap(([key, inner]) => {
      const known = properties[key] ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
      if (known === undefined) return readOnly.has(key) ? [] : [`${at}.${key} is unknown`];
      return check(known, inner, `${at}.${key}`, definitions);
    });
  }

  return {
    listForbidden(type, body) {
      const [namespace = "", ...kinds] = type.split("/");
      const file = read[namespaces.indexOf(namespace)];
      const schema = Object.entries(file?.resourceDefinitions ?? {}).find(([key]) => key.toLowerCase() === kinds.join("_"))?.[1];
      if (file === undefined || schema === undefined || typeof body !== "object" || body === null) return [];
      const sent = Object.fromEntries(Object.entries(body).filter(([key]) => !envelope.has(key)));
      return check(schema, sent, type, file.definitions);
    },
  };
}

/** Finds the folder of the schemas, which are stored next to the repository in `shared/data`. */
function findFolder(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, "shared/data/cloud-apis/azure");
    if (existsSync(found)) return found;
  }
  throw new Error("the reference data for Azure's APIs (shared/data/cloud-apis/azure) is missing");
}
