import { Fault, Secret } from "@cloudwright/platform";
import { cloudsFaults } from "../faults.ts";

/** How an AWS account is accessed: the initial credentials, and the role assumed with them. */
export interface AwsAccess {
  /** The account's own keys, the credentials of the agent's machine, or a token file on it. */
  readonly first:
    | { readonly by: "keys"; readonly accessKeyId: string; readonly secretAccessKey: Secret }
    | { readonly by: "agent" }
    | { readonly by: "webIdentity" };
  readonly role?: { readonly arn: string; readonly externalId?: Secret; readonly sessionPolicy?: string };
  /** The account that the credentials must belong to. Any account if absent. */
  readonly accountId?: string;
}

/** Reads from an account's spec, including its secrets, how the account is reached. Throws if the spec gives no credentials. */
export function readAwsAccess(account: string, spec: Secret<Readonly<Record<string, unknown>>>): AwsAccess {
  const { aws } = spec.reveal() as { readonly aws?: Readonly<Record<string, unknown>> };
  const text = (name: string): string => (typeof aws?.[name] === "string" ? aws[name] : "");
  const [arn, externalId, sessionPolicy, accountId] = ["roleArn", "externalId", "sessionPolicy", "accountId"].map(text);
  const first = findFirst(text, aws ?? {}, arn !== "");
  if (first === undefined) {
    const message = `the account "${account}" has no access key, names no role, and does not use the agent's credentials`;
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
  // A key id without its secret is a mistake. Falling back to the agent's credentials would hide it.
  return hasRole && accessKeyId === "" ? { by: "agent" } : undefined;
}
