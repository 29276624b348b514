import { Fault, Secret } from "@cloudwright/platform";
import { cloudsFaults } from "../faults.ts";

/** How an AWS account is reached: what we are at first, and the role that we then take. */
export interface AwsAccess {
  /** The account's own keys, what the agent's machine has, or a token that lies there. */
  readonly first:
    | { readonly by: "keys"; readonly accessKeyId: string; readonly secretAccessKey: Secret }
    | { readonly by: "agent" }
    | { readonly by: "webIdentity" };
  readonly role?: { readonly arn: string; readonly externalId?: Secret; readonly sessionPolicy?: string };
  /** The account that it has to be; any when it is not said. */
  readonly accountId?: string;
}

/** Reads how an account is reached out of its spec, in which the secrets stand. */
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
  // A key without its secret is a mistake, not a wish to be somebody else.
  return hasRole && accessKeyId === "" ? { by: "agent" } : undefined;
}
