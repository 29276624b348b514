import type { Secret } from "@cloudwright/platform";

/** Credentials that sign requests. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  /** They are replaced before this time. Static keys have one too, so that replaced keys are noticed. */
  readonly expiresAtMs: number;
}
