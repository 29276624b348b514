import { createHash } from "node:crypto";
import { isList, isMap, unknown, type Value, type ValueType } from "../values/value.ts";

/**
 * Replaces unknown values with computed ones, or with values generated from the seed and the path. Known values stay unchanged, because
 * Terraform rejects deviations from the plan.
 */
export function fillUnknown(type: ValueType, planned: Value, computed: Value | undefined, seed: string, path = ""): Value {
  if (planned === unknown) return computed === undefined || computed === unknown ? makeUp(type, seed, path) : computed;
  if (planned === null || typeof type === "string") return planned;
  if (isList(planned)) {
    const elementType = (index: number): ValueType =>
      type[0] === "tuple" ? (type[1][index] ?? "dynamic") : (type[1] as ValueType);
    return planned.map((element, index) =>
      fillUnknown(elementType(index), element, isList(computed) ? computed[index] : undefined, seed, `${path}.${index}`),
    );
  }
  if (!isMap(planned)) return planned;
  const innerType = (name: string): ValueType => (type[0] === "object" ? (type[1][name] ?? "dynamic") : (type[1] as ValueType));
  return Object.fromEntries(
    Object.entries(planned).map(([name, inner]) => [
      name,
      fillUnknown(innerType(name), inner, isMap(computed) ? computed[name] : undefined, seed, `${path}.${name}`),
    ]),
  );
}

function makeUp(type: ValueType, seed: string, path: string): Value {
  if (type === "string") {
    const name = path.split(".").findLast((part) => !/^\d*$/.test(part)) ?? "value";
    return `${name.replaceAll("_", "-")}-${createHash("sha256").update(`${seed}${path}`).digest("hex").slice(0, 12)}`;
  }
  if (type === "number") return 0;
  if (type === "bool") return false;
  if (type === "dynamic") return null;
  if (type[0] === "map") return {};
  if (type[0] === "tuple") return type[1].map((inner, index) => makeUp(inner, seed, `${path}.${index}`));
  if (type[0] !== "object") return [];
  return Object.fromEntries(Object.entries(type[1]).map(([name, inner]) => [name, makeUp(inner, seed, `${path}.${name}`)]));
}
