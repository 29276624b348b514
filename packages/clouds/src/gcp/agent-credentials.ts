import { Fault } from "@cloudwright/platform";
import type { AuthClient } from "google-auth-library";
import { cloudsFaults } from "../faults.ts";
import { openLibrary, scopes } from "./auth-library.ts";
import type { GcpEndpoints } from "./endpoints.ts";

/** The application default credentials of the agent's machine. */
export interface AgentCredentials {
  readonly client: AuthClient;
  /** Project that the credentials name. Absent if they name none. */
  readonly projectId?: string;
}

/**
 * Returns the application default credentials of the agent's machine: a file that GOOGLE_APPLICATION_CREDENTIALS names, the login of
 * gcloud, or the service account of the machine. Throws `clouds.no_credentials` if there are none.
 */
export async function findAgentCredentials(endpoints: GcpEndpoints): Promise<AgentCredentials> {
  const { library, options } = await openLibrary(endpoints);
  try {
    const auth = new library.GoogleAuth({ scopes: [...scopes], clientOptions: options });
    const client = await auth.getClient();
    const projectId = await auth.getProjectId().catch(() => "");
    return { client, ...(projectId === "" ? {} : { projectId }) };
  } catch (cause) {
    // The library's messages name files, but the content of a credential file may be in the error of its parser.
    const said = cause instanceof SyntaxError ? "the credential file is not valid JSON" : firstLine(cause);
    throw new Fault(cloudsFaults.no_credentials, `the agent's machine has no Google Cloud credentials: ${said}`);
  }
}

function firstLine(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : "";
}
