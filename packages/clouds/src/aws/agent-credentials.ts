import { Fault, Secret } from "@cloudwright/platform";
import { cloudsFaults } from "../faults.ts";
import type { AwsCredentials } from "./aws-credentials.ts";

/** Static keys do not expire. They are read again after this time, so that replaced keys are used soon. */
export const lookAgainMs = 15 * 60_000;

/**
 * Returns the credentials of the agent's machine, from the SDK's default chain: environment variables, profiles, a profile's credential
 * process, a pod's token, the machine's role. Throws `clouds.no_credentials` if there are none.
 */
export async function findAgentCredentials(nowMs: number): Promise<AwsCredentials> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  try {
    // The cache is bypassed because the files may change while the agent runs.
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await defaultProvider({ ignoreCache: true })();
    return {
      accessKeyId,
      secretAccessKey: new Secret(secretAccessKey),
      ...(sessionToken === undefined ? {} : { sessionToken: new Secret(sessionToken) }),
      expiresAtMs: expiration?.getTime() ?? nowMs + lookAgainMs,
    };
  } catch (cause) {
    throw new Fault(cloudsFaults.no_credentials, `the agent's machine has no AWS credentials: ${describe(cause)}`, { cause });
  }
}

// The command line and the output of a credential process may contain secrets. The SDK's own messages do not.
function describe(cause: unknown): string {
  const [said = ""] = cause instanceof Error ? cause.message.split("\n") : [];
  return said.startsWith("Command failed") ? "the program of its profile failed" : said;
}
