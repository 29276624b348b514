import { fromJson, toJson } from "@bufbuild/protobuf";
import type { Json, JsonObject } from "@cloudwright/contract";
import {
  PlanCountsSchema,
  PlannedChangeSchema,
  PlannedDependencySchema,
} from "@cloudwright/contract/gen/cloudwright/v1/run_pb.ts";
import { Fault, trimEnd } from "@cloudwright/platform";
import { apiFaults } from "../faults.ts";
import { getAt, isDeeperThan, isObject } from "../entities/json-tree.ts";
import type { JudgedChange } from "../entities/judge.ts";
import { keepJson } from "../agents/task-words.ts";
import { collapseAttributes, mostAttributes } from "./collapse-attributes.ts";
import { reduceDependencies, type Dependency } from "./reduce-dependencies.ts";

/** A plan sent by a run. */
export interface SentPlan {
  readonly serial: number;
  readonly lineage: string;
  /** The configuration version that the plan upgrades from. Empty if the version stays the same. */
  readonly upgradedFrom: string;
  readonly counts: JsonObject;
  /** The changes as callers see them, with sensitive values masked and without the complete resource objects. */
  readonly changes: readonly JsonObject[];
  readonly drift: readonly JsonObject[];
  /** The dependencies between the changed resources. */
  readonly dependencies: readonly Dependency[];
  /** The changes as policies see them. */
  readonly judged: readonly JudgedChange[];
  /** The plan file for Terraform. */
  readonly parcel: Buffer;
}

const deepest = 128;
const largestInteger = 2 ** 31 - 1;
const longestLineage = 256;
const longestVersion = 64;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses a plan. Faults never quote the plan, because it may contain secrets. */
export function parsePlan(body: Buffer): SentPlan {
  const sent = readObject(body);
  const serial = sent["serial"];
  if (typeof serial !== "number" || !Number.isInteger(serial) || serial < 0 || serial > largestInteger)
    throw malformed("serial must be a non-negative integer");
  const lineage = sent["lineage"];
  if (typeof lineage !== "string" || lineage.length > longestLineage)
    throw malformed(`lineage must be a string of at most ${longestLineage} characters`);
  const upgradedFrom = sent["upgradedFrom"] ?? "";
  if (typeof upgradedFrom !== "string" || upgradedFrom.length > longestVersion)
    throw malformed(`upgradedFrom must be a string of at most ${longestVersion} characters`);
  const whole = listAt(sent, "changes");
  const changes = whole.map(readChange);
  return {
    serial,
    lineage,
    upgradedFrom,
    counts: readCounts(sent["counts"]),
    changes,
    drift: listAt(sent, "drift").map(readChange),
    dependencies: reduceDependencies(
      listAt(sent, "dependencies").map(readDependency),
      changes.map(({ address }) => address as string),
    ),
    judged: changes.map((change, index) => readJudged(change, whole[index] ?? {})),
    parcel: readParcel(sent["parcel"]),
  };
}

function readObject(body: Buffer): JsonObject {
  try {
    const json = JSON.parse(decoder.decode(body)) as Json;
    if (isObject(json) && !isDeeperThan(json, deepest)) return keepJson(json) as JsonObject;
  } catch {
    // Any request body that is not a JSON object is rejected with the same error.
  }
  throw malformed("the body must be a JSON object");
}

function listAt(sent: JsonObject, name: string): JsonObject[] {
  const list = sent[name] ?? [];
  if (!Array.isArray(list) || !list.every((each) => isObject(each))) throw malformed(`${name} must be a list of changes`);
  return list;
}

function readCounts(counts: Json | undefined): JsonObject {
  const read = attempt("counts", () => fromJson(PlanCountsSchema, counts ?? null, { ignoreUnknownFields: true }));
  const numbers = toJson(PlanCountsSchema, read, { alwaysEmitImplicit: true }) as Record<string, number>;
  if (Object.values(numbers).some((count) => count < 0)) throw malformed("counts must not be negative");
  return numbers;
}

function readChange(change: JsonObject): JsonObject {
  const read = attempt("a change", () => fromJson(PlannedChangeSchema, change, { ignoreUnknownFields: true }));
  const json = toJson(PlannedChangeSchema, read, { alwaysEmitImplicit: true }) as JsonObject;
  const attributes = collapseAttributes((json["attributes"] as JsonObject[]).map(mask));
  if (attributes === undefined)
    throw malformed(`a change lists more than ${mostAttributes} attributes of one resource that cannot be combined`);
  return { ...json, attributes: [...attributes] };
}

function readDependency(dependency: JsonObject): Dependency {
  const { address, needs } = attempt("a dependency", () =>
    fromJson(PlannedDependencySchema, dependency, { ignoreUnknownFields: true }),
  );
  return { address, needs };
}

/** Masks a sensitive value, in case the sender did not. */
function mask(attribute: JsonObject): JsonObject {
  return attribute["sensitive"] === true ? { ...attribute, before: null, after: null } : attribute;
}

function readJudged(change: JsonObject, whole: JsonObject): JudgedChange {
  const { address, resourceType, action, reason, replacePaths } = change;
  return {
    address: address as string,
    type: resourceType as string,
    action: action as string,
    reason: reason as string,
    unfinished: false,
    replacePaths: replacePaths as string[],
    before: getAt(whole, ["values", "before"]) ?? null,
    after: getAt(whole, ["values", "after"]) ?? null,
  };
}

function readParcel(parcel: Json | undefined): Buffer {
  const text = typeof parcel === "string" ? parcel : "";
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length !== Math.floor((trimEnd(text, "=").length * 3) / 4))
    throw malformed("parcel must be base64");
  return bytes;
}

function attempt<Result>(what: string, read: () => Result): Result {
  try {
    return read();
  } catch {
    throw malformed(`${what} has fields of the wrong type`);
  }
}

function malformed(why: string): Fault {
  return new Fault(apiFaults.plan_malformed, `the plan is malformed: ${why}`);
}
