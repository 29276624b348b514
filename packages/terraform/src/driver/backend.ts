import { Secret } from "@cloudwright/platform";
import { createHash } from "node:crypto";
import type { JsonObject } from "../json.ts";

/** Where a state is. Settings are written to disk and into plans: what is secret goes into the environment, which is not. */
export interface Backend {
  /** `http`, `s3`, `gcs`, `azurerm`, `pg`, `local`. */
  readonly type: string;
  readonly settings?: JsonObject;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
}

/** A state behind HTTP: everything by environment, since Terraform writes the block's settings into its files in clear. */
export function createHttpBackend(door: {
  readonly address: string;
  readonly lockAddress?: string;
  readonly unlockAddress?: string;
  readonly username: string;
  readonly password: Secret;
  readonly retryMax?: number;
}): Backend {
  const { address, lockAddress = address, unlockAddress = address, username, password, retryMax } = door;
  return {
    type: "http",
    environment: {
      TF_HTTP_ADDRESS: address,
      // Without it there is no locking at all.
      TF_HTTP_LOCK_ADDRESS: lockAddress,
      TF_HTTP_UNLOCK_ADDRESS: unlockAddress,
      TF_HTTP_USERNAME: username,
      ...(retryMax === undefined ? {} : { TF_HTTP_RETRY_MAX: String(retryMax) }),
    },
    secretEnvironment: { TF_HTTP_PASSWORD: password },
  };
}

/** The override file that gives a configuration this backend, whatever its own says. */
export function renderBackend(backend: Backend): string {
  return `${JSON.stringify({ terraform: { backend: { [backend.type]: backend.settings ?? {} } } }, undefined, 2)}\n`;
}

/** Tells one state from another: Terraform takes a changed TF_HTTP_ADDRESS without a word, and works on the other state. */
export function identifyBackend(backend: Backend | undefined): string {
  const { type, settings, environment } = backend ?? { type: "own" };
  const identity = [type, settings ?? {}, environment?.["TF_HTTP_ADDRESS"] ?? ""];
  return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}
