import type { Secret } from "@cloudwright/platform/secret";

/** An access token for Google Cloud's APIs. */
export interface GcpToken {
  readonly token: Secret;
  readonly expiresAtMs: number;
}
