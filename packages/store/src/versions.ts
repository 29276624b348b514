import type { Database } from "./pool.ts";

/** Issues resource versions that are unique across all processes, without a query for each one. */
export interface Versions {
  next(): Promise<string>;
}

const blockSize = 64n; // Must equal the increment of the sequence resource_version.

export function createVersions(database: Database): Versions {
  let block: Promise<{ next: bigint; end: bigint }> | undefined;
  const fetchBlock = async (): Promise<{ next: bigint; end: bigint }> => {
    const text = "select nextval('resource_version') as first";
    const { rows } = await database.query<{ first: string }>({ name: "next-versions", text, values: [] });
    const first = BigInt(rows[0]?.first ?? 0);
    return { next: first, end: first + blockSize };
  };
  return {
    async next() {
      for (;;) {
        const pending = (block ??= fetchBlock());
        try {
          const current = await pending;
          if (current.next < current.end) return String(current.next++);
        } catch (error) {
          if (block === pending) block = undefined;
          throw error;
        }
        if (block === pending) block = undefined;
      }
    },
  };
}
