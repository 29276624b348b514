import { Fault, type ReadonlyJson, type Secret } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";

const longestVariable = 100 * 1024;

/** Puts secret values into environment variables if they fit, and the remaining ones into a private file. */
export function renderSecretVariables(variables: Readonly<Record<string, Secret<ReadonlyJson>>>): {
  environment: Record<string, string>;
  file: Record<string, ReadonlyJson>;
} {
  const environment: Record<string, string> = {};
  const file: Record<string, ReadonlyJson> = {};
  for (const [name, secret] of Object.entries(variables)) {
    requireName(name);
    const value = secret.reveal();
    const text = renderExpression(value);
    // The kernel allows at most 128 KiB per variable and no NUL character.
    if (Buffer.byteLength(text) > longestVariable || text.includes("\0")) file[name] = value;
    else environment[`TF_VAR_${name}`] = text;
  }
  return { environment, file };
}

export function requireName(name: string): void {
  if (!/^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(name)) {
    throw new Fault(terraformFaults.bad_option, `${JSON.stringify(name)} is not a variable name`);
  }
}

/** Returns all strings and numbers in a value, for the redactor. */
export function listTexts(value: ReadonlyJson): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => listTexts(inner));
}

// Terraform reads a string variable literally and everything else as an HCL expression. JSON is valid HCL except for templates and two
// escapes.
function renderExpression(value: ReadonlyJson): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value)
    .replaceAll("${", () => "$${")
    .replaceAll("%{", "%%{")
    .replaceAll(/\\(\\|b|f)/g, (escape) => ({ "\\b": "\\u0008", "\\f": "\\u000c" })[escape] ?? escape);
}
