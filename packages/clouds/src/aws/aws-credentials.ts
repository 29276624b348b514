import type { Secret } from "@cloudwright/platform/secret";

/** Credentials for signing AWS requests. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  /** Time by which the credentials must be renewed. Static keys have such a time too, so that rotated keys are picked up. */
  readonly expiresAtMs: number;
}
