import { refuseRequest } from "./errors.ts";

const pattern = /^v?(?<major>\d+)\.(?<minor>\d+)(\.(?<patch>\d+)(?<rest>[-+.].*)?)?$/;

interface Parsed {
  /** Major, minor and patch. The patch is absent if the text has none. */
  readonly numbers: readonly number[];
  /** The suffix after the patch, such as `-gke.1000000`. */
  readonly rest: string;
}

function parse(version: string): Parsed | undefined {
  const groups = pattern.exec(version.trim())?.groups;
  if (groups === undefined) return undefined;
  const { major, minor, patch, rest = "" } = groups;
  return { numbers: [major, minor, patch].flatMap((part) => (part === undefined ? [] : [Number(part)])), rest };
}

/** Returns the minor version, such as `1.34` for `v1.34.2-gke.100`. Throws `clouds.invalid` if the text is not a version. */
export function minorOf(cloud: string, version: string): string {
  const parsed = parse(version);
  if (parsed === undefined)
    throw refuseRequest(cloud, `"${version}" is not a Kubernetes version; use a form such as 1.34, v1.34 or 1.34.2`);
  return parsed.numbers.slice(0, 2).join(".");
}

/** Compares two versions number by number, for sorting. Strings that are not versions come first. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [listNumbers(left), listNumbers(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? -1) - (b[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function listNumbers(version: string): number[] {
  const parsed = parse(version);
  return parsed === undefined ? [] : [...parsed.numbers, ...(parsed.rest.match(/\d+/g) ?? []).map(Number)];
}

/**
 * Chooses the available version that matches a request. A suffix or a patch in the request must match exactly. Without a suffix, chooses
 * the newest build of the patch. Without a patch, chooses the newest patch. Throws `clouds.invalid` with a list of the available minor
 * versions if none matches.
 */
export function chooseVersion(cloud: string, offered: readonly string[], requested: string): string {
  const minor = minorOf(cloud, requested);
  const { numbers, rest } = parse(requested) as Parsed;
  const matches = offered.filter((each) => {
    const candidate = parse(each);
    if (candidate === undefined || !numbers.every((number, index) => candidate.numbers[index] === number)) return false;
    return rest === "" || candidate.rest === rest;
  });
  const newest = matches.toSorted(compareVersions).at(-1);
  if (newest !== undefined) return newest;
  const near = offered.filter((each) => parse(each)?.numbers.slice(0, 2).join(".") === minor);
  const choice =
    near.length > 0 ? near : [...new Set(offered.flatMap((each) => parse(each)?.numbers.slice(0, 2).join(".") ?? []))];
  throw refuseRequest(
    cloud,
    `Kubernetes ${requested} is not available; choose one of ${choice.toSorted(compareVersions).toReversed().join(", ")}`,
  );
}

/** Throws `clouds.invalid` unless the target of an upgrade is the same version or the next minor version. */
export function checkUpgrade(cloud: string, cluster: string, current: string, target: string): void {
  const [from, to] = [minorOf(cloud, current), minorOf(cloud, target)].map((text) => Number(text.split(".")[1]));
  if (from === undefined || to === undefined) return;
  const isOlderPatch = from === to && compareVersions(target, current) < 0 && parse(target)?.numbers.length === 3;
  if (to < from || isOlderPatch)
    throw refuseRequest(cloud, `the cluster ${cluster} runs Kubernetes ${current}, which cannot be downgraded to ${target}`);
  if (to > from + 1)
    throw refuseRequest(
      cloud,
      `the cluster ${cluster} runs Kubernetes ${current}; upgrade by one minor version at a time; the next one is 1.${from + 1}`,
    );
}
