import type { Clock } from "@cloudwright/platform/clock";
import { Fault } from "@cloudwright/platform/fault";
import { Secret } from "@cloudwright/platform/secret";
import type { Credentials as StsCredentials, STSClient } from "@aws-sdk/client-sts";
import { readFile } from "node:fs/promises";
import { cloudsFaults } from "../faults.ts";
import type { AwsAccess } from "./account-access.ts";
import { findAgentCredentials, lookAgainMs } from "./agent-credentials.ts";
import type { AwsCredentials } from "./aws-credentials.ts";
import { endpointFor, type AwsEndpoints } from "./endpoints.ts";
import { toCloudFault } from "./refusals.ts";

/** Provides credentials and renews them as needed, so that each `get` returns valid ones. */
export interface CredentialSource {
  get(): Promise<AwsCredentials>;
  /** Returns why the last request for credentials failed, or undefined if it succeeded. */
  trouble(): Fault | undefined;
}

export interface SourceDeps {
  readonly clock: Pick<Clock, "now">;
  /** Reads the account's access settings. Called before each renewal, so that changed settings take effect. */
  readonly openAccess: () => Promise<AwsAccess>;
}

export interface SourceOptions {
  readonly endpoints: AwsEndpoints;
  /** Region of the STS endpoint. */
  readonly region: string;
  /** Session name in the CloudTrail log, such as `cloudwright-0199...`. */
  readonly sessionName: string;
  /** Path of the file with the agent's web identity token. */
  readonly webIdentityTokenFile?: string;
  readonly sessionSeconds?: number;
  /** Additional settings for the STS client. */
  readonly settings?: object;
}

const renewBeforeMs = 5 * 60_000;

/** Creates an account's credential source. Credentials are cached in memory and renewed before they expire. */
export function createCredentialSource({ clock, openAccess }: SourceDeps, options: SourceOptions): CredentialSource {
  let kept: AwsCredentials | undefined;
  let underWay: Promise<AwsCredentials> | undefined;
  let trouble: Fault | undefined;
  const fetchNew = async (): Promise<AwsCredentials> => {
    try {
      kept = await obtain(await openAccess(), options, clock.now());
      trouble = undefined;
      return kept;
    } catch (error) {
      trouble = toCloudFault(error, "get credentials");
      throw trouble;
    } finally {
      underWay = undefined;
    }
  };
  return {
    get: async () => {
      if (kept !== undefined && kept.expiresAtMs - clock.now() > renewBeforeMs) return kept;
      return (underWay ??= fetchNew());
    },
    trouble: () => trouble,
  };
}

async function obtain({ first, role }: AwsAccess, options: SourceOptions, nowMs: number): Promise<AwsCredentials> {
  if (first.by === "webIdentity") return assumeByToken(role, options);
  const own = first.by === "agent" ? await findAgentCredentials(nowMs) : await readKeys(first, nowMs);
  return role === undefined ? own : assume(role, own, options);
}

async function readKeys(first: Extract<AwsAccess["first"], { by: "keys" | "provider" }>, nowMs: number): Promise<AwsCredentials> {
  const keys = first.by === "keys" ? first : await first.get();
  return { expiresAtMs: nowMs + lookAgainMs, ...keys };
}

type Role = NonNullable<AwsAccess["role"]>;

async function assume(role: Role, own: AwsCredentials, options: SourceOptions): Promise<AwsCredentials> {
  const { AssumeRoleCommand } = await import("@aws-sdk/client-sts");
  const sts = await createSts(options, own);
  const { arn: RoleArn, externalId, sessionPolicy: Policy } = role;
  const call = new AssumeRoleCommand({
    RoleArn,
    ...describeSession(options),
    ...(externalId === undefined ? {} : { ExternalId: externalId.reveal() }),
    ...(Policy === undefined ? {} : { Policy }),
  });
  return asAssumed(role, sts, async () => (await sts.send(call)).Credentials);
}

async function assumeByToken(role: Role | undefined, options: SourceOptions): Promise<AwsCredentials> {
  const { webIdentityTokenFile: file } = options;
  if (role === undefined || file === undefined) {
    throw new Fault(
      cloudsFaults.no_credentials,
      "web identity requires AWS_WEB_IDENTITY_TOKEN_FILE on the agent and a role in the account",
    );
  }
  const token = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new Fault(cloudsFaults.no_credentials, "the file that the agent's AWS_WEB_IDENTITY_TOKEN_FILE names cannot be read", {
      cause,
    });
  });
  const { AssumeRoleWithWebIdentityCommand } = await import("@aws-sdk/client-sts");
  const sts = await createSts(options);
  const { arn: RoleArn, sessionPolicy: Policy } = role;
  const call = new AssumeRoleWithWebIdentityCommand({
    RoleArn,
    ...describeSession(options),
    WebIdentityToken: token.trim(),
    ...(Policy === undefined ? {} : { Policy }),
  });
  return asAssumed(role, sts, async () => (await sts.send(call)).Credentials);
}

function describeSession({ sessionName, sessionSeconds = 3600 }: SourceOptions) {
  return { RoleSessionName: sessionName, DurationSeconds: sessionSeconds };
}

async function createSts({ endpoints, region, settings = {} }: SourceOptions, own?: AwsCredentials): Promise<STSClient> {
  const { STSClient } = await import("@aws-sdk/client-sts");
  const endpoint = endpointFor(endpoints, "sts");
  return new STSClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    // The SDK requires credentials even for an unsigned call.
    credentials: own === undefined ? { accessKeyId: "none", secretAccessKey: "none" } : revealed(own),
    ...settings,
  });
}

async function asAssumed(role: Role, sts: STSClient, call: () => Promise<StsCredentials | undefined>): Promise<AwsCredentials> {
  try {
    const given = await call();
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = given ?? {};
    if (AccessKeyId === undefined || SecretAccessKey === undefined || SessionToken === undefined || Expiration === undefined) {
      throw new Fault(cloudsFaults.failed, `AWS returned no credentials for ${role.arn}`);
    }
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: new Secret(SecretAccessKey),
      sessionToken: new Secret(SessionToken),
      expiresAtMs: Expiration.getTime(),
    };
  } catch (error) {
    const fault = toCloudFault(error, `assume ${role.arn}`);
    throw fault.code === cloudsFaults.not_allowed.code
      ? new Fault(cloudsFaults.role_refused, fault.message, { cause: error })
      : fault;
  } finally {
    sts.destroy();
  }
}

/** Converts credentials to the shape that the SDK expects. */
export function revealed({ accessKeyId, secretAccessKey, sessionToken, expiresAtMs }: AwsCredentials) {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken === undefined ? {} : { sessionToken: sessionToken.reveal() }),
    expiration: new Date(expiresAtMs),
  };
}
