import type { CommonOptions } from "../../library/call-options.ts";

/**
 * Options for `createAws`. Set at most one kind of credentials: keys, `webIdentity` or `credentials`. Without any, the SDK's default chain
 * applies: environment variables, profiles, and the role of the machine or pod.
 */
export interface AwsLibraryOptions extends CommonOptions {
  /** Region for calls that do not specify one. */
  readonly region: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
  readonly sessionToken?: string;
  /** Role to assume with the credentials. The library renews the session before it expires. */
  readonly assumeRole?: {
    readonly roleArn: string;
    readonly externalId?: string;
    readonly sessionName?: string;
    /** Default 3600. */
    readonly sessionSeconds?: number;
  };
  /** Role to assume with the token in a file. The file is read again for each renewal. */
  readonly webIdentity?: { readonly roleArn: string; readonly tokenFile: string; readonly sessionName?: string };
  /** Provides credentials. Called again five minutes before `expiresAt`, or after 15 minutes if there is no expiry. */
  readonly credentials?: () => Promise<AwsKeys>;
  /** Role for new EKS clusters. If absent, `clusters.create` creates one, and `clusters.delete` removes it. */
  readonly eksRoleArn?: string;
  /** Role for new nodes. If absent, `clusters.create` and `nodePools.create` create one, and `clusters.delete` removes it. */
  readonly nodeRoleArn?: string;
  /** URLs that replace AWS's own endpoints. `all` applies to every service that has no separate URL. */
  readonly endpoints?: {
    readonly all?: string;
    readonly eks?: string;
    readonly ec2?: string;
    readonly iam?: string;
    readonly sts?: string;
  };
}

/** Credentials that the calling program obtained. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiresAt?: Date;
}
