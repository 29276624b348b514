import { Fault, isObject, parseJson, type ReadonlyJson, type ReadonlyJsonObject } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";
import type { AttributePath } from "./changed-paths.ts";

/** Resource schemas, reduced to what is needed to resolve attribute paths. */
export interface ResourceSchemas {
  /** Truncates a path at its first set. Set elements have no index, and Terraform does not accept paths into them. */
  cutAtSet(resourceType: string, path: AttributePath): AttributePath;
}

/** Parses the output of `providers schema`. */
export function parseSchemas(text: string): ResourceSchemas {
  const answer = parseJson(text);
  if (!isObject(answer)) throw new Fault(terraformFaults.unexpected_output, "providers schema did not print JSON");
  const providers = Object.values(objectAt(answer, "provider_schemas")).filter(isObject);
  return {
    cutAtSet(resourceType, path) {
      const schema = providers.map((provider) => objectAt(provider, "resource_schemas")[resourceType]).find(isObject);
      return schema === undefined ? path : path.slice(0, walkBlock(objectAt(schema, "block"), path, 0));
    },
  };
}

/** Returns the length of the addressable prefix of a path. `block` contains the schema of the step at index `at`. */
function walkBlock(block: ReadonlyJsonObject, path: AttributePath, at: number): number {
  const name = String(path[at]);
  const attribute = objectAt(block, "attributes")[name];
  if (isObject(attribute)) {
    const nested = attribute["nested_type"];
    return isObject(nested) ? walkNested(nested, nested, path, at + 1) : walkType(attribute["type"], path, at + 1);
  }
  const inner = objectAt(block, "block_types")[name];
  return isObject(inner) ? walkNested(inner, objectAt(inner, "block"), path, at + 1) : path.length;
}

function walkNested(nesting: ReadonlyJsonObject, block: ReadonlyJsonObject, path: AttributePath, at: number): number {
  const mode = nesting["nesting_mode"];
  if (mode === "set" || at >= path.length) return at;
  const inside = mode === "list" || mode === "map" ? at + 1 : at;
  return inside >= path.length ? path.length : walkBlock(block, path, inside);
}

function walkType(type: ReadonlyJson | undefined, path: AttributePath, at: number): number {
  if (at >= path.length || !Array.isArray(type)) return path.length;
  const [word, of] = type as ReadonlyJson[];
  if (word === "set") return at;
  if (word === "object") return walkType(isObject(of) ? of[String(path[at])] : undefined, path, at + 1);
  if (word === "tuple") return walkType(Array.isArray(of) ? (of as ReadonlyJson[])[Number(path[at])] : undefined, path, at + 1);
  return walkType(of, path, at + 1);
}

function objectAt(from: ReadonlyJsonObject, name: string): ReadonlyJsonObject {
  const value = from[name];
  return isObject(value) ? value : {};
}
