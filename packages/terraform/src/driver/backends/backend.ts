import { Fault, type ReadonlyJsonObject, type Secret } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { terraformFaults } from "../../faults.ts";

/** A state backend. Terraform writes the settings to disk and into plans, so secrets go into the environment. */
export interface Backend {
  /** Backend type, such as `http`, `s3`, `gcs`, `azurerm`, `pg` or `local`. */
  readonly type: string;
  readonly settings?: ReadonlyJsonObject;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
  /**
   * Contents of private files, keyed by the environment variable for the file's path. The files are deleted when the directory is closed.
   */
  readonly secretFiles?: Readonly<Record<string, Secret>>;
}

/** Renders the override file that replaces a configuration's backend. */
export function renderBackend(backend: Backend): string {
  return `${JSON.stringify({ terraform: { backend: { [backend.type]: backend.settings ?? {} } } }, undefined, 2)}\n`;
}

/**
 * Returns a hash that identifies a state. The hash is needed because Terraform silently accepts a changed TF_HTTP_ADDRESS and works on a
 * different state. If `anyHost` is true, the host of the endpoint is ignored.
 */
export function identifyBackend(backend: Backend | undefined, options: { readonly anyHost?: boolean } = {}): string {
  const { type, settings = {}, environment = {} } = backend ?? { type: "own" };
  const address = environment["TF_HTTP_ADDRESS"] ?? "";
  const identifyingAddress = options.anyHost === true && URL.canParse(address) ? new URL(address).pathname : address;
  // An HTTP state is identified by its address alone, and every other state by all settings of its backend.
  const identity = [type, settings, type === "http" ? identifyingAddress : environment];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

/** Rejects a setting that Terraform would misread or that would select a different state. */
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
