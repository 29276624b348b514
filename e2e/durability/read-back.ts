import { createAdminCalls } from "../admin-calls.ts";
import type { Target } from "./writers.ts";

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken: string;
}

/** Returns the items from all pages of a list. */
export async function listAll<Item>(target: Target, path: string): Promise<Item[]> {
  const admin = createAdminCalls(target);
  const items: Item[] = [];
  let pageToken = "";
  do {
    const response = await admin.send("GET", `${path}${path.includes("?") ? "&" : "?"}pageSize=1000&pageToken=${pageToken}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    const page = (await response.json()) as Page<Item>;
    items.push(...page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  return items;
}

/** Returns the uids of all existing environments, keyed by name. */
export async function readEnvironments(target: Target): Promise<Map<string, string>> {
  const found = await listAll<{ metadata: { name: string; uid: string } }>(target, "/v1/projects/default/environments");
  return new Map(found.map(({ metadata }) => [metadata.name, metadata.uid]));
}

/** Returns the names from the recorded creation events. A name occurs twice only if an environment was created twice. */
export async function readCreations(target: Target): Promise<string[]> {
  const events = await listAll<{ name: string }>(target, "/v1/projects/default/events?filter=reason=Created,kind=Environment");
  return events.map(({ name }) => name).toSorted();
}
