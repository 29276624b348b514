import { Fault } from "@cloudwright/platform";
import type { Configuration } from "./configurations.ts";
import { deployerFaults } from "../../faults.ts";

/** Which version an entity has and which one it asks for; undefined where there is none, or no wish. */
export interface Versions {
  readonly current: string | undefined;
  readonly wanted: string | undefined;
}

/**
 * The configuration that an apply builds with: the one that the entity has, the newest for what is built first, or the one that it is to be upgraded
 * to, which must name the one that it has.
 */
export function chooseConfiguration(what: string, known: readonly Configuration[], { current, wanted }: Versions): Configuration {
  if (current === undefined || wanted === undefined || wanted === current) return getVersion(what, known, wanted ?? current);
  const next = getVersion(what, known, wanted);
  if (next.upgradesFrom.includes(current)) return next;
  const path = findPath(known, current, wanted);
  const way =
    path === undefined
      ? `there is no way from ${current} to it`
      : `the way leads over ${path.slice(1, -1).join(", then ")}: ask for these one after the other`;
  throw new Fault(deployerFaults.no_upgrade, `${what} of version ${current} cannot become ${wanted} at once; ${way}`);
}

/** The configuration that an entity was built with last, for removing and checking it: a wish for another version is not its business. */
export function findBuiltConfiguration(what: string, known: readonly Configuration[], wish: Versions): Configuration {
  return getVersion(what, known, wish.current ?? wish.wanted);
}

function getVersion(what: string, known: readonly Configuration[], version: string | undefined): Configuration {
  const found = version === undefined ? known.at(-1) : known.find((each) => each.version === version);
  if (found !== undefined) return found;
  const wanted = version === undefined ? "" : ` of version ${version}`;
  const has = known.length === 0 ? "" : `; there is ${known.map((each) => each.version).join(", ")}`;
  throw new Fault(deployerFaults.no_stack, `there is no configuration${wanted} for ${what}${has}`);
}

/** The shortest row of upgrades, both ends included. */
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
