import { Fault, type ReadonlyJsonObject, type Secret } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { terraformFaults } from "../../faults.ts";

/**
 * Where a state is stored. Terraform writes settings to disk and into plans, so secrets belong into the environment, which it does not
 * write.
 */
export interface Backend {
  /** For example `http`, `s3`, `gcs`, `azurerm`, `pg` or `local`. */
  readonly type: string;
  readonly settings?: ReadonlyJsonObject;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
  /** Contents of private files, by the variable that names the file. They are deleted when the directory is closed. */
  readonly secretFiles?: Readonly<Record<string, Secret>>;
}

/** Renders the override file that replaces a configuration's backend. */
export function renderBackend(backend: Backend): string {
  return `${JSON.stringify({ terraform: { backend: { [backend.type]: backend.settings ?? {} } } }, undefined, 2)}\n`;
}

/**
 * Returns a text that identifies a state. Terraform silently accepts a changed TF_HTTP_ADDRESS and works on the other state. With `anyHost`
 * the host of the endpoint does not matter.
 */
export function identifyBackend(backend: Backend | undefined, options: { readonly anyHost?: boolean } = {}): string {
  const { type, settings = {}, environment = {} } = backend ?? { type: "own" };
  const address = environment["TF_HTTP_ADDRESS"] ?? "";
  const identifyingAddress = options.anyHost === true && URL.canParse(address) ? new URL(address).pathname : address;
  // For an HTTP endpoint only the address identifies the state, for a database all of its settings do.
  const identity = [type, settings, type === "http" ? identifyingAddress : environment];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

/** Rejects a setting that Terraform would misread, or that would select another state. */
export function requireSetting(name: string, value: unknown, pattern: RegExp, example: string): void {
  if (typeof value !== "string" || !pattern.test(value)) {
    throw new Fault(
      terraformFaults.bad_backend,
      `the state backend's ${name} must be a value such as ${example}: ${describe(value)}`,
      {
        fields: [{ field: name, message: `must be a value such as ${example}` }],
      },
    );
  }
}

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : typeof value;
}
