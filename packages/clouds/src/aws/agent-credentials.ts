import { Fault } from "@cloudwright/platform/fault";
import { Secret } from "@cloudwright/platform/secret";
import { cloudsFaults } from "../faults.ts";
import type { AwsCredentials } from "./aws-credentials.ts";

/** Interval for re-reading static keys. Static keys never expire, so rotated keys are noticed only by reading them again. */
export const lookAgainMs = 15 * 60_000;

/**
 * Returns the credentials of the agent's machine from the SDK's default chain: environment variables, profiles, a profile's credential
 * process, a pod's token, and the machine's role. Throws `clouds.no_credentials` if there are none.
 */
export async function findAgentCredentials(nowMs: number): Promise<AwsCredentials> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  try {
    // Bypass the cache because the credential files may change while the agent runs.
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

// Only the SDK's own messages are safe to show. A credential process's command line and output may contain secrets.
function describe(cause: unknown): string {
  const [said = ""] = cause instanceof Error ? cause.message.split("\n") : [];
  return said.startsWith("Command failed") ? "the credential process in its profile failed" : said;
}
