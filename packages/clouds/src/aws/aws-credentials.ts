import type { Secret } from "@cloudwright/platform";

/** Credentials for signing AWS requests. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  /** The credentials are renewed before this time. Static keys also get one, so that rotated keys are picked up. */
  readonly expiresAtMs: number;
}
