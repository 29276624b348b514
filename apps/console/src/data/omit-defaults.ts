type Tree = Readonly<Record<string, unknown>>;

/**
 * Fields in which zero or false is not the default, so these values must be kept. For example, `public` is false only for clusters with a
 * private API server.
 */
export const meaningfulZeros: ReadonlySet<string> = new Set([
  "abortUploadsAfterDays",
  "defaultOutboundAccess",
  "deletionProtection",
  "encrypted",
  "gatewayApi",
  "imageCleaner",
  "localAccounts",
  "logRetentionDays",
  "maxSurge",
  "public",
  "publicIpsOnLaunch",
  "retries",
  "running",
  "secureBoot",
  "sharedKeys",
  "shieldedVm",
  "softDeleteDays",
  "trustedLaunch",
  "workers",
]);

/** Fields that contain the user's own keys or documents, such as node labels. Nothing inside them is omitted. */
export const freeForms: ReadonlySet<string> = new Set(["hostLabels", "labels", "nodeLabels", "overrides", "policy", "settings"]);

/**
 * Removes the fields of a spec that have their default value: an empty string, an empty list, zero or false. Keeps empty sections, because
 * the mere presence of a section can be meaningful.
 */
export function omitDefaults(spec: Tree): Tree {
  const kept = Object.entries(spec).flatMap(([name, value]): [string, unknown][] => {
    const shortened = freeForms.has(name) ? omitEmptyMap(value) : shorten(value);
    return shortened === undefined && !(meaningfulZeros.has(name) && isZero(value)) ? [] : [[name, shortened ?? value]];
  });
  return Object.fromEntries(kept);
}

/** Returns undefined for an empty map. Returns any other value unchanged. */
export function omitEmptyMap(value: unknown): unknown {
  return isTree(value) && Object.keys(value).length === 0 ? undefined : value;
}

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => shorten(item) ?? item);
  if (isTree(value)) return omitDefaults(value);
  return value === "" || value === null || isZero(value) ? undefined : value;
}

function isZero(value: unknown): boolean {
  return value === 0 || value === false;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
