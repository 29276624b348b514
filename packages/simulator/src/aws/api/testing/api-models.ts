import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnvironment } from "@cloudwright/platform";

interface Shape {
  readonly type: string;
  readonly members?: Readonly<Record<string, Member>>;
  readonly member?: Member;
  readonly key?: Member;
  readonly value?: Member;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
}

interface Member {
  readonly shape: string;
  readonly locationName?: string;
  readonly location?: string;
}

/** The published description of one service. */
export interface ApiModel {
  readonly operations: Readonly<
    Record<string, { readonly http: { readonly method: string; readonly requestUri: string }; readonly output?: Member }>
  >;
  readonly shapes: Readonly<Record<string, Shape>>;
}

const folder = join(processEnvironment["CLOUDWRIGHT_REFERENCE_DATA"] ?? "", "cloud-apis", "aws");

/** Whether the API descriptions are available on this machine. */
export const hasModels: boolean = existsSync(join(folder, "eks.json"));

if (!hasModels) {
  console.log(
    "skipped the comparison with AWS API models: CLOUDWRIGHT_REFERENCE_DATA names no folder with cloud-apis/aws/eks.json",
  );
}

/** Reads the description of a service. */
export function readModel(service: string): ApiModel {
  return JSON.parse(readFileSync(join(folder, `${service}.json`), "utf8")) as ApiModel;
}

/**
 * Lists the mismatches between a value and a shape. `named` states whether fields have the names of the shape's members or their XML
 * names.
 */
export function listStrange(
  model: ApiModel,
  shapeName: string,
  value: unknown,
  named: "member" | "location",
  path = "",
): string[] {
  const shape = model.shapes[shapeName];
  if (value === undefined || value === null || shape === undefined) return [];
  const here = path === "" ? shapeName : path;
  switch (shape.type) {
    case "structure":
      return typeof value === "object" && !Array.isArray(value)
        ? Object.entries(value).flatMap(([name, inner]) => {
            const member = findMember(shape, name, named);
            if (inner === undefined) return [];
            return member === undefined
              ? [`${here} has no ${name}`]
              : listStrange(model, member.shape, inner, named, `${here}.${name}`);
          })
        : [`${here} is not an object`];
    case "list":
      return Array.isArray(value)
        ? value.flatMap((each: unknown) => listStrange(model, shape.member?.shape ?? "", each, named, `${here}[]`))
        : [`${here} is not a list`];
    case "map":
      return typeof value === "object" && !Array.isArray(value)
        ? Object.values(value).flatMap((each) => listStrange(model, shape.value?.shape ?? "", each, named, `${here}{}`))
        : [`${here} is not a map`];
    case "string":
      if (typeof value !== "string") return [`${here} is not a text`];
      return shape.enum === undefined || shape.enum.includes(value) ? [] : [`${here} cannot be ${value}`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${here} is not a boolean`];
    case "integer":
    case "long":
      return Number.isInteger(value) ? [] : [`${here} is not an integer`];
    case "timestamp":
      return typeof value === "number" || value instanceof Date || !Number.isNaN(Date.parse(value as string))
        ? []
        : [`${here} is not a time`];
    default:
      return [];
  }
}

function findMember({ members = {} }: Shape, name: string, named: "member" | "location"): Member | undefined {
  if (named === "member") return members[name];
  return Object.entries(members).find(([member, { locationName }]) => (locationName ?? member) === name)?.[1];
}

/** Returns the shape at a dotted path of members, or undefined if there is none. */
export function findShape(model: ApiModel, shapeName: string, [name, ...rest]: readonly string[]): Shape | undefined {
  const shape = model.shapes[shapeName];
  if (name === undefined) return shape;
  const member = shape?.members?.[name];
  return member === undefined ? undefined : findShape(model, member.shape, rest);
}
