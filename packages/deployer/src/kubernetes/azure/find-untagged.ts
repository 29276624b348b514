/**
 * Returns the Terraform address of a cluster resource that cannot carry tags. The description of a role assignment contains what others have
 * in the tag `cloudwright:part`.
 */
export function findUntaggedPart(type: string, names: readonly string[], entityUid: string): string | undefined {
  if (type !== "azurerm_role_assignment") return undefined;
  for (const name of names) {
    const { uid, part = "" } = described.exec(name)?.groups ?? {};
    if (uid !== entityUid) continue;
    const [resource = "", ...key] = part.split("/");
    return `${type}.${resource}[${JSON.stringify(key.join("/"))}]`;
  }
  return undefined;
}

const described = /^cloudwright:entity=(?<uid>\S+) cloudwright:part=(?<part>\S+)$/;
