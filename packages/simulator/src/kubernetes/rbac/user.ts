/** An authenticated user and the user's groups. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Members of this group have every permission regardless of roles, so that owners cannot lock themselves out of a cluster. */
export const mastersGroup = "system:masters";

/** Members of this group have read access to most resources, but not to secrets. */
export const viewersGroup = "cloudwright:viewers";

/** Returns the user that represents a service account. */
export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}
