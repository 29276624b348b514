import type { Secret } from "@cloudwright/platform";

/** What requests are signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
  /** Nobody keeps them longer than that. */
  readonly expiresAtMs: number;
}
