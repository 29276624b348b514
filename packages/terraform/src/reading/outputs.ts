import { type FieldViolation, isObject, objectOf, type ReadonlyJson, Secret } from "@cloudwright/platform";
import { readAnswer } from "./read-answer.ts";
import { listSensitive } from "./sensitive.ts";

/** Outputs of a stack. Callers must reveal each value explicitly. */
export type TerraformOutputs = Readonly<Record<string, TerraformOutput>>;

/** A single output. Its type is in Terraform's notation: `"string"`, `["list", "string"]`. */
export interface TerraformOutput {
  readonly isSensitive: boolean;
  readonly type: ReadonlyJson;
  readonly value: Secret<ReadonlyJson>;
}

/** Parses `output -json`. `secrets` contains the sensitive strings, for the redactor. */
export function parseOutputs(text: string): { outputs: TerraformOutputs; secrets: string[] } {
  const entries = Object.entries(readAnswer("the output of `output -json`", text)).map(
    ([name, value]): [string, TerraformOutput] => [name, readOutput(value)],
  );
  const secrets = entries.flatMap(([, { isSensitive, value }]) => listSensitive(value.reveal(), isSensitive));
  return { outputs: Object.fromEntries(entries), secrets };
}

/** Reads one output, as it appears in both `output -json` and states. */
export function readOutput(from: ReadonlyJson): TerraformOutput {
  const { sensitive, type, value } = objectOf(from);
  return { isSensitive: sensitive === true, type: type ?? "dynamic", value: new Secret(value ?? null) };
}

interface Shapes {
  text: string;
  number: number;
  truth: boolean;
  texts: readonly string[];
  object: Readonly<Record<string, ReadonlyJson>>;
}

const checks: { readonly [Shape in keyof Shapes]: (value: ReadonlyJson) => boolean } = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  truth: (value) => typeof value === "boolean",
  texts: (value) => Array.isArray(value) && value.every((inner) => typeof inner === "string"),
  object: isObject,
};

/** Returns the outputs that have the expected shape, and a problem for each one that is missing or has a different shape. */
export function pickOutputs<Wanted extends Readonly<Record<string, keyof Shapes>>>(
  outputs: TerraformOutputs,
  wanted: Wanted,
): { values: { readonly [Name in keyof Wanted]?: Shapes[Wanted[Name]] }; problems: FieldViolation[] } {
  const problems: FieldViolation[] = [];
  const values = Object.entries(wanted).flatMap(([name, shape]) => {
    const value = Object.hasOwn(outputs, name) ? outputs[name]?.value.reveal() : undefined;
    if (value !== undefined && checks[shape](value)) return [[name, value] as const];
    problems.push({
      field: name,
      message: value === undefined ? "is missing from the outputs" : `does not have the type ${shape}`,
    });
    return [];
  });
  return { values: Object.fromEntries(values) as never, problems };
}
