import { Fault } from "@cloudwright/platform";
import type { AccountIdentity } from "../account-view.ts";
import { cloudsFaults } from "../faults.ts";
import type { GcpAccess } from "./account-access.ts";
import type { GcpApi } from "./api.ts";

/**
 * Returns the project and the identity behind the credentials. Throws `clouds.wrong_account` if the identity cannot see the project. Google
 * Cloud responds in the same way if the project does not exist.
 */
export async function verifyGcpAccount(api: GcpApi, name: string, access: GcpAccess): Promise<AccountIdentity> {
  const identity = await findIdentity(api, access);
  const projectId = await api.getProject();
  const path = `projects/${projectId}`;
  const found = await api
    .find<{ readonly projectId?: string; readonly lifecycleState?: string }>("read the project", {
      service: "resource_manager",
      path,
    })
    .catch((error: unknown) => {
      if (error instanceof Fault && error.code === cloudsFaults.not_allowed.code) return undefined;
      throw error;
    });
  if (found === undefined || found.lifecycleState === "DELETE_REQUESTED" || found.lifecycleState === "DELETE_IN_PROGRESS") {
    const state = found === undefined ? "does not exist or cannot be read with the account's credentials" : "is being deleted";
    const message = `account "${name}" refers to the Google Cloud project ${projectId}, which ${state}; it was checked as ${identity}`;
    throw new Fault(cloudsFaults.wrong_account, message);
  }
  return { accountId: found.projectId ?? projectId, identity };
}

/** A federated token contains no email address, so its identity is the workload identity pool. */
async function findIdentity(api: GcpApi, { first, serviceAccount }: GcpAccess): Promise<string> {
  if (first.by === "federation" && serviceAccount === undefined)
    return `principalSet://iam.googleapis.com/${first.provider.replace(/\/providers\/.*/s, "")}`;
  const { email = "" } = await api.call<{ readonly email?: string }>("identify the caller", {
    service: "oauth2",
    path: "tokeninfo",
    method: "POST",
  });
  return email || (serviceAccount ?? (first.by === "key" ? first.email : "unknown"));
}
