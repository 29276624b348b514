import type { Json } from "@cloudwright/contract";

/** Replaces values that differ between two runs of a scenario, such as uids and times. Values that are equal within a run stay equal. */
export interface Normaliser {
  normalise(value: unknown): Json;
}

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const operation = /\bop-[0-9a-f]{12}\b/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Fields with unpredictable values, and the expected format of each. */
const unforetold: Readonly<Record<string, RegExp>> = {
  resourceVersion: /^\d+$/,
  nextPageToken: /^[\w-]+$/,
  key: /^cw_[\w-]{43}$/,
  prefix: /^cw_[\w-]+$/,
  token: /^[\w-]+\.[\w-]+\.[\w-]+$/,
  credential: /^\w+:.+$/,
  // The server generates the keys that replace others.
  publicKey: /^ssh-ed25519 [A-Za-z0-9+/]{68}$/,
  fingerprint: /^SHA256:[A-Za-z0-9+/]{43}$/,
};
/** Format of a list's resourceVersion. The value is unpredictable, because the database's own activity also advances it. */
const position = /^\d+\.\d+$/;

/** Creates the normaliser of one run. `mark` is the part of entity names that is unique to the run. */
export function createNormaliser(mark: string): Normaliser {
  const known = new Map<string, string>();
  const rename = (sort: string, value: string): string => {
    const name = known.get(value) ?? `${sort} ${known.size + 1}`;
    known.set(value, name);
    return name;
  };
  const normaliseText = (text: string): string =>
    text
      .replaceAll(mark, "MARK")
      .replace(uid, (found) => rename("uid", found))
      .replace(operation, (found) => rename("operation", found))
      .replace(time, "TIME")
      .replace(/(resourceVersion )(\S+)/g, (_, words: string, version: string) => words + rename("version", version));
  const normalise = (value: unknown, name = ""): Json => {
    if (typeof value === "string") {
      if (name === "resourceVersion" && position.test(value)) return "POSITION";
      return unforetold[name]?.test(value) === true ? rename(name, value) : normaliseText(value);
    }
    if (Array.isArray(value)) return value.map((item) => normalise(item));
    if (typeof value !== "object" || value === null) return value as Json;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [normaliseText(key), normalise(item, key)]));
  };
  return { normalise: (value) => normalise(value) };
}
