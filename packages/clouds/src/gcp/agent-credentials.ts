import { Fault } from "@cloudwright/platform/fault";
import type { AuthClient } from "google-auth-library";
import { cloudsFaults } from "../faults.ts";
import { openLibrary, scopes } from "./auth-library.ts";
import type { GcpEndpoints } from "./endpoints.ts";

/** The application default credentials of the agent's machine. */
export interface AgentCredentials {
  readonly client: AuthClient;
  /** Project that the credentials name. Absent if they do not name a project. */
  readonly projectId?: string;
}

/**
 * Returns the application default credentials of the agent's machine: the file that GOOGLE_APPLICATION_CREDENTIALS names, the gcloud login,
 * or the machine's service account. Throws `clouds.no_credentials` if there are none.
 */
export async function findAgentCredentials(endpoints: GcpEndpoints, caPem?: string): Promise<AgentCredentials> {
  const { library, options } = await openLibrary(endpoints, caPem);
  try {
    const auth = new library.GoogleAuth({ scopes: [...scopes], clientOptions: options });
    const client = await auth.getClient();
    const projectId = await auth.getProjectId().catch(() => "");
    return { client, ...(projectId === "" ? {} : { projectId }) };
  } catch (cause) {
    // The library's own messages name only files, but the message of its JSON parser may quote the credential file.
    const said = cause instanceof SyntaxError ? "the credential file is not valid JSON" : firstLine(cause);
    throw new Fault(cloudsFaults.no_credentials, `the agent's machine has no Google Cloud credentials: ${said}`);
  }
}

function firstLine(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : "";
}
