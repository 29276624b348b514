const everywhere: Readonly<Record<string, string>> = { "0.0.0.0/0": "", "::/0": "_ipv6" };
const gateways = /^aws_(internet_gateway|nat_gateway|egress_only_internet_gateway)\./;

/**
 * Returns the Terraform address of a default route. `names` contains the route table, the destination, the target and the state of the
 * route. Returns undefined for routes that others added, for example to a transit gateway. A route through a deleted NAT gateway is assumed
 * to belong to the platform.
 */
export function findRoute(
  names: readonly string[],
  tagged: ReadonlyMap<string, string>,
  declares: (name: string) => boolean,
): string | undefined {
  const table = names.map((name) => tagged.get(name)).find((address) => address?.startsWith("aws_route_table."));
  const suffix = names.map((name) => everywhere[name]).find((each) => each !== undefined);
  const isThroughOwn = names.some((name) => gateways.test(tagged.get(name) ?? ""));
  const isDead = names.includes("blackhole") && names.some((name) => name.startsWith("nat-"));
  const [, role, key] = /^aws_route_table\.(\w+)(.*)/s.exec(table ?? "") ?? [];
  if (role === undefined || suffix === undefined || !(isThroughOwn || isDead)) return undefined;
  // Earlier configuration versions declare routes as part of the route table.
  return declares(`aws_route.${role}${suffix}`) ? `aws_route.${role}${suffix}${key}` : undefined;
}
