import type { Secret } from "@cloudwright/platform";
import type { Backend } from "./backend.ts";

/** A state behind HTTP. */
export interface HttpBackendSettings {
  readonly address: string;
  readonly lockAddress?: string;
  readonly unlockAddress?: string;
  readonly username: string;
  readonly password: Secret;
  readonly retryMax?: number;
}

/** A state behind HTTP: everything by environment, since Terraform writes the block's settings into its files in clear. */
export function createHttpBackend(door: HttpBackendSettings): Backend {
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
