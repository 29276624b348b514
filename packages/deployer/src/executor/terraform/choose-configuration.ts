import { Fault } from "@cloudwright/platform";
import type { Configuration } from "./configurations.ts";
import { deployerFaults } from "../../faults.ts";

/** The configuration version that built an entity, and the version that its spec requests. */
export interface Versions {
  readonly current: string | undefined;
  readonly wanted: string | undefined;
}

/**
 * Chooses the configuration for a build. New entities get the requested version, or the latest one if the spec requests none. Existing
 * entities keep their version until the spec requests another one. Throws if the requested version is not a direct upgrade.
 */
export function chooseConfiguration(what: string, known: readonly Configuration[], { current, wanted }: Versions): Configuration {
  if (current === undefined || wanted === undefined || wanted === current) return getVersion(what, known, wanted ?? current);
  const next = getVersion(what, known, wanted);
  if (next.upgradesFrom.includes(current)) return next;
  const path = findPath(known, current, wanted);
  const advice =
    path === undefined ? `there is no upgrade path from ${current}` : `upgrade to ${path.slice(1, -1).join(", then to ")} first`;
  throw new Fault(deployerFaults.no_upgrade, `${what} cannot be upgraded from ${current} to ${wanted} directly; ${advice}`);
}

/** Returns the configuration that built an entity. Deletion and drift detection use it, even if the spec requests an upgrade. */
export function findBuiltConfiguration(what: string, known: readonly Configuration[], versions: Versions): Configuration {
  return getVersion(what, known, versions.current ?? versions.wanted);
}

function getVersion(what: string, known: readonly Configuration[], version: string | undefined): Configuration {
  const found = version === undefined ? known.at(-1) : known.find((each) => each.version === version);
  if (found !== undefined) return found;
  const wanted = version === undefined ? "" : ` with version ${version}`;
  const has = known.length === 0 ? "" : `; available versions: ${known.map((each) => each.version).join(", ")}`;
  throw new Fault(deployerFaults.no_stack, `there is no configuration${wanted} for ${what}${has}`);
}

/** Returns the shortest upgrade path between two versions, including both, or undefined if no path exists. */
function findPath(known: readonly Configuration[], from: string, to: string): string[] | undefined {
  const rows: string[][] = [[from]];
  const seen = new Set([from]);
  for (let row = rows.shift(); row !== undefined; row = rows.shift()) {
    const last = row.at(-1) ?? from;
    if (last === to) return row;
    for (const { version, upgradesFrom } of known) {
      if (seen.has(version) || !upgradesFrom.includes(last)) continue;
      seen.add(version);
      rows.push([...row, version]);
    }
  }
  return undefined;
}
