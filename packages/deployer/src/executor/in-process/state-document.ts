import { Fault, listOf, objectOf, parseJson, textOf } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { JsonObject } from "../../task.ts";
import { addressOf } from "./blueprint.ts";

/** The resources of an entity as the in-process executor last recorded them. */
export interface StateDocument {
  /** Incremented by every write. 0 before the first write. */
  readonly serial: number;
  /** Identifies the document across its versions. Empty before the first write. */
  readonly lineage: string;
  readonly resources: readonly RecordedResource[];
  /** Changes that have been started but whose results are not recorded yet. */
  readonly intents: readonly Intent[];
}

export interface RecordedResource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  /** Attributes after the last change, including `id`. */
  readonly attributes: JsonObject;
  /** Addresses of the resources that this one depends on. */
  readonly needs: readonly string[];
  /** True for a duplicate that an interrupted replacement left at the same address. The next plan deletes it. */
  readonly isSurplus: boolean;
}

/** A change that is about to be made. It is saved before the call to the cloud. */
export interface Intent {
  readonly address: string;
  readonly action: "create" | "update" | "delete";
  /** Idempotency token for the call to the cloud. A repeated creation with the same attributes uses the same token. */
  readonly token: string;
  /** Hash of the attributes. Clouds reject a token that is reused with different attributes. */
  readonly digest: string;
}

const executorName = "in-process";

/** The document of an entity that has no resources yet. */
export const emptyDocument: StateDocument = { serial: 0, lineage: "", resources: [], intents: [] };

/** Returns a recorded resource's address. A suffix distinguishes surplus resources. */
export function recordedAddress(resource: Pick<RecordedResource, "type" | "name" | "id" | "isSurplus">): string {
  return `${addressOf(resource)}${resource.isSurplus ? ` (deposed ${resource.id})` : ""}`;
}

/**
 * Serialises a document. The format resembles a Terraform state, so that the control plane can list, compare and restore both in the same
 * way.
 */
export function renderDocument({ serial, lineage, resources, intents }: StateDocument): string {
  return JSON.stringify({
    version: 1,
    executor: executorName,
    serial,
    lineage,
    resources: resources.map(({ type, name, id, attributes, needs, isSurplus }) => ({
      mode: "managed",
      type,
      name,
      instances: [{ attributes: { ...attributes, id }, dependencies: needs, ...(isSurplus ? { deposed: id } : {}) }],
    })),
    intents,
  });
}

/** Parses a document. Throws if another type of executor wrote it, because two executors must not manage the same resources. */
export function parseDocument(text: string): StateDocument {
  const json = objectOf(parseJson(text));
  if (json["executor"] !== executorName || json["version"] !== 1) {
    throw new Fault(deployerFaults.other_executor, "the entity's state was not written by the in-process executor in format 1");
  }
  return {
    serial: Number(json["serial"]),
    lineage: textOf(json["lineage"]),
    resources: listOf(json["resources"]).flatMap((each) => {
      const resource = objectOf(each);
      return listOf(resource["instances"]).map((one) => readInstance(resource, objectOf(one)));
    }),
    intents: listOf(json["intents"]) as unknown as readonly Intent[],
  };
}

function readInstance(resource: ReturnType<typeof objectOf>, instance: ReturnType<typeof objectOf>): RecordedResource {
  const attributes = objectOf(instance["attributes"]) as JsonObject;
  return {
    type: textOf(resource["type"]),
    name: textOf(resource["name"]),
    id: textOf(attributes["id"]),
    attributes,
    needs: listOf(instance["dependencies"]).map(textOf),
    isSurplus: instance["deposed"] !== undefined,
  };
}
