import { Fault, type ReadonlyJsonObject, type Secret } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import { terraformFaults } from "../../faults.ts";

/** Where a state is. Settings are written to disk and into plans: what is secret goes into the environment, which is not. */
export interface Backend {
  /** `http`, `s3`, `gcs`, `azurerm`, `pg`, `local`. */
  readonly type: string;
  readonly settings?: ReadonlyJsonObject;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
  /** Contents of files that only their owner can read, by the variable that names the file. They are gone when the directory is closed. */
  readonly secretFiles?: Readonly<Record<string, Secret>>;
}

/** The override file that gives a configuration this backend, whatever its own says. */
export function renderBackend(backend: Backend): string {
  return `${JSON.stringify({ terraform: { backend: { [backend.type]: backend.settings ?? {} } } }, undefined, 2)}\n`;
}

/**
 * Tells one state from another: Terraform takes a changed TF_HTTP_ADDRESS without a word, and works on the other state. With `anyHost` it is the
 * same state by whatever address its door is reached.
 */
export function identifyBackend(backend: Backend | undefined, options: { readonly anyHost?: boolean } = {}): string {
  const { type, settings = {}, environment = {} } = backend ?? { type: "own" };
  const address = environment["TF_HTTP_ADDRESS"] ?? "";
  const door = options.anyHost === true && URL.canParse(address) ? new URL(address).pathname : address;
  // Of a door only the address says which state it is; of a database all of its settings do.
  const identity = [type, settings, type === "http" ? door : environment];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

/** Refuses a setting that Terraform would misread, or take for another state than was meant. */
export function requireSetting(name: string, value: unknown, pattern: RegExp, example: string): void {
  if (typeof value !== "string" || !pattern.test(value)) {
    throw new Fault(
      terraformFaults.bad_backend,
      `${name} of the state's backend is not one such as ${example}: ${describe(value)}`,
      {
        fields: [{ field: name, message: `is not one such as ${example}` }],
      },
    );
  }
}

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 100)) : typeof value;
}
