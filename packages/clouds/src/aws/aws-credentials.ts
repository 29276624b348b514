import type { Secret } from "@cloudwright/platform";

/** Credentials for signing AWS requests. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  /** Time by which the credentials must be renewed. Static keys have one too, so that rotated keys are picked up. */
  readonly expiresAtMs: number;
}
