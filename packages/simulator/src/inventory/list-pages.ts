import type { CloudRecord, RecordKey } from "./inventory.ts";

/** One page of a list. Control planes of earlier releases return the whole list instead. */
type Page = { readonly items: readonly CloudRecord[]; readonly more: boolean } | readonly CloudRecord[];

/** Returns all records of a list that is read page by page. `ask` returns the page that follows a given record. */
export async function listPages(ask: (after: RecordKey) => Promise<unknown>): Promise<readonly CloudRecord[]> {
  const records: CloudRecord[] = [];
  for (;;) {
    const { type, id } = records.at(-1) ?? { type: "", id: "" };
    const page = (await ask({ type, id })) as Page;
    if (!("items" in page)) return page;
    for (const record of page.items) records.push(record);
    if (!page.more) return records;
  }
}
