import { Fault, overlaps, parseAnyRange, parseJson, parseRange, type Ipv4Range } from "@cloudwright/platform";
import { access, writeFile } from "node:fs/promises";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { isOurLink } from "./links.ts";
import type { Network } from "./network.ts";
import type { Signal } from "./signal.ts";

/**
 * Throws if the range overlaps the range of another network or a route of the host. An overlapping network would cut the host off from the
 * destination of that route.
 */
export async function requireFreeRange(
  deps: HostDeps,
  network: Network,
  others: readonly Network[],
  signal: Signal,
): Promise<void> {
  const range = parseRange(network.cidr) as Ipv4Range;
  const other = others.find(({ cidr }) => overlaps(range, parseRange(cidr) as Ipv4Range));
  if (other !== undefined)
    throw new Fault(
      hostsFaults.overlapping_network,
      `network ${network.uid}: ${network.cidr} overlaps ${other.cidr} of network ${other.uid}`,
    );
  const route = (await listRoutes(deps, signal)).find(({ range: target }) => overlaps(range, parseAnyRange(target) as Ipv4Range));
  if (route === undefined) return;
  const reason = `overlaps ${route.range}, which the host reaches through ${route.device}`;
  throw new Fault(hostsFaults.overlapping_network, `network ${network.uid}: ${network.cidr} ${reason}`);
}

/** A range that the host reaches through one of its own interfaces. */
export interface Route {
  readonly range: string;
  readonly device: string;
}

/** Lists the routes of the host, without its default route and without those of our networks. */
export async function listRoutes({ run }: Pick<HostDeps, "run">, signal: Signal): Promise<Route[]> {
  const { stdout } = await run("ip", ["-4", "-json", "route", "show", "table", "main"], { signal });
  const routes = (parseJson(stdout) ?? []) as { dst: string; dev?: string }[];
  return routes.flatMap(({ dst, dev = "" }) => {
    const isRange = dst !== "default" && parseAnyRange(dst) !== undefined;
    return isRange && !isOurLink(dev) ? [{ range: dst, device: dev || "another route" }] : [];
  });
}

/**
 * Loads the kernel module that filters packets within a bridge, which distributions do not load by default. Throws if the kernel does not
 * have the module.
 */
export async function requireBridgeFilter({ run }: HostDeps, signal: Signal): Promise<void> {
  const settings = "/proc/sys/net/bridge";
  const isLoaded = async (): Promise<boolean> => access(settings).then(() => true, () => false); // prettier-ignore
  if (await isLoaded()) return;
  await run("modprobe", ["br_netfilter"], { signal, accept: [1] });
  // By default, the module filters the packets of all bridges of the host. The platform's bridges enable filtering for themselves.
  for (const name of ["iptables", "ip6tables", "arptables"])
    await writeFile(`${settings}/bridge-nf-call-${name}`, "0").catch(() => undefined);
  if (!(await isLoaded()))
    throw new Fault(
      hostsFaults.missing_kernel_feature,
      "the kernel cannot filter packets within a bridge; load the kernel module br_netfilter, or use a kernel that includes it",
    );
}
