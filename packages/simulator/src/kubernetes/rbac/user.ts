/** An authenticated user with its groups. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Members of this group have every permission regardless of roles, so that owners cannot lock themselves out of a cluster. */
export const mastersGroup = "system:masters";

/** The group of the built-in viewer. */
export const viewersGroup = "cloudwright:viewers";

/** Returns the user of a service account. */
export function serviceAccountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}
