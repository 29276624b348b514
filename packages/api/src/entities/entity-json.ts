import { create, toJson, type DescMessage, type Message } from "@bufbuild/protobuf";
import { getEntitySchema, getKind, type EntityJson, type JsonObject, type Kind } from "@cloudwright/contract";
import { invalid } from "../calls/decode.ts";
import { isObject } from "./json-tree.ts";

/** The fields of an entity that callers set, in canonical form. Default values are included and server fields are not. */
export interface DesiredEntity {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly environment: string;
  readonly deletionProtection: boolean;
  /** Either "", `delete` or `retain`. */
  readonly deletionPolicy: string;
  readonly resourceVersion: string;
  readonly spec: JsonObject;
}

/** Extracts the fields that callers set from a decoded entity. */
export function readDesired(kind: string, message: Message): DesiredEntity {
  const json = toJson(getEntitySchema(kind), message, { alwaysEmitImplicit: true }) as unknown as Partial<EntityJson>;
  const metadata = json.metadata ?? {};
  requireOwnInfrastructure(kind, metadata.deletionPolicy ?? "");
  return {
    name: metadata.name ?? "",
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    environment: metadata.environment ?? "",
    deletionProtection: metadata.deletionProtection ?? false,
    deletionPolicy: metadata.deletionPolicy ?? "",
    resourceVersion: metadata.resourceVersion ?? "",
    spec: isObject(json.spec) ? json.spec : emptySpec(kind),
  };
}

/** Rejects the `retain` policy for kinds that are built by their owner's runs. The owner's next run would delete the entity anyway. */
function requireOwnInfrastructure(kind: string, deletionPolicy: string): void {
  const { builtByOwnerAs, parent, words } = getKind(kind);
  if (builtByOwnerAs === undefined || deletionPolicy !== "retain") return;
  const owner = (parent?.kind ?? "").toLowerCase();
  const message = `cannot be "retain", because a ${words[0] ?? kind} is part of its ${owner}; set it on the ${owner} instead`;
  throw invalid(`the ${kind}`, [{ field: "metadata.deletionPolicy", message }]);
}

function emptySpec(kind: string): JsonObject {
  return emptyMessage(getEntitySchema(kind).field["spec"]?.message);
}

/** Returns an empty section of a kind's spec, such as the section for one cloud, in canonical form. */
export function emptyPart(kind: string, part: string): JsonObject {
  return emptyMessage(getEntitySchema(kind).field["spec"]?.message?.field[part]?.message);
}

const emptyMessages = new Map<DescMessage, JsonObject>();

function emptyMessage(schema: DescMessage | undefined): JsonObject {
  if (schema === undefined) return {};
  const known = emptyMessages.get(schema);
  if (known !== undefined) return known;
  const json = toJson(schema, create(schema), { alwaysEmitImplicit: true }) as JsonObject;
  emptyMessages.set(schema, json);
  return json;
}

/** Returns the status of an entity before its first reconciler pass. */
export function firstStatus(kind: Kind): JsonObject {
  return {
    phase: kind.provisioned ? "PENDING" : "RUNNING",
    conditions: [],
    observedGeneration: 0,
    message: kind.provisioned ? "accepted; waiting for the reconciler" : "",
    progressPercent: 0,
  };
}
