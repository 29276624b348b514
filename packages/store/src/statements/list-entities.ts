import type { Database } from "../pool.ts";
import { selectorConditions, type LabelRequirement } from "../label-selector.ts";

export type SortKey = "name" | "created_at" | "updated_at";

export interface EntityList {
  readonly kind: string;
  readonly project: string;
  readonly namingScope: string;
  readonly parentUid: string | undefined;
  readonly labels: readonly LabelRequirement[];
  /** Conditions on fields. Each field is identified by its path in the entity's JSON. */
  readonly fields: readonly { readonly path: readonly string[]; readonly equal: boolean; readonly value: string }[];
  /** Environments to include, or undefined for all. */
  readonly environments: readonly string[] | undefined;
  /** Names to include, or undefined for all. */
  readonly names: readonly string[] | undefined;
  readonly sort: SortKey;
  readonly descending: boolean;
  readonly limit: number;
  /** Sort value and uid of the last entity on the previous page. */
  readonly after: { readonly value: string; readonly uid: string } | undefined;
  /** Maximum size of the page in bytes. Values above the default have no effect. */
  readonly maxBytes?: number | undefined;
}

export interface ListedRow {
  readonly uid: string;
  readonly sort_value: string;
  readonly object: string;
  /** Number of entities that the page would contain without the limit on its size in bytes. */
  readonly found: string;
}

const sortTypes: Readonly<Record<SortKey, string>> = { name: "text", created_at: "timestamptz", updated_at: "timestamptz" };

/**
 * A page ends before it exceeds this size, even if it contains fewer than `limit` entities. A thousand large entities would not fit into
 * memory.
 */
const maxPageBytes = 8 * 1024 * 1024;

/** Returns one page of entities, and the position in the change log at which it was read. */
export async function listEntities(database: Database, list: EntityList): Promise<{ rows: ListedRow[]; position: string }> {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const order = list.descending ? "desc" : "asc";
  const conditions = [
    `project = ${bind(list.project)}`,
    `kind = ${bind(list.kind)}`,
    `naming_scope = ${bind(list.namingScope)}`,
    ...(list.parentUid === undefined ? [] : [`parent_uid = ${bind(list.parentUid)}`]),
    ...(list.environments === undefined ? [] : [`environment = any(${bind(list.environments)}::text[])`]),
    ...(list.names === undefined ? [] : [`name = any(${bind(list.names)}::text[])`]),
    ...selectorConditions(list.labels, bind),
    ...list.fields.map(({ path, equal, value }) => {
      const actual = `coalesce(object #>> ${bind(path)}::text[], '')`;
      return `${actual} ${equal ? "=" : "<>"} ${bind(value)}`;
    }),
  ];
  if (list.after !== undefined) {
    const position = `(${bind(list.after.value)}::${sortTypes[list.sort]}, ${bind(list.after.uid)}::uuid)`;
    conditions.push(`(${list.sort}, uid) ${list.descending ? "<" : ">"} ${position}`);
  }
  const page = `select uid, ${list.sort} as sort_key, object::text as object from entity
    where ${conditions.join(" and ")} order by ${list.sort} ${order}, uid ${order} limit ${bind(list.limit)}`;
  const text = `select snapshot.position, page.* from (select pg_snapshot_xmin(pg_current_snapshot())::text as position) snapshot
    left join lateral (
      select uid, sort_key::text as sort_value, object, count(*) over () as found,
        sum(octet_length(object)) over (order by sort_key ${order}, uid ${order}) as bytes,
        row_number() over (order by sort_key ${order}, uid ${order}) as nth
      from (${page}) page
    ) page on page.nth = 1 or page.bytes <= ${bind(Math.min(list.maxBytes ?? maxPageBytes, maxPageBytes))} order by page.nth`;
  const plain = list.labels.length === 0 && list.fields.length === 0;
  const name = `list-${list.sort}-${order}-${[list.parentUid, list.environments, list.names, list.after].map((part) => (part === undefined ? 0 : 1)).join("")}`;
  const { rows } = await database.query<ListedRow & { position: string }>(plain ? { name, text, values } : { text, values });
  return { rows: rows.filter((row) => row.uid !== null), position: `${rows[0]?.position ?? "0"}.0` };
}
