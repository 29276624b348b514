import { Fault, Secret, type Clock } from "@cloudwright/platform";
import type { Credentials as StsCredentials, STSClient } from "@aws-sdk/client-sts";
import { readFile } from "node:fs/promises";
import { cloudsFaults } from "../faults.ts";
import type { AwsAccess } from "./access.ts";
import { findAgentCredentials, lookAgainMs } from "./agent-credentials.ts";
import type { AwsCredentials } from "./aws-credentials.ts";
import { endpointFor, type AwsEndpoints } from "./endpoints.ts";
import { toCloudFault } from "./refusals.ts";

/** Gives credentials that are good now, however long the work lasts. */
export interface CredentialSource {
  get(): Promise<AwsCredentials>;
  /** Why there were none, the last time; undefined when there were. */
  trouble(): Fault | undefined;
}

/** What a source is made of. */
export interface SourceDeps {
  readonly clock: Pick<Clock, "now">;
  /** How the account is reached, as it is set now: asked again for each new credential. */
  readonly openAccess: () => Promise<AwsAccess>;
}

/** Where and as whom it asks. */
export interface SourceOptions {
  readonly endpoints: AwsEndpoints;
  /** Of the security token service. */
  readonly region: string;
  /** What the cloud's own records show of the session: for example `cloudwright-0199...`. */
  readonly sessionName: string;
  /** The file of the agent's web identity token. */
  readonly webIdentityTokenFile?: string;
  readonly sessionSeconds?: number;
}

const renewBeforeMs = 5 * 60_000;

/** A source for an account. What it gives is kept in memory, and fetched anew in time. */
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
      trouble = toCloudFault(error, "give credentials");
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
  const own = first.by === "keys" ? { ...first, expiresAtMs: nowMs + lookAgainMs } : await findAgentCredentials(nowMs);
  return role === undefined ? own : assume(role, own, options);
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
    throw new Fault(cloudsFaults.no_credentials, "the agent has no AWS_WEB_IDENTITY_TOKEN_FILE, or the account names no role");
  }
  const token = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new Fault(cloudsFaults.no_credentials, "the agent's AWS_WEB_IDENTITY_TOKEN_FILE cannot be read", { cause });
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

async function createSts({ endpoints, region }: SourceOptions, own?: AwsCredentials): Promise<STSClient> {
  const { STSClient } = await import("@aws-sdk/client-sts");
  const endpoint = endpointFor(endpoints, "sts");
  return new STSClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    // A call that is not signed still wants some.
    credentials: own === undefined ? { accessKeyId: "none", secretAccessKey: "none" } : revealed(own),
  });
}

async function asAssumed(role: Role, sts: STSClient, call: () => Promise<StsCredentials | undefined>): Promise<AwsCredentials> {
  try {
    const given = await call();
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = given ?? {};
    if (AccessKeyId === undefined || SecretAccessKey === undefined || SessionToken === undefined || Expiration === undefined) {
      throw new Fault(cloudsFaults.failed, `AWS gave no credentials for ${role.arn}`);
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

/** Credentials in the shape that the SDK takes. */
export function revealed({ accessKeyId, secretAccessKey, sessionToken, expiresAtMs }: AwsCredentials) {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken === undefined ? {} : { sessionToken: sessionToken.reveal() }),
    expiration: new Date(expiresAtMs),
  };
}
