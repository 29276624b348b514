import { isObject, listOf, numberOf, objectOf, parseJson, textOf, textsOf, type ReadonlyJsonObject } from "@cloudwright/platform";
import { ApiError, AuthError } from "../../../api/api-error.ts";
import type { ApiCall, ApiOperation, Caller, ServiceDeps } from "../../../api/api-service.ts";
import type { ApiIdentity } from "../../../api/identity.ts";
import { findRecord } from "../../../api/read-records.ts";
import type { CloudRecord } from "../../../inventory/inventory.ts";
import { accountOf } from "../../place.ts";
import { issueSession, userIdOf, type AwsKeys } from "../credentials.ts";

/** The simulated operations of STS. */
export const stsOperations: readonly ApiOperation[] = [
  {
    name: "GetCallerIdentity",
    match: { action: "GetCallerIdentity" },
    run: async ({ caller }) => ({
      content: { Arn: caller.name, UserId: userIdOf(caller), Account: accountOf(caller.tenant) },
    }),
  },
  {
    name: "AssumeRole",
    match: { action: "AssumeRole" },
    touches: { type: "aws_iam_role", operation: "read" },
    async run(call) {
      const { RoleArn: arn, ExternalId: externalId } = objectOf(call.body);
      const role = await findTrusting(call, textOf(arn), {
        action: "sts:AssumeRole",
        externalId: textOf(externalId),
        isPrincipal: (principals) => isCaller(call.caller, textsIn(principals["AWS"])),
      });
      if (role === undefined) {
        const message = `User: ${call.caller.name} is not authorized to perform: sts:AssumeRole on resource: ${textOf(arn)}`;
        throw new ApiError({ code: "AccessDenied", message, status: 403 });
      }
      return answerSession(call, role);
    },
  },
  {
    name: "AssumeRoleWithWebIdentity",
    match: { action: "AssumeRoleWithWebIdentity" },
    touches: { type: "aws_iam_role", operation: "read" },
    async run(call) {
      const role = await findTrusting(call, textOf(objectOf(call.body)["RoleArn"]), {
        action: "sts:AssumeRoleWithWebIdentity",
        externalId: "",
        isPrincipal: (principals) => textsIn(principals["Federated"]).length > 0,
      });
      if (role === undefined) {
        const message = "Not authorized to perform sts:AssumeRoleWithWebIdentity";
        throw new ApiError({ code: "AccessDenied", message, status: 403 });
      }
      return answerSession(call, role);
    },
  },
  {
    name: "GetSessionToken",
    match: { action: "GetSessionToken" },
    async run(call) {
      const { tenant, name, origin } = call.caller;
      const keys = await issueSession(
        call.identity,
        { tenant, arn: name, origin },
        call.nowMs + durationOf(call, 43_200, 129_600) * 1000,
      );
      return { content: { Credentials: renderKeys(keys) } };
    },
  },
];

const webIdentity = "aws web identity";

/** Returns a token from the simulated identity provider, with which a program can assume a role that trusts a federated principal. */
export async function issueWebIdentityToken(identity: ApiIdentity, tenant: string, expiresAtMs: number): Promise<string> {
  return identity.seal(webIdentity, { tenant, generation: await identity.getGeneration(tenant), expiresAtMs });
}

/** Verifies the token of an unsigned request. */
export async function authenticateWebIdentity(body: unknown, deps: ServiceDeps): Promise<Caller> {
  const sealed = deps.identity.unseal(webIdentity, textOf(objectOf(body)["WebIdentityToken"]));
  const tenant = textOf(sealed?.["tenant"]);
  const isCurrent =
    sealed !== undefined &&
    deps.isTenant(tenant) &&
    (await deps.identity.findGeneration(tenant)) === textOf(sealed["generation"]);
  if (!isCurrent) {
    const message = "The web identity token that was passed could not be validated by the identity provider.";
    throw new AuthError({ code: "InvalidIdentityToken", message, status: 400 });
  }
  if (numberOf(sealed["expiresAtMs"]) <= (await deps.nowFor(tenant))) {
    throw new AuthError({
      code: "ExpiredTokenException",
      message: "Token expired: current date/time must be before the expiration.",
      status: 400,
    });
  }
  return { tenant, name: "web-identity" };
}

async function answerSession(call: ApiCall, role: CloudRecord) {
  const session = textOf(objectOf(call.body)["RoleSessionName"]);
  if (!/^[\w+=,.@-]{2,64}$/.test(session)) {
    const message = "1 validation error detected: Value at 'roleSessionName' failed to satisfy constraint";
    throw new ApiError({ code: "ValidationError", message, status: 400 });
  }
  const { tenant, origin } = call.caller;
  const longest = numberOf(role.attributes["max_session_duration"]) || 3600;
  const seconds = durationOf(call, Math.min(3600, longest), longest);
  const arn = `arn:aws:sts::${accountOf(tenant)}:assumed-role/${role.id}/${session}`;
  const keys = await issueSession(call.identity, { tenant, arn, origin }, call.nowMs + seconds * 1000);
  const id = `${textOf(role.attributes["unique_id"])}:${session}`;
  return { content: { Credentials: renderKeys(keys), AssumedRoleUser: { AssumedRoleId: id, Arn: arn } } };
}

function durationOf(call: ApiCall, usual: number, longest: number): number {
  const given = textOf(objectOf(call.body)["DurationSeconds"]);
  const seconds = given === "" ? usual : Number(given);
  if (Number.isInteger(seconds) && seconds >= 900 && seconds <= longest) return seconds;
  const message = "The requested DurationSeconds exceeds the MaxSessionDuration set for this role, or is shorter than 900.";
  throw new ApiError({ code: "ValidationError", message, status: 400 });
}

function renderKeys({ accessKeyId, secretAccessKey, sessionToken, expiresAtMs }: Required<AwsKeys>): Record<string, unknown> {
  return {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: new Date(expiresAtMs),
  };
}

interface TrustQuestion {
  readonly action: string;
  readonly externalId: string;
  isPrincipal(principals: ReadonlyJsonObject): boolean;
}

// A role in another account is never found, because a tenant cannot see the resources of other tenants.
async function findTrusting(call: ApiCall, arn: string, question: TrustQuestion): Promise<CloudRecord | undefined> {
  const { account, name = "" } = /^arn:[a-z-]+:iam::(?<account>\d{12}):role\/(?:.*\/)?(?<name>[^/]+)$/.exec(arn)?.groups ?? {};
  if (account !== accountOf(call.caller.tenant)) return undefined;
  const role = await findRecord(call, "aws_iam_role", name, { isEventual: true });
  const policy = parseJson(textOf(role?.attributes["assume_role_policy"]));
  const statements = isObject(policy) ? [policy["Statement"]].flat() : [];
  return statements.some((statement) => isObject(statement) && allows(statement, question)) ? role : undefined;
}

function allows(statement: ReadonlyJsonObject, { action, externalId, isPrincipal }: TrustQuestion): boolean {
  if (statement["Effect"] !== "Allow") return false;
  const actions = textsIn(statement["Action"]);
  if (!actions.some((each) => each === action || each === "sts:*" || each === "*")) return false;
  const principal = statement["Principal"];
  const principals = principal === "*" ? { AWS: "*", Federated: "*" } : objectOf(principal);
  if (!isPrincipal(principals)) return false;
  const equals = objectOf(objectOf(statement["Condition"])["StringEquals"]);
  const wanted = textsIn(equals["sts:ExternalId"]);
  return wanted.length === 0 || wanted.includes(externalId);
}

function isCaller({ tenant, name }: Caller, principals: readonly string[]): boolean {
  const account = accountOf(tenant);
  return principals.some((each) => each === "*" || each === account || each === name || each.endsWith(`:iam::${account}:root`));
}

function textsIn(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : textsOf(listOf(value));
}
