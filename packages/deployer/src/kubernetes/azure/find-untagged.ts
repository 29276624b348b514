import { createHash } from "node:crypto";
import type { DeployedEntity } from "../../task.ts";
import { azureOf } from "./azure-of.ts";

/**
 * Returns the Terraform address of a cluster resource that cannot carry tags. The description of a role assignment contains the value that
 * other resources store in the `cloudwright:part` tag. The name of a federated credential contains a hash of its service account.
 */
export function findUntaggedPart(
  type: string,
  names: readonly string[],
  { uid, spec }: Pick<DeployedEntity<"Cluster">, "uid" | "spec">,
): string | undefined {
  if (type === "azurerm_role_assignment")
    return names.map((name) => findAssignment(name, uid)).find((found) => found !== undefined);
  if (type !== "azurerm_federated_identity_credential") return undefined;
  const accounts = azureOf(spec).workloadIdentities.map(({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`);
  const found = accounts.find((account) => names.includes(`cloudwright-${uid}-${hash(account)}`));
  return found === undefined ? undefined : `${type}.this[${JSON.stringify(found)}]`;
}

const described = /^cloudwright:entity=(?<uid>\S+) cloudwright:part=(?<part>\S+)$/;

function findAssignment(description: string, entityUid: string): string | undefined {
  const { uid, part = "" } = described.exec(description)?.groups ?? {};
  if (uid !== entityUid) return undefined;
  const [resource = "", ...key] = part.split("/");
  return `azurerm_role_assignment.${resource}[${JSON.stringify(key.join("/"))}]`;
}

/** Computes the same hash as the configuration. */
function hash(text: string): string {
  return createHash("sha1").update(text).digest("hex").slice(0, 12);
}
