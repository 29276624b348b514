import { Fault } from "@cloudwright/platform/fault";
import { Secret } from "@cloudwright/platform/secret";
import { cloudsFaults } from "../faults.ts";

/** The initial credentials for an AWS account, and the role to assume with them. */
export interface AwsAccess {
  /** Static keys, the credentials of the agent's machine, a web identity token file, or a program that provides credentials. */
  readonly first:
    | ({ readonly by: "keys" } & AwsKeyPair)
    | { readonly by: "agent" }
    | { readonly by: "provider"; get(): Promise<AwsKeyPair & { readonly expiresAtMs?: number }> }
    | { readonly by: "webIdentity" };
  readonly role?: { readonly arn: string; readonly externalId?: Secret; readonly sessionPolicy?: string };
  /** Account ID that the credentials must belong to. If absent, any account is accepted. */
  readonly accountId?: string;
}

/** An access key, with the session token if it is temporary. */
export interface AwsKeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  readonly sessionToken?: Secret;
}

/** Reads the access settings from an account's spec, including its secrets. Throws if the spec contains no credentials. */
export function readAwsAccess(account: string, spec: Secret<Readonly<Record<string, unknown>>>): AwsAccess {
  const { aws } = spec.reveal() as { readonly aws?: Readonly<Record<string, unknown>> };
  const text = (name: string): string => (typeof aws?.[name] === "string" ? aws[name] : "");
  const [arn, externalId, sessionPolicy, accountId] = ["roleArn", "externalId", "sessionPolicy", "accountId"].map(text);
  const first = findFirst(text, aws ?? {}, arn !== "");
  if (first === undefined) {
    const message = `account "${account}" has neither an access key nor a role, and does not use the agent's credentials`;
    throw new Fault(cloudsFaults.no_credentials, message);
  }
  return {
    first,
    ...(arn
      ? {
          role: {
            arn,
            ...(externalId ? { externalId: new Secret(externalId) } : {}),
            ...(sessionPolicy ? { sessionPolicy } : {}),
          },
        }
      : {}),
    ...(accountId ? { accountId } : {}),
  };
}

function findFirst(
  text: (name: string) => string,
  { webIdentity, agentCredentials }: Readonly<Record<string, unknown>>,
  hasRole: boolean,
): AwsAccess["first"] | undefined {
  if (webIdentity === true) return { by: "webIdentity" };
  if (agentCredentials === true) return { by: "agent" };
  const [accessKeyId, secretAccessKey] = [text("accessKeyId"), text("secretAccessKey")];
  if (accessKeyId !== "" && secretAccessKey !== "")
    return { by: "keys", accessKeyId, secretAccessKey: new Secret(secretAccessKey) };
  // An access key ID without its secret is a user error. Falling back to the agent's credentials would hide it.
  return hasRole && accessKeyId === "" ? { by: "agent" } : undefined;
}
