import { Fault, Secret } from "@cloudwright/platform";
import { cloudsFaults } from "../faults.ts";
import type { AwsCredentials } from "./aws-credentials.ts";

/** Keys do not expire; they are looked up anew after that, so that changed ones are used soon. */
export const lookAgainMs = 15 * 60_000;

/** What the agent's machine has: the environment, a profile, a program that a profile names, the token of a pod, the role of the machine. */
export async function findAgentCredentials(nowMs: number): Promise<AwsCredentials> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  try {
    // Files are read anew each time: others change them while the agent lives.
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

// What a program was called with, or printed, may be a secret; what the SDK itself says is not.
function describe(cause: unknown): string {
  const [said = ""] = cause instanceof Error ? cause.message.split("\n") : [];
  return said.startsWith("Command failed") ? "the program of its profile failed" : said;
}
