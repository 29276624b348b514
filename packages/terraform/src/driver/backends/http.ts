import type { Secret } from "@cloudwright/platform";
import type { Backend } from "./backend.ts";

/** State behind an HTTP endpoint. */
export interface HttpBackendSettings {
  readonly address: string;
  readonly lockAddress?: string;
  readonly unlockAddress?: string;
  readonly username: string;
  readonly password: Secret;
  readonly retryMax?: number;
}

/** Creates the backend. All settings go into the environment, because Terraform writes the backend block to disk in plain text. */
export function createHttpBackend(endpoint: HttpBackendSettings): Backend {
  const { address, lockAddress = address, unlockAddress = address, username, password, retryMax } = endpoint;
  return {
    type: "http",
    environment: {
      TF_HTTP_ADDRESS: address,
      // Terraform locks the state only if this is set.
      TF_HTTP_LOCK_ADDRESS: lockAddress,
      TF_HTTP_UNLOCK_ADDRESS: unlockAddress,
      TF_HTTP_USERNAME: username,
      ...(retryMax === undefined ? {} : { TF_HTTP_RETRY_MAX: String(retryMax) }),
    },
    secretEnvironment: { TF_HTTP_PASSWORD: password },
  };
}
