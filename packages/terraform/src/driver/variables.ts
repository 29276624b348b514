import { Fault, type ReadonlyJson, type Secret } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";

const longestVariable = 100 * 1024;

/** Secret values on their way to Terraform: by environment where they fit, else by a file that only its owner can read. */
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
    // The kernel takes 128 KiB a variable, and no NUL in it.
    if (Buffer.byteLength(text) > longestVariable || text.includes("\0")) file[name] = value;
    else environment[`TF_VAR_${name}`] = text;
  }
  return { environment, file };
}

/** Refuses what cannot be the name of a variable. */
export function requireName(name: string): void {
  if (!/^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(name)) {
    throw new Fault(terraformFaults.bad_option, `${JSON.stringify(name)} is not the name of a variable`);
  }
}

/** Every text in a value, for the redactor. */
export function listTexts(value: ReadonlyJson): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => listTexts(inner));
}

// Terraform takes a text for a text variable as it is, and everything else as an HCL expression: JSON, but for templates and two escapes.
function renderExpression(value: ReadonlyJson): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value)
    .replaceAll("${", () => "$${")
    .replaceAll("%{", "%%{")
    .replaceAll(/\\(\\|b|f)/g, (escape) => ({ "\\b": "\\u0008", "\\f": "\\u000c" })[escape] ?? escape);
}
