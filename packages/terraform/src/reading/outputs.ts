import { type FieldViolation, isObject, objectOf, type ReadonlyJson, Secret } from "@cloudwright/platform";
import { readAnswer } from "./read-answer.ts";
import { listSensitive } from "./sensitive.ts";

/** The outputs of a stack. Whoever wants a value reveals it. */
export type TerraformOutputs = Readonly<Record<string, TerraformOutput>>;

/** One output; its type is Terraform's: `"string"`, `["list", "string"]`. */
export interface TerraformOutput {
  readonly isSensitive: boolean;
  readonly type: ReadonlyJson;
  readonly value: Secret<ReadonlyJson>;
}

/** Reads `output -json`; `secrets` are the sensitive texts in it, for the redactor. */
export function parseOutputs(text: string): { outputs: TerraformOutputs; secrets: string[] } {
  const entries = Object.entries(readAnswer("the answer of output", text)).map(([name, value]): [string, TerraformOutput] => [
    name,
    readOutput(value),
  ]);
  const secrets = entries.flatMap(([, { isSensitive, value }]) => listSensitive(value.reveal(), isSensitive));
  return { outputs: Object.fromEntries(entries), secrets };
}

/** One output as it stands in outputs and in states. */
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

/** Picks outputs of known shapes: those that are as wanted, and a problem for each one that is missing or otherwise. */
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
      message: value === undefined ? "is missing in the outputs" : `is not a value of the kind ${shape}`,
    });
    return [];
  });
  return { values: Object.fromEntries(values) as never, problems };
}
