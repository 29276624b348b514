import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";
import type { Discovered } from "./discover.ts";

/**
 * Finds a discovered cluster by its name or by its id in the cloud. Throws if there is no match or more than one. `how` is part of the
 * error message and says how to select a cluster by id, such as "with --id".
 */
export function chooseCluster(
  found: readonly Discovered[],
  ref: string,
  { account, how }: { readonly account: string; readonly how: string },
): Discovered {
  const matches = found.filter(({ id = "", name }) => name === ref || id.toLowerCase() === ref.toLowerCase());
  const [first, ...others] = matches;
  if (first === undefined) {
    const names = found.map(({ name = "", region = "" }) => `${name} (${region})`).slice(0, 5);
    const known = names.length === 0 ? "it has no clusters" : `its clusters include ${names.join(", ")}`;
    throw new Fault(cliFaults.no_such_cluster, `account ${account} has no cluster with the name or id ${ref}; ${known}`);
  }
  if (others.length === 0) return first;
  const ids = matches.map(({ id = "" }) => id).join(", ");
  const regions = new Set(matches.map(({ region }) => region));
  const byRegion = regions.size === matches.length ? "with --region, or " : "";
  const message = `account ${account} has ${matches.length} clusters named ${ref}; choose one ${byRegion}${how}: ${ids}`;
  throw new Fault(cliFaults.usage, message);
}
