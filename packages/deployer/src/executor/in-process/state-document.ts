import { Fault, listOf, objectOf, parseJson, textOf } from "@cloudwright/platform";
import { deployerFaults } from "../../faults.ts";
import type { JsonObject } from "../../task.ts";
import { addressOf } from "./blueprint.ts";

/** The in-process executor's knowledge of an entity's resources. */
export interface StateDocument {
  /** Grows with every write. 0 before the first. */
  readonly serial: number;
  /** The same in all versions of one entity's document. Empty before the first write. */
  readonly lineage: string;
  readonly resources: readonly RecordedResource[];
  /** Changes that were announced and whose result is not recorded yet. */
  readonly intents: readonly Intent[];
}

/** A resource that exists, as far as the executor knows. */
export interface RecordedResource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  /** The attributes after the last change, including `id`. */
  readonly attributes: JsonObject;
  /** Addresses of resources that must outlive this one. */
  readonly needs: readonly string[];
  /** A second resource for the same address, left by an interrupted replacement. It is deleted by the next plan. */
  readonly isSurplus: boolean;
}

/** A change that is written down before the cloud is called. */
export interface Intent {
  readonly address: string;
  readonly action: "create" | "update" | "delete";
  /** Identifies the call to the cloud. A repeated creation with the same attributes uses the same token. */
  readonly token: string;
  /** A hash of the attributes. Clouds reject a token that is repeated with other attributes. */
  readonly digest: string;
}

const executorName = "in-process";

/** The document of an entity for which nothing was created yet. */
export const emptyDocument: StateDocument = { serial: 0, lineage: "", resources: [], intents: [] };

/** Returns the address of a recorded resource. Surplus resources have an address of their own. */
export function recordedAddress(resource: Pick<RecordedResource, "type" | "name" | "id" | "isSurplus">): string {
  return `${addressOf(resource)}${resource.isSurplus ? ` (deposed ${resource.id})` : ""}`;
}

/**
 * Renders a document. Serial, lineage and resources have the same form as in a Terraform state, because the control plane lists, compares and
 * restores the versions of both.
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

/** Parses a document. Throws if another executor wrote it: its resources must not be managed by two executors. */
export function parseDocument(text: string): StateDocument {
  const json = objectOf(parseJson(text));
  if (json["executor"] !== executorName || json["version"] !== 1) {
    throw new Fault(deployerFaults.other_executor, "the entity's state was not written by the in-process executor, format 1");
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
