/** A host as the form shows it. */
export interface HostValues {
  readonly name: string;
  readonly address: string;
  readonly user: string;
}

export const newHost: HostValues = { name: "", address: "", user: "" };
const known: ReadonlySet<string> = new Set(["name", "address", "user"]);

/** Parses the hosts of a spec. Returns undefined if one of them has fields that the form cannot show. */
export function parseHosts(given: unknown): HostValues[] | undefined {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return undefined;
  const hosts = given.map((each: unknown) => {
    if (typeof each !== "object" || each === null) return undefined;
    const fields = Object.entries(each);
    if (!fields.every(([field, value]) => known.has(field) && typeof value === "string")) return undefined;
    return { ...newHost, ...(Object.fromEntries(fields) as Partial<HostValues>) };
  });
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
}

/** Renders a host of the form as a host of the spec. */
export function buildHost({ name, address, user }: HostValues): Partial<HostValues> {
  return { name, address, ...(user === "" ? {} : { user }) };
}
