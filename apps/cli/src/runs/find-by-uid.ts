import { Fault } from "@cloudwright/platform/fault";
import { cliFaults } from "../faults.ts";

/** The maximum number of entries to search, newest first. */
const mostSearched = 5000;
const fewestCharacters = 6;
const mostNamed = 5;

/** Finds the entry whose uid starts or ends with `text`. `all` must be ordered newest first. */
export async function findByUid<Item extends { uid?: string }>(
  what: string,
  text: string,
  all: AsyncIterable<Item>,
): Promise<Item> {
  const part = text.toLowerCase();
  if (!/^[0-9a-f-]+$/.test(part) || part.length < fewestCharacters) {
    const forms = `a uid, at least ${fewestCharacters} characters of its beginning or end, or KIND/NAME`;
    throw new Fault(cliFaults.usage, `"${text}" does not identify a ${what}; use ${forms}`);
  }
  const found: Item[] = [];
  let count = 0;
  for await (const item of all) {
    const { uid = "" } = item;
    if (uid.startsWith(part) || uid.endsWith(part)) found.push(item);
    if ((count += 1) >= mostSearched) break;
  }
  const [first, second] = found;
  if (first === undefined) throw new Fault(cliFaults.unknown_uid, `no ${what} has a uid that starts or ends with ${text}`);
  if (second === undefined) return first;
  const named = found.slice(0, mostNamed).map(({ uid = "" }) => uid);
  throw new Fault(
    cliFaults.ambiguous_uid,
    `${text} matches more than one ${what}: ${named.join(", ")}${found.length > mostNamed ? " ..." : ""}`,
  );
}

/**
 * Returns the last characters of a uid. The first characters encode a time and are often shared by several uids. Operation names use the
 * same suffix.
 */
export function shortUid(uid = ""): string {
  return uid.slice(-12);
}
