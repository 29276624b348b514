import type { GcpApi } from "./api.ts";

/** Counting stops at `atMost`, because each page requires another call and the exact count for a large bucket does not matter. */
const usual = { atMost: 100_000, perPage: 1000 };

/**
 * Counts the objects in a bucket, up to `atMost`. Returns 0 if the bucket does not exist. Old versions are counted too, because a bucket
 * that contains any of them cannot be deleted.
 */
export async function countObjects(api: GcpApi, bucket: string, { atMost, perPage } = usual): Promise<number> {
  const doing = `count the objects in the bucket ${bucket}`;
  const path = `b/${encodeURIComponent(bucket)}`;
  if ((await api.find(doing, { service: "storage", path, query: { fields: "name" } })) === undefined) return 0;
  const query = { versions: "true", maxResults: String(Math.min(perPage, atMost)), fields: "items(name),nextPageToken" };
  const count = (pages: readonly { readonly items?: readonly unknown[] }[]): number =>
    pages.reduce((sum, { items = [] }) => sum + items.length, 0);
  const pages = await api.listPages<{ readonly items?: readonly unknown[] }>(
    doing,
    { service: "storage", path: `${path}/o`, query },
    (soFar) => count(soFar) >= atMost,
  );
  return Math.min(count(pages), atMost);
}
