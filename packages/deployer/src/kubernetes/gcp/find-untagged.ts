/**
 * Returns the Terraform address of a cluster resource that has neither labels nor a description. The address is derived from the tagged
 * resource that it refers to.
 */
export function findUntaggedPart(
  type: string,
  names: readonly string[],
  tagged: ReadonlyMap<string, string>,
  declares: (name: string) => boolean,
): string | undefined {
  const owner = [...tagged].find(([id]) => names.some((name) => refersTo(name, id)))?.[1];
  switch (type) {
    case "google_project_iam_member": {
      const role = names.find((name) => /^roles\/[\w.]+$/.test(name));
      if (role === undefined || owner?.startsWith("google_service_account.nodes") !== true) return undefined;
      return [`${type}.nodes`, `${type}.registry`]
        .filter((name) => declares(name))
        .map((name) => `${name}[${JSON.stringify(role)}]`)
        .find((_address, index, all) => all.length === 1 || (index === 1) === registryRoles.has(role));
    }
    case "google_kms_crypto_key_iam_member":
      return owner?.startsWith("google_kms_crypto_key.") === true
        ? owner.replace("google_kms_crypto_key.", `${type}.`)
        : undefined;
    case "google_kms_key_ring":
      return `${type}.secrets["made"]`;
    case "google_service_account_iam_member":
      return findWorkload(type, names);
    default:
      return undefined;
  }
}

/** Roles that configuration v1.1.0 grants in addition to those of v1.0.0. */
const registryRoles = new Set(["roles/artifactregistry.reader"]);

/**
 * Returns whether a name in a binding refers to a resource. IAM members name service accounts by email address, and the id of a service
 * account ends with that address.
 */
function refersTo(name: string, id: string): boolean {
  return name === id || (name.startsWith("serviceAccount:") && id.endsWith(`/${name.slice("serviceAccount:".length)}`));
}

/** The key of a workload identity is the namespace and name in its member: `serviceAccount:PROJECT.svc.id.goog[NAMESPACE/NAME]`. */
function findWorkload(type: string, names: readonly string[]): string | undefined {
  const [, key] = names.map((name) => /\.svc\.id\.goog\[(.+)\]$/.exec(name)).find((match) => match !== null) ?? [];
  return key === undefined ? undefined : `${type}.workload[${JSON.stringify(key)}]`;
}
